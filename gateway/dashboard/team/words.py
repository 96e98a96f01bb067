"""Names of roles, and of the sign-in methods of members."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.roles import May

MAY: dict[May, Promise] = {
    May.READ_PAYMENTS: _("See payments, refunds, customers, team and settings"),
    May.READ_MONEY: _("See balances, statement, receivables, withdrawals and conversions"),
    May.READ_TECHNICAL: _("See API keys, webhooks, events and requests"),
    May.READ_TRAIL: _("Read what the audit log says about money"),
    May.READ_AUDIT: _("Read the whole audit log"),
    May.SELL: _("Make payment links, pause and end them"),
    May.REFUND: _("Make refunds and answer disputes"),
    May.MOVE_MONEY: _("Withdraw, convert, request advances"),
    May.SIMULATE: _("Use the sandbox lab"),
    May.DEVELOP: _("Issue API keys, change webhooks"),
    May.MANAGE: _("Change the team, the settings and the withdrawal address; verify the company"),
}


FACTOR: dict[str, Promise] = {
    "totp": _("Authenticator app"),
    "webauthn": _("Passkey or security key"),
}
