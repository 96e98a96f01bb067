"""Names of verification documents."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import Document

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
