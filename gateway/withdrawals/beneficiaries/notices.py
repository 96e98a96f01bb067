"""E-mails to all owners about the book of beneficiaries."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.notices import notify
from accounts.roles import Role
from gateway.withdrawals.beneficiaries.models import Beneficiary


def added(beneficiary: Beneficiary) -> None:
    _notify(beneficiary, _("a beneficiary was added"))


def removed(beneficiary: Beneficiary) -> None:
    _notify(beneficiary, _("a beneficiary was removed"))


def _notify(beneficiary: Beneficiary, subject: Promise) -> None:
    merchant = beneficiary.merchant
    notify(
        merchant.company,
        (Role.OWNER,),
        subject,
        "beneficiary",
        "beneficiaries",
        environment=merchant.environment,
        beneficiary=beneficiary,
    )
