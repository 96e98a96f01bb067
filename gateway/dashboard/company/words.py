"""What codes of the company's pages are called."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import Document
from accounts.roles import May

MAY: dict[May, Promise] = {
    May.READ_PAYMENTS: _("See payments, refunds, customers, team and settings"),
    May.READ_MONEY: _("See balances, statement, receivables, withdrawals and conversions"),
    May.READ_TECHNICAL: _("See API keys, webhooks, events and requests"),
    May.READ_AUDIT: _("Read the audit log"),
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

KIND: dict[Document.Kind, tuple[Promise, Promise]] = {
    Document.Kind.REGISTRATION: (
        _("Company registration"),
        _("Articles of association or an extract of the company register, at most 90 days old"),
    ),
    Document.Kind.IDENTITY: (
        _("Identity of the legal representative"),
        _("Passport, identity card or driver's license, both sides"),
    ),
    Document.Kind.ADDRESS: (
        _("Proof of address"),
        _("A bill or bank letter with the company's name, at most 90 days old"),
    ),
    Document.Kind.BANK_ACCOUNT: (
        _("Proof of bank account"),
        _("A statement or letter that names the account holder: withdrawals go to accounts of the company"),
    ),
    Document.Kind.OTHER: (_("Something else"), _("What support asked for, or an explanation of the rest")),
}
