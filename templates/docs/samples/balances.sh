# [balance]
curl -s $ONPAY_BASE_URL/api/v2/companies/me/balance -H "x-api-key: $ONPAY_API_KEY"
# [/balance]

# [releasing]
curl -s "$ONPAY_BASE_URL/api/v2/companies/me/balances/releasing?currency=BRL" -H "x-api-key: $ONPAY_API_KEY"
# [/releasing]

# [blocked]
curl -s "$ONPAY_BASE_URL/api/v2/companies/me/balances/blocked?currency=BRL" -H "x-api-key: $ONPAY_API_KEY"
# [/blocked]

# [explain]
curl -s "$ONPAY_BASE_URL/api/v2/companies/me/balance/explain?currency=BRL&bucket=AVAILABLE" -H "x-api-key: $ONPAY_API_KEY"
# [/explain]
