"""Due work on refunds: provider queries, reminders and deadlines."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

import structlog

from accounts.base import clock
from accounts.due import Due
from accounts.models import Environment
from gateway.payments.provider import order_of as order_of_payment
from gateway.payments.provider import rail_of
from gateway.providers.returning import HELD_BACK_FOR, waits_after_restore
from gateway.refunds import notices, payloads
from gateway.refunds.disputes import answers
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import OWED, Refund, Response, Status
from gateway.refunds.provider import ask_simulator, is_sendable, take
from gateway.refunds.questions import ask_and_take, prepare
from gateway.refunds.responses import write_down
from gateway.refunds.shortfalls import LACKS_WHAT_IS_THERE, fill_one
from webhooks.outbox import emit

log = structlog.get_logger()


def send_or_query(refund: Refund, now: datetime) -> Callable[[], object] | None:
    """Sends a funded refund to its provider, or queries it: a real one after the transaction, the simulator at once.

    Where nobody can be called, staff pay it and record the result.
    """
    if not is_sendable(refund, now):
        return None
    if refund.merchant.environment == Environment.SANDBOX:
        ask_simulator(refund, now)
        return None
    if refund.account is None or not rail_of(refund.payment).calls_provider(order_of_payment(refund.payment)):
        refund.ask_at = None
        refund.save(update_fields=["ask_at"])
        return None
    if waits_after_restore(refund):
        refund.ask_at = now + HELD_BACK_FOR
        refund.save(update_fields=["ask_at"])
        return None
    return partial(ask_and_take, refund.merchant, prepare(refund, clock.now(refund.merchant)))


def remind(refund: Refund, now: datetime) -> None:
    """Sends the reminder that an answer is due."""
    refund.remind_at = None
    refund.save(update_fields=["remind_at"])
    emit(refund.merchant, "refund.response_required", refund.id, payloads.refund(refund), now)
    notices.due_soon(refund)
    if refund.shortfall:
        fill_one(refund, now)


def lapse(refund: Refund, now: datetime) -> None:
    """Accepts a request whose deadline passed without an answer; a MED claim goes to support. The company is told."""
    if refund.is_med:
        take(refund, RefundAction.UNANSWERED, now)
    else:
        said = write_down(refund, Response.Answer.ACCEPT, Response.AnsweredBy.SYSTEM, now)
        answers.hand_on(refund, said, now)
        take(refund, RefundAction.LAPSE, now)
    if refund.evidence_late_at is None:  # otherwise they are told that the evidence was missed
        notices.lapsed(refund)


def accept_undecided(refund: Refund, now: datetime) -> None:
    """Accepts a MED claim that support did not decide in time."""
    log.error("refund.claim_undecided", refund=refund.id, environment=refund.merchant.environment)
    take(refund, RefundAction.UNDECIDED, now)


def fill_late(refund: Refund, _created_at: datetime) -> None:
    """Covers a refund that was skipped while another process changed it."""
    fill_one(refund, clock.now(refund.merchant))


ASK = Due(
    kind="refund.answered",
    title="Refunds to query",
    model=Refund,
    column="ask_at",
    statuses=(Status.PROCESSING,),
    condition="(w.leased_until IS NULL OR w.leased_until <= %(now)s)",
    run=send_or_query,
    holds=("payment",),
)
REMIND = Due(
    kind="refund.reminded",
    title="Refund reminders to send",
    model=Refund,
    column="remind_at",
    statuses=(Status.AWAITING_RESPONSE,),
    run=remind,
    holds=("payment",),
)
LAPSE = Due(
    kind="refund.lapsed",
    title="Refunds past their deadline",
    model=Refund,
    column="response_due_at",
    statuses=(Status.AWAITING_RESPONSE,),
    run=lapse,
    holds=("payment",),
)
UNDECIDED = Due(
    kind="refund.undecided",
    title="MED claims past their analysis",
    model=Refund,
    column="analysis_due_at",
    statuses=(Status.UNDER_REVIEW,),
    run=accept_undecided,
    holds=("payment",),
)
DUE = (ASK, REMIND, LAPSE, UNDECIDED)
FILL = Due(
    kind="refund.filled",
    title="Underfunded refunds",
    model=Refund,
    column="created_at",
    statuses=OWED,
    condition=LACKS_WHAT_IS_THERE,
    run=fill_late,
)
"""Has no due time, since it waits for money: the oldest first."""


def run_due(limit: int = 100, environment: str | None = None) -> int:
    """Queries, reminds and ends what nobody answered or decided in time, at most `limit` of each; returns how many."""
    return sum(due.sweep(limit, environment=environment) for due in DUE)
