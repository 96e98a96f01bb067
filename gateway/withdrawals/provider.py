"""Calls to the provider of a withdrawal, and their effects. Only `turn` changes a status.

Nothing is sent inside the transaction that accepts a withdrawal. The worker sends the order within seconds, under the
withdrawal's own id; without a clear answer it queries that id, and never sends the money under another.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from accounts.base.ids import made_at
from accounts.base.lifecycle import Transition
from accounts.base.sealing import unseal
from accounts.models import Environment
from gateway.payouts.rail import PayoutOrder, PayoutOutcome, PayoutRail, PayoutResult
from gateway.payouts.registry import rail_of
from gateway.payouts.sandbox import SandboxPayout
from gateway.providers.asking import ASKED, LEASE, is_overdue, keep_unclear, lease, settle_outcome
from gateway.providers.restored import claim, is_lost, known_as
from gateway.withdrawals import notices, payloads
from gateway.withdrawals.approvals.standing import require_approved
from gateway.withdrawals.errors import WithdrawalState
from gateway.withdrawals.lifecycle import WITHDRAWAL_LIFE, WithdrawalAction
from gateway.withdrawals.models import ApprovalState, Status, Withdrawal
from ledger.books.services import post
from ledger.holds import services as holds
from ledger.holds.models import Reason
from ledger.money import to_decimal
from webhooks.outbox import emit

log = structlog.get_logger()
ASKED_AGAIN_AFTER_S, LONGEST_BREAK_S = 30, 3600
_CHANGING = (
    "status", "rail_reference", "failure_code", "failure_message", "sent_at", "sent_times", "asked_times", "ask_at",
    "note", "updated_at", "completed_at", "returned_at", "details", "approval", *ASKED,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """The next call to the provider, and the lease during which no other process calls it."""

    order: PayoutOrder
    is_new: bool
    leased_until: datetime

    def call(self, rail: PayoutRail, at: datetime) -> PayoutOutcome:
        """Calls the provider, never inside a transaction, except for the sandbox simulator."""
        assert not rail.is_by_batch, "nobody is called about an order of a file"
        return rail.send(self.order, at) if self.is_new else rail.ask(self.order, at)


def prepare(withdrawal: Withdrawal, at: datetime) -> Question:
    """Records the call to the provider before it is made: an order that was possibly sent is queried, not sent again.

    Call it in a transaction that has locked the withdrawal. Raises ONP409_WITHDRAWAL_UNAPPROVED.
    """
    is_unsent = withdrawal.sent_at is None
    is_new = is_unsent and not _was_sent_before_restore(withdrawal)
    if is_unsent:
        require_approved(withdrawal)
        withdrawal.sent_at, withdrawal.asked_times = at if is_new else made_at(known_as(withdrawal.id)), 0
        withdrawal.sent_times += 1
    else:
        withdrawal.asked_times += 1
    withdrawal.ask_at = at + LEASE
    leased_until = lease(withdrawal)
    withdrawal.save(update_fields=["sent_at", "sent_times", "asked_times", "ask_at", "leased_until"])
    return Question(order_of(withdrawal), is_new, leased_until)


def _was_sent_before_restore(withdrawal: Withdrawal) -> bool:
    """Whether its institution has it since before the database was restored, perhaps under another id of ours."""
    if withdrawal.account_id is None:
        return False
    claim(withdrawal.id, withdrawal.merchant, withdrawal.reference)
    return is_lost(known_as(withdrawal.id))


def put_in_file(withdrawal: Withdrawal, at: datetime) -> PayoutOrder:
    """The order, for a file that is about to be written: it counts as sent from now on. The caller saves `sent_at`,
    `sent_times` and `ask_at`.

    Call it in a transaction that has locked the withdrawal. Raises ONP409_WITHDRAWAL_UNAPPROVED.
    """
    assert withdrawal.sent_at is None, "an order is sent once"
    require_approved(withdrawal)
    withdrawal.sent_at, withdrawal.ask_at = at, None
    withdrawal.sent_times += 1
    return order_of(withdrawal)


def take(withdrawal: Withdrawal, question: Question, outcome: PayoutOutcome, at: datetime) -> Withdrawal:
    """Applies the provider's answer: saves, announces and posts in one transaction.

    Call it in a transaction that has locked the withdrawal. An answer that contradicts the status is logged: somebody
    must check where the money is. A late, non-final answer after a newer call changes nothing.
    """
    is_own = withdrawal.leased_until == question.leased_until
    if not is_own and withdrawal.status in _FITS.get(outcome.answered, ()):
        return withdrawal
    withdrawal.leased_until = None if is_own else withdrawal.leased_until
    withdrawal.rail_reference = outcome.reference or withdrawal.rail_reference
    withdrawal.details = {**withdrawal.details, **outcome.details}
    if outcome.answered in _NO_END or (outcome.answered == PayoutResult.DONE and withdrawal.status == Status.COMPLETED):
        return _wait(withdrawal, outcome, at)
    try:
        returns_at_once = outcome.answered == PayoutResult.RETURNED and not withdrawal.is_converted
        if returns_at_once and withdrawal.status == Status.PROCESSING:
            turn(withdrawal, PayoutOutcome(PayoutResult.DONE, reference=outcome.reference), at)
        return turn(withdrawal, outcome, at)
    except WithdrawalState:
        return _unforeseen(withdrawal, outcome)


_NO_END = (PayoutResult.SENT, PayoutResult.UNKNOWN, PayoutResult.NOT_RECEIVED)
MEANS = {
    PayoutResult.DONE: WithdrawalAction.DONE,
    PayoutResult.DECLINED: WithdrawalAction.DECLINED,
    PayoutResult.RETURNED: WithdrawalAction.RETURNED,
}


def _wait(withdrawal: Withdrawal, outcome: PayoutOutcome, at: datetime) -> Withdrawal:
    """Not final: sets the time of the next query. An order that was never received is sent again under the same id."""
    wait_s = outcome.ask_after_s
    if withdrawal.status not in _FITS[outcome.answered]:
        return _unforeseen(withdrawal, outcome)
    if outcome.answered == PayoutResult.NOT_RECEIVED:
        withdrawal.sent_at, wait_s = None, wait_s or 0
    elif wait_s is None and withdrawal.status == Status.PROCESSING and not _is_for_simulation(withdrawal, outcome):
        wait_s = min(ASKED_AGAIN_AFTER_S << min(withdrawal.asked_times, 10), LONGEST_BREAK_S)
    elif wait_s is None and outcome.answered == PayoutResult.UNKNOWN:  # it was paid, and may have been returned
        wait_s = LONGEST_BREAK_S
    if outcome.answered == PayoutResult.UNKNOWN and withdrawal.status == Status.PROCESSING:
        keep_unclear(withdrawal, at, ask_after_s=wait_s)
    else:
        settle_outcome(withdrawal)
        withdrawal.ask_at = None if wait_s is None else at + timedelta(seconds=wait_s)
    withdrawal.save(update_fields=["sent_at", "ask_at", "rail_reference", "details", *ASKED])
    if is_overdue(withdrawal, at):
        log.critical("withdrawal.unclear_past_deadline", withdrawal=withdrawal.id, since=withdrawal.unclear_since)
    return withdrawal


def _is_for_simulation(withdrawal: Withdrawal, outcome: PayoutOutcome) -> bool:
    """Sandbox orders that stay open until the merchant decides; others are queried again."""
    return outcome.answered == PayoutResult.SENT and withdrawal.merchant.environment == Environment.SANDBOX


_FITS = {
    PayoutResult.SENT: (Status.PROCESSING,),
    PayoutResult.NOT_RECEIVED: (Status.PROCESSING,),
    PayoutResult.UNKNOWN: (Status.PROCESSING, Status.COMPLETED),
    PayoutResult.DONE: (Status.COMPLETED,),
}
"""Statuses in which a non-final answer changes nothing. In others a decision was made while it was in flight."""


def _unforeseen(withdrawal: Withdrawal, outcome: PayoutOutcome) -> Withdrawal:
    """Logs an answer that contradicts the status; nothing changes until a person has checked."""
    log.critical(
        "withdrawal.answered_unforeseen",
        withdrawal=withdrawal.id,
        status=withdrawal.status,
        answered=outcome.answered,
        rail_reference=outcome.reference,
    )
    withdrawal.ask_at = None
    withdrawal.save(update_fields=["ask_at", "leased_until", "rail_reference"])
    return withdrawal


def turn(withdrawal: Withdrawal, outcome: PayoutOutcome, at: datetime) -> Withdrawal:
    """The only place that changes the status of a withdrawal.

    Raises ONP409_WITHDRAWAL_STATE, and ONP409_WITHDRAWAL_UNAPPROVED: what waits for approval can only fail.
    """
    merchant = withdrawal.merchant
    _require_leave(withdrawal, outcome)
    taken = WITHDRAWAL_LIFE.transition(MEANS[outcome.answered], withdrawal.status)
    if taken.target == Status.RETURNED and withdrawal.is_converted:
        raise WithdrawalState  # a transaction on a chain cannot be reversed
    withdrawal.status = taken.target
    withdrawal.rail_reference = outcome.reference or withdrawal.rail_reference
    withdrawal.ask_at = None if outcome.ask_after_s is None else at + timedelta(seconds=outcome.ask_after_s)
    withdrawal.updated_at = at
    settle_outcome(withdrawal)
    if outcome.failure:
        withdrawal.failure_code, withdrawal.failure_message = outcome.failure
    if taken.target == Status.COMPLETED:
        withdrawal.completed_at = at
    elif taken.target == Status.RETURNED:
        withdrawal.returned_at = at
    withdrawal.save(update_fields=_CHANGING)
    holds.keep(
        merchant,
        Reason.WITHDRAWAL_PROCESSING,
        withdrawal.currency,
        0,
        at=at,
        withdrawal_id=withdrawal.id,
    )
    for kind in taken.announces:
        emit(merchant, kind, withdrawal.id, payloads.withdrawal(withdrawal), at)
    post_books(withdrawal, taken, at)
    if taken.target in (Status.FAILED, Status.RETURNED):
        notices.came_back(withdrawal)
    return withdrawal


def _require_leave(withdrawal: Withdrawal, outcome: PayoutOutcome) -> None:
    """What fails before it was approved is not approved any more; anything else was sent, or must be approved. What
    its institution has had since before a restore fails only if the institution says so.
    """
    if outcome.answered == PayoutResult.DECLINED:
        if withdrawal.sent_at is None and _was_sent_before_restore(withdrawal):
            raise WithdrawalState
        if withdrawal.approval == ApprovalState.PENDING:
            withdrawal.approval = ApprovalState.CANCELED
    elif withdrawal.sent_at is None:
        require_approved(withdrawal)


def post_books(withdrawal: Withdrawal, taken: Transition[WithdrawalAction, Withdrawal], at: datetime) -> None:
    assert taken.posts and taken.books, "whatever happens to a withdrawal moves money"
    posted = post(withdrawal.merchant, taken.posts, withdrawal.id, taken.books(withdrawal), at)
    assert posted, "a status is reached once, and so are its books"


def order_of(withdrawal: Withdrawal) -> PayoutOrder:
    """The order that the rail receives for a withdrawal."""
    order = order_to(withdrawal, json.loads(unseal(bytes(withdrawal.sealed_destination))))
    return replace(order, withdrawal_id=known_as(withdrawal.id)) if withdrawal.account_id else order


def order_to(withdrawal: Withdrawal, destination: Mapping[str, str]) -> PayoutOrder:
    return PayoutOrder(
        withdrawal_id=withdrawal.id,
        rail=withdrawal.rail,
        amount=withdrawal.amount_exact,
        currency=withdrawal.currency,
        payout_amount=to_decimal(withdrawal.payout_amount, withdrawal.payout_currency),
        payout_currency=withdrawal.payout_currency,
        destination=destination,
        sender=withdrawal.merchant.company.legal_name,
        sent_at=withdrawal.sent_at,
        sent_times=withdrawal.sent_times,
        asked_times=withdrawal.asked_times,
        has_arrived=withdrawal.status == Status.COMPLETED,
    )


def simulator_of(withdrawal: Withdrawal) -> SandboxPayout:
    """The sandbox simulator of a withdrawal's rail, the only one that is called inside a transaction."""
    rail = rail_of(withdrawal.rail, withdrawal.payout_currency, withdrawal.merchant.environment)
    assert isinstance(rail, SandboxPayout), "nobody outside is asked inside a transaction"
    return rail


def queue(withdrawal: Withdrawal, at: datetime) -> None:
    """The order waits for a batch, or for people; nobody is asked about it. Call it with the withdrawal locked.

    Raises ONP409_WITHDRAWAL_UNAPPROVED for one that was not sent.
    """
    if withdrawal.sent_at is None:
        require_approved(withdrawal)
    withdrawal.queued_at = withdrawal.queued_at or at
    withdrawal.ask_at = None
    withdrawal.save(update_fields=["queued_at", "ask_at"])


def call_simulator(withdrawal: Withdrawal, at: datetime) -> None:
    """Calls the sandbox simulator: call and answer are one transaction."""
    question = prepare(withdrawal, at)
    take(withdrawal, question, question.call(simulator_of(withdrawal), at), at)
