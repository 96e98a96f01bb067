"""Calls to the provider of a refund, and the effects of answers and decisions. Only `take` changes a status."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from gateway.methods.rail import PaymentAction as AskedOfPayment
from gateway.methods.rail import PaymentOutcome, PaymentResult, RefundOrder
from gateway.payments import provider as provider_of_payments
from gateway.payments.errors import DuplicateReference
from gateway.providers.asking import keep_unclear, settle_outcome
from gateway.providers.restored import known_as
from gateway.refunds import payloads
from gateway.refunds.errors import ClaimExists, RefundState
from gateway.refunds.lifecycle import REFUND_LIFE, RefundAction
from gateway.refunds.models import OPEN, Draft, Origin, Refund, Status
from gateway.refunds.postings import returned
from gateway.refunds.shortfalls import SANDBOX_TAKES, fill_one, keep_hold, settle_for_held
from ledger.books.services import post, post_for_block
from ledger.receivables import services as receivables
from webhooks.outbox import emit

SILENCE = (RefundAction.LAPSE, RefundAction.UNANSWERED)

GIVES_UP_AFTER = timedelta(days=90)
"""The maximum time a refund waits for funds."""
NOT_FUNDED = "The balance did not cover the refund for 90 days."
NOTHING_RECOVERED = "There was no money to return until the end of the return window."
ACQUIRER_REFUSED = ("ACQUIRER_REFUSED", "The provider refused the refund.")


def is_sendable(refund: Refund, now: datetime) -> bool:
    """Whether the refund is fully funded; otherwise it waits for funds, and fails after the maximum time.

    At the end of the return window of a MED claim, what is held by then is sufficient.
    """
    if not refund.shortfall:
        return True
    until = refund.return_due_at or refund.created_at + GIVES_UP_AFTER
    if now < until:
        refund.ask_at = until
        refund.save(update_fields=["ask_at"])
        fill_one(refund, now)
        return False
    if refund.is_med and refund.blocked:
        settle_for_held(refund, now)
        return True
    refund.ask_at = None
    refund.failure_code = "INSUFFICIENT_BALANCE"
    refund.failure_message = NOTHING_RECOVERED if refund.is_med else NOT_FUNDED
    take(refund, RefundAction.DECLINED, now)
    return False


def ask_simulator(refund: Refund, now: datetime) -> None:
    """Asks the simulator to pay a funded refund, in the caller's transaction."""
    refund.ask_at = None
    outcome = provider_of_payments.simulator_of(refund.payment).refund(order_of(refund), now)
    if outcome.answered == PaymentResult.DONE:
        refund.end_to_end_id = outcome.reference
        take(refund, RefundAction.DONE, now)
    elif outcome.answered == PaymentResult.DECLINED:
        refund.failure_code, refund.failure_message = outcome.failure or ACQUIRER_REFUSED
        take(refund, RefundAction.DECLINED, now)
    else:
        keep_unclear(refund, now)
        refund.save()


def about(refund: Refund) -> str:
    """What tells a refund of the company from its other ones: see `restored`."""
    return refund.reference or f"{refund.payment_id} {refund.amount}"


def order_of(refund: Refund) -> RefundOrder:
    """The order that the rail receives for a refund."""
    payment = refund.payment
    return RefundOrder(
        refund_id=known_as(refund.id) if refund.account_id else refund.id,
        payment_id=payment.id,
        payment_reference=payment.rail_reference,
        amount=refund.amount_exact,
        currency=refund.currency,
        details=payment.details,
        sent_at=refund.sent_at,
    )


def take(refund: Refund, asked: RefundAction, now: datetime) -> Refund:
    """Applies a decision: saves, announces and posts in one transaction. The only place that changes a status."""
    taken = REFUND_LIFE.transition(asked, refund.status)
    if asked == RefundAction.DONE and refund.shortfall:
        raise RefundState
    if taken.books is returned:
        give_back(refund, now)
    moves = taken.books(refund) if taken.books else []
    if refund.status == Status.AWAITING_RESPONSE and asked not in SILENCE:
        refund.evidence_alarm_at = refund.evidence_late_at = None
    _turn(refund, Status(taken.target), now)
    _save(refund, is_new=not taken.sources)
    keep_hold(refund, now)
    for kind in taken.announces:
        emit(refund.merchant, kind, refund.id, payloads.refund(refund), now)
    if taken.target == Status.COMPLETED:
        _refunded(refund, now)
    if moves:  # last: it locks the most contended rows
        posting = post_for_block if asked in (RefundAction.DISPUTE, RefundAction.FOUND) else post
        posted = posting(refund.merchant, str(taken.posts), refund.id, moves, now)
        assert posted, "a refund is held and let go once"
    elif refund.status in OPEN and refund.shortfall:
        fill_one(refund, now)
    return refund


def _save(refund: Refund, *, is_new: bool) -> None:
    try:
        with transaction.atomic():
            refund.save(force_insert=is_new)
    except IntegrityError as error:
        # A concurrent request. Of the same millisecond it has the same id, which is made of the reference.
        if any(name in str(error) for name in ("one_live_refund_per_reference", "_pkey")):
            raise DuplicateReference(field="reference") from error
        if "one_refund_per_claim" in str(error):  # at the same time for another payment
            raise ClaimExists(field="claimId") from error
        raise


def _turn(refund: Refund, target: Status, now: datetime) -> None:
    """Sets the status, and the time of the next sweep."""
    refund.status, refund.updated_at = target, now
    if target != Status.AWAITING_RESPONSE:
        refund.remind_at = None
        if refund.origin == Origin.PAYER:
            Draft.objects.filter(refund=refund.id).delete()
    is_sent = target == Status.PROCESSING and not refund.is_chargeback
    refund.ask_at = refund.ask_at or now + SANDBOX_TAKES if is_sent else None
    if target != Status.PROCESSING:
        settle_outcome(refund)
    if target == Status.COMPLETED:
        refund.completed_at = now


def give_back(refund: Refund, now: datetime) -> None:
    """Money from receivables returns there if they still have a release date."""
    if refund.from_releasing:
        taken = refund.from_releasing
        refund.from_releasing = receivables.return_all(refund.id, refund.payment_id, taken, now)
        refund.from_available += taken - refund.from_releasing


def _refunded(refund: Refund, now: datetime) -> None:
    payment = refund.payment
    payment.refunded_amount += refund.amount
    answered = PaymentResult.DONE if payment.refunded_amount == payment.amount else PaymentResult.PARTLY
    provider_of_payments.finish(payment, AskedOfPayment.REFUND, PaymentOutcome(answered), now)
