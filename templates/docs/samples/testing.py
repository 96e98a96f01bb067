from decimal import Decimal
from uuid import uuid4

import onpay

client = onpay.Onpay()


# [story]
def test_an_order_is_paid_and_refunded() -> None:
    payment = client.payments.create(
        method="PIX",
        amount=Decimal("60.00"),
        currency="BRL",
        reference=f"test-{uuid4()}",
        payer={"name": "Maria Silva", "tax_id": "52998224725"},
    )
    assert client.sandbox.end_payment(payment.id, status="PAID").paid_at
    client.refunds.create(payment.id)
    client.sandbox.advance_clock(advance_by="PT5S")
    assert client.payments.get(payment.id).status == "REFUNDED"


# [/story]


test_an_order_is_paid_and_refunded()


# [release]
def release(payment_id: str) -> None:
    # ... what your shop does to ship the order, and in the sandbox:
    client.sandbox.report_release(payment_id=payment_id)


# [/release]


# [readiness]
endpoint = client.webhook_endpoints.create(url="https://shop.example.com/hooks", events=["*"])
check = client.sandbox.start_readiness_check(endpoint_id=endpoint.id)
# Here your tests place orders in your shop.
check = client.sandbox.finish_readiness_check(check.id)
for probe in check.probes:
    if probe.verdict != "PASSED":
        print(probe.verdict, probe.title, probe.advice, probe.evidence)
print("grade", check.grade)
# [/readiness]

release(next(iter(client.payments.list(page_size=1))).id)

# [clock]
moved = client.sandbox.advance_clock(advance_by="P1D")
print(moved.now)
# [/clock]
