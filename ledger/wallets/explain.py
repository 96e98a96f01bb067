"""Why a balance is what it is: everything that ever moved it, by cause, to the cent."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db import connection

from accounts.models import Merchant
from ledger.chart import BUCKETS, Kind


class Cause(StrEnum):
    """Why money moves, in the order in which it is told."""

    PAYMENTS = "PAYMENTS"
    FEES = "FEES"
    RELEASES = "RELEASES"
    ADVANCES = "ADVANCES"
    ADVANCE_FEES = "ADVANCE_FEES"
    REFUNDS = "REFUNDS"
    WITHDRAWALS = "WITHDRAWALS"
    CONVERSIONS = "CONVERSIONS"
    BLOCKS = "BLOCKS"
    ADJUSTMENTS = "ADJUSTMENTS"


_BEGINS = {
    "payment.paid": Cause.PAYMENTS,
    "receivable.released": Cause.RELEASES,
    "receivable.advanced": Cause.ADVANCES,
    "refund.": Cause.REFUNDS,
    "withdrawal.": Cause.WITHDRAWALS,
    "conversion": Cause.CONVERSIONS,
    "hold.": Cause.BLOCKS,
}
# One row for each transfer, then one for each kind. What a transfer earned us is taken from one bucket only: of those
# that it moves the first by name, which is AVAILABLE where it moves that one. OFFSET 0 keeps the planner to reading
# account by account: it does not know how few of all entries are of one merchant.
_MOVED = """
    WITH moved AS (
        SELECT t.kind, coalesce(t.posted_at > %(since)s::timestamptz, true) AS counts,
               coalesce(sum(e.amount) FILTER (WHERE a.kind = ANY(%(asked)s)), 0) AS amount,
               coalesce(min(a.kind) FILTER (WHERE a.kind = ANY(%(buckets)s)) = ANY(%(asked)s), false) AS pays,
               coalesce(sum(e.amount) FILTER (WHERE a.kind = 'FEE_INCOME'), 0) AS fee,
               coalesce(sum(e.amount) FILTER (WHERE a.kind = 'ADVANCE_INCOME'), 0) AS advance_fee
          FROM ledger_account a
         CROSS JOIN LATERAL (
               SELECT transfer_id, amount FROM ledger_entry WHERE account_id = a.id OFFSET 0
               ) e
          JOIN ledger_transfer t ON t.id = e.transfer_id AND t.merchant_id = a.merchant_id
         WHERE a.merchant_id = %(merchant)s AND a.currency = %(currency)s
           AND a.kind = ANY(%(buckets)s || ARRAY['FEE_INCOME', 'ADVANCE_INCOME'])
           AND t.posted_at <= %(at)s
         GROUP BY t.id
    ), parted AS (
        SELECT kind, counts, amount, CASE WHEN pays THEN fee ELSE 0 END AS fee,
               CASE WHEN pays THEN advance_fee ELSE 0 END AS advance_fee FROM moved
    )
    SELECT kind, coalesce(sum(amount) FILTER (WHERE NOT counts), 0),
           count(*) FILTER (WHERE counts AND amount + fee + advance_fee <> 0),
           coalesce(sum(amount + fee + advance_fee) FILTER (WHERE counts), 0),
           count(*) FILTER (WHERE counts AND fee <> 0), -coalesce(sum(fee) FILTER (WHERE counts), 0),
           count(*) FILTER (WHERE counts AND advance_fee <> 0), -coalesce(sum(advance_fee) FILTER (WHERE counts), 0)
      FROM parted GROUP BY kind
"""


@dataclass(slots=True)
class Share:
    """What one cause did: how many transfers, and what they came to. Minor units."""

    count: int = 0
    amount: int = 0

    def add(self, count: int, amount: int) -> None:
        self.count += count
        self.amount += amount


@dataclass(frozen=True, slots=True)
class Explanation:
    """`opening` and the causes together are `ending`. Minor units; causes that moved nothing are left out."""

    opening: int
    causes: dict[Cause, Share]

    @property
    def ending(self) -> int:
        return self.opening + sum(share.amount for share in self.causes.values())


def cause_of(kind: str) -> Cause:
    """Why a transfer of this kind moves money."""
    return next((cause for begin, cause in _BEGINS.items() if kind.startswith(begin)), Cause.ADJUSTMENTS)


def explain(
    merchant: Merchant, currency: str, buckets: Sequence[Kind], at: datetime, since: datetime | None = None
) -> Explanation:
    """How the buckets together came from what they were at `since` (None: nothing) to what they were at `at`.

    Both instants include what was posted at them. One statement, and so one snapshot.
    """
    opening, found = 0, defaultdict[Cause, Share](Share)
    for kind, before, *rest in _moved(merchant, currency, buckets, at, since):
        opening += int(before)
        shares = zip((cause_of(kind), Cause.FEES, Cause.ADVANCE_FEES), rest[::2], rest[1::2], strict=True)
        for cause, count, amount in shares:
            found[cause].add(count, int(amount))
    return Explanation(opening, {cause: found[cause] for cause in Cause if found[cause].count})


def _moved(
    merchant: Merchant, currency: str, buckets: Sequence[Kind], at: datetime, since: datetime | None
) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            _MOVED,
            {
                "merchant": merchant.pk,
                "currency": currency,
                "asked": [str(kind) for kind in buckets],
                "buckets": [str(kind) for kind in BUCKETS],
                "at": at,
                "since": since,
            },
        )
        return list(cursor.fetchall())
