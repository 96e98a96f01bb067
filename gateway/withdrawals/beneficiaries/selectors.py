"""Reads of the book of beneficiaries. The first argument is always the merchant."""

from collections.abc import Sequence

from django.db.models import QuerySet

from accounts.base.ids import is_well_formed
from accounts.models import Merchant
from gateway.withdrawals.beneficiaries.errors import BeneficiaryNotFound
from gateway.withdrawals.beneficiaries.models import Beneficiary


def listed(merchant: Merchant) -> QuerySet[Beneficiary]:
    """The beneficiaries in the book, newest first."""
    known = Beneficiary.objects.filter(merchant=merchant, removed_at=None).select_related("merchant")
    return known.order_by("-created_at", "-id")


def get(merchant: Merchant, beneficiary_id: str) -> Beneficiary:
    """Raises ONP404_BENEFICIARY, also for one that was removed."""
    found = listed(merchant).filter(pk=beneficiary_id).first() if is_well_formed(beneficiary_id) else None
    if found is None:
        raise BeneficiaryNotFound
    return found


def of_account(merchant: Merchant, accounts: Sequence[bytes]) -> Beneficiary | None:
    """The beneficiary in the book with one of these fingerprints, the first of which is the current one."""
    found = listed(merchant).filter(account_fingerprint__in=accounts).first()
    if found and bytes(found.account_fingerprint) != accounts[0]:
        Beneficiary.objects.filter(pk=found.pk).update(account_fingerprint=accounts[0])
    return found
