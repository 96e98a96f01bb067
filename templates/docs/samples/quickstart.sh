# [company]
curl -s $ONPAY_BASE_URL/api/v2/companies/me -H "x-api-key: $ONPAY_API_KEY"
# [/company]

# [create]
curl -s $ONPAY_BASE_URL/api/v2/payments -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{
    "method": "PIX",
    "amount": 150.00,
    "currency": "BRL",
    "reference": "order-1042",
    "payer": {"name": "Maria Silva", "taxId": "52998224725"}
  }'
# [/create]
PAYMENT=$ID

# [listen]
curl -s $ONPAY_BASE_URL/api/v2/webhooks -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" \
  -d '{"url": "https://shop.example.com/hooks", "events": ["*"]}'
# [/listen]

# [pay]
curl -s $ONPAY_BASE_URL/api/v2/simulations/payments/$PAYMENT -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{"status": "PAID"}'
# [/pay]

# [event]
curl -s "$ONPAY_BASE_URL/api/v2/events?type=payment.paid" -H "x-api-key: $ONPAY_API_KEY"
# [/event]

# [look-up]
curl -s "$ONPAY_BASE_URL/api/v2/payments?reference=order-1042" -H "x-api-key: $ONPAY_API_KEY"
# [/look-up]
