from decimal import Decimal
from uuid import uuid4

import onpay

client = onpay.Onpay()
payer = {"name": "Maria Silva", "tax_id": "52998224725"}

# [again]
order_key = str(uuid4())  # stored with the order, before the call
for _attempt in ("first", "second"):
    payment = client.payments.create(
        idempotency_key=order_key,
        method="PIX",
        amount=Decimal("42.00"),
        currency="BRL",
        reference="order-4001",
        payer=payer,
    )
    print(payment.id)  # the same one
# [/again]

order_key = str(uuid4())
# [safely]
patient = onpay.Onpay(timeout=30, deadline=120, retries=5)  # seconds
try:
    payment = patient.payments.create(
        idempotency_key=order_key,
        method="PIX",
        amount=Decimal("43.00"),
        currency="BRL",
        reference="order-4002",
        payer=payer,
    )
except (onpay.ConnectionFailed, onpay.ServerError) as error:
    print("unclear: again later, with the same key", error)
except onpay.APIError as error:
    print("refused:", error.code, error.request_id)
# [/safely]


def repeat_later(order_key: str) -> None:
    print("a job of yours sends the same order with this key", order_key)


order_key = str(uuid4())
# [checkout]
try:
    payment = client.payments.create(
        idempotency_key=order_key,
        deadline=5,  # seconds for all attempts: the payer waits
        method="PIX",
        amount=Decimal("44.00"),
        currency="BRL",
        reference="order-4003",
        payer=payer,
    )
except (onpay.ConnectionFailed, onpay.ServerError):
    repeat_later(order_key)
# [/checkout]
