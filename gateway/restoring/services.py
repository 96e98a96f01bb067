"""What happens to real money after a restore, before any process is started again.

The restored database believes unsent what may have been sent after the moment that was restored, and does not know what
was begun after it. So what can have been sent counts as sent, and is asked about; accounts send nothing new until it is
known what they were told (`know_orders`); and numbers that may have been given out are never given out again.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Greatest

from accounts.audit import ON_HOST
from accounts.base.clock import utcnow
from accounts.cells import each_cell_in_order
from gateway.payments.models import UNDECIDED, Payment
from gateway.payout_batches.models import PayoutBatch
from gateway.providers import numbers
from gateway.providers.accounts import hold, write_down
from gateway.providers.models import LostOrder, ProviderAccount
from gateway.providers.provider import KnownOrder
from gateway.providers.registry import declared
from gateway.providers.selectors import provider_of
from gateway.refunds.models import Refund
from gateway.refunds.models import Status as RefundStatus
from gateway.restoring.errors import NotListedYet, NotRestored
from gateway.slips import services as slips
from gateway.suspense.models import State as SuspenseState
from gateway.suspense.models import SuspenseItem
from gateway.suspense.recovery import compare
from gateway.withdrawals.models import ApprovalState, Withdrawal
from gateway.withdrawals.models import Status as WithdrawalStatus
from ledger.money import to_minor

log = structlog.get_logger()
BatchState = PayoutBatch.State


def accounts() -> QuerySet[ProviderAccount]:
    """The accounts with real money that can still be told to pay or to return some."""
    used = ProviderAccount.objects.filter(system=ProviderAccount.System.PRODUCTION)
    return used.exclude(status=ProviderAccount.Status.ENTERED).select_related("merchant").order_by("pk")


@transaction.atomic
def begin(to: datetime, note: str, *, skip: int) -> None:
    """Call it once after each restore to this moment, before any process of the service is started.

    `skip` is how many numbers of each series may have been given out after that moment.
    """
    now = utcnow()
    for account in accounts().select_for_update(of=("self",), no_key=True):
        account.restored_to, account.restored_at = min(to, account.restored_to or to), now
        account.save(update_fields=["restored_to", "restored_at"])
        write_down(ON_HOST, "restored", account, note, before=None)
        _skip_numbers(account, skip)
    for _ in each_cell_in_order():
        _ask_about_withdrawals(to, now)
        _ask_about_refunds(to, now)
        _ask_about_payments(now)
    _ask_about_returns(to, now)
    dropped = Q(state=BatchState.DROPPING) | Q(state=BatchState.RELEASED, drop_at__isnull=False)
    PayoutBatch.objects.filter(dropped, renaming_since=None).update(renaming_since=to)


def _skip_numbers(account: ProviderAccount, count: int) -> None:
    if account.provider not in declared():
        return
    provider = provider_of(account)
    for series, among in provider.numbers_given():
        numbers.skip(series, among, count)
    if agreement := provider.agreement():
        slips.skip(agreement, count)


def _ask_about_withdrawals(to: datetime, now: datetime) -> None:
    """Those that wait for approval or for a file cannot have been sent by a call."""
    real = Withdrawal.objects.filter(account__in=_called())
    unsent = real.filter(status=WithdrawalStatus.PROCESSING, sent_at=None, queued_at=None)
    sendable = Q(approval=None) | Q(approval=ApprovalState.APPROVED)
    unsent.filter(sendable).update(sent_at=to, sent_times=Greatest(F("sent_times"), 1))
    real.filter(sent_at__isnull=False, ask_at__isnull=False).update(ask_at=now, leased_until=None)


def _called() -> list[str]:
    """Accounts that are told by calls what to pay out, and not by files or people."""
    return [
        account.pk
        for account in accounts()
        if account.provider in declared() and any(not rail.is_by_batch for rail in provider_of(account).payout_rails())
    ]


def _ask_about_refunds(to: datetime, now: datetime) -> None:
    refunds = Refund.objects.filter(account__isnull=False, status=RefundStatus.PROCESSING, ask_at__isnull=False)
    refunds.filter(sent_at=None).update(sent_at=to)
    refunds.update(ask_at=now, leased_until=None)


def _ask_about_returns(to: datetime, now: datetime) -> None:
    returns = SuspenseItem.objects.filter(account__isnull=False, state=SuspenseState.RETURNING)
    returns.filter(sent_at=None).update(sent_at=to)
    returns.update(ask_at=now, leased_until=None)


def _ask_about_payments(now: datetime) -> None:
    """A call that may have been made is looked up first, as after a process that died."""
    undecided = Payment.objects.filter(account__isnull=False, status__in=UNDECIDED, ask_at__isnull=False)
    undecided.filter(answered=False).update(asked_times=Greatest(F("asked_times"), 1))
    undecided.update(ask_at=now, leased_until=None)


def know_orders(account_id: str, note: str) -> list[LostOrder]:
    """Lets an account send again: what its institution was told since the restored moment is known now, from its list,
    or, if it has none, because whoever calls this has compared. Money that it received since, and that no payment of
    ours explains, stays in suspense until people decide: it may have paid what is lost here. Returns the lost orders.

    Calls the institution: never inside a transaction. Raises ONP404_PROVIDER_ACCOUNT, NotRestored, NotListedYet and
    CallFailed.
    """
    account = accounts().filter(pk=account_id).first()
    if account is None or account.restored_to is None or account.restored_at is None:
        raise NotRestored
    listed = list(_listed(account))
    compare(account, utcnow(), since=account.restored_to)
    with transaction.atomic():
        account = hold(account_id)
        for one in listed:
            _keep(account, one)
        SuspenseItem.objects.filter(account=account, return_at__isnull=False).update(return_at=None)
        account.restored_to = account.restored_at = None
        account.save(update_fields=["restored_to", "restored_at"])
        write_down(ON_HOST, "orders_known", account, note, before=None)
    return list(LostOrder.objects.filter(account=account).order_by("pk"))


def _listed(account: ProviderAccount) -> Iterator[KnownOrder]:
    """Raises NotListedYet and CallFailed."""
    assert account.restored_to is not None and account.restored_at is not None
    known = declared().get(account.provider)
    within = known.lists_orders_within if known else None
    if within is None:
        return
    now = utcnow()
    if now < account.restored_at + within:
        raise NotListedYet(account.restored_at + within)
    yield from provider_of(account).orders(account.restored_to, now)


def _keep(account: ProviderAccount, one: KnownOrder) -> None:
    """Keeps an order that is lost here, or that is not known to have been sent."""
    known = _known(one.our_id)
    if known.filter(sent_at__isnull=False).exists() or LostOrder.objects.filter(taken_by=one.our_id).exists():
        return
    amount, ours = to_minor(one.amount, one.currency), one.our_id if known.exists() else ""
    _, is_new = LostOrder.objects.get_or_create(
        pk=one.our_id, defaults={"account": account, "amount": amount, "currency": one.currency, "taken_by": ours}
    )
    if is_new:
        log.error("order.lost", order=one.our_id, account=account.pk, amount=amount, currency=one.currency)


def _known(our_id: str) -> QuerySet[Any]:
    kinds: dict[str, QuerySet[Any]] = {
        "wdr": Withdrawal.objects.filter(pk=our_id),
        "ref": Refund.objects.filter(pk=our_id),
        "sus": SuspenseItem.objects.filter(return_id=our_id),
    }
    return kinds[our_id.partition("_")[0]]
