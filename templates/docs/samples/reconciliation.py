import onpay

client = onpay.Onpay()

# [day]
day = client.companies.reconciliation("me", date="2026-11-20", time_zone="America/Sao_Paulo")
for wallet in day.page().totals:
    print(wallet["currency"], wallet["opening"], wallet["ending"])
for line in day:
    print(line.category, line.reference, line.gross, line.fee, line.net)
# [/day]
