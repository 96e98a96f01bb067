# [top-up]
curl -s $ONPAY_BASE_URL/api/v2/simulations/balances -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" \
  -d '{"currency": "BRL", "amount": 50000.00}'
# [/top-up]

# [preflight]
curl -s "$ONPAY_BASE_URL/api/v2/withdrawals/pix?dryRun=true" -H "x-api-key: $ONPAY_API_KEY" \
  -H "content-type: application/json" -d '{
    "companyId": "'$COMPANY'", "amount": 20.00, "currency": "BRL", "reference": "wd-5001",
    "pixKey": "52998224725", "pixKeyType": "CPF"
  }'
# [/preflight]

# [withdraw]
curl -s $ONPAY_BASE_URL/api/v2/withdrawals/pix -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{
    "companyId": "'$COMPANY'", "amount": 20.00, "currency": "BRL", "reference": "wd-5001",
    "pixKey": "52998224725", "pixKeyType": "CPF"
  }'
# [/withdraw]
WITHDRAWAL=$ID

# [end]
curl -s $ONPAY_BASE_URL/api/v2/simulations/withdrawals/$WITHDRAWAL -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{"status": "COMPLETED"}'
# [/end]

# [convert]
QUOTE=$(curl -s $ONPAY_BASE_URL/api/v2/companies/me/wallets/conversions/quote -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" \
  -d '{"sourceMethod": "PIX", "destinationMethod": "SPEI", "sourceAmount": 1000.00}' \
  | python3 -c 'import json, sys; print(json.load(sys.stdin)["data"]["quoteToken"])')
curl -s $ONPAY_BASE_URL/api/v2/companies/me/wallets/conversions/confirm -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{"quoteToken": "'$QUOTE'"}'
# [/convert]
