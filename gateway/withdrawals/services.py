"""Creating and changing withdrawals. The sequence is `create`, the provider, `take`.

Nothing is sent inside the transaction that accepts a withdrawal. The worker sends the order within seconds, under the
withdrawal's own id; without a clear answer it queries that id, and never sends the money under another.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import structlog
from django.db import transaction
from django.db.models import F, Q

from accounts.base import clock
from accounts.base.errors import Refusal
from accounts.base.ids import is_well_formed, new_id
from accounts.base.lifecycle import Transition
from accounts.base.rows import columns, execute, first, insert_into, load, retry_on_deadlock, values
from accounts.base.sealing import seal, unseal
from accounts.models import Environment, Merchant
from accounts.services import hold_settings
from gateway.payments.errors import DuplicateReference, SandboxOnly
from gateway.payments.services import require_active
from gateway.payouts.errors import PayoutUnavailable
from gateway.payouts.rail import DEADLINE_S, FailureCode, PayoutOrder, PayoutOutcome, PayoutRail, PayoutResult
from gateway.payouts.registry import rail_of
from gateway.payouts.sandbox import SandboxPayout
from gateway.withdrawals import gates, notices, payloads
from gateway.withdrawals.errors import WithdrawalState, WithdrawalUnknown
from gateway.withdrawals.gates import Price, WithdrawalDraft
from gateway.withdrawals.lifecycle import WITHDRAWAL_LIFE, WithdrawalAction
from gateway.withdrawals.models import Status, Withdrawal
from ledger.books.services import post
from ledger.holds import services as holds
from ledger.holds.models import Reason
from ledger.money import to_decimal
from webhooks.outbox import emit

log = structlog.get_logger()

RETURNS_WITHIN = timedelta(days=30)
PATIENCE = timedelta(seconds=2 * DEADLINE_S)
"""Twice the maximum duration of a provider call; after that another process queries the provider."""
ASKED_AGAIN_AFTER_S, LONGEST_BREAK_S = 30, 3600
HELD_BACK_FOR = timedelta(minutes=1)

_INSERT = f"""
    {insert_into(Withdrawal)}
    ON CONFLICT (merchant_id, reference) WHERE NOT (status = 'FAILED') DO NOTHING
"""
_LOCK = f"SELECT {columns(Withdrawal)} FROM gateway_withdrawal WHERE id = %s AND merchant_id = %s FOR NO KEY UPDATE"
_CHANGING = (
    "status", "rail_reference", "failure_code", "failure_message", "sent_at", "sent_times", "asked_times", "ask_at",
    "leased_until", "note", "updated_at", "completed_at", "returned_at",
)  # fmt: skip


# ── Accepting ─────────────────────────────────────────────────────────────────────────────────────────────────────
@transaction.atomic(savepoint=False)
def begin(merchant: Merchant, draft: WithdrawalDraft, withdrawal_id: str | None = None) -> Withdrawal | PayoutOrder:
    """Like `create`, unless the provider must be asked first: then nothing is stored, and the order to `admit` is
    returned.

    Raises what `create` raises.
    """
    withdrawal, order, rail = _drafted(merchant, draft, withdrawal_id)
    return order if rail.is_asked_first(order) else _accept(withdrawal)


@transaction.atomic(savepoint=False)
def create(merchant: Merchant, draft: WithdrawalDraft, withdrawal_id: str | None = None) -> Withdrawal:
    """Accepts a withdrawal: amount and fee are held, and the worker sends the order after the commit.

    Raises ONP403_IP, ONP403_COMPANY_STATUS, ONP403_WITHDRAWAL_DISABLED, ONP403_WITHDRAWALS_WAIT, ONP403_COMPANY,
    ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL / _TOO_LARGE, ONP409_RATE_CHANGED, ONP409_DUPLICATE_REFERENCE,
    ONP422_INSUFFICIENT_BALANCE and ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE.
    """
    withdrawal, _, _ = _drafted(merchant, draft, withdrawal_id)
    return _accept(withdrawal)


def admit(merchant: Merchant, order: PayoutOrder, *, tries: int) -> None:
    """Asks the provider, never inside a transaction. Raises ONP503_WITHDRAWAL_TEMPORARILY_UNAVAILABLE; nothing
    moves.
    """
    _rail_for(merchant, order).admit(order, tries=tries)


def _accept(withdrawal: Withdrawal) -> Withdrawal:
    merchant, at = withdrawal.merchant, withdrawal.created_at
    taken = WITHDRAWAL_LIFE.transition(WithdrawalAction.REQUEST, withdrawal.status)
    withdrawal.status = taken.target
    if not execute(_INSERT, values(withdrawal)):
        raise DuplicateReference(field="reference")
    notices.accepted(withdrawal)
    holds.begin(
        merchant,
        Reason.WITHDRAWAL_PROCESSING,
        withdrawal.currency,
        withdrawal.total,
        at=at,
        withdrawal_id=withdrawal.id,
    )
    _post(withdrawal, taken, at)
    return withdrawal


def _post(withdrawal: Withdrawal, taken: Transition[WithdrawalAction, Withdrawal], at: datetime) -> None:
    assert taken.posts and taken.books, "whatever happens to a withdrawal moves money"
    posted = post(withdrawal.merchant, taken.posts, withdrawal.id, taken.books(withdrawal), at)
    assert posted, "a status is reached once, and so are its books"


def _admitted(merchant: Merchant, draft: WithdrawalDraft) -> Price:
    gates.require_admission(merchant, draft.origin, is_from_backend=draft.is_from_backend)
    gates.require_own(merchant, draft.company_id)
    terms = gates.require_rail(merchant, draft.rail, draft.payout_currency)
    price = gates.priced(merchant, draft, terms)
    gates.require_limits(draft, terms, price)
    return price


def _drafted(
    merchant: Merchant, draft: WithdrawalDraft, withdrawal_id: str | None
) -> tuple[Withdrawal, PayoutOrder, PayoutRail]:
    """The new withdrawal, and its order for the rail. Nothing is stored."""
    price = _admitted(merchant, draft)
    now = clock.now(merchant)
    rail = rail_of(draft.rail, draft.payout_currency, merchant.environment)
    assert rail is not None
    destination = rail.destination(draft.destination)
    withdrawal = Withdrawal(
        id=withdrawal_id or new_id("wdr"),
        rail=draft.rail,
        reference=draft.reference,
        status="",
        amount=price.amount,
        fee=price.fee,
        currency=draft.currency,
        payout_amount=price.payout,
        payout_currency=draft.payout_currency,
        network_fee=price.network_fee,
        market_amount=price.market,
        gross_amount=price.gross,
        market_rate=price.market_rate,
        applied_rate=price.applied_rate,
        spread_percentage=price.spread_percentage,
        destination=rail.shown(destination),
        sealed_destination=seal(json.dumps(destination).encode()),
        fingerprint=notices.fingerprint(merchant, destination),
        details={"pixKeyType": destination["pixKeyType"]} if "pixKeyType" in destination else {},
        origin=str(draft.origin) if draft.origin else None,
        ask_at=now,
        created_at=now,
        updated_at=now,
    )
    withdrawal.merchant = merchant
    return withdrawal, _order(withdrawal, destination), rail


def order_of(withdrawal: Withdrawal) -> PayoutOrder:
    """The order that the rail gets for a withdrawal."""
    return _order(withdrawal, json.loads(unseal(bytes(withdrawal.sealed_destination))))


def _order(withdrawal: Withdrawal, destination: Mapping[str, str]) -> PayoutOrder:
    return PayoutOrder(
        withdrawal_id=withdrawal.id,
        rail=withdrawal.rail,
        amount=withdrawal.amount_exact,
        currency=withdrawal.currency,
        payout_amount=to_decimal(withdrawal.payout_amount, withdrawal.payout_currency),
        payout_currency=withdrawal.payout_currency,
        destination=destination,
        sender=withdrawal.merchant.company.legal_name,
        sent_times=withdrawal.sent_times,
        has_arrived=withdrawal.status == Status.COMPLETED,
    )


def _rail_for(merchant: Merchant, order: PayoutOrder) -> PayoutRail:
    rail = rail_of(order.rail, order.payout_currency, merchant.environment)
    if rail is None:
        raise PayoutUnavailable
    return rail


# ── What the provider says ───────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class Question:
    """The next call to the provider, and the lease during which no other process calls it."""

    order: PayoutOrder
    is_new: bool
    leased_until: datetime

    def put(self, rail: PayoutRail, at: datetime) -> PayoutOutcome:
        """Calls the provider, never inside a transaction, except for the sandbox simulator."""
        return rail.send(self.order, at) if self.is_new else rail.ask(self.order, at)


def prepare(withdrawal: Withdrawal, at: datetime) -> Question:
    """Records the call to the provider before it is made: an order that was possibly sent is queried, not sent again.

    Call it in a transaction that has locked the withdrawal.
    """
    is_new = withdrawal.sent_at is None
    if is_new:
        withdrawal.sent_at, withdrawal.asked_times = at, 0
        withdrawal.sent_times += 1
    else:
        withdrawal.asked_times += 1
    withdrawal.ask_at = at + PATIENCE
    withdrawal.leased_until = leased_until = clock.utcnow() + PATIENCE
    withdrawal.save(update_fields=["sent_at", "sent_times", "asked_times", "ask_at", "leased_until"])
    return Question(order_of(withdrawal), is_new, leased_until)


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
    if outcome.answered in _NO_END or (outcome.answered == PayoutResult.DONE and withdrawal.status == Status.COMPLETED):
        return _wait(withdrawal, outcome, at)
    try:
        returns_at_once = outcome.answered == PayoutResult.RETURNED and not withdrawal.is_converted
        if returns_at_once and withdrawal.status == Status.PROCESSING:
            _turn(withdrawal, PayoutOutcome(PayoutResult.DONE, reference=outcome.reference), at)
        return _turn(withdrawal, outcome, at)
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
    withdrawal.ask_at = None if wait_s is None else at + timedelta(seconds=wait_s)
    withdrawal.save(update_fields=["sent_at", "ask_at", "leased_until", "rail_reference"])
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
"""Where a non-final answer changes nothing. Elsewhere a decision was made while it was in flight."""


def _unforeseen(withdrawal: Withdrawal, outcome: PayoutOutcome) -> Withdrawal:
    """Logs an answer that contradicts the status; nothing is changed until somebody has checked."""
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


def _turn(withdrawal: Withdrawal, outcome: PayoutOutcome, at: datetime) -> Withdrawal:
    """The only place that changes the status of a withdrawal. Raises ONP409_WITHDRAWAL_STATE."""
    merchant = withdrawal.merchant
    taken = WITHDRAWAL_LIFE.transition(MEANS[outcome.answered], withdrawal.status)
    if taken.target == Status.RETURNED and withdrawal.is_converted:
        raise WithdrawalState  # what is on a chain cannot be called back
    withdrawal.status = taken.target
    withdrawal.rail_reference = outcome.reference or withdrawal.rail_reference
    withdrawal.ask_at = None if outcome.ask_after_s is None else at + timedelta(seconds=outcome.ask_after_s)
    withdrawal.updated_at = at
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
    _post(withdrawal, taken, at)
    if taken.target in (Status.FAILED, Status.RETURNED):
        notices.came_back(withdrawal)
    return withdrawal


def lock(merchant: Merchant, withdrawal_id: str) -> Withdrawal:
    """The merchant's withdrawal, locked until the transaction ends. Raises ONP404_WITHDRAWAL."""
    row = first(_LOCK, [withdrawal_id, merchant.pk]) if is_well_formed(withdrawal_id) else None
    if row is None:
        raise WithdrawalUnknown
    withdrawal = load(Withdrawal, row)
    withdrawal.merchant = merchant
    return withdrawal


# ── Decisions ─────────────────────────────────────────────────────────────────────────────────────────────────────
@transaction.atomic(savepoint=False)
def decide(merchant: Merchant, withdrawal_id: str, outcome: PayoutOutcome, *, note: str = "") -> Withdrawal:
    """The provider's result as support knows it: DONE, DECLINED or RETURNED. In production it takes two people: see
    `proposals`.

    Raises ONP404_WITHDRAWAL and ONP409_WITHDRAWAL_STATE, also while the order may be in flight: money returned
    now could still arrive.
    """
    withdrawal = lock(merchant, withdrawal_id)
    if withdrawal.leased_until and withdrawal.leased_until > clock.utcnow():
        raise WithdrawalState
    withdrawal.note = note or withdrawal.note
    return _turn(withdrawal, outcome, clock.now(merchant))


@transaction.atomic(savepoint=False)
def simulate(merchant: Merchant, withdrawal_id: str, wanted: str, failure_code: str | None = None) -> Withdrawal:
    """Sets the outcome COMPLETED, FAILED or RETURNED of a sandbox withdrawal (contract §14.4).

    Raises ONP403_SANDBOX_ONLY, ONP403_COMPANY_STATUS, ONP404_WITHDRAWAL, and ONP409_WITHDRAWAL_STATE: it has ended,
    crypto cannot be returned, or the return is more than thirty days late.
    """
    if merchant.environment != Environment.SANDBOX:
        raise SandboxOnly
    require_active(merchant)
    withdrawal = lock(merchant, withdrawal_id)
    rail = simulator_of(withdrawal)
    now = clock.now(merchant)
    if wanted == Status.COMPLETED:
        outcome = PayoutOutcome(PayoutResult.DONE, reference=rail.paid(now))
    elif wanted == Status.FAILED:
        code = FailureCode(failure_code or (FailureCode.BANK_REJECTED if rail.returns else FailureCode.NETWORK_ERROR))
        outcome = PayoutOutcome(PayoutResult.DECLINED, failure=code.failure)
    else:
        _require_returnable(withdrawal, now)
        outcome = PayoutOutcome(PayoutResult.RETURNED, failure=FailureCode.RETURNED_BY_BANK.failure)
    return _turn(withdrawal, outcome, now)


def _require_returnable(withdrawal: Withdrawal, now: datetime) -> None:
    if withdrawal.completed_at is None or now > withdrawal.completed_at + RETURNS_WITHIN:
        raise WithdrawalState


def simulator_of(withdrawal: Withdrawal) -> SandboxPayout:
    """The sandbox simulator of a withdrawal's rail, the only one that is called inside a transaction."""
    rail = rail_of(withdrawal.rail, withdrawal.payout_currency, withdrawal.merchant.environment)
    assert isinstance(rail, SandboxPayout), "nobody outside is asked inside a transaction"
    return rail


# ── What time alone does ──────────────────────────────────────────────────────────────────────────────────────────
def first_due(merchant: Merchant, until: datetime) -> tuple[datetime, str] | None:
    """When the provider of one of the merchant's withdrawals is next called; None if not by `until`."""
    rows = Withdrawal.objects.filter(merchant=merchant, ask_at__lte=until).order_by("ask_at", "id")
    found = rows.values_list("ask_at", "id").first()
    return (found[0], found[1]) if found and found[0] else None


@transaction.atomic
def happen(merchant: Merchant, withdrawal_id: str) -> None:
    """Runs it at its own time, for the sandbox clock."""
    withdrawal = _lock_to_speak(merchant, withdrawal_id)
    if withdrawal and withdrawal.ask_at is not None:
        _speak_to_double(withdrawal, withdrawal.ask_at)


def _speak_to_double(withdrawal: Withdrawal, at: datetime) -> None:
    """Calls the sandbox simulator: call and answer are one transaction."""
    question = prepare(withdrawal, at)
    take(withdrawal, question, question.put(simulator_of(withdrawal), at), at)


def happen_due(limit: int = 100) -> int:
    """Sends accepted orders and queries those in progress; returns the number of calls.

    A provider that is down does not delay the others.
    """
    happened = 0
    for merchant, withdrawal_id in _overdue(limit):
        try:
            happened += pursue(merchant, withdrawal_id)
        except Exception:
            log.exception("withdrawal.stuck", withdrawal=withdrawal_id)
            later = Withdrawal.objects.filter(pk=withdrawal_id, ask_at__isnull=False)
            later.update(ask_at=clock.now(merchant) + PATIENCE)  # behind everybody whose turn it is now
    return happened


def pursue(merchant: Merchant, withdrawal_id: str, *, early: bool = False) -> bool:
    """Calls the provider about a withdrawal, outside any transaction; returns False if there is no need to.

    Runs when it is due, or `early`: while it is processed and no other process calls the provider.
    """
    question = retry_on_deadlock(partial(_prepare_due, merchant, withdrawal_id, early=early))
    if not isinstance(question, Question):
        return question
    try:
        outcome = question.put(_rail_for(merchant, question.order), clock.now(merchant))
    except Refusal as refusal:  # it was not reached, or said nothing usable
        log.warning("withdrawal.unanswered", withdrawal=withdrawal_id, code=refusal.public_code)
        outcome = PayoutOutcome(PayoutResult.UNKNOWN)
    except Exception:
        log.exception("withdrawal.unanswered", withdrawal=withdrawal_id)
        outcome = PayoutOutcome(PayoutResult.UNKNOWN)
    retry_on_deadlock(partial(_take_locked, merchant, withdrawal_id, question, outcome))
    return True


@transaction.atomic
def _prepare_due(merchant: Merchant, withdrawal_id: str, *, early: bool) -> Question | bool:
    """The call to make; True if the sandbox simulator has already answered, False if it is not due."""
    withdrawal = _lock_to_speak(merchant, withdrawal_id)
    now = clock.now(merchant)
    if withdrawal is None:
        return False
    is_due = withdrawal.ask_at is not None and withdrawal.ask_at <= now
    if not is_due and not (early and withdrawal.status == Status.PROCESSING):
        return False
    if merchant.environment != Environment.SANDBOX:
        return prepare(withdrawal, now)
    _speak_to_double(withdrawal, now)
    return True


def _lock_to_speak(merchant: Merchant, withdrawal_id: str) -> Withdrawal | None:
    """The withdrawal, locked; None while another process calls the provider, or if nothing can be sent.

    Accepted orders wait while the company is suspended or cannot withdraw.
    """
    hold_settings(merchant)
    withdrawal = lock(merchant, withdrawal_id)
    if withdrawal.leased_until and withdrawal.leased_until > clock.utcnow():
        return None
    is_allowed = merchant.withdrawal_enabled and merchant.is_operational
    if withdrawal.sent_at is None and withdrawal.status == Status.PROCESSING and not is_allowed:
        log.warning("withdrawal.held_back", withdrawal=withdrawal.id, company=merchant.company_id)
        withdrawal.ask_at = clock.now(merchant) + HELD_BACK_FOR
        withdrawal.save(update_fields=["ask_at"])
        return None
    return withdrawal


@transaction.atomic
def _take_locked(merchant: Merchant, withdrawal_id: str, question: Question, outcome: PayoutOutcome) -> None:
    take(lock(merchant, withdrawal_id), question, outcome, clock.now(merchant))


def _overdue(limit: int) -> list[tuple[Merchant, str]]:
    """By real time, and by the clocks of merchants that are ahead of it."""
    now = clock.utcnow()
    rows = Withdrawal.objects.select_related("merchant__company").defer("sealed_destination").order_by("ask_at")
    ahead = Q(merchant__clock_offset__gt=timedelta(0), ask_at__lte=now + F("merchant__clock_offset"))
    found = [*rows.filter(ask_at__lte=now)[:limit], *rows.filter(ahead)[:limit]]
    return list({one.id: (one.merchant, one.id) for one in found if one.ask_at}.values())
