# [day]
curl -s "$ONPAY_BASE_URL/api/v2/companies/me/reconciliation?date=2026-11-20&timeZone=America/Sao_Paulo" -H "x-api-key: $ONPAY_API_KEY"
# [/day]
