# [create]
curl -s $ONPAY_BASE_URL/api/v2/payments -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{
    "method": "PIX",
    "amount": 89.90,
    "currency": "BRL",
    "reference": "order-2001",
    "expiresIn": 3600,
    "payer": {"name": "Maria Silva", "taxId": "52998224725"}
  }'
# [/create]
PAYMENT=$ID

# [expire]
curl -s $ONPAY_BASE_URL/api/v2/payments/$PAYMENT/expire -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -X POST
curl -s $ONPAY_BASE_URL/api/v2/payments -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{
    "method": "CREDIT_CARD",
    "amount": 89.90,
    "currency": "BRL",
    "reference": "order-2001",
    "returnUrl": "https://shop.example.com/orders/2001",
    "payer": {"name": "Maria Silva", "taxId": "52998224725"}
  }'
# [/expire]

# [list]
curl -s "$ONPAY_BASE_URL/api/v2/payments?status=PAID&paidFrom=2026-11-20T00:00:00-03:00&paidTo=2026-11-21T00:00:00-03:00" \
  -H "x-api-key: $ONPAY_API_KEY"
# [/list]

# [link]
curl -s $ONPAY_BASE_URL/api/v2/payment-links -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{
    "description": "Matrícula, março",
    "amount": 150.00,
    "currency": "BRL",
    "maxUses": 1
  }'
# [/link]
