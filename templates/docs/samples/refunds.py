from decimal import Decimal

import onpay

client = onpay.Onpay()
payer = {"name": "Maria Silva", "tax_id": "52998224725"}
payment = client.payments.create(
    method="PIX", amount=Decimal("300.00"), currency="BRL", reference="order-3001", payer=payer
)
client.sandbox.end_payment(payment.id, status="PAID")

# [create]
refund = client.refunds.create(
    payment.id, amount=Decimal("50.00"), reason="One of three items out of stock", reference="rf-3001-1"
)
print(refund.id, refund.status)
# [/create]
requested = client.sandbox.request_refund(payment.id, amount=Decimal("100.00"))

# [answer]
answered = client.refunds.answer(
    requested.id,
    answer="CONTEST",
    message="Delivered on 20 November, signed by the payer.",
    evidence=[
        {
            "type": "URL",
            "url": "https://shop.example.com/deliveries/3001",
            "description": "Proof of delivery",
        }
    ],
)
print(answered.status)
# [/answer]
