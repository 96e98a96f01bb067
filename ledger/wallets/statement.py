"""The statement of one bucket, entry by entry."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet, Subquery, Sum

from accounts.base import clock
from accounts.models import Merchant
from ledger.books.models import Account, Entry, Transfer
from ledger.chart import BUCKETS, WALLET_METHOD, AccountKind
from ledger.wallets.explain import KINDS, Cause, Explanation, cause_of, explain
from ledger.wallets.reach import first_sequence

_EARNED = {AccountKind.FEE_INCOME: Cause.FEES, AccountKind.ADVANCE_INCOME: Cause.ADVANCE_FEES}
_INSTANT = timedelta(milliseconds=1)


def statement(
    merchant: Merchant,
    currency: str,
    bucket: AccountKind,
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[Entry]:
    """Newest first, by the books' own sequence; `until` is exclusive.

    A late posting appears where it was posted, with its own time: the running balance is always continuous.
    """
    return _ordered(_of_bucket(merchant, currency, bucket, since), _within("", since, until))


def length(
    merchant: Merchant, currency: str, bucket: AccountKind, since: datetime | None, until: datetime | None
) -> int:
    """The number of entries of a statement: joining all of them is faster than looking up the transfer of each."""
    return _of_bucket(merchant, currency, bucket, since).filter(_within("transfer__", since, until)).count()


def _of_bucket(merchant: Merchant, currency: str, bucket: AccountKind, since: datetime | None) -> QuerySet[Entry]:
    account = Account.objects.filter(
        merchant=merchant, kind=bucket, method=WALLET_METHOD[currency], currency=currency
    ).values("pk")
    found = Entry.objects.filter(account=account[:1])  # a single value, so that the index provides the order
    reached = first_sequence(merchant, currency, bucket, since - _INSTANT) if since else None
    return found.filter(sequence__gte=reached) if reached else found


def _within(transfer: str, since: datetime | None, until: datetime | None) -> Q:
    limits = {f"{transfer}posted_at__gte": since, f"{transfer}posted_at__lt": until}
    return Q(**{lookup: at for lookup, at in limits.items() if at})


def _ordered(found: QuerySet[Entry], of_transfer: Q) -> QuerySet[Entry]:
    """The condition is looked up for each entry: on the joined transfer it makes the planner expect so few rows that
    it reads and sorts the whole period for one page.
    """
    if of_transfer:
        holds = ExpressionWrapper(of_transfer, output_field=BooleanField())
        found = found.filter(Subquery(Transfer.objects.filter(pk=OuterRef("transfer_id")).values_list(holds)))
    return found.select_related("transfer").order_by("-sequence")


def of_cause(rows: QuerySet[Entry], cause: Cause) -> QuerySet[Entry]:
    """The entries of a statement that moved money for this cause."""
    for kind, earned in _EARNED.items():
        if cause == earned:
            of_transfer = Entry.objects.filter(transfer=OuterRef("transfer"), currency=OuterRef("currency"))
            return rows.filter(Exists(of_transfer.filter(account__kind=kind)))
    begins = Q()
    for begin in KINDS if cause == Cause.ADJUSTMENTS else (one for one in KINDS if KINDS[one] == cause):
        begins |= Q(transfer__kind__startswith=begin)
    return rows.exclude(begins) if cause == Cause.ADJUSTMENTS else rows.filter(begins)


def summary(
    merchant: Merchant, currency: str, bucket: AccountKind, since: datetime | None, until: datetime | None
) -> Explanation:
    """Opening balance, movements and closing balance of a period; `until` is exclusive."""
    at = until - _INSTANT if until else clock.now(merchant)
    return explain(merchant, currency, (bucket,), at, min(since - _INSTANT, at) if since else None)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a statement; a fee paid by an entry is a line of its own. Minor units.

    `balance` is that of the bucket after the line.
    """

    posted_at: datetime
    kind: str
    reference: str
    cause: Cause
    amount: int
    balance: int


def lines(entries: Sequence[Entry], bucket: AccountKind, balance: int) -> list[Line]:
    """The lines of entries, newest first; `balance` is that of the bucket after the first of them.

    Lines are continuous from closing to opening balance, also with late postings.
    """
    earned = _income(entries, bucket)
    found = []
    for entry in entries:
        parts = earned.get(entry.transfer_id, {})
        whole = {cause_of(entry.transfer.kind): entry.amount + sum(parts.values())}
        for cause, amount in reversed([*whole.items(), *((cause, -minor) for cause, minor in parts.items())]):
            if amount:
                posting = entry.transfer
                found.append(Line(posting.posted_at, posting.kind, posting.reference, cause, amount, balance))
                balance -= amount
    return found


def _income(entries: Sequence[Entry], bucket: AccountKind) -> dict[int, dict[Cause, int]]:
    """Our income from the transfers of these entries, if it was taken from this bucket (see `explain`)."""
    if not entries:
        return {}
    rows = Entry.objects.filter(
        transfer__in={entry.transfer_id for entry in entries},
        currency=entries[0].currency,
        account__kind__in=[*BUCKETS, *_EARNED],
    )
    found = defaultdict[int, dict[str, int]](dict)
    for transfer_id, kind, amount in rows.values_list("transfer_id", "account__kind", "amount"):
        found[transfer_id][kind] = amount
    return {
        transfer_id: {cause: amounts[kind] for kind, cause in _EARNED.items() if kind in amounts}
        for transfer_id, amounts in found.items()
        if min(kind for kind in amounts if kind in BUCKETS) == bucket
    }


def balance_after(rows: QuerySet[Entry], ending: int, first: Entry) -> int:
    """The balance after `first` in a statement that ends with `ending`: without the lines above it."""
    above = rows.filter(sequence__gt=first.sequence).order_by().aggregate(Sum("amount"))
    return ending - int(above["amount__sum"] or 0)
