"""Decisions about money in suspense. What moves it takes two people: see `proposals`."""

from datetime import datetime

import structlog
from django.db import transaction

from accounts import audit
from accounts.audit import Actor
from accounts.base.ids import new_id
from accounts.models import Environment
from gateway.methods.rail import Clawback, PaymentAction, PaymentOutcome, PaymentResult
from gateway.methods.registry import by_currency
from gateway.payments.bank_references import require_unpaid
from gateway.payments.errors import BankReferenceUsed, PaymentState
from gateway.payments.models import OPEN, Payment, Status
from gateway.payments.provider import finish, require_reference_free
from gateway.payments.provider import lock as lock_payment
from gateway.providers.asking import is_leased, is_overdue
from gateway.providers.models import ProviderAccount
from gateway.suspense.errors import DoesNotFit, ItemState, NotReturnable, NotTheirs
from gateway.suspense.lifecycle import SUSPENSE_LIFE, SuspenseAction
from gateway.suspense.models import State, SuspenseItem
from gateway.suspense.provider import is_returnable, lock, now_of, take

log = structlog.get_logger()
MAY_BE_PAID = (*OPEN, Status.EXPIRED, Status.FAILED)
OUTSIDE = (SuspenseAction.RETURNED, SuspenseAction.DECLINED)
"""What became of a return, where staff say it."""


def begin_return(item: SuspenseItem, at: datetime) -> SuspenseItem:
    """Lets the provider be asked to return it, under an id that was never declined. Call it with the item locked."""
    if not is_returnable(item):
        raise NotReturnable
    item.return_id = new_id("sus") if item.return_id else item.id
    item.sent_at, item.ask_at = None, at
    item.failure_code = item.failure_message = ""
    return take(item, SuspenseAction.RETURN, at)


def require_returnable(item: SuspenseItem) -> None:
    """Raises ONP409_SUSPENSE_STATE and ONP409_SUSPENSE_NOT_RETURNABLE."""
    SUSPENSE_LIFE.transition(SuspenseAction.RETURN, item.state)
    if not is_returnable(item):
        raise NotReturnable


def give_back(item: SuspenseItem, note: str) -> SuspenseItem:
    """Raises ONP409_SUSPENSE_STATE and ONP409_SUSPENSE_NOT_RETURNABLE."""
    require_returnable(item)
    item.note = note
    return begin_return(item, now_of(item))


@transaction.atomic
def keep(by: Actor, item_id: str, note: str) -> SuspenseItem:
    """Stops the return by rule, so that staff can look at it. Raises ONP404_SUSPENSE and ONP409_SUSPENSE_STATE."""
    item = lock(item_id)
    if item.return_at is None:
        raise ItemState
    before, item.note = {"return_at": item.return_at.isoformat()}, note
    take(item, SuspenseAction.KEEP, now_of(item))
    audit.record(
        by,
        "suspense.kept",
        merchant=item.merchant,
        object_id=item.id,
        before=before,
        after={"return_at": None},
        note=note,
        by_staff=True,
    )
    return item


def held(account: ProviderAccount, reference: str) -> SuspenseItem | None:
    """What became of money that does not fit, by the provider's id of it."""
    return SuspenseItem.objects.filter(account=account, reference=reference).select_related("merchant__company").first()


@transaction.atomic
def end_by_clawback(account: ProviderAccount, one: Clawback) -> bool:
    """The institution has taken back money in suspense: there is nothing left to return or to assign.

    False: the money is unknown here, or a return of ours is under way.
    """
    known = held(account, one.money)
    if known is None:
        return False
    item = lock(known.pk)
    if item.state in (State.RETURNED, State.ASSIGNED):
        return True
    if item.state == State.RETURNING or (one.amount, one.currency) != (item.amount_exact, item.currency):
        log.critical("suspense.clawback_does_not_fit", item=item.id, reference=one.reference, amount=str(one.amount))
        return False
    item.return_reference = one.reference
    take(item, SuspenseAction.RETURNED, now_of(item))
    log.warning("suspense.taken_back", item=item.id, reference=one.reference)
    return True


def require_recordable(item: SuspenseItem, asked: SuspenseAction) -> None:
    """Staff say what became of a return made outside, or of one that stayed unclear past its deadline.

    Raises ONP409_SUSPENSE_STATE, also while the provider is being called.
    """
    SUSPENSE_LIFE.transition(asked, item.state)
    if item.is_line:
        raise ItemState
    if item.state == State.RETURNING and (is_leased(item) or not is_overdue(item, now_of(item))):
        raise ItemState


def record(item: SuspenseItem, asked: SuspenseAction, reference: str, note: str) -> SuspenseItem:
    """Raises ONP409_SUSPENSE_STATE."""
    require_recordable(item, asked)
    item.note, item.return_reference = note, reference
    return take(item, asked, now_of(item))


def require_attributable(item: SuspenseItem, payment: Payment) -> None:
    """Raises ONP409_SUSPENSE_STATE, ONP422_SUSPENSE_COMPANY if it cannot have been meant for the payment, and
    ONP409_BANK_REFERENCE if the company has this money already, from another account.
    """
    SUSPENSE_LIFE.transition(SuspenseAction.ATTRIBUTE, item.state)
    if item.payment_id is not None or item.account is None:
        raise ItemState
    require_theirs(payment, item.merchant_id or item.account.merchant_id, item.method)
    rail = by_currency(item.method)[item.currency]
    require_unpaid(item.reference, rail, item.account, payment.merchant)
    theirs = SuspenseItem.objects.filter(merchant=payment.merchant, reference__iexact=item.reference)
    if theirs.exclude(pk=item.pk).exists():
        raise BankReferenceUsed


def require_theirs(payment: Payment, owner_id: int | None, method: str) -> None:
    """Raises ONP422_SUSPENSE_COMPANY unless the owner's money, paid by this method, can be meant for the payment."""
    is_foreign = owner_id not in (None, payment.merchant_id) or payment.method != method
    if is_foreign or payment.merchant.environment != Environment.PRODUCTION:
        raise NotTheirs


def attribute(item: SuspenseItem, payment: Payment, note: str) -> SuspenseItem:
    """Says which payment it was meant for, and so whose book it stands in. Raises what `require_attributable` does."""
    require_attributable(item, payment)
    item.payment, item.merchant, item.note = payment, payment.merchant, note
    return take(item, SuspenseAction.ATTRIBUTE, now_of(item))


def require_assignable(item: SuspenseItem) -> None:
    """Raises ONP409_SUSPENSE_STATE, ONP422_SUSPENSE_PAYMENT, and ONP409_DUPLICATE_REFERENCE if a newer payment took
    the place of this one.
    """
    SUSPENSE_LIFE.transition(SuspenseAction.ASSIGN, item.state)
    payment = item.payment
    if payment is None or payment.status not in MAY_BE_PAID:
        raise DoesNotFit
    if (item.amount, item.currency) != (payment.amount, payment.currency):
        raise DoesNotFit
    require_reference_free(payment)


def assign(item: SuspenseItem, note: str) -> SuspenseItem:
    """Lets the money pay its payment, also one that has expired or failed. Raises what `require_assignable` does,
    and ONP409_PAYMENT_STATE while the provider is being called about the payment.
    """
    assert item.merchant is not None and item.payment_id is not None
    item.payment = payment = lock_payment(item.merchant, item.payment_id)
    require_assignable(item)
    if is_leased(payment):
        raise PaymentState
    at, item.note = now_of(item), note
    payment.failure_code = payment.failure_message = None
    finish(payment, PaymentAction.ASSIGN, _outcome(item, payment), at)
    return take(item, SuspenseAction.ASSIGN, at)


def _outcome(item: SuspenseItem, payment: Payment) -> PaymentOutcome:
    """As the method's rail would tell it."""
    if item.reference == payment.id:
        return PaymentOutcome(PaymentResult.DONE)
    return by_currency(payment.method)[payment.currency].received(item.reference)
