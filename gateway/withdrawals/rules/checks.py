"""What the rules in force say of a withdrawal: its beneficiary, its limits, and how many people must approve it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Sum

from accounts.base import clock
from accounts.models import Merchant
from gateway.payouts.registry import by_currency
from gateway.withdrawals.beneficiaries import selectors as beneficiaries
from gateway.withdrawals.beneficiaries.accounts import fingerprints
from gateway.withdrawals.gates import WithdrawalDraft
from gateway.withdrawals.models import Status, Withdrawal
from gateway.withdrawals.rules.content import Outside, Rules
from gateway.withdrawals.rules.errors import (
    BeneficiaryCoolingOff,
    BeneficiaryLimit,
    BeneficiaryUnknown,
    DayLimit,
)
from gateway.withdrawals.rules.selectors import held

WINDOW = timedelta(hours=24)


def require_beneficiary(rules: Rules, merchant: Merchant, accounts: Sequence[bytes]) -> bool:
    """Whether the account is a usable beneficiary, or need not be.

    Raises ONP403_BENEFICIARY_UNKNOWN and ONP403_BENEFICIARY_COOLING_OFF.
    """
    if rules.outside_book == Outside.ALLOWED:
        return True
    found = beneficiaries.of_account(merchant, accounts)
    is_usable = found is not None and found.usable_from <= clock.now(merchant)
    if rules.outside_book == Outside.REFUSED and not is_usable:
        raise BeneficiaryCoolingOff if found else BeneficiaryUnknown
    return is_usable


def require_limits(rules: Rules, merchant: Merchant, currency: str, amount: int, accounts: Sequence[bytes]) -> None:
    """`accounts`: the account's fingerprints, if known.

    Raises ONP422_WITHDRAWAL_DAY_LIMIT and ONP422_WITHDRAWAL_BENEFICIARY_LIMIT.
    """
    if _left(rules.per_day, merchant, currency) < amount:
        raise DayLimit(field="amount")
    if accounts and _left(rules.per_beneficiary, merchant, currency, account_fingerprint__in=accounts) < amount:
        raise BeneficiaryLimit(field="amount")


def _left(limits: Mapping[str, int], merchant: Merchant, currency: str, **which: Sequence[bytes]) -> float:
    if currency not in limits:
        return float("inf")
    since = clock.now(merchant) - WINDOW
    counted = Withdrawal.objects.filter(merchant=merchant, currency=currency, created_at__gt=since, **which)
    used: int = counted.exclude(status=Status.FAILED).aggregate(sum=Sum("amount"))["sum"] or 0
    return limits[currency] - used


@dataclass(frozen=True, slots=True)
class OwnRules:
    """What the merchant's rules in force say of a withdrawal that they allow."""

    rules: Rules
    account: bytes
    approvals: int


def accounts(merchant: Merchant, rail: str, currency: str, draft: Mapping[str, str]) -> list[bytes]:
    """The fingerprints of the account that valid members of a request name."""
    return fingerprints(merchant, rail, currency, by_currency(rail)[currency].destination(draft))


def under_own_rules(merchant: Merchant, draft: WithdrawalDraft, amount: int) -> OwnRules:
    """Raises ONP403_BENEFICIARY_UNKNOWN, ONP403_BENEFICIARY_COOLING_OFF and the limits of `require_limits`.

    If the rules limit amounts, withdrawals of the merchant are accepted one after the other.
    """
    rules = held(merchant).rules
    known = accounts(merchant, draft.rail, draft.payout_currency, draft.destination)
    is_known = require_beneficiary(rules, merchant, known)
    require_limits(rules, merchant, draft.currency, amount, known)
    return OwnRules(rules, known[0], rules.approvals_for(draft.currency, amount, is_known=is_known))
