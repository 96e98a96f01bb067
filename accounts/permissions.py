"""Permissions of API keys (contract §2.6)."""

PERMISSIONS = {
    "payments:write": "Create payments; simulate them in the sandbox",
    "transactions:read": "Read and list payments, fetch receipts and boletos",
    "refunds:write": "Make refunds and answer refund requests",
    "refunds:read": "Read refunds",
    "payment-methods:read": "List the payment methods",
    "webhooks:write": "Create, change and delete webhook endpoints; redeliver and test",
    "webhooks:read": "List webhook endpoints, deliveries and events",
    "companies:read": "Read the company",
    "balances:read": "Read balances, releasing and blocked money",
    "withdrawals:write": "Withdraw money; add and remove beneficiaries",
    "withdrawals:read": "Read withdrawals and beneficiaries",
    "withdrawals:approve": "Approve or reject withdrawals that wait for approval",
    "conversions:write": "Quote and confirm conversions",
    "customers:read": "List customers",
}
ALL = tuple(PERMISSIONS)
PRODUCTION_DEFAULT = tuple(name for name in ALL if not name.startswith("withdrawals:") and name != "conversions:write")
MOVES_MONEY = frozenset({"refunds:write", "withdrawals:write", "withdrawals:approve", "conversions:write"})
