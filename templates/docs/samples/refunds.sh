curl -s $ONPAY_BASE_URL/api/v2/payments -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{
    "method": "PIX", "amount": 300.00, "currency": "BRL", "reference": "order-3001",
    "payer": {"name": "Maria Silva", "taxId": "52998224725"}}'
PAYMENT=$ID
curl -s $ONPAY_BASE_URL/api/v2/simulations/payments/$PAYMENT -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{"status": "PAID"}'

# [create]
curl -s $ONPAY_BASE_URL/api/v2/payments/$PAYMENT/refunds -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{
    "amount": 50.00,
    "reason": "One of three items out of stock",
    "reference": "rf-3001-1"
  }'
# [/create]

curl -s $ONPAY_BASE_URL/api/v2/simulations/payments/$PAYMENT/refund-requests -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{"amount": 100.00}'
REFUND=$ID

# [answer]
curl -s $ONPAY_BASE_URL/api/v2/refunds/$REFUND/responses -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{
    "answer": "CONTEST",
    "message": "Delivered on 20 November, signed by the payer.",
    "evidence": [{"type": "URL", "url": "https://shop.example.com/deliveries/3001", "description": "Proof of delivery"}]
  }'
# [/answer]
