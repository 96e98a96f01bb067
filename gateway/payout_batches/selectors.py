"""Reads of batches, and of what waits for one."""

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, QuerySet, Sum

from gateway.payout_batches.models import BatchAnswer, BatchOrder, PayoutBatch
from gateway.providers.models import ProviderAccount
from gateway.withdrawals.models import Status, Withdrawal


@dataclass(frozen=True, slots=True)
class Waiting:
    """Withdrawals that wait for a file of an account. `total` in minor units."""

    account: ProviderAccount
    currency: str
    count: int
    total: int


def waiting_by_account() -> list[Waiting]:
    """What can be gathered, by account and currency."""
    live = BatchOrder.objects.filter(withdrawal=OuterRef("pk"), is_live=True)
    queued = Withdrawal.objects.filter(status=Status.PROCESSING, queued_at__isnull=False, sent_at=None)
    counted = queued.filter(~Exists(live)).values("account", "payout_currency").order_by("account", "payout_currency")
    rows = list(counted.annotate(count=Count("pk"), sum=Sum("payout_amount")))
    accounts = ProviderAccount.objects.in_bulk([row["account"] for row in rows])
    return [
        Waiting(accounts[row["account"]], row["payout_currency"], row["count"], row["sum"])
        for row in rows
        if row["account"] in accounts
    ]


def unanswered(batch: PayoutBatch) -> QuerySet[BatchOrder]:
    """The orders about which the institution has said nothing at all, not even what did not fit or still waits."""
    said = BatchAnswer.objects.filter(order=OuterRef("pk"))
    waiting = BatchAnswer.objects.filter(due_at__isnull=False, number=OuterRef("pk"))
    return BatchOrder.objects.filter(~Exists(said), ~Exists(waiting), batch=batch, is_live=True, outcome="")
