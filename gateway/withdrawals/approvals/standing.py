"""Whether a withdrawal is approved: what was approved, and which approvals count."""

import json
from datetime import datetime

import structlog
from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.models import ApiKey, Membership, Merchant
from accounts.roles import Role
from accounts.services import grantable
from gateway.withdrawals.approvals.errors import Unapproved
from gateway.withdrawals.approvals.models import Approval, Decision
from gateway.withdrawals.models import ApprovalState, Withdrawal
from gateway.withdrawals.rules.content import may_be_named
from gateway.withdrawals.rules.selectors import RulesInForce, in_force

log = structlog.get_logger()
PERMISSION = "withdrawals:approve"


def digest(withdrawal: Withdrawal) -> bytes:
    """Of everything that decides how much goes where."""
    return _digest(withdrawal, settings.SECRET_KEY)


def _digest(withdrawal: Withdrawal, secret: str) -> bytes:
    what = [
        withdrawal.pk,
        withdrawal.merchant_id,
        withdrawal.rail,
        withdrawal.amount,
        withdrawal.fee,
        withdrawal.currency,
        withdrawal.payout_amount,
        withdrawal.payout_currency,
        bytes(withdrawal.sealed_destination).hex(),
    ]
    return salted_hmac("gateway.withdrawals.approval", json.dumps(what), secret=secret, algorithm="sha256").digest()


def is_unchanged(withdrawal: Withdrawal, approved: bytes) -> bool:
    """Whether it is what was approved, under the secret key or one that it replaced."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(_digest(withdrawal, secret), approved) for secret in secrets)


def require_approved(withdrawal: Withdrawal) -> None:
    """Raises ONP409_WITHDRAWAL_UNAPPROVED unless it needs no approval, or is approved as it stands."""
    if not (needs_none(withdrawal) or is_as_approved(withdrawal)):
        raise Unapproved


def needs_none(withdrawal: Withdrawal) -> bool:
    """Whether nobody ever had to approve it."""
    return withdrawal.approval is None and withdrawal.approvals_required == 0


def is_as_approved(withdrawal: Withdrawal) -> bool:
    """Whether it is approved, and what was approved. A critical log line if it was changed since."""
    if withdrawal.approval != ApprovalState.APPROVED:
        return False
    if is_unchanged(withdrawal, bytes(withdrawal.approval_digest or b"")):
        return True
    log.critical("withdrawal.changed_after_approval", withdrawal=withdrawal.pk)
    return False


def is_still_approved(withdrawal: Withdrawal, at: datetime) -> bool:
    """Whether it can be sent: it needs no approval, or is what enough people approved whose approvals count now."""
    if needs_none(withdrawal):
        return True
    return is_as_approved(withdrawal) and count(withdrawal, at) >= withdrawal.approvals_required


def count(withdrawal: Withdrawal, now: datetime) -> int:
    """How many approvals count at this time: of different people, none of them the one who asked.

    An approval counts as long as its person or key may approve under the rules in force.
    """
    known, seen, counted = in_force(withdrawal.merchant), set(withdrawal.asked_by), 0
    given = Approval.objects.filter(withdrawal=withdrawal, decision=Decision.APPROVE).order_by("created_at", "pk")
    for approval in given:
        if seen.isdisjoint(approval.identities) and _stands(withdrawal, approval, known, now):
            counted += 1
            seen.update(approval.identities)
    return counted


def _stands(withdrawal: Withdrawal, approval: Approval, known: RulesInForce, now: datetime) -> bool:
    if not is_unchanged(withdrawal, bytes(approval.digest)):
        return False
    return may_approve(withdrawal, known, now, person_id=approval.person_id, key_id=approval.key_id)


def may_approve(
    withdrawal: Withdrawal, known: RulesInForce, now: datetime, *, person_id: int | None, key_id: str | None
) -> bool:
    """Whether the rules in force count this person or key, however they are related to who asked.

    A key counts as the person who issued it: only while they are a member who could issue it, and never if nobody is
    known to have issued it.
    """
    rules = known.rules
    if key_id is not None:
        return rules.keys and _counts_as_its_issuer(withdrawal.merchant, key_id, known, now)
    member = _trusted_member(withdrawal.merchant, person_id, known, now)
    if member is None:
        return False
    return member.role in rules.roles or (member.user_id in rules.persons and may_be_named(Role(member.role)))


def _counts_as_its_issuer(merchant: Merchant, key_id: str, known: RulesInForce, now: datetime) -> bool:
    key = ApiKey.objects.select_related("created_by").filter(pk=key_id, merchant=merchant).first()
    if key is None or key.created_by is None or not key.is_live or PERMISSION not in key.permissions:
        return False
    if _trusted_member(merchant, key.created_by_id, known, now) is None:
        return False
    return known.trusts(key.created_at, now) and PERMISSION in grantable(merchant, key.created_by)


def _trusted_member(merchant: Merchant, person_id: int | None, known: RulesInForce, now: datetime) -> Membership | None:
    team = Membership.objects.filter(company=merchant.company_id, user__is_active=True)
    member = team.filter(user=person_id).first()
    return member if member and known.trusts(member.role_since, now) else None
