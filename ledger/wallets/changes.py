"""The effect of single postings on the buckets of a wallet."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Merchant
from ledger.books.models import Entry
from ledger.chart import BUCKETS


@dataclass(slots=True)
class Change:
    """One posting. Minor units by bucket: + is an increase, - a decrease."""

    kind: str
    currency: str
    posted_at: datetime
    available: int = 0
    releasing: int = 0
    blocked: int = 0

    @property
    def buckets(self) -> tuple[int, int, int]:
        return self.available, self.releasing, self.blocked


def changes(merchant: Merchant, references: Sequence[str]) -> list[Change]:
    """The postings with these references that moved a bucket, oldest first."""
    rows = Entry.objects.filter(
        transfer__merchant=merchant, transfer__reference__in=references, account__kind__in=BUCKETS
    ).order_by("transfer__posted_at", "transfer_id")
    found: dict[int, Change] = {}
    for transfer_id, kind, posted_at, bucket, currency, amount in rows.values_list(
        "transfer_id", "transfer__kind", "transfer__posted_at", "account__kind", "currency", "amount"
    ):
        change = found.setdefault(transfer_id, Change(kind, currency, posted_at))
        setattr(change, bucket.lower(), getattr(change, bucket.lower()) + amount)
    return list(found.values())
