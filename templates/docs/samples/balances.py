import onpay

client = onpay.Onpay()

# [balance]
for wallet in client.companies.balance("me").wallets:
    print(wallet.method, wallet.currency, wallet.available, wallet.releasing, wallet.blocked)
# [/balance]

# [releasing]
for receivable in client.companies.releasing("me", currency="BRL"):
    print(receivable.release_at, receivable.reference, receivable.amount)
# [/releasing]

# [blocked]
for hold in client.companies.blocked("me", currency="BRL"):
    print(hold.reason, hold.amount, hold.expected_release_at)
# [/blocked]

# [explain]
explained = client.companies.explain_balance("me", currency="BRL", bucket="AVAILABLE")
print(explained.opening, explained.causes, explained.ending)
# [/explain]
