"""Deciding about withdrawals that wait for approval, and what happens if nobody does."""

from datetime import datetime

from django.db import transaction

from accounts.base import clock
from accounts.models import Merchant
from accounts.services import hold_settings
from gateway.payments.services import require_active
from gateway.payouts.rail import FailureCode, PayoutOutcome, PayoutResult
from gateway.withdrawals import gates
from gateway.withdrawals.approvals import errors, notices
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.approvals.models import Approval, Decision
from gateway.withdrawals.approvals.standing import count, is_unchanged, may_approve
from gateway.withdrawals.models import ApprovalState, Withdrawal
from gateway.withdrawals.origin import Address
from gateway.withdrawals.provider import turn
from gateway.withdrawals.rules.selectors import in_force
from gateway.withdrawals.services import lock


@transaction.atomic(savepoint=False)
def decide(
    merchant: Merchant,
    withdrawal_id: str,
    decision: Decision,
    by: Requester,
    *,
    origin: Address | None = None,
    note: str = "",
    is_told_together: bool = False,
) -> Withdrawal:
    """Records a decision. The last approval that is needed submits the withdrawal; a rejection ends it.

    Whoever decides about many at once writes one e-mail about them: `is_told_together`.

    Raises ONP404_WITHDRAWAL, ONP403_COMPANY_STATUS, ONP409_APPROVAL_STATE, ONP403_APPROVER; an approval also
    ONP403_IP, ONP403_WITHDRAWAL_DISABLED, ONP403_WITHDRAWALS_WAIT, ONP403_OWN_APPROVAL, ONP409_APPROVAL_GIVEN and
    ONP409_WITHDRAWAL_UNAPPROVED (it was changed after it was accepted).
    """
    withdrawal, now = lock(merchant, withdrawal_id), clock.now(merchant)
    _require_admission(merchant, decision, by, origin)
    _require_waiting(withdrawal, now)
    if not may_approve(withdrawal, in_force(merchant), now, person_id=by.person_id, key_id=by.key_id):
        raise errors.NoApprover
    identities = by.identities()
    if decision == Decision.APPROVE:
        _require_another(withdrawal, identities)
    Approval.objects.create(
        withdrawal=withdrawal,
        decision=decision,
        person_id=by.person_id,
        key_id=by.key_id,
        identities=identities,
        digest=bytes(withdrawal.approval_digest or b""),
        note=note,
        address=str(origin) if origin else None,
        created_at=now,
    )
    if decision == Decision.REJECT:
        _end(withdrawal, ApprovalState.REJECTED, FailureCode.APPROVAL_REJECTED, now)
    else:
        _count_again(withdrawal, now)
    if not is_told_together:
        notices.decided(withdrawal)
    return withdrawal


def expire(withdrawal: Withdrawal, due_at: datetime) -> None:
    """Nobody approved a locked withdrawal in time: it fails, and its money is free."""
    _end(withdrawal, ApprovalState.EXPIRED, FailureCode.APPROVAL_EXPIRED, due_at)
    if not withdrawal.is_told_together:
        notices.decided(withdrawal)


def _require_admission(merchant: Merchant, decision: Decision, by: Requester, origin: Address | None) -> None:
    hold_settings(merchant)
    require_active(merchant)
    if decision == Decision.REJECT:
        return
    if by.key_id is not None:
        gates.require_origin(merchant, origin)
    gates.require_enabled(merchant)
    gates.require_no_wait(merchant)


def _require_waiting(withdrawal: Withdrawal, now: datetime) -> None:
    """Raises ONP409_APPROVAL_STATE, also between the expiry and the sweep that notices it."""
    until = withdrawal.approval_expires_at
    if withdrawal.approval != ApprovalState.PENDING or until is None or until <= now:
        raise errors.ApprovalState


def _require_another(withdrawal: Withdrawal, identities: list[str]) -> None:
    if not set(identities).isdisjoint(withdrawal.asked_by):
        raise errors.OwnApproval
    if Approval.objects.filter(withdrawal=withdrawal, identities__overlap=identities).exists():
        raise errors.ApprovalGiven
    if not is_unchanged(withdrawal, bytes(withdrawal.approval_digest or b"")):
        raise errors.Unapproved


def _count_again(withdrawal: Withdrawal, now: datetime) -> None:
    withdrawal.approvals_given, withdrawal.updated_at = count(withdrawal, now), now
    if withdrawal.approvals_given >= withdrawal.approvals_required:
        withdrawal.approval, withdrawal.ask_at = ApprovalState.APPROVED, now
    withdrawal.save(update_fields=["approval", "approvals_given", "ask_at", "updated_at"])


def _end(withdrawal: Withdrawal, state: ApprovalState, code: FailureCode, at: datetime) -> None:
    withdrawal.approval = state
    turn(withdrawal, PayoutOutcome(PayoutResult.DECLINED, failure=code.failure), at)
