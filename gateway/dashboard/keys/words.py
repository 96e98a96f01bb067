"""Names of key permissions, and advice about keys."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.advice import Advice

PERMISSION: dict[str, Promise] = {
    "payments:write": _("Create payments; simulate them in the sandbox"),
    "transactions:read": _("Read and list payments, fetch receipts and boletos"),
    "refunds:write": _("Make refunds and answer refund requests"),
    "refunds:read": _("Read refunds"),
    "payment-methods:read": _("List the payment methods"),
    "webhooks:write": _("Create, change and delete webhook endpoints; redeliver and test"),
    "webhooks:read": _("List webhook endpoints, deliveries and events"),
    "companies:read": _("Read the company"),
    "balances:read": _("Read balances, releasing and blocked money"),
    "withdrawals:write": _("Withdraw money; add and remove beneficiaries"),
    "withdrawals:read": _("Read withdrawals and beneficiaries"),
    "withdrawals:approve": _("Approve or reject withdrawals that wait for approval"),
    "conversions:write": _("Quote and confirm conversions"),
    "customers:read": _("List customers"),
}


ADVICE: dict[Advice, tuple[Promise, Promise]] = {
    Advice.NEVER_USED: (
        _("Never used"),
        _("This key is more than 60 days old and was never used. Revoke it if nothing needs it."),
    ),
    Advice.UNUSED: (
        _("Unused for 60 days"),
        _("This key has not been used for 60 days. Revoke it if nothing needs it any more."),
    ),
    Advice.MAY_TOO_MUCH: (
        _("Has more permissions than it uses"),
        _("Some of its permissions have not been used for 60 days. Issue a key with the others, and revoke this one."),
    ),
    Advice.MAY_EVERYTHING: (
        _("Has all permissions"),
        _("Anyone who finds this key can move your money. Give each part of your system its own key."),
    ),
}
