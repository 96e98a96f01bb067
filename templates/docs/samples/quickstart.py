# [start]
from decimal import Decimal

import onpay

client = onpay.Onpay()  # ONPAY_API_KEY and ONPAY_BASE_URL
# [/start]

# [company]
company = client.companies.get("me")
print(company.id, company.trade_name)
# [/company]

# [create]
payment = client.payments.create(
    method="PIX",
    amount=Decimal("150.00"),
    currency="BRL",
    reference="order-1042",
    payer={"name": "Maria Silva", "tax_id": "52998224725"},
)
print(payment.id, payment.pix_copy_paste)
# [/create]

# [listen]
endpoint = client.webhook_endpoints.create(url="https://shop.example.com/hooks", events=["*"])
print(endpoint.id, endpoint.secret)
# [/listen]

# [pay]
paid = client.sandbox.end_payment(payment.id, status="PAID")
print(paid.status, paid.paid_at, paid.net_amount)
# [/pay]

# [event]
for event in client.events.list(type="payment.paid"):
    print(event.id, event.type, event.created_at)
# [/event]

# [look-up]
for found in client.payments.list(reference="order-1042"):
    print(found.id, found.status)
# [/look-up]
