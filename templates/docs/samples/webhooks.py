from typing import Any

import onpay

client = onpay.Onpay()

# [register]
endpoint = client.webhook_endpoints.create(url="https://shop.example.com/hooks", events=["*"])
print(endpoint.id, endpoint.secret)
# [/register]


# [verify]
def receive(body: bytes, headers: dict[str, str], secret: str) -> None:
    event = onpay.webhooks.verify(body, headers, [secret])  # raises SignatureError
    payment = event.data
    if not isinstance(payment, onpay.Payment):
        return
    newest = known.get(payment.id)
    if newest is None or event.sequence > newest.sequence:
        known[payment.id] = newest = event
    if payment.paid_at and newest.data.status != "REFUNDED":
        release_once(payment.reference)


# [/verify]


known: dict[str, Any] = {}


def release_once(reference: str) -> None:
    print("released", reference)


# [doctor]
verdict = client.webhook_endpoints.diagnose_signature(
    endpoint.id,
    headers={
        "webhook-id": "evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT",
        "webhook-timestamp": "1795262400",
        "webhook-signature": "v1,what your receiver got",
    },
    body='{"the": "raw body that your receiver got"}',
)
print(verdict.verdict, verdict.explanation)
# [/doctor]

# [replay]
counted = client.webhook_endpoints.replay(
    endpoint.id, last_status="FAILED", created_from="2026-11-20T00:00:00Z", dry_run=True
)
print(counted)
# [/replay]

# [rotate]
rotated = client.webhook_endpoints.rotate_secret(endpoint.id, overlap_hours=24)
print(rotated.secret, rotated.previous_secret_expires_at)
# [/rotate]
