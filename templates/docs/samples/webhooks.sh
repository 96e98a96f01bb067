# [register]
curl -s $ONPAY_BASE_URL/api/v2/webhooks -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" \
  -d '{"url": "https://shop.example.com/hooks", "events": ["*"]}'
# [/register]
WEBHOOK=$ID

# [doctor]
curl -s $ONPAY_BASE_URL/api/v2/webhooks/$WEBHOOK/verifications -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{
    "headers": {
      "webhook-id": "evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT",
      "webhook-timestamp": "1795262400",
      "webhook-signature": "v1,what your receiver got"
    },
    "body": "{\"the\": \"raw body that your receiver got\"}"
  }'
# [/doctor]

# [replay]
curl -s $ONPAY_BASE_URL/api/v2/webhooks/$WEBHOOK/replays -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" \
  -d '{"lastStatus": "FAILED", "createdFrom": "2026-11-20T00:00:00Z", "dryRun": true}'
# [/replay]

# [rotate]
curl -s $ONPAY_BASE_URL/api/v2/webhooks/$WEBHOOK/secret-rotations -H "x-api-key: $ONPAY_API_KEY" \
  -H "idempotency-key: $(uuidgen)" -H "content-type: application/json" -d '{"overlapHours": 24}'
# [/rotate]
