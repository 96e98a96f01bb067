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

# [clock]
moved = client.sandbox.advance_clock(advance_by="P1D")
print(moved.now)
# [/clock]
