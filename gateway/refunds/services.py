"""Creating and changing refunds. The amount is held until the provider answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from operator import attrgetter
from typing import Any

import structlog
from django.db import IntegrityError, connection, transaction
from django.db.models import F, Q, Sum

from accounts.base import clock
from accounts.base.ids import is_well_formed, new_id
from accounts.base.rows import retry_on_deadlock
from accounts.base.wire import timestamp
from accounts.errors import OwnRequest
from accounts.models import Environment, Merchant, User
from gateway.methods.rail import PaymentAction as AskedOfPayment
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.methods.registry import CARDS, Method
from gateway.payments import services as payments
from gateway.payments.errors import DuplicateReference, PaymentState, SandboxOnly
from gateway.payments.models import Payment
from gateway.payments.models import Status as PaymentStatus
from gateway.refunds import destinations, notices, payloads
from gateway.refunds.destinations import Withdrawer
from gateway.refunds.errors import (
    ReceivableReserved,
    RefundAmountExceeded,
    RefundAmountTooSmall,
    RefundInDispute,
    RefundResponseDeadline,
    RefundState,
    RefundUnknown,
)
from gateway.refunds.evidence import file_name_of
from gateway.refunds.lifecycle import REFUND_LIFE, RefundAction
from gateway.refunds.models import DISPUTED, OPEN, Draft, Evidence, Origin, Refund, Response, Status
from gateway.refunds.postings import blocked, returned
from gateway.refunds.selectors import of_payment
from gateway.refunds.standing import in_wallet, standing
from ledger.books.services import hold_wallet, post, post_for_block
from ledger.chart import AccountKind
from ledger.holds import services as holds
from ledger.holds import shortfalls
from ledger.holds.models import Reason
from ledger.receivables import services as receivables
from ledger.receivables.models import State
from webhooks.outbox import emit

log = structlog.get_logger()

TO_ANSWER, TO_ANSWER_CARDS = timedelta(hours=72), timedelta(days=7)
REMINDED_BEFORE = timedelta(hours=24)
SANDBOX_TAKES = timedelta(seconds=2)
GIVES_UP_AFTER = timedelta(days=90)
"""How long a refund waits for missing money."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece of evidence: a URL, or a file whose type was detected from its content."""

    url: str | None = None
    description: str | None = None
    file_name: str | None = None
    content_type: str | None = None
    content: bytes | None = None


@transaction.atomic(savepoint=False)
def create(
    merchant: Merchant,
    payment_id: str,
    *,
    amount: int | None = None,
    reason: str | None = None,
    reference: str | None = None,
    destination: Mapping[str, str] | None = None,
    withdrawer: Withdrawer | None = None,
) -> Refund:
    """The company refunds a payment; `amount` in minor units, None: the remaining amount. Our fee is not returned.

    `destination` is the PIX key of a boleto refund; other methods have none. A key that is not the payer's own document
    requires a `withdrawer`, who passes the checks of a withdrawal; the owners are notified.

    Raises ONP403_COMPANY_STATUS, ONP404_PAYMENT, ONP403_REFUND_DESTINATION, ONP403_IP, ONP403_WITHDRAWAL_DISABLED,
    ONP409_PAYMENT_STATE, ONP409_REFUND_IN_DISPUTE, ONP409_DUPLICATE_REFERENCE, ONP409_RECEIVABLE_RESERVED,
    ONP422_REFUND_AMOUNT_EXCEEDED, ONP422_REFUND_WINDOW_CLOSED and ONP422_INSUFFICIENT_BALANCE.
    """
    payments.require_active(merchant)
    payment = payments.lock(merchant, payment_id)
    goes_to = destinations.chosen(payment, destination, withdrawer) if payment.method == Method.BOLETO else None
    now = clock.now(merchant)
    found = standing(payment, of_payment(merchant, payment_id), now)
    if found.refusal:
        raise found.refusal
    left = found.left
    if amount is not None and amount > left:
        raise RefundAmountExceeded(field="amount")
    if reference and _live(merchant, reference):
        raise DuplicateReference(field="reference")
    refund = _new(payment, Origin.MERCHANT, amount or left, left, now)
    refund.reason, refund.reference = reason, reference
    refund.destination = goes_to
    begun = _begin(refund, RefundAction.REQUEST, now, all_of_it=True)
    if destinations.is_foreign(payment, goes_to):
        destinations.tell_owners(merchant, begun)
    return begun


@transaction.atomic(savepoint=False)
def dispute(
    merchant: Merchant,
    payment_id: str,
    *,
    amount: int | None = None,
    reason_code: str | None = None,
    statement: str | None = None,
    response_due_at: datetime | None = None,
    by: User | None = None,
    note: str = "",
) -> Refund:
    """The payer requests a refund, and the company must answer. The money that is there is held immediately.

    `by`: the staff member who opens it for the payer.

    Raises ONP404_PAYMENT, ONP409_PAYMENT_STATE, ONP409_REFUND_IN_DISPUTE and ONP422_REFUND_AMOUNT_EXCEEDED.
    """
    payment = _paid(merchant, payment_id)
    now = clock.now(merchant)
    left = _left(payment)
    if (amount is not None and amount > left) or not left:
        raise RefundAmountExceeded(field="amount")
    refund = _new(payment, Origin.PAYER, amount or left, left, now)
    refund.reason_code, refund.payer_statement = reason_code, statement
    refund.opened_by, refund.note = by, note
    refund.destination = destinations.own_key(payment)
    refund.response_due_at = response_due_at or now + (TO_ANSWER_CARDS if payment.method in CARDS else TO_ANSWER)
    if refund.response_due_at - REMINDED_BEFORE > now:
        refund.remind_at = refund.response_due_at - REMINDED_BEFORE
    refund = _begin(refund, RefundAction.DISPUTE, now, all_of_it=False)
    notices.opened(refund)
    return refund


@transaction.atomic(savepoint=False)
def respond(
    merchant: Merchant,
    refund_id: str,
    answer: str,
    *,
    message: str | None = None,
    evidence: Sequence[Shown] = (),
    answered_by: str = Response.AnsweredBy.API,
    person: User | None = None,
) -> Refund:
    """The company's answer to a payer's request: ACCEPT or CONTEST.

    Raises ONP404_REFUND, ONP409_REFUND_STATE and ONP409_REFUND_RESPONSE_DEADLINE.
    """
    refund = lock(merchant, refund_id)
    now = clock.now(merchant)
    if refund.origin != Origin.PAYER or refund.status not in DISPUTED:
        raise _too_late(refund)
    assert refund.response_due_at
    if refund.status == Status.AWAITING_RESPONSE and now > refund.response_due_at:
        raise RefundResponseDeadline(responseDueAt=timestamp(refund.response_due_at))
    asked = RefundAction.ACCEPT if answer == Response.Answer.ACCEPT else RefundAction.CONTEST
    REFUND_LIFE.transition(asked, refund.status)
    _write_down(refund, answer, answered_by, now, message=message, evidence=evidence, person=person)
    return _take(refund, asked, now)


def _too_late(refund: Refund) -> RefundState | RefundResponseDeadline:
    """The refusal if the deadline has passed and the request was accepted automatically."""
    due = refund.response_due_at
    if due is None or not refund.responses.filter(answered_by=Response.AnsweredBy.SYSTEM).exists():
        return RefundState()
    return RefundResponseDeadline(responseDueAt=timestamp(due))


@transaction.atomic(savepoint=False)
def decide(
    merchant: Merchant, refund_id: str, asked: RefundAction, *, by: User | None = None, note: str = ""
) -> Refund:
    """The decision of support, the payer or the provider; `by` is staff and did not open the refund.

    Raises ONP404_REFUND, ONP409_REFUND_STATE and ONP403_OWN_REQUEST.
    """
    refund = lock(merchant, refund_id)
    if by and refund.opened_by_id == by.pk:
        raise OwnRequest
    refund.note = note or refund.note
    now = clock.now(merchant)
    if asked == RefundAction.DECLINED:
        refund.failure_code, refund.failure_message = _ACQUIRER_REFUSED
    if asked == RefundAction.DONE and merchant.environment == Environment.SANDBOX:
        refund.end_to_end_id = payments.simulator_of(refund.payment).returned(now)
    return _take(refund, asked, now)


_SIMULATED = {
    Status.PROCESSING: RefundAction.FOR_PAYER,
    Status.COMPLETED: RefundAction.DONE,
    Status.FAILED: RefundAction.DECLINED,
    Status.REJECTED: RefundAction.FOR_COMPANY,
    Status.CANCELED: RefundAction.WITHDRAW,
}
_ACQUIRER_REFUSED = ("ACQUIRER_REFUSED", "The provider refused the refund.")


def simulate(merchant: Merchant, refund_id: str, wanted: str) -> Refund:
    """Sets the outcome COMPLETED, FAILED, REJECTED or CANCELED of an open sandbox refund (contract §14.4).

    PROCESSING decides a request under review in favor of the payer.

    Raises ONP403_SANDBOX_ONLY, ONP403_COMPANY_STATUS, ONP404_REFUND and ONP409_REFUND_STATE.
    """
    _require_sandbox(merchant)
    return decide(merchant, refund_id, _SIMULATED[Status(wanted)])


def simulate_dispute(merchant: Merchant, payment_id: str, **draft: Any) -> Refund:
    """A sandbox payer requests a refund. Raises what `dispute` raises, and ONP403_SANDBOX_ONLY."""
    _require_sandbox(merchant)
    return dispute(merchant, payment_id, **draft)


def _require_sandbox(merchant: Merchant) -> None:
    if merchant.environment != Environment.SANDBOX:
        raise SandboxOnly
    payments.require_active(merchant)


def lock(merchant: Merchant, refund_id: str) -> Refund:
    """The merchant's refund, locked with its payment until the transaction ends. Raises ONP404_REFUND."""
    found = Refund.objects.filter(merchant=merchant, pk=refund_id).values_list("payment_id", flat=True)
    payment_id = found.first() if is_well_formed(refund_id) else None
    if payment_id is None:
        raise RefundUnknown
    payment = payments.lock(merchant, payment_id)
    refund = Refund.objects.select_for_update(no_key=True).get(pk=refund_id)
    refund.payment, refund.merchant = payment, merchant
    return refund


def _paid(merchant: Merchant, payment_id: str) -> Payment:
    payment = payments.lock(merchant, payment_id)
    if payment.status != PaymentStatus.PAID:
        raise PaymentState
    if Refund.objects.filter(payment=payment, status__in=DISPUTED).exists():
        raise RefundInDispute
    return payment


def _left(payment: Payment) -> int:
    """The amount that is neither refunded nor being refunded."""
    on_their_way = Refund.objects.filter(payment=payment, status__in=OPEN)
    open_sum = on_their_way.aggregate(sum=Sum("amount"))["sum"] or 0
    return payment.amount - payment.refunded_amount - int(open_sum)


def _live(merchant: Merchant, reference: str) -> bool:
    ended = (Status.FAILED, Status.REJECTED, Status.CANCELED)
    return Refund.objects.filter(merchant=merchant, reference=reference).exclude(status__in=ended).exists()


def _new(payment: Payment, origin: str, amount: int, left: int, now: datetime) -> Refund:
    currency, wallet_amount = in_wallet(payment, left, amount)
    if not wallet_amount:
        raise RefundAmountTooSmall(field="amount")
    refund = Refund(
        id=new_id("ref"),
        merchant=payment.merchant,
        origin=origin,
        is_full=amount == left,
        status="",
        amount=amount,
        currency=payment.currency,
        wallet_currency=currency,
        wallet_amount=wallet_amount,
        created_at=now,
        updated_at=now,
    )
    refund.payment = payment
    return refund


def _begin(refund: Refund, asked: RefundAction, now: datetime, *, all_of_it: bool) -> Refund:
    """Holds the money: all or nothing for a company's refund, what is there for a payer's."""
    receivable = receivables.held_of_payment(refund.payment_id)
    if receivable is not None:
        if receivable.state == State.RESERVED_FOR_ADVANCE and all_of_it:
            raise ReceivableReserved
        refund.from_releasing = receivables.take(receivable, refund.wallet_amount, now)
    if all_of_it:
        refund.from_available = refund.shortfall
    else:
        _gather(refund, now)
    return _take(refund, asked, now)


def _gather(refund: Refund, now: datetime) -> tuple[int, int]:
    """Takes money for a refund from its wallet: available money first, then what is released soonest.

    Returns how much of it was releasing and how much available; the caller posts it.
    """
    held = hold_wallet(refund.merchant, refund.wallet_currency)
    available = min(refund.shortfall, held[AccountKind.AVAILABLE])
    refund.from_available += available
    releasing = 0
    if refund.shortfall and held[AccountKind.RELEASING]:
        releasing = receivables.withhold(refund.merchant, refund.wallet_currency, refund.id, refund.shortfall, now)
    refund.from_releasing += releasing
    return releasing, available


def _take(refund: Refund, asked: RefundAction, now: datetime) -> Refund:
    """Applies a decision: saves, announces and posts in one transaction. The only place that changes a status."""
    taken = REFUND_LIFE.transition(asked, refund.status)
    if asked == RefundAction.DONE and refund.shortfall:
        raise RefundState
    if taken.books is returned:
        _give_back(refund, now)
    moves = taken.books(refund) if taken.books else []
    _turn(refund, Status(taken.target), now)
    _save(refund, is_new=not taken.sources)
    _keep_hold(refund, now)
    for kind in taken.announces:
        emit(refund.merchant, kind, refund.id, payloads.refund(refund), now)
    if taken.target == Status.COMPLETED:
        _refunded(refund, now)
    if moves:  # last: it holds the busiest rows
        posting = post_for_block if asked == RefundAction.DISPUTE else post
        posted = posting(refund.merchant, str(taken.posts), refund.id, moves, now)
        assert posted, "a refund is held and let go once"
    elif refund.status in OPEN and refund.shortfall:
        _fill(refund, now)
    return refund


def _save(refund: Refund, *, is_new: bool) -> None:
    try:
        with transaction.atomic():
            refund.save(force_insert=is_new)
    except IntegrityError as error:
        if "one_live_refund_per_reference" in str(error):  # two at once
            raise DuplicateReference(field="reference") from error
        raise


def _turn(refund: Refund, target: Status, now: datetime) -> None:
    """Sets the status, and the time of the next sweep."""
    refund.status, refund.updated_at = target, now
    if target != Status.AWAITING_RESPONSE:
        refund.remind_at = None
        if refund.origin == Origin.PAYER:
            Draft.objects.filter(refund=refund.id).delete()
    refund.ask_at = refund.ask_at or now + SANDBOX_TAKES if target == Status.PROCESSING else None
    if target == Status.COMPLETED:
        refund.completed_at = now


def _keep_hold(refund: Refund, now: datetime) -> None:
    disputed = refund.status in DISPUTED
    holds.keep(
        refund.merchant,
        Reason.REFUND_DISPUTE if disputed else Reason.REFUND_PROCESSING,
        refund.wallet_currency,
        refund.blocked,
        missing=refund.shortfall if refund.status in OPEN else 0,
        refund_id=refund.id,
        payment_id=refund.payment_id,
        expected_release_at=_expected_end(refund),
        at=now,
    )


def _expected_end(refund: Refund) -> datetime | None:
    """Unknown for a review."""
    if refund.status == Status.AWAITING_RESPONSE:
        return refund.response_due_at
    return refund.ask_at if refund.status == Status.PROCESSING else None


def _give_back(refund: Refund, now: datetime) -> None:
    """Money from receivables returns there if they still have a release date."""
    if refund.from_releasing:
        taken = refund.from_releasing
        refund.from_releasing = receivables.give_all_back(refund.id, refund.payment_id, taken, now)
        refund.from_available += taken - refund.from_releasing


def _refunded(refund: Refund, now: datetime) -> None:
    payment = refund.payment
    payment.refunded_amount += refund.amount
    answered = PaymentResult.DONE if payment.refunded_amount == payment.amount else PaymentResult.PARTLY
    payments.finish(payment, AskedOfPayment.REFUND, PaymentOutcome(answered), now)


def _write_down(
    refund: Refund,
    answer: str,
    answered_by: str,
    now: datetime,
    *,
    message: str | None = None,
    evidence: Sequence[Shown] = (),
    person: User | None = None,
) -> None:
    response = Response.objects.create(
        id=new_id("rsp"),
        refund=refund,
        answer=answer,
        message=message,
        answered_by=answered_by,
        person=person,
        created_at=now,
    )
    Evidence.objects.bulk_create(
        Evidence(
            id=new_id("evd"),
            response=response,
            kind=Evidence.Kind.URL if one.url else Evidence.Kind.FILE,
            description=one.description,
            url=one.url,
            file_name=file_name_of(one.file_name, one.content_type) if one.file_name else None,
            content_type=one.content_type,
            size=len(one.content) if one.content is not None else None,
            content=one.content,
        )
        for one in evidence
    )


# ── What time alone does ──────────────────────────────────────────────────────────────────────────────────────────
def ask(refund: Refund, now: datetime) -> None:
    """Asks the provider to carry a refund out, once all its money is there.

    In production staff carry it out and report the result: there is no provider to ask.
    """
    refund.ask_at = None
    if refund.shortfall:
        if now < refund.created_at + GIVES_UP_AFTER:
            refund.ask_at = refund.created_at + GIVES_UP_AFTER
            refund.save(update_fields=["ask_at"])
            _fill(refund, now)
            return
        refund.failure_code = "INSUFFICIENT_BALANCE"
        refund.failure_message = "The balance did not cover the refund for 90 days."
        _take(refund, RefundAction.DECLINED, now)
        return
    if refund.merchant.environment != Environment.SANDBOX:
        refund.save(update_fields=["ask_at"])
        return
    outcome = payments.simulator_of(refund.payment).refund(refund.amount_exact, refund.currency, now)
    if outcome.answered == PaymentResult.DONE:
        refund.end_to_end_id = outcome.reference
        _take(refund, RefundAction.DONE, now)
    elif outcome.answered == PaymentResult.DECLINED:
        refund.failure_code, refund.failure_message = outcome.failure or _ACQUIRER_REFUSED
        _take(refund, RefundAction.DECLINED, now)
    else:
        refund.save(update_fields=["ask_at"])


def remind(refund: Refund, now: datetime) -> None:
    """Announces again that an answer is due."""
    refund.remind_at = None
    refund.save(update_fields=["remind_at"])
    emit(refund.merchant, "refund.response_required", refund.id, payloads.refund(refund), now)
    notices.due_soon(refund)
    if refund.shortfall:
        _fill(refund, now)


def lapse(refund: Refund, now: datetime) -> None:
    """Accepts a request whose deadline passed without an answer."""
    _write_down(refund, Response.Answer.ACCEPT, Response.AnsweredBy.SYSTEM, now)
    _take(refund, RefundAction.LAPSE, now)


@dataclass(frozen=True, slots=True)
class Due:
    """Sweep of refunds whose `column` is due and which are in `statuses`."""

    column: str
    statuses: tuple[Status, ...]
    happen: Callable[[Refund, datetime], None]


ASK = Due("ask_at", (Status.PROCESSING,), ask)
REMIND = Due("remind_at", (Status.AWAITING_RESPONSE,), remind)
LAPSE = Due("response_due_at", (Status.AWAITING_RESPONSE,), lapse)


def first_due(due: Due, merchant: Merchant, until: datetime) -> tuple[datetime, str] | None:
    """When this is next due for a refund of the merchant, and its id; None if not by `until`."""
    rows = Refund.objects.filter(merchant=merchant, status__in=due.statuses, **{f"{due.column}__lte": until})
    return rows.order_by(due.column, "id").values_list(due.column, "id").first()


@transaction.atomic
def happen(due: Due, merchant: Merchant, refund_id: str) -> None:
    """Runs it at its own time, if it is still due."""
    refund = lock(merchant, refund_id)
    at = getattr(refund, due.column)
    if at is not None and refund.status in due.statuses:
        due.happen(refund, at)


def happen_due(limit: int = 100) -> int:
    """Runs everything due by its merchant's clock, each in a transaction of its own; returns how many.

    One that fails is logged and left for the next run; it does not delay the others.
    """
    return sum(_happen_to_all(due, limit) for due in (ASK, REMIND, LAPSE))


def _happen_to_all(due: Due, limit: int) -> int:
    """At most `limit` of them, each once per run."""
    happened = 0
    seen: list[str] = []
    while happened < limit and (found := _overdue(due, limit - happened, seen)):
        for refund_id, merchant in found.items():
            try:
                retry_on_deadlock(partial(happen, due, merchant, refund_id))
            except Exception:
                log.exception("refund.stuck", refund=refund_id, due=due.column)
            else:
                happened += 1
        seen += found
    return happened


def _overdue(due: Due, limit: int, seen: Sequence[str]) -> dict[str, Merchant]:
    """By real time, and by the clocks of merchants that are ahead of it: each once, and none that was `seen`."""
    now = clock.utcnow()
    rows = Refund.objects.filter(status__in=due.statuses).exclude(pk__in=seen)
    rows = rows.select_related("merchant__company").order_by(due.column)
    ahead = Q(merchant__clock_offset__gt=timedelta(0), **{f"{due.column}__lte": now + F("merchant__clock_offset")})
    found = [*rows.filter(**{f"{due.column}__lte": now})[:limit], *rows.filter(ahead)[:limit]]
    soonest = sorted(found, key=attrgetter(due.column))
    return dict(list({one.id: one.merchant for one in soonest}.items())[:limit])


# ── Money that is missing ─────────────────────────────────────────────────────────────────────────────────────────
_LACKING = Q(status__in=OPEN, wallet_amount__gt=F("from_releasing") + F("from_available"))
_TO_FILL = """
    SELECT DISTINCT r.merchant_id, r.wallet_currency FROM gateway_refund r
     WHERE r.status IN ('AWAITING_RESPONSE', 'UNDER_REVIEW', 'PROCESSING')
       AND r.wallet_amount > r.from_releasing + r.from_available
       AND (EXISTS (SELECT FROM ledger_account a JOIN ledger_balance b ON b.account_id = a.id
                     WHERE a.merchant_id = r.merchant_id AND a.currency = r.wallet_currency AND a.kind = 'AVAILABLE'
                       AND b.amount > 0)
            OR EXISTS (SELECT FROM ledger_receivable v WHERE v.merchant_id = r.merchant_id
                        AND v.currency = r.wallet_currency AND v.state = 'SCHEDULED'))
"""


def fill(merchant: Merchant, currency: str, at: datetime, *, waits: bool = False) -> int:
    """Holds incoming money for refunds that lack money, the oldest first; returns for how many.

    Without `waits` a refund that another process changes is skipped: that process checks the wallet before it releases
    the lock. Call it in the transaction that changes the wallet.
    """
    rows = Refund.objects.select_for_update(no_key=True, skip_locked=not waits, of=("self",))
    filled = 0
    for refund in rows.filter(_LACKING, merchant=merchant, wallet_currency=currency).order_by("id"):
        refund.merchant = merchant
        filled += _fill(refund, at)
    return filled


def _fill(refund: Refund, at: datetime) -> bool:
    """Holds missing money for a locked refund, as far as the wallet goes; returns whether there was any."""
    now = max(at, refund.updated_at)  # money that is released late comes at its own time
    releasing, available = _gather(refund, now)
    if not releasing + available:
        return False
    refund.fills += 1
    refund.updated_at = now
    if refund.status == Status.PROCESSING and not refund.shortfall:
        refund.ask_at = now + SANDBOX_TAKES
    refund.save(update_fields=["from_releasing", "from_available", "fills", "ask_at", "updated_at"])
    _keep_hold(refund, now)
    moves = blocked(refund, releasing, available)
    post_for_block(refund.merchant, "refund.filled", f"{refund.id}:{refund.fills}", moves, now)
    return True


shortfalls.filled_by(fill)


def fill_shortfalls() -> int:
    """Covers refunds that were skipped while another process changed them; returns for how many there was money."""
    with connection.cursor() as cursor:
        cursor.execute(_TO_FILL)
        found = cursor.fetchall()
    merchants = Merchant.objects.select_related("company").in_bulk({row[0] for row in found})
    filled = 0
    for merchant_id, currency in found:
        try:
            filled += retry_on_deadlock(partial(_fill_now, merchants[merchant_id], currency))
        except Exception:
            log.exception("refunds.not_filled", merchant=merchant_id, currency=currency)
    return filled


@transaction.atomic
def _fill_now(merchant: Merchant, currency: str) -> int:
    return fill(merchant, currency, clock.now(merchant), waits=True)
