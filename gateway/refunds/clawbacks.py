"""Money that went back without an order of ours: under MED, which settles a claim, or by people at the institution."""

from collections.abc import Iterable
from datetime import datetime

import structlog
from django.db import transaction

from accounts.base import clock
from accounts.models import Merchant
from gateway.methods.rail import Clawback
from gateway.payments.models import Payment
from gateway.payments.models import Status as PaymentStatus
from gateway.payments.provider import lock
from gateway.refunds import notices, opening, payloads
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import DISPUTED, OPEN, Origin, Refund
from gateway.refunds.postings import returned
from gateway.refunds.provider import ACQUIRER_REFUSED, give_back, take
from gateway.refunds.reasons import DisputeKind
from gateway.refunds.shortfalls import fill_one, keep_hold
from ledger.books.services import post_for_block
from ledger.money import to_minor
from webhooks.outbox import emit

log = structlog.get_logger()
TAKEN_BACK = (ACQUIRER_REFUSED[0], "The payer's bank has recovered the money through PIX MED.")
REFUNDED_THERE = (ACQUIRER_REFUSED[0], "The payment was refunded on the provider's own pages.")
NOTE = "The bank took the money back through MED without a claim that we know."


@transaction.atomic
def settle(merchant: Merchant, payment_id: str, told: Iterable[Clawback]) -> bool:
    """Records what the institution has taken back of a payment's money; False: a part must wait (see `enter`)."""
    payment = lock(merchant, payment_id)
    return enter(payment, told, clock.now(merchant))


def enter(payment: Payment, told: Iterable[Clawback], now: datetime) -> bool:
    """Records clawbacks of a locked payment, each once, however often and in whichever order they are told.

    The open claim is completed by it, or reduced if it is smaller; without one a claim is opened and completed. What
    the wallet lacks is the company's debt. False: one waits until our own refund, which may take effect at the
    institution as well, is certain.
    """
    return all([_enter(payment, one, now) for one in told if one.is_done])


def is_known(payment_id: str, one: Clawback) -> bool:
    return Refund.objects.filter(payment_id=payment_id, end_to_end_id=one.reference).exists()


def _enter(payment: Payment, one: Clawback, now: datetime) -> bool:
    if is_known(payment.pk, one):
        return True
    amount, left = to_minor(one.amount, one.currency), payment.amount - payment.refunded_amount
    if payment.status != PaymentStatus.PAID or one.currency != payment.currency or not 0 < amount <= left:
        log.critical("refund.clawback_does_not_fit", payment=payment.pk, reference=one.reference, amount=amount)
        return False
    at_provider = fixed(payment)
    left -= sum(refund.amount for refund in at_provider)
    if amount > left or any(refund.is_med for refund in at_provider):
        log.warning("refund.clawback_waits", payment=payment.pk, reference=one.reference)
        return False
    claim = _claim(payment, amount) if one.is_claim else None
    make_room(payment, amount, claim, left, TAKEN_BACK if one.is_claim else REFUNDED_THERE, now)
    _settle(payment, claim, amount, one, now)
    return True


def open_of(payment: Payment) -> list[Refund]:
    """The open refunds of a locked payment, newest first, as they are now."""
    found = list(Refund.objects.select_for_update(no_key=True).filter(payment=payment, status__in=OPEN).order_by("-id"))
    for refund in found:
        refund.payment, refund.merchant = payment, payment.merchant
    return found


def fixed(payment: Payment) -> list[Refund]:
    """The open refunds of a locked payment that take effect, or may, whatever we do: sent ones, and chargebacks."""
    return [refund for refund in open_of(payment) if _is_fixed(refund)]


def _is_fixed(refund: Refund) -> bool:
    return refund.sent_at is not None or refund.is_chargeback


def _claim(payment: Payment, amount: int) -> str | None:
    """The claim that a clawback of this amount settles: best the one of exactly this amount, then the oldest."""
    claims = [refund for refund in open_of(payment) if refund.is_med]
    found = min(claims, key=lambda claim: (claim.amount != amount, claim.id), default=None)
    return found.id if found else None


def make_room(
    payment: Payment, amount: int, claim_id: str | None, left: int, why: tuple[str, str], now: datetime
) -> None:
    """Ends requests that have become impossible, the newest first, except for the claim: their money is gone.

    They are read again each time: money that one lets go may be held for the next.
    """
    while others := [one for one in open_of(payment) if one.id != claim_id and not _is_fixed(one)]:
        if amount <= left - sum(refund.amount for refund in others):
            return
        impossible = others[0]
        if impossible.status in DISPUTED:
            take(impossible, RefundAction.WITHDRAW, now)
        else:
            impossible.failure_code, impossible.failure_message = why
            take(impossible, RefundAction.DECLINED, now)


def _settle(payment: Payment, claim_id: str | None, amount: int, one: Clawback, now: datetime) -> None:
    claim = next((refund for refund in open_of(payment) if refund.id == claim_id), None)
    if claim and claim.amount <= amount:
        _grow(claim, amount, now)
        _complete(claim, one, now)
        return
    if claim:
        _reduce(claim, amount, now)
    found = _found(payment, amount, one, now)
    _complete(found, one, now)
    if one.is_claim:
        notices.taken_back(found)
    if claim:
        fill_one(claim, now)
        emit(claim.merchant, "refund.updated", claim.id, payloads.refund(claim), now)


def _complete(refund: Refund, one: Clawback, now: datetime) -> None:
    refund.end_to_end_id = one.reference
    take(refund, RefundAction.TAKEN_BACK, now)
    log.warning("refund.taken_back", refund=refund.id, reference=one.reference, owed=refund.owed)


def _grow(claim: Refund, amount: int, now: datetime) -> None:
    """The institution took at least as much as was claimed: what is there of it is held first."""
    claim.amount = claim.wallet_amount = amount
    claim.claimed_amount = max(amount, claim.claimed_amount or 0)
    claim.save(update_fields=["amount", "wallet_amount", "claimed_amount"])
    keep_hold(claim, now)
    fill_one(claim, now)


def _reduce(claim: Refund, amount: int, now: datetime) -> None:
    """Leaves the rest of the claim, and lets go what is held for it: the clawback takes that first."""
    give_back(claim, now)
    moves = returned(claim)
    claim.amount, claim.wallet_amount = claim.amount - amount, claim.wallet_amount - amount
    claim.from_releasing = claim.from_available = 0
    claim.fills += 1
    claim.updated_at = now
    claim.save()
    keep_hold(claim, now)
    if moves:
        post_for_block(claim.merchant, "refund.reduced", f"{claim.id}:{claim.fills}", moves, now)


def _found(payment: Payment, amount: int, one: Clawback, now: datetime) -> Refund:
    """A claim that nobody told us of, or a refund that people made there.

    API Pix does not name a claim: the id of the return stands for its id.
    """
    on_their_way = sum(refund.amount for refund in open_of(payment))
    left = payment.amount - payment.refunded_amount - on_their_way
    refund = opening.new(payment, Origin.PAYER if one.is_claim else Origin.MERCHANT, amount, left, now)
    refund.note = NOTE if one.is_claim else REFUNDED_THERE[1]
    if one.is_claim:
        refund.dispute_kind, refund.claim_id, refund.claimed_amount = DisputeKind.MED, one.reference, amount
        refund.analysis_due_at = refund.return_due_at = now
        refund.reason_code = one.reason_code
    return opening.begin(refund, RefundAction.FOUND, now, all_of_it=False)
