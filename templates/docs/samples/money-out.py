from decimal import Decimal

import onpay

client = onpay.Onpay()
company = client.companies.get("me")

# [top-up]
balance = client.sandbox.top_up_balance(currency="BRL", amount=Decimal("50000.00"))
print(balance.balances)
# [/top-up]

# [preflight]
order = {
    "company_id": company.id,
    "amount": Decimal("20.00"),
    "currency": "BRL",
    "reference": "wd-5001",
    "pix_key": "52998224725",
    "pix_key_type": "CPF",
}
preflight = client.withdrawals.rehearse_pix(**order)
for gate in preflight.gates:
    print(gate.gate, gate.holds, gate.code)
# [/preflight]

# [withdraw]
withdrawal = client.withdrawals.create_pix(**order)
print(withdrawal.id, withdrawal.status, withdrawal.total_debited)
# [/withdraw]

# [end]
ended = client.sandbox.end_withdrawal(withdrawal.id, status="COMPLETED")
print(ended.status)
# [/end]

# [convert]
quote = client.conversions.quote("me", source_method="PIX", destination_method="SPEI", source_amount=Decimal("1000.00"))
conversion = client.conversions.confirm("me", quote_token=quote.quote_token)
print(conversion.destination_amount)
# [/convert]
