import onpay

client = onpay.Onpay()

# [day]
day = client.companies.reconciliation("me", date="2026-11-20", time_zone="America/Sao_Paulo")
for wallet in day.wallets:
    print(wallet.currency, wallet.opening, wallet.ending)
# [/day]
