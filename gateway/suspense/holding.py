"""Money that arrived and does not fit is held, once, however often it is told."""

from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q

from accounts.base import clock
from accounts.base.ids import new_id
from accounts.models import AuditEntry, Merchant
from gateway.methods.rail import Money, PaymentOutcome, RefundOrder
from gateway.payments.models import Payment
from gateway.payments.other_money import Cause, Holder, held_by
from gateway.providers.models import ProviderAccount
from gateway.suspense.lifecycle import SuspenseAction
from gateway.suspense.models import LONGEST_REFERENCE, LineCause, State, SuspenseItem
from gateway.suspense.provider import is_returnable, take
from ledger.money import DECIMALS, to_minor

log = structlog.get_logger()


def hold(
    account: ProviderAccount,
    money: Money,
    cause: Cause | LineCause,
    at: datetime,
    *,
    method: str,
    payment: Payment | None = None,
    note: str = "",
) -> SuspenseItem:
    """Holds money that the account received; `payment` None: for no charge of ours.

    Money for a payment is given back by itself after `SUSPENSE_RETURNS_AFTER_S` if its provider can do that. Raises
    ValueError for what is no amount of a known currency.
    """
    merchant = payment.merchant if payment else account.merchant
    item = SuspenseItem(
        id=new_id("sus"),
        account=account,
        merchant=merchant,
        payment=payment,
        method=method,
        currency=money.currency,
        amount=_minor(money),
        reference=money.reference,
        cause=cause,
        state="",
        received_at=at,
        note=note,
        created_at=at,
    )
    known = SuspenseItem.objects.filter(account=account, reference=money.reference).first()
    if known is None:
        if payment and is_returnable(item) and not _was_decided_by_staff(payment):
            item.return_at = at + timedelta(seconds=settings.SUSPENSE_RETURNS_AFTER_S)
        known = _stored(item, at)
    if (known.amount, known.currency) != (item.amount, item.currency):
        log.critical("suspense.told_otherwise", item=known.id, amount=str(money.amount), currency=money.currency)
    return known


def hold_what_came_back(order: RefundOrder, told: PaymentOutcome, account: ProviderAccount, payment: Payment) -> None:
    """Holds money of a refund or return that its beneficiary's bank has sent back after it was paid, if the institution
    names the money that is back. Staff decide what becomes of it.
    """
    if told.reference is None or told.amount is None:
        return
    money = Money(told.reference, told.amount, order.currency)
    note = f"Sent as {order.refund_id}, and sent back by the bank"
    at = clock.now(payment.merchant)
    hold(account, money, LineCause.REVERSED, at, method=payment.method, payment=payment, note=note)


def _stored(item: SuspenseItem, at: datetime) -> SuspenseItem:
    try:
        with transaction.atomic():
            take(item, SuspenseAction.HOLD, at)
    except IntegrityError as error:
        if "money_is_held_once" not in str(error):
            raise
        return SuspenseItem.objects.get(account=item.account, reference=item.reference)  # told twice at once
    log.warning("suspense.held", item=item.id, cause=item.cause, payment=item.payment_id, account=item.account_id)
    return item


def _minor(money: Money) -> int:
    if money.currency not in DECIMALS or not money.amount.is_finite() or money.amount <= 0:
        raise ValueError("no amount of a known currency")
    if not 0 < len(money.reference) <= LONGEST_REFERENCE:
        raise ValueError("no reference")
    return to_minor(money.amount, money.currency)


def _was_decided_by_staff(payment: Payment) -> bool:
    """What the provider calls another money may be the one that people have seen: then they decide again."""
    return AuditEntry.objects.filter(object_id=payment.pk, action="payment.done", by_staff=True).exists()


def _hold_of_payment(payment: Payment, money: Money, cause: Cause, at: datetime) -> bool:
    if payment.account is None:
        return False
    try:
        hold(payment.account, money, cause, at, method=payment.method, payment=payment)
    except ValueError:
        return False
    return True


_WAITING_LINE = Q(state=State.HELD) & ~Q(line_id="")
"""A line that nothing explains yet: the payment that is recorded with its reference will."""


def _was_held(reference: str, account: ProviderAccount | None, merchant: Merchant | None) -> bool:
    theirs = Q(account=account) | (Q(merchant=merchant) if merchant else Q())
    at_the_bank = theirs if account else Q()
    known = SuspenseItem.objects.filter(at_the_bank, reference__iexact=reference)
    return known.exclude(_WAITING_LINE).exists()


held_by(Holder(_hold_of_payment, _was_held))
