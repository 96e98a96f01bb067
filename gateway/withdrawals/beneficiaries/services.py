"""Adding accounts to the book of beneficiaries, and removing them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import IntegrityError, transaction

from accounts.base import clock
from accounts.base.sealing import seal, unseal
from accounts.models import Merchant
from gateway.payments.services import require_active
from gateway.payouts.registry import by_currency
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.beneficiaries import notices
from gateway.withdrawals.beneficiaries.accounts import fingerprints
from gateway.withdrawals.beneficiaries.errors import BeneficiaryExists, TooManyBeneficiaries
from gateway.withdrawals.beneficiaries.models import Beneficiary
from gateway.withdrawals.beneficiaries.selectors import get, listed, of_account
from gateway.withdrawals.rules.selectors import in_force

MOST = 5000


@dataclass(frozen=True, slots=True)
class BeneficiaryDraft:
    """A valid beneficiary. `destination` has the members that its rail requires for `currency`, which it receives."""

    name: str
    rail: str
    currency: str
    destination: Mapping[str, str] = field(repr=False)
    requester: Requester


@transaction.atomic
def add(merchant: Merchant, draft: BeneficiaryDraft) -> Beneficiary:
    """Adds an account; it is usable after the cooling-off time of the rules in force. Owners are notified.

    Raises ONP403_COMPANY_STATUS, ONP409_BENEFICIARY and ONP422_BENEFICIARY_LIMIT.
    """
    require_active(merchant)
    rail = by_currency(draft.rail, merchant.environment)[draft.currency]
    destination = rail.destination(draft.destination)
    accounts = fingerprints(merchant, draft.rail, draft.currency, destination)
    if of_account(merchant, accounts):
        raise BeneficiaryExists(field="destination")
    if listed(merchant).count() >= MOST:
        raise TooManyBeneficiaries
    now = clock.now(merchant)
    added = Beneficiary(
        merchant=merchant,
        name=draft.name,
        rail=draft.rail,
        payout_currency=draft.currency,
        destination=rail.shown(destination),
        sealed_destination=seal(json.dumps(destination).encode()),
        account_fingerprint=accounts[0],
        added_by=draft.requester.identities(),
        created_at=now,
        usable_from=now + in_force(merchant).rules.cooling_off,
    )
    try:
        with transaction.atomic():
            added.save(force_insert=True)
    except IntegrityError:  # added at the same time
        raise BeneficiaryExists(field="destination") from None
    notices.added(added)
    return added


@transaction.atomic
def remove(merchant: Merchant, beneficiary_id: str) -> Beneficiary:
    """Removes it from the book; owners are notified. Raises ONP404_BENEFICIARY."""
    found = get(merchant, beneficiary_id)
    found.merchant, found.removed_at = merchant, clock.now(merchant)
    if not Beneficiary.objects.filter(pk=found.pk, removed_at=None).update(removed_at=found.removed_at):
        return get(merchant, beneficiary_id)
    notices.removed(found)
    return found


def destination_of(beneficiary: Beneficiary) -> dict[str, str]:
    """The full destination, to make a withdrawal to it."""
    opened: dict[str, str] = json.loads(unseal(bytes(beneficiary.sealed_destination)))
    return opened
