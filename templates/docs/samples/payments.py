from decimal import Decimal

import onpay

client = onpay.Onpay()

# [create]
payment = client.payments.create(
    method="PIX",
    amount=Decimal("89.90"),
    currency="BRL",
    reference="order-2001",
    expires_in=3600,
    payer={"name": "Maria Silva", "tax_id": "52998224725"},
)
# [/create]

# [expire]
ended = client.payments.expire(payment.id)
if ended.status == "EXPIRED":
    card = client.payments.create(
        method="CREDIT_CARD",
        amount=Decimal("89.90"),
        currency="BRL",
        reference="order-2001",
        return_url="https://shop.example.com/orders/2001",
        payer={"name": "Maria Silva", "tax_id": "52998224725"},
    )
    print(card.next_action)
# [/expire]

# [list]
for paid in client.payments.list(
    status="PAID", paid_from="2026-11-20T00:00:00-03:00", paid_to="2026-11-21T00:00:00-03:00"
):
    print(paid.reference, paid.amount)
# [/list]

# [link]
link = client.payment_links.create(description="Matrícula, março", amount=Decimal("150.00"), currency="BRL", max_uses=1)
print(link.url)
# [/link]
