"""Asking for approvals: when a withdrawal is accepted, and when approvals no longer count before it is sent."""

from collections.abc import Callable
from datetime import datetime

import structlog

from gateway.withdrawals import payloads
from gateway.withdrawals.approvals import notices
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.approvals.standing import count, digest, is_as_approved
from gateway.withdrawals.models import ApprovalState, Withdrawal
from webhooks.outbox import emit

log = structlog.get_logger()
Teller = Callable[[Withdrawal, datetime], object]
_tellers: list[Teller] = []
REQUESTED = "withdrawal.approval_requested"


def require(withdrawal: Withdrawal, people: int, requester: Requester, *, until: datetime) -> None:
    """Makes a new withdrawal wait for so many people, none of them the requester. Not stored yet."""
    withdrawal.approval = ApprovalState.PENDING
    withdrawal.approvals_required = people
    withdrawal.approval_expires_at = until
    withdrawal.asked_by = requester.identities()
    withdrawal.approval_digest = digest(withdrawal)
    withdrawal.ask_at = None


def announce(withdrawal: Withdrawal, at: datetime, *, is_told: bool = True) -> None:
    """The event, and the e-mails that ask for approvals."""
    emit(withdrawal.merchant, REQUESTED, withdrawal.pk, payloads.withdrawal(withdrawal), at)
    if is_told:
        notices.asked(withdrawal)


def asked_again_by(teller: Teller) -> Teller:
    """Registers who asks again for approvals of withdrawals of which people are told together."""
    _tellers.append(teller)
    return teller


def is_lapsed(withdrawal: Withdrawal, at: datetime) -> bool:
    """Counts the approvals of a locked withdrawal that was never sent; if too few are left it waits again."""
    if withdrawal.approval != ApprovalState.APPROVED or withdrawal.sent_times:
        return withdrawal.approval == ApprovalState.PENDING
    given = count(withdrawal, at) if is_as_approved(withdrawal) else 0
    if given and given >= withdrawal.approvals_required:
        return False
    log.warning("withdrawal.approval_lapsed", withdrawal=withdrawal.pk, given=given)
    withdrawal.approval, withdrawal.approvals_given, withdrawal.ask_at = ApprovalState.PENDING, given, None
    withdrawal.queued_at, withdrawal.updated_at = None, at
    withdrawal.save(update_fields=["approval", "approvals_given", "ask_at", "queued_at", "updated_at"])
    announce(withdrawal, at, is_told=not withdrawal.is_told_together)
    for tell in _tellers if withdrawal.is_told_together else ():
        tell(withdrawal, at)
    return True
