# [again]
ORDER_KEY=$(uuidgen)   # stored with the order, before the call
for attempt in first second; do
  curl -s $ONPAY_BASE_URL/api/v2/payments -H "x-api-key: $ONPAY_API_KEY" \
    -H "idempotency-key: $ORDER_KEY" -H "content-type: application/json" -d '{
      "method": "PIX", "amount": 42.00, "currency": "BRL", "reference": "order-4001",
      "payer": {"name": "Maria Silva", "taxId": "52998224725"}
    }'
done
# [/again]

# [safely]
ORDER_KEY=$(uuidgen)   # stored with the order, before the call
curl -s $ONPAY_BASE_URL/api/v2/payments -H "x-api-key: $ONPAY_API_KEY" --max-time 30 \
  --retry 5 --retry-all-errors --retry-max-time 120 \
  -H "idempotency-key: $ORDER_KEY" -H "content-type: application/json" -d '{
    "method": "PIX", "amount": 43.00, "currency": "BRL", "reference": "order-4002",
    "payer": {"name": "Maria Silva", "taxId": "52998224725"}
  }'
# [/safely]

# [checkout]
ORDER_KEY=$(uuidgen)   # stored with the order, before the call
curl -s $ONPAY_BASE_URL/api/v2/payments -H "x-api-key: $ONPAY_API_KEY" --max-time 5 \
  -H "idempotency-key: $ORDER_KEY" -H "content-type: application/json" -d '{
    "method": "PIX", "amount": 44.00, "currency": "BRL", "reference": "order-4003",
    "payer": {"name": "Maria Silva", "taxId": "52998224725"}
  }'
# [/checkout]
