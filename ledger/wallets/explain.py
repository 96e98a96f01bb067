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
from ledger.wallets.reach import REACH, asked_of


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


KINDS = {
    "payment.paid": Cause.PAYMENTS,
    "receivable.released": Cause.RELEASES,
    "receivable.advanced": Cause.ADVANCES,
    "refund.": Cause.REFUNDS,
    "withdrawal.": Cause.WITHDRAWALS,
    "conversion": Cause.CONVERSIONS,
    "hold.": Cause.BLOCKS,
}
"""How the kinds of transfers begin that move money for a cause; what begins otherwise is an adjustment."""

# One row for each transfer. What a transfer earned us is taken from one bucket only: of those that it moves the first
# by name, which is AVAILABLE where it moves that one. OFFSET 0 keeps the planner to reading account by account: it does
# not know how few of all entries are of one merchant.
_PARTED = f"""
    WITH RECURSIVE {REACH}, summed AS (
        SELECT e.transfer_id, coalesce(sum(e.amount) FILTER (WHERE r.kind = ANY(%(asked)s)), 0) AS amount,
               coalesce(min(r.kind) FILTER (WHERE r.kind = ANY(%(buckets)s)) = ANY(%(asked)s), false) AS pays,
               coalesce(sum(e.amount) FILTER (WHERE r.kind = 'FEE_INCOME'), 0) AS fee,
               coalesce(sum(e.amount) FILTER (WHERE r.kind = 'ADVANCE_INCOME'), 0) AS advance_fee
          FROM reach r
         CROSS JOIN LATERAL (
               SELECT transfer_id, amount FROM ledger_entry
                WHERE account_id = r.id AND sequence >= r.low OFFSET 0
               ) e
         GROUP BY e.transfer_id
    ), parted AS (
        SELECT t.id, t.kind, t.reference, t.posted_at, coalesce(t.posted_at > %(since)s::timestamptz, true) AS counts,
               s.amount, CASE WHEN s.pays THEN s.fee ELSE 0 END AS fee,
               CASE WHEN s.pays THEN s.advance_fee ELSE 0 END AS advance_fee
          FROM summed s JOIN {{transfers}} t ON t.id = s.transfer_id AND t.merchant_id = %(merchant)s
         WHERE t.posted_at <= %(at)s
    )
"""
# What stood there before anything that was read, then one row for each kind.
_MOVED = f"""{_PARTED}
    SELECT NULL, coalesce(sum(before), 0), 0, 0, 0, 0, 0, 0 FROM reach WHERE kind = ANY(%(asked)s)
     UNION ALL
    SELECT kind, coalesce(sum(amount) FILTER (WHERE NOT counts), 0),
           count(*) FILTER (WHERE counts AND amount + fee + advance_fee <> 0),
           coalesce(sum(amount + fee + advance_fee) FILTER (WHERE counts), 0),
           count(*) FILTER (WHERE counts AND fee <> 0), -coalesce(sum(fee) FILTER (WHERE counts), 0),
           count(*) FILTER (WHERE counts AND advance_fee <> 0), -coalesce(sum(advance_fee) FILTER (WHERE counts), 0)
      FROM parted GROUP BY kind
"""
_BEHIND = f"""{_PARTED}
    SELECT id, kind, reference, posted_at, {{part}} FROM parted
     WHERE counts AND {{part}} <> 0 AND {{about}} AND (%(after)s::bigint IS NULL OR id < %(after)s)
     ORDER BY id DESC LIMIT %(size)s
"""
# A whole history is read as a whole; of a part of it each transfer is looked up.
_ALL_TRANSFERS = "(SELECT * FROM ledger_transfer WHERE merchant_id = %(merchant)s OFFSET 0)"
_PART = {Cause.FEES: "-fee", Cause.ADVANCE_FEES: "-advance_fee"}


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
    return next((cause for begin, cause in KINDS.items() if kind.startswith(begin)), Cause.ADJUSTMENTS)


def explain(
    merchant: Merchant, currency: str, buckets: Sequence[Kind], at: datetime, since: datetime | None = None
) -> Explanation:
    """How the buckets together came from what they were at `since` (None: nothing) to what they were at `at`.

    Both instants include what was posted at them. One statement, and so one snapshot.
    """
    opening, found = 0, defaultdict[Cause, Share](Share)
    with connection.cursor() as cursor:
        cursor.execute(_MOVED.format(transfers=_transfers(since)), _asked(merchant, currency, buckets, at, since))
        for kind, before, *rest in cursor.fetchall():
            opening += int(before)
            shares = zip((cause_of(kind or ""), Cause.FEES, Cause.ADVANCE_FEES), rest[::2], rest[1::2], strict=True)
            for cause, count, amount in shares:
                found[cause].add(count, int(amount))
    return Explanation(opening, {cause: found[cause] for cause in Cause if found[cause].count})


@dataclass(frozen=True, slots=True)
class Part:
    """What one transfer did for one cause, in minor units. Transfers are numbered as they were posted."""

    number: int
    kind: str
    reference: str
    posted_at: datetime
    amount: int


def behind(
    merchant: Merchant,
    currency: str,
    buckets: Sequence[Kind],
    cause: Cause,
    at: datetime,
    since: datetime | None = None,
    *,
    after: int | None = None,
    size: int = 50,
) -> list[Part]:
    """What the share of a cause in `explain` is made of, posted last first; `after` is the number of the last seen."""
    part = _PART.get(cause, "amount + fee + advance_fee")
    about, begins = _about(cause)
    asked = _asked(merchant, currency, buckets, at, since) | {"begins": begins, "after": after, "size": size}
    with connection.cursor() as cursor:
        cursor.execute(_BEHIND.format(transfers=_transfers(since), part=part, about=about), asked)
        return [
            Part(number, kind, reference, at, int(amount)) for number, kind, reference, at, amount in cursor.fetchall()
        ]


def _transfers(since: datetime | None) -> str:
    return "ledger_transfer" if since else _ALL_TRANSFERS


def _about(cause: Cause) -> tuple[str, list[str]]:
    if cause in _PART:
        return "true", []
    if cause == Cause.ADJUSTMENTS:
        return "NOT kind LIKE ANY(%(begins)s)", [f"{begin}%" for begin in KINDS]
    return "kind LIKE ANY(%(begins)s)", [f"{begin}%" for begin, known in KINDS.items() if known == cause]


def _asked(
    merchant: Merchant, currency: str, buckets: Sequence[Kind], at: datetime, since: datetime | None
) -> dict[str, Any]:
    known = [str(kind) for kind in BUCKETS]
    accounts = asked_of(merchant, currency, [*known, Kind.FEE_INCOME, Kind.ADVANCE_INCOME], since)
    return accounts | {"asked": [str(kind) for kind in buckets], "buckets": known, "at": at, "since": since}
