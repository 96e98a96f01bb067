"""Explains a balance: everything that ever moved it, by cause, to the cent."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any

from django.db import connection

from accounts.base.rows import table
from accounts.models import Merchant
from ledger.books.models import Transfer
from ledger.chart import BUCKETS, AccountKind
from ledger.closings.models import TOTAL, ClosedDay, Closing
from ledger.closings.parts import PARTS_OF_A_BUCKET

Span = tuple[datetime, datetime]
"""The end is exclusive."""
DAY = timedelta(days=1)
SOME = 10
"""Among so many transfers for each row that is asked for there are likely to be enough."""
EARLIEST, LATEST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)


class Cause(StrEnum):
    """Why money moves, in display order."""

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
    "reserve.": Cause.BLOCKS,
}
"""Prefixes of transfer kinds by cause; everything else is an adjustment."""

# The last closed day, and the days in which the requested period begins or ends: these are read posting by posting,
# like postings after the last closed day. The other days have known totals. Of the period that is not closed, when all
# but the latest `some` transfers (before `after`) were written.
_CLOSED = f"""
    SELECT closed.day, ARRAY(
        SELECT DISTINCT day FROM {table(Closing)}
         WHERE merchant_id = %(merchant)s AND currency = ANY(%(currencies)s) AND bucket = %(bucket)s
           AND (first_at <= %(since)s AND %(since)s < last_at OR first_at <= %(at)s AND %(at)s < last_at)),
           (SELECT created_at FROM {table(Transfer)}
             WHERE merchant_id = %(merchant)s AND created_at >= (closed.day + 1)::timestamp AT TIME ZONE 'UTC'
               AND (%(after)s::bigint IS NULL
                    OR created_at <= (SELECT created_at FROM {table(Transfer)} WHERE id = %(after)s))
             ORDER BY created_at DESC OFFSET %(some)s LIMIT 1)
      FROM (SELECT max(day) AS day FROM {table(ClosedDay)}) closed
"""
_PARTS = PARTS_OF_A_BUCKET.format(
    transfers=f"""
        SELECT t.* FROM unnest(%(begins)s::timestamptz[], %(ends)s::timestamptz[]) span(begins, ends)
         CROSS JOIN LATERAL (
               SELECT * FROM {table(Transfer)}
                WHERE merchant_id = %(merchant)s AND created_at >= begins AND created_at < ends OFFSET 0) t
         WHERE t.posted_at <= %(at)s AND {{about}}
    """
)
_MOVED = f"""
    WITH moved AS (
        SELECT currency, kind, last_at <= %(since)s AS is_before, count, amount, fee_count, fee, advance_fee_count,
               advance_fee
          FROM {table(Closing)}
         WHERE merchant_id = %(merchant)s AND currency = ANY(%(currencies)s) AND bucket = %(bucket)s
           AND last_at <= %(at)s AND day <= %(closed)s AND day <> ALL(%(split)s)
         UNION ALL
        SELECT currency, kind, posted_at <= %(since)s, (amount <> 0)::int, amount, (fee <> 0)::int, fee,
               (advance_fee <> 0)::int, advance_fee
          FROM ({_PARTS.format(about="true")}) parts
    )
    SELECT currency, kind, coalesce(sum(amount - fee - advance_fee) FILTER (WHERE is_before), 0),
           coalesce(sum(count) FILTER (WHERE NOT is_before), 0), coalesce(sum(amount) FILTER (WHERE NOT is_before), 0),
           coalesce(sum(fee_count) FILTER (WHERE NOT is_before), 0),
           -coalesce(sum(fee) FILTER (WHERE NOT is_before), 0),
           coalesce(sum(advance_fee_count) FILTER (WHERE NOT is_before), 0),
           -coalesce(sum(advance_fee) FILTER (WHERE NOT is_before), 0)
      FROM moved GROUP BY currency, kind
"""
# The closed days with movements for a cause, the latest first, with their number.
_DAYS = f"""
    SELECT day, sum({{count}}) FROM {table(Closing)}
     WHERE merchant_id = %(merchant)s AND currency = %(currency)s AND bucket = %(bucket)s
       AND {{count}} > 0 AND {{about}} AND first_at <= %(at)s AND last_at > %(since)s AND day <= %(closed)s
       AND (%(after)s::bigint IS NULL
            OR day <= (SELECT (created_at AT TIME ZONE 'UTC')::date FROM {table(Transfer)} WHERE id = %(after)s))
     GROUP BY day ORDER BY day DESC
"""
_BEHIND = f"""
    SELECT id, kind, reference, posted_at, {{amount}} FROM ({_PARTS}) parts
     WHERE {{amount}} <> 0
     ORDER BY created_at DESC, id DESC LIMIT %(size)s
"""
_ASKED_ABOUT = f"""
    {{about}} AND t.posted_at > %(since)s AND (%(after)s::bigint IS NULL
        OR (t.created_at, t.id) < (SELECT created_at, id FROM {table(Transfer)} WHERE id = %(after)s))
"""
_AMOUNT = {Cause.FEES: "-fee", Cause.ADVANCE_FEES: "-advance_fee"}
_COUNT = {Cause.FEES: "fee_count", Cause.ADVANCE_FEES: "advance_fee_count"}


@dataclass(slots=True)
class Share:
    """The transfers of one cause: how many, and their sum. Minor units."""

    count: int = 0
    amount: int = 0

    def add(self, count: int, amount: int) -> None:
        self.count += count
        self.amount += amount


@dataclass(frozen=True, slots=True)
class Explanation:
    """`opening` plus the causes is `ending`. Minor units; causes without movements are left out."""

    opening: int
    causes: dict[Cause, Share]

    @property
    def ending(self) -> int:
        return self.opening + sum(share.amount for share in self.causes.values())


def cause_of(kind: str) -> Cause:
    """The cause of a transfer kind."""
    return next((cause for begin, cause in KINDS.items() if kind.startswith(begin)), Cause.ADJUSTMENTS)


def explain(
    merchant: Merchant, currency: str, buckets: Sequence[AccountKind], at: datetime, since: datetime | None = None
) -> Explanation:
    """How one bucket, or all together, went from its balance at `since` (None: zero) to that at `at`.

    Both instants include what was posted at them.
    """
    return explain_each(merchant, [currency], buckets, at, since)[currency]


def explain_each(
    merchant: Merchant, currencies: Sequence[str], buckets: Sequence[AccountKind], at: datetime, since: datetime | None
) -> dict[str, Explanation]:
    """Several currencies at once: what is not closed yet is read once for all of them."""
    opening = dict.fromkeys(currencies, 0)
    found = {currency: defaultdict[Cause, Share](Share) for currency in currencies}
    with connection.cursor() as cursor:
        asked = _read(cursor, merchant, currencies, buckets, at, since)
        cursor.execute(_MOVED, asked | _within([*map(_day, asked["split"]), _open(asked["closed"])]))
        for currency, kind, before, *rest in cursor.fetchall():
            opening[currency] += int(before)
            shares = zip((cause_of(kind), Cause.FEES, Cause.ADVANCE_FEES), rest[::2], rest[1::2], strict=True)
            for cause, count, amount in shares:
                found[currency][cause].add(int(count), int(amount))
    return {currency: _explained(opening[currency], found[currency]) for currency in currencies}


def _explained(opening: int, found: dict[Cause, Share]) -> Explanation:
    return Explanation(opening, {cause: found[cause] for cause in Cause if found[cause].count})


@dataclass(frozen=True, slots=True)
class Part:
    """The part of one transfer that belongs to one cause, in minor units."""

    number: int
    kind: str
    reference: str
    posted_at: datetime
    amount: int


def behind(
    merchant: Merchant,
    currency: str,
    buckets: Sequence[AccountKind],
    cause: Cause,
    at: datetime,
    since: datetime | None = None,
    *,
    after: int | None = None,
    size: int = 50,
) -> list[Part]:
    """The transfers behind a cause's share in `explain`, newest first; `after` is the number of the last one seen."""
    about, kinds = _about(cause)
    parts = _BEHIND.format(amount=_AMOUNT.get(cause, "amount"), about=_ASKED_ABOUT.format(about=about))
    found: list[Part] = []
    with connection.cursor() as cursor:
        asked = _read(cursor, merchant, [currency], buckets, at, since, after, SOME * size)
        asked |= {"currency": currency, "kinds": kinds}
        cursor.execute(_DAYS.format(count=_COUNT.get(cause, "count"), about=about), asked)
        pieces = [*_newest_first(asked["closed"], asked["latest_since"]), *_together(cursor.fetchall(), size)]
        for spans in pieces:
            cursor.execute(parts, asked | _within(spans) | {"size": size - len(found)})
            for number, kind, reference, posted_at, amount in cursor.fetchall():
                found.append(Part(number, kind, reference, posted_at, int(amount)))
            if len(found) >= size:
                break
    return found


def _read(
    cursor: Any,
    merchant: Merchant,
    currencies: Sequence[str],
    buckets: Sequence[AccountKind],
    at: datetime,
    since: datetime | None,
    after: int | None = None,
    some: int = 0,
) -> dict[str, Any]:
    """The query, the last closed day, the days it splits, and since when the latest transfers were written."""
    assert len(buckets) == 1 or set(buckets) == set(BUCKETS), "one bucket, or all"
    bucket = str(buckets[0]) if len(buckets) == 1 else TOTAL
    asked: dict[str, Any] = {"merchant": merchant.pk, "currencies": list(currencies), "bucket": bucket}
    asked |= {"buckets": [str(kind) for kind in buckets], "at": at, "since": since or EARLIEST}
    asked |= {"after": after, "some": some}
    cursor.execute(_CLOSED, asked)
    closed, split, latest_since = cursor.fetchone()
    return asked | {"closed": closed or date.min, "split": split, "latest_since": latest_since}


def _within(spans: Sequence[Span]) -> dict[str, list[datetime]]:
    """When singly read postings were written."""
    return {"begins": [begins for begins, _ in spans], "ends": [ends for _, ends in spans]}


def _open(closed: date) -> Span:
    """The period that is not closed."""
    return _midnight(closed + DAY), LATEST


def _newest_first(closed: date, latest_since: datetime | None) -> list[list[Span]]:
    """The period that is not closed: first what is likely to have enough rows, as it can be a busy day."""
    begins, ends = _open(closed)
    return [[(latest_since, ends)], [(begins, latest_since)]] if latest_since else [[(begins, ends)]]


def _day(day: date) -> Span:
    return _midnight(day), _midnight(day + DAY)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _together(days: Iterable[tuple[date, int]], size: int) -> Iterator[list[Span]]:
    """Batches of days that are likely to have enough rows."""
    group: list[Span] = []
    expected = 0
    for day, count in days:
        group.append(_day(day))
        expected += count
        if expected >= size:
            yield group
            group, expected = [], 0
    if group:
        yield group


def _about(cause: Cause) -> tuple[str, list[str]]:
    """An SQL condition for the kinds of a cause, and its parameter."""
    if cause in _AMOUNT:
        return "true", []
    if cause == Cause.ADJUSTMENTS:
        return "NOT kind LIKE ANY(%(kinds)s)", [f"{begin}%" for begin in KINDS]
    return "kind LIKE ANY(%(kinds)s)", [f"{begin}%" for begin, known in KINDS.items() if known == cause]
