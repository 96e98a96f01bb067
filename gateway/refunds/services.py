"""Creating and changing refunds. The amount is held until the provider answers."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.db import transaction

from accounts.base import clock
from accounts.base.ids import is_well_formed
from accounts.base.wire import timestamp
from accounts.errors import OwnRequest
from accounts.models import Environment, Merchant, User
from gateway.methods.rail import Clawback
from gateway.methods.registry import CARDS, Method
from gateway.payments import provider as provider_of_payments
from gateway.payments import services as payments
from gateway.payments.errors import DuplicateReference, PaymentState, SandboxOnly
from gateway.payments.models import Status as PaymentStatus
from gateway.providers.asking import is_leased
from gateway.providers.restored import id_for
from gateway.refunds import clawbacks, destinations, med, opening
from gateway.refunds.destinations import Withdrawer
from gateway.refunds.disputes import answers
from gateway.refunds.errors import (
    ClaimExists,
    ClaimMethod,
    RefundAmountExceeded,
    RefundResponseDeadline,
    RefundState,
    RefundUnknown,
)
from gateway.refunds.lifecycle import REFUND_LIFE, RefundAction
from gateway.refunds.models import DISPUTED, Origin, Refund, Response, Status
from gateway.refunds.provider import ACQUIRER_REFUSED, about, take
from gateway.refunds.reasons import DisputeKind, ReasonCode
from gateway.refunds.responses import Shown, write_down
from gateway.refunds.selectors import of_payment
from gateway.refunds.standing import standing
from ledger.money import to_decimal

TO_ANSWER, TO_ANSWER_CARDS = timedelta(hours=72), timedelta(days=7)


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
    payment = provider_of_payments.lock(merchant, payment_id)
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
    refund = opening.new(payment, Origin.MERCHANT, amount or left, left, now)
    refund.reason, refund.reference = reason, reference
    refund.id = id_for("ref", merchant, about(refund))
    refund.destination = goes_to
    begun = opening.begin(refund, RefundAction.REQUEST, now, all_of_it=True)
    if destinations.is_foreign(payment, goes_to):
        destinations.notify_owners(merchant, begun)
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
    payment = provider_of_payments.lock(merchant, payment_id)
    now = clock.now(merchant)
    refund = opening.requested(payment, amount, now)
    refund.reason_code, refund.payer_statement = reason_code, statement
    refund.opened_by, refund.note = by, note
    refund.destination = destinations.own_key(payment)
    to_answer = TO_ANSWER_CARDS if payment.method in CARDS else TO_ANSWER
    return opening.await_answer(refund, response_due_at or now + to_answer, now)


@transaction.atomic(savepoint=False)
def claim(
    merchant: Merchant,
    payment_id: str,
    *,
    claim_id: str,
    amount: int | None = None,
    reason_code: str | None = None,
    statement: str | None = None,
    by: User | None = None,
    note: str = "",
) -> Refund:
    """The payer's institution claims a PIX payment back through MED (contract §7.6): a request with fixed deadlines.

    `claim_id` is the institution's: the same claim again changes nothing and returns its refund.

    Raises ONP404_PAYMENT, ONP409_CLAIM_EXISTS (the claim is about another payment), ONP422_CLAIM_METHOD (not a PIX),
    ONP409_PAYMENT_STATE, ONP409_REFUND_IN_DISPUTE and ONP422_REFUND_AMOUNT_EXCEEDED.
    """
    payment = provider_of_payments.lock(merchant, payment_id)
    if known := Refund.objects.filter(merchant=merchant, claim_id=claim_id).first():
        if known.payment_id != payment_id:
            raise ClaimExists(field="claimId")
        return known
    if payment.method != Method.PIX:
        raise ClaimMethod
    now = clock.now(merchant)
    refund = opening.requested(payment, amount, now)
    refund.dispute_kind, refund.claim_id, refund.claimed_amount = DisputeKind.MED, claim_id, refund.amount
    refund.analysis_due_at, refund.return_due_at = now + med.TO_ANALYZE, now + med.TO_RETURN
    refund.reason_code, refund.payer_statement = reason_code, statement
    refund.opened_by, refund.note = by, note
    return opening.await_answer(refund, now + TO_ANSWER, now)


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

    Raises ONP404_REFUND, ONP409_REFUND_STATE, ONP409_REFUND_RESPONSE_DEADLINE, and ONP400_EVIDENCE for what the
    acquirer of a dispute does not take.
    """
    refund = lock(merchant, refund_id)
    now = clock.now(merchant)
    if refund.origin != Origin.PAYER or refund.status not in DISPUTED:
        raise _too_late(refund)
    assert refund.response_due_at
    if now > refund.response_due_at and _is_late(refund, answer):
        raise RefundResponseDeadline(responseDueAt=timestamp(refund.response_due_at))
    asked = RefundAction.ACCEPT if answer == Response.Answer.ACCEPT else RefundAction.CONTEST
    REFUND_LIFE.transition(asked, refund.status)
    answers.require_sendable(refund, message, evidence)
    said = write_down(refund, answer, answered_by, now, message=message, evidence=evidence, person=person)
    answers.hand_on(refund, said, now)
    return take(refund, asked, now)


def _is_late(refund: Refund, answer: str) -> bool:
    """Whether this answer is impossible after the deadline. A MED claim can still be accepted."""
    if refund.status == Status.AWAITING_RESPONSE:
        return True
    return answer == Response.Answer.CONTEST and not refund.responses.exists()


def _too_late(refund: Refund) -> RefundState | RefundResponseDeadline:
    """The refusal if the deadline has passed and the request was accepted automatically."""
    due = refund.response_due_at
    if (
        due is None
        or not refund.responses.filter(answered_by=Response.AnsweredBy.SYSTEM, answer=Response.Answer.ACCEPT).exists()
    ):
        return RefundState()
    return RefundResponseDeadline(responseDueAt=timestamp(due))


@transaction.atomic(savepoint=False)
def decide(
    merchant: Merchant, refund_id: str, asked: RefundAction, *, by: User | None = None, note: str = ""
) -> Refund:
    """The decision of support, the payer or the provider; `by` is staff and did not open the refund.

    Raises ONP404_REFUND, ONP409_REFUND_STATE (also while the provider is being called) and ONP403_OWN_REQUEST.
    """
    refund = lock(merchant, refund_id)
    if is_leased(refund):
        raise RefundState
    if by and refund.opened_by_id == by.pk:
        raise OwnRequest
    refund.note = note or refund.note
    now = clock.now(merchant)
    if asked == RefundAction.DECLINED:
        refund.failure_code, refund.failure_message = ACQUIRER_REFUSED
    if asked == RefundAction.DONE and merchant.environment == Environment.SANDBOX:
        refund.end_to_end_id = provider_of_payments.simulator_of(refund.payment).returned(now)
    return take(refund, asked, now)


_SIMULATED = {
    Status.PROCESSING: RefundAction.FOR_PAYER,
    Status.COMPLETED: RefundAction.DONE,
    Status.FAILED: RefundAction.DECLINED,
    Status.REJECTED: RefundAction.FOR_COMPANY,
    Status.CANCELED: RefundAction.WITHDRAW,
}


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


def simulate_claim(merchant: Merchant, payment_id: str, *, claim_id: str | None = None, **draft: Any) -> Refund:
    """A sandbox institution claims a PIX payment back. Raises what `claim` raises, and ONP403_SANDBOX_ONLY."""
    _require_sandbox(merchant)
    return claim(merchant, payment_id, claim_id=claim_id or str(uuid4()), **draft)


@transaction.atomic(savepoint=False)
def simulate_clawback(merchant: Merchant, payment_id: str) -> Refund:
    """A sandbox bank takes back all that is left of a PIX payment, without a claim. The completed refund.

    Raises ONP403_SANDBOX_ONLY, ONP403_COMPANY_STATUS, ONP404_PAYMENT, ONP422_CLAIM_METHOD and ONP409_PAYMENT_STATE.
    """
    _require_sandbox(merchant)
    payment = provider_of_payments.lock(merchant, payment_id)
    if payment.method != Method.PIX:
        raise ClaimMethod
    if payment.status != PaymentStatus.PAID:
        raise PaymentState(paymentId=payment.id, paymentStatus=payment.status)
    now = clock.now(merchant)
    reference = provider_of_payments.simulator_of(payment).returned(now) or ""
    left = to_decimal(payment.amount - payment.refunded_amount, payment.currency)
    told = Clawback(reference, payment.rail_reference or payment.pk, left, payment.currency, ReasonCode.FRAUD)
    clawbacks.enter(payment, [told], now)
    return Refund.objects.get(payment=payment, end_to_end_id=reference)


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
    payment = provider_of_payments.lock(merchant, payment_id)
    refund = Refund.objects.select_for_update(no_key=True).get(pk=refund_id)
    refund.payment, refund.merchant = payment, merchant
    return refund


def _live(merchant: Merchant, reference: str) -> bool:
    ended = (Status.FAILED, Status.REJECTED, Status.CANCELED)
    return Refund.objects.filter(merchant=merchant, reference=reference).exclude(status__in=ended).exists()
