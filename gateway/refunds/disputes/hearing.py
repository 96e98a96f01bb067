"""What acquirers say about disputes: recorded once, in any order, and applied to the payment."""

from datetime import timedelta

import structlog
from django.db import transaction
from django.utils.translation import gettext_noop

from accounts.base import clock
from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from gateway.payments.models import Payment
from gateway.payments.provider import lock
from gateway.providers.asking import settle_outcome
from gateway.providers.disputes import FINAL, DisputeReport, DisputeState
from gateway.providers.models import ProviderAccount
from gateway.refunds.disputes.errors import DoesNotFit
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.disputes.settling import settle
from gateway.refunds.models import Refund, Response
from gateway.refunds.recovery import payment_of
from ledger.money import to_minor

log = structlog.get_logger()
LOOKED_AT_AGAIN = timedelta(hours=1)
_PAYMENT = ("account", "payment__merchant__company")
UNKNOWN_PAYMENT = gettext_noop("The disputed payment is none of this account.")


@transaction.atomic
def record(account: ProviderAccount, told: DisputeReport) -> Dispute:
    """Records what an acquirer says about a dispute. Repeated, or told too late, it changes nothing.

    What does not fit its payment moves no money: an alarm rings, staff see it, and it is tried again. A dispute stays
    with the payment that was told first.
    """
    payment = _hold_payment(account, told)
    dispute = _row(account, told, payment)
    if dispute.payment_id != (payment.pk if payment else None):
        log.critical("dispute.told_otherwise", dispute=dispute.pk, told=told.money, known=dispute.money)
        return dispute
    if _is_stale(dispute, told):
        return dispute
    before = _facts(dispute)
    _follow(dispute, told)
    if dispute.problem or dispute.refund_id is None or _facts(dispute) != before:
        apply(dispute)
    return dispute


def disputed(account: ProviderAccount, told: DisputeReport) -> Payment | None:
    """The payment that is told. An id of ours counts only at the account that took the payment."""
    if told.payment_id is None:
        return payment_of(account, told.money) if told.money else None
    return Payment.objects.filter(pk=told.payment_id, account=account).select_related("merchant__company").first()


@transaction.atomic
def try_again(dispute_id: str) -> None:
    """Applies once more what did not fit: a refund that was in the way may have ended."""
    dispute = hold(dispute_id)
    dispute.ask_at = None
    apply(dispute)


def hold(dispute_id: str) -> Dispute:
    """The dispute, locked after its payment."""
    known = _payment_known(Dispute.objects.select_related(*_PAYMENT).get(pk=dispute_id))
    payment = lock(known.merchant, known.pk) if known else None
    dispute = Dispute.objects.select_for_update(no_key=True, of=("self",)).get(pk=dispute_id)
    dispute.payment = payment
    dispute.merchant = payment.merchant if payment else None
    return dispute


def apply(dispute: Dispute) -> None:
    """Books the dispute as it stands. Call it with the payment and the dispute locked."""
    before, dispute.updated_at = dispute.problem, utcnow()
    if not _is_left_to_staff(dispute):
        dispute.problem = ""
    try:
        with transaction.atomic():
            dispute.refund = _settled(dispute)
    except DoesNotFit as unfit:
        dispute.problem = unfit.reason
        dispute.ask_at = utcnow() + LOOKED_AT_AGAIN if dispute.payment else None
        if before == unfit.reason:
            log.warning("dispute.still_does_not_fit", dispute=dispute.pk, reason=unfit.reason)
        else:
            log.critical("dispute.does_not_fit", dispute=dispute.pk, reference=dispute.reference, reason=unfit.reason)
    dispute.save()


def _is_left_to_staff(dispute: Dispute) -> bool:
    """Whether the acquirer refused the company's answer, and still takes one."""
    is_pending = dispute.answer_id is not None and dispute.answered_at is None
    return is_pending and dispute.ask_at is None and dispute.state == DisputeState.OPEN


def _settled(dispute: Dispute) -> Refund | None:
    if dispute.payment is None:
        raise DoesNotFit(UNKNOWN_PAYMENT)
    return settle(dispute, dispute.payment, clock.now(dispute.payment.merchant))


def _hold_payment(account: ProviderAccount, told: DisputeReport) -> Payment | None:
    """The disputed payment, locked: the one that is told, else the one that is known."""
    known = Dispute.objects.filter(account=account, reference=told.reference)
    found = disputed(account, told) or _payment_known(known.select_related(*_PAYMENT).first())
    return lock(found.merchant, found.pk) if found else None


def _payment_known(dispute: Dispute | None) -> Payment | None:
    """It may have become known here after its dispute."""
    if dispute is None:
        return None
    if dispute.payment:
        return dispute.payment
    return payment_of(dispute.account, dispute.money) if dispute.account and dispute.money else None


def _row(account: ProviderAccount, told: DisputeReport, payment: Payment | None) -> Dispute:
    """The record, locked. A new one stands before everything that can be told."""
    now = utcnow()
    new = {
        "id": new_id("dsp"),
        "state": DisputeState.OPEN,
        "step": -1,
        "is_inquiry": bool(told.is_inquiry),
        "amount": to_minor(told.amount, told.currency),
        "currency": told.currency,
        "reason_code": told.reason_code,
        "created_at": now,
        "updated_at": now,
    }
    rows = Dispute.objects.select_for_update(no_key=True, of=("self",))
    dispute, _ = rows.get_or_create(account=account, reference=told.reference, defaults=new)
    if payment and dispute.payment_id in (None, payment.pk):
        dispute.payment, dispute.merchant = payment, payment.merchant
    return dispute


def _is_stale(dispute: Dispute, told: DisputeReport) -> bool:
    """Whether more is known already. A believed acquirer tells each step once, in any order.

    What is lost is not opened again, and no chargeback becomes an inquiry: an answer that was asked for earlier may be
    applied later.
    """
    if dispute.state == DisputeState.LOST and told.state not in FINAL:
        return True
    if told.is_inquiry and not dispute.is_inquiry:
        return True
    if told.step is None:
        return False
    if told.state == DisputeState.DECIDING:
        return dispute.state in FINAL or told.step < dispute.step
    if told.step == dispute.step and told.state in FINAL and told.state != dispute.state:
        log.critical("dispute.told_otherwise", dispute=dispute.pk, told=told.state, known=dispute.state)
    return told.step <= dispute.step


def _facts(dispute: Dispute) -> list[object]:
    return [getattr(dispute, column.attname) for column in dispute._meta.concrete_fields]


def _follow(dispute: Dispute, told: DisputeReport) -> None:
    is_inquiry = dispute.is_inquiry if told.is_inquiry is None else told.is_inquiry
    state = _state(dispute, told, is_inquiry=is_inquiry)
    is_reopened = dispute.state in FINAL and state not in FINAL
    if is_reopened:
        dispute.refund = None
    if is_reopened or is_inquiry != dispute.is_inquiry:  # another round, which takes another answer
        dispute.answer = dispute.answered_at = dispute.due_at = None
        settle_outcome(dispute)
    dispute.state, dispute.is_inquiry = state, is_inquiry
    dispute.amount, dispute.currency = to_minor(told.amount, told.currency), told.currency
    dispute.money = told.money or dispute.money
    dispute.reason_code, dispute.reason = told.reason_code, (told.reason or dispute.reason)[:255]
    dispute.due_at = told.due_at or dispute.due_at
    if told.step is not None and not (is_inquiry and told.state == DisputeState.LAPSED):  # a chargeback may follow
        dispute.step = told.step


def _state(dispute: Dispute, told: DisputeReport, *, is_inquiry: bool) -> DisputeState:
    """What was answered stays so, and what nobody answered in time is lost, unless it was an inquiry."""
    is_answered = dispute.state == DisputeState.DECIDING and is_inquiry == dispute.is_inquiry
    if told.state == DisputeState.OPEN and is_answered:
        return DisputeState.DECIDING
    if told.state == DisputeState.LAPSED:
        contested = dispute.answered_at and dispute.answer and dispute.answer.answer == Response.Answer.CONTEST
        return DisputeState.DECIDING if is_inquiry or contested else DisputeState.LOST
    return told.state
