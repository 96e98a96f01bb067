# [story]
curl -s $ONPAY_BASE_URL/api/v2/payments -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{
    "method": "PIX", "amount": 60.00, "currency": "BRL", "reference": "test-'$(date +%s)'",
    "payer": {"name": "Maria Silva", "taxId": "52998224725"}
  }' | tee created.json
PAYMENT=$(python3 -c 'import json; print(json.load(open("created.json"))["data"]["id"])')
curl -s $ONPAY_BASE_URL/api/v2/simulations/payments/$PAYMENT -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{"status": "PAID"}'
curl -s $ONPAY_BASE_URL/api/v2/payments/$PAYMENT/refunds -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{}'
curl -s $ONPAY_BASE_URL/api/v2/simulations/clock -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{"advanceBy": "PT5S"}'
curl -s $ONPAY_BASE_URL/api/v2/payments/$PAYMENT -H "x-api-key: $ONPAY_API_KEY" | grep '"status":"REFUNDED"'
# [/story]

# [readiness]
ENDPOINT=$(curl -s $ONPAY_BASE_URL/api/v2/webhooks -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{
    "url": "https://shop.example.com/hooks", "events": ["*"]
  }' | python3 -c 'import json, sys; print(json.load(sys.stdin)["data"]["id"])')
CHECK=$(curl -s $ONPAY_BASE_URL/api/v2/simulations/readiness-checks -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{"endpointId": "'$ENDPOINT'"}' |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["data"]["id"])')
# Here your tests place orders in your shop.
curl -s $ONPAY_BASE_URL/api/v2/simulations/readiness-checks/$CHECK/finish -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{}' | grep -o '"grade":"."'
# [/readiness]

# [release]
curl -s $ONPAY_BASE_URL/api/v2/simulations/releases -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{"paymentId": "'$PAYMENT'"}'
# [/release]

# [clock]
curl -s $ONPAY_BASE_URL/api/v2/simulations/clock -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{"advanceBy": "P1D"}'
# [/clock]
