"""The state of money in suspense, and the order to return it. Only `take` changes a state."""

from datetime import datetime

from accounts.base import clock
from accounts.base.clock import utcnow
from gateway.methods.rail import RefundOrder
from gateway.payments.failover import details_at
from gateway.providers.asking import settle_outcome
from gateway.providers.models import ProviderAccount
from gateway.providers.needs import needed_for
from gateway.providers.registry import declared
from gateway.providers.selectors import serves
from gateway.suspense.errors import ItemUnknown
from gateway.suspense.lifecycle import SUSPENSE_LIFE, SuspenseAction
from gateway.suspense.models import OPEN, LineCause, State, SuspenseItem
from ledger.books.services import post


def lock(item_id: str) -> SuspenseItem:
    """The item, locked until the transaction ends, with its company and payment. Raises ONP404_SUSPENSE."""
    locked = SuspenseItem.objects.select_for_update(no_key=True, of=("self",))
    found = locked.select_related("merchant__company", "payment", "account").filter(pk=item_id).first()
    if found is None:
        raise ItemUnknown
    return found


def take(item: SuspenseItem, asked: SuspenseAction, at: datetime) -> SuspenseItem:
    """Applies a decision or an answer: saves and posts in one transaction. The only place that changes a state."""
    taken = SUSPENSE_LIFE.transition(asked, item.state)
    item.state, item.updated_at = State(taken.target), at
    if item.state != State.HELD or asked in (SuspenseAction.KEEP, SuspenseAction.DECLINED):
        item.return_at = None
    if item.state != State.RETURNING:
        item.ask_at = item.leased_until = None
        settle_outcome(item)
    item.save(force_insert=not taken.sources)
    if taken.books and item.merchant:  # last: it locks the most contended rows
        posted = post(item.merchant, str(taken.posts), item.id, taken.books(item), at)
        assert posted or asked == SuspenseAction.ATTRIBUTE, "money is held and let go once"
    return item


def order_of(item: SuspenseItem) -> RefundOrder:
    """The order that the rail receives to return it. Money without a reference of its own is known by its payment."""
    payment = item.payment
    return RefundOrder(
        refund_id=item.return_id,
        payment_id=payment.id if payment else "",
        payment_reference=None if payment and item.reference == payment.id else item.reference,
        amount=item.amount_exact,
        currency=item.currency,
        details=details_at(payment, item.account_id) if payment and item.account_id else {},
        sent_at=item.sent_at,
    )


def is_returnable(item: SuspenseItem) -> bool:
    """Whether its provider can be asked to return it. Otherwise staff return it from the bank account itself.

    What a bank has sent back is not sent there again.
    """
    account = item.account
    known = declared().get(account.provider) if account else None
    can_be_asked = bool(account and known and known.answers and serves(account, item.method, item.currency))
    return can_be_asked and item.cause != LineCause.REVERSED


def now_of(item: SuspenseItem) -> datetime:
    """The time of its company, or real time while there is none."""
    return clock.now(item.merchant) if item.merchant else utcnow()


@needed_for("money in suspense")
def _under_way(account: ProviderAccount) -> int:
    return SuspenseItem.objects.filter(account=account, state__in=OPEN).count()
