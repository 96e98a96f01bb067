"""Due work on bulk files: each line is one transaction, so that a crash leaves every line done or waiting."""

from collections.abc import Callable
from datetime import datetime, timedelta
from ipaddress import ip_address

from django.db import transaction
from django.db.models import Max

from accounts.base import clock
from accounts.base.errors import Refusal
from accounts.due import Due
from accounts.models import Merchant
from gateway.bulk import notices
from gateway.bulk.approvals import withdrawals_of
from gateway.bulk.models import BulkFile, BulkLine, FileDecision, Kind, LineDecision, State
from gateway.bulk.orders import refund, withdraw
from gateway.withdrawals.approvals import asking
from gateway.withdrawals.approvals import services as approvals
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.approvals.models import Decision
from gateway.withdrawals.models import ApprovalState, Withdrawal

TRIES = 10
RETRIED_AFTER = timedelta(seconds=30)
LOOKED_AGAIN_AFTER = timedelta(seconds=10)
"""While lines are still carried out."""
EXPIRED_BY = timedelta(minutes=1)
"""After the last approval has expired."""
_CARRIED_OUT_BY: dict[str, Callable[[Merchant, BulkLine], str]] = {
    Kind.WITHDRAWALS: withdraw,
    Kind.REFUNDS: refund,
}


def _carry_out(line: BulkLine, due_at: datetime) -> None:
    kind = BulkFile.objects.values_list("kind", flat=True).get(pk=line.file_id)

    def act() -> None:
        line.result_id = _CARRIED_OUT_BY[kind](line.merchant, line)

    _settle(line, due_at, act)


def _decide(line: LineDecision, due_at: datetime) -> None:
    made = FileDecision.objects.select_related("person").get(pk=line.decision_id)
    withdrawal_id = BulkLine.objects.values_list("result_id", flat=True).get(pk=line.line_id)

    def act() -> None:
        approvals.decide(
            line.merchant,
            withdrawal_id,
            Decision(made.decision),
            Requester.of_person(made.person),
            origin=ip_address(made.address) if made.address else None,
            is_told_together=True,
        )

    _settle(line, due_at, act)


def _settle(line: BulkLine | LineDecision, due_at: datetime, act: Callable[[], None]) -> None:
    """Carries the line out; a refusal is its outcome, unless it can pass by itself."""
    now = clock.now(line.merchant)
    line.tries += 1
    try:
        with transaction.atomic():
            act()
    except Refusal as refusal:
        if refusal.retryable and line.tries < TRIES:
            line.due_at = max(now, due_at) + RETRIED_AFTER
            line.save(update_fields=["tries", "due_at"])
            return
        line.state, line.code, line.message = State.REFUSED, refusal.public_code, refusal.message[:255]
    else:
        line.state = State.DONE
    line.due_at, line.done_at = None, now
    result = ["result_id"] if isinstance(line, BulkLine) else []
    line.save(update_fields=["tries", "due_at", "state", "code", "message", "done_at", *result])


@asking.asked_again_by
def _ask_again(withdrawal: Withdrawal, at: datetime) -> None:
    """Approvals of one withdrawal lapsed: people are asked once for all that wait by then, unless it is too late."""
    files = BulkFile.objects.filter(merchant=withdrawal.merchant, lines__result_id=withdrawal.pk)
    files.update(tell_at=at + LOOKED_AGAIN_AFTER)
    if withdrawal.approval_expires_at and withdrawal.approval_expires_at > at:
        files.update(told_at=None)


def _tell_of_file(file: BulkFile, due_at: datetime) -> None:
    """One e-mail when all lines are carried out or approvals lapsed, and one if some were not approved in time."""
    now = clock.now(file.merchant)
    if file.lines.filter(state=State.WAITING).exists():
        file.tell_at = max(now, due_at) + LOOKED_AGAIN_AFTER
        file.save(update_fields=["tell_at"])
        return
    waiting = withdrawals_of(file).filter(approval=ApprovalState.PENDING)
    until = waiting.aggregate(until=Max("approval_expires_at"))["until"]
    if file.told_at is None:
        notices.carried_out(file)
        file.told_at = now
    elif until is None:
        notices.expired(file)
    file.tell_at = max(until, now) + EXPIRED_BY if until else None
    file.save(update_fields=["told_at", "tell_at"])


def _tell_of_decision(decision: FileDecision, due_at: datetime) -> None:
    if decision.lines.filter(state=State.WAITING).exists():
        decision.tell_at = max(clock.now(decision.merchant), due_at) + LOOKED_AGAIN_AFTER
    else:
        notices.decided(decision)
        decision.tell_at = None
    decision.save(update_fields=["tell_at"])


CARRY_OUT = Due(
    kind="bulk.line",
    title="Lines of bulk files",
    model=BulkLine,
    column="due_at",
    statuses=(State.WAITING,),
    status_column="state",
    run=_carry_out,
)
DECIDE = Due(
    kind="bulk.decision",
    title="Approvals and rejections of whole bulk files",
    model=LineDecision,
    column="due_at",
    statuses=(State.WAITING,),
    status_column="state",
    run=_decide,
)
TELL_OF_DECISION = Due(
    kind="bulk.tell_of_decision",
    title="E-mails about decisions on bulk files",
    model=FileDecision,
    column="tell_at",
    run=_tell_of_decision,
)
TELL_OF_FILE = Due(
    kind="bulk.tell_of_file",
    title="E-mails about bulk files",
    model=BulkFile,
    column="tell_at",
    run=_tell_of_file,
)
DUE = (CARRY_OUT, DECIDE, TELL_OF_DECISION, TELL_OF_FILE)


def run_due(limit: int = 100, environment: str | None = None) -> int:
    """Carries out lines of confirmed files and decisions about them; returns how much was done."""
    return sum(due.sweep(limit, environment=environment) for due in DUE)
