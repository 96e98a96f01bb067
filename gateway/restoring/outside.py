"""What the outside may have done after the moment that was restored, for the operator to read."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db.models import Count, Max

from gateway.boletos.models import RegistrationFile
from gateway.payments.models import UNDECIDED, Payment
from gateway.payout_batches.models import PayoutBatch
from gateway.providers.models import LostOrder, ProviderAccount
from gateway.providers.registry import declared
from gateway.refunds.models import Refund
from gateway.refunds.models import Status as RefundStatus
from gateway.restoring.services import accounts
from gateway.suspense.models import State as SuspenseState
from gateway.suspense.models import SuspenseItem
from gateway.withdrawals.models import Status as WithdrawalStatus
from gateway.withdrawals.models import Withdrawal
from webhooks.models import Delivery

Section = tuple[str, list[str]]


def listed(to: datetime) -> Iterator[Section]:
    """Titles and lines."""
    yield "Accounts that send nothing new until it is known what they were told", [*map(_account, _waiting())]
    yield "Asked about now, and sent only if the institution never had them", _asked()
    yield "Files: was a later one handed over? Compare with the bank before its account pays again", [*_files()]
    yield "Messages to ask for again: the institution cannot be asked about a payment", [*_told_only()]
    yield "Webhooks: what was sent after that moment is not known here any more", _deliveries(to)
    yield "Orders that the institution has and that are lost here", [*map(_lost, LostOrder.objects.order_by("pk"))]


def _waiting() -> Iterator[ProviderAccount]:
    yield from accounts().filter(restored_to__isnull=False)


def _account(account: ProviderAccount) -> str:
    known = declared().get(account.provider)
    within = known.lists_orders_within if known else None
    if within is None or account.restored_at is None:
        how = "has no list that we can read: compare its own pages with ours"
    else:
        how = f"its orders are listed from {account.restored_at + within:%H:%M:%S} UTC on"
    return f"{account.pk}  {account}: {how}"


def _asked() -> list[str]:
    withdrawals = Withdrawal.objects.filter(status=WithdrawalStatus.PROCESSING, account__isnull=False)
    refunds = Refund.objects.filter(status=RefundStatus.PROCESSING, account__isnull=False)
    returns = SuspenseItem.objects.filter(state=SuspenseState.RETURNING, account__isnull=False)
    payments = Payment.objects.filter(status__in=UNDECIDED, account__isnull=False, ask_at__isnull=False)
    return [
        *_each("withdrawal", withdrawals.filter(sent_at__isnull=False).values_list("pk", flat=True)),
        *_each("refund", refunds.filter(sent_at__isnull=False).values_list("pk", flat=True)),
        *_each("return of money in suspense", returns.values_list("pk", flat=True)),
        f"{payments.count()} payments that nobody had paid",
    ]


def _each(what: str, ids: Iterable[str]) -> Iterator[str]:
    for one in sorted(ids):
        yield f"{one}  {what}"


def _files() -> Iterator[str]:
    by_file = PayoutBatch.objects.values("account").annotate(last=Max("sequence")).order_by("account")
    for one in by_file:
        yield f"{one['account']}  the last payment file that is known here has the number {one['last'] or 0}"
    open_ones = PayoutBatch.objects.exclude(state__in=("HANDED_OVER", "CANCELED")).order_by("pk")
    for batch in open_ones:
        yield f"{batch.pk}  {batch.get_state_display()}: {batch.count} orders, file {batch.file_name or 'not written'}"
    for one in (
        RegistrationFile.objects.values("account", "agreement").annotate(last=Max("sequence")).order_by("account")
    ):
        yield f"{one['account']}  the last registration file that is known here has the number {one['last']}"
    queued = Withdrawal.objects.filter(status=WithdrawalStatus.PROCESSING, sent_at=None, queued_at__isnull=False)
    for waiting in queued.values("account").annotate(count=Count("pk")).order_by("account"):
        yield f"{waiting['account']}  {waiting['count']} withdrawals wait for a file, or for people"


def _told_only() -> Iterator[str]:
    for account in accounts():
        known = declared().get(account.provider)
        if known and known.is_believed:
            yield f"{account.pk}  {account}"


def _deliveries(to: datetime) -> list[str]:
    """Companies can hear again what they know, under the same id, and know what is lost here."""
    due = Delivery.objects.filter(status=Delivery.Status.PENDING).values("endpoint__merchant__company_id")
    again = due.annotate(count=Count("pk")).order_by("endpoint__merchant__company_id")
    return [f"{one['endpoint__merchant__company_id']}  {one['count']} deliveries are made, some again" for one in again]


def _lost(one: LostOrder) -> str:
    made = "made again" if one.taken_by else "nobody has made it again"
    return f"{one.pk}  {one.amount} {one.currency} (minor units) at {one.account_id}: {made}"
