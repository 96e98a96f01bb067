"""A day of a company: what each wallet began with, what moved it, and what it ended with, read from the books."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import connection

from accounts.base import clock
from accounts.base.rows import quoted, table
from accounts.models import Merchant
from gateway.months.books import Part
from gateway.months.figures import Category, Sum, category_of
from gateway.refunds.models import Origin, Refund
from ledger.books.models import Account, Entry, Transfer
from ledger.chart import BUCKETS, WALLET_METHOD
from ledger.closings.models import TOTAL, ClosedDay, Closing
from ledger.closings.parts import PARTS
from ledger.wallets.explain import explain_each
from ledger.wallets.selectors import holdings

DAY, _INSTANT = timedelta(days=1), timedelta(milliseconds=1)
_LATEST = datetime(9999, 12, 31, tzinfo=UTC)

# The days on which transfers of the period were written: closed ones that have any, and all that are not closed.
_WRITTEN = f"""
    SELECT closed, ARRAY(
        SELECT DISTINCT day FROM {table(Closing)}
         WHERE merchant_id = %(merchant)s AND currency = ANY(%(currencies)s) AND bucket = '{TOTAL}' AND day <= closed
           AND first_at < %(ends)s AND last_at >= %(begins)s)
      FROM (SELECT coalesce(max(day), '0001-01-01') AS closed FROM {table(ClosedDay)}) closings
"""
_TRANSFERS = f"""
    SELECT t.* FROM unnest(%(since)s::timestamptz[], %(until)s::timestamptz[]) span(since, until)
     CROSS JOIN LATERAL (
           SELECT * FROM {table(Transfer)}
            WHERE merchant_id = %(merchant)s AND created_at >= since AND created_at < until OFFSET 0) t
     WHERE t.posted_at >= %(begins)s AND t.posted_at < %(ends)s AND t.kind NOT LIKE ALL(%(inner)s)
       AND (t.kind <> ALL(%(perhaps)s) OR (
            SELECT sum(e.amount) FROM {table(Entry)} e JOIN {table(Account)} a ON a.id = e.account_id
             WHERE e.transfer_id = t.id AND a.kind IN ({quoted(*BUCKETS)})) <> 0)
"""
_INNER = (
    "receivable.released", "refund.held", "refund.filled", "refund.reduced", "refund.returned", "withdrawal.held",
    "withdrawal.failed", "hold.%", "reserve.%", "settlement.%", "suspense.%", "bank.%",
)  # fmt: skip
"""Kinds that move nothing of a wallet as a whole: there are as many as of those that do."""
_PERHAPS = ("refund.completed", "refund.reversed", "refund.taken_again", "receivable.advanced")
"""Kinds that move nothing of it either where the company owes all of it, or the advance was free."""
_COUNT = f"SELECT count(*) FROM ({_TRANSFERS}) moved"
_SUMS = f"""
    SELECT parts.currency, kind, r.origin = '{Origin.PAYER}',
           count(*) FILTER (WHERE parts.amount <> 0), sum(parts.amount),
           count(*) FILTER (WHERE fee <> 0), sum(fee), count(*) FILTER (WHERE advance_fee <> 0), sum(advance_fee)
      FROM ({PARTS.format(transfers=_TRANSFERS)}) parts
      LEFT JOIN {table(Refund)} r ON kind LIKE 'refund.%%' AND r.id = split_part(parts.reference, ':', 1)
     WHERE bucket = '{TOTAL}' AND parts.currency = ANY(%(currencies)s) GROUP BY 1, 2, 3
"""
_PAGE = f"""
    SELECT id, kind, reference, posted_at, currency, bucket, amount, fee, advance_fee FROM ({
    PARTS.format(transfers=f"{_TRANSFERS} ORDER BY posted_at, id LIMIT %(size)s OFFSET %(skip)s")
}) parts
     WHERE bucket = '{TOTAL}' AND (amount, fee, advance_fee) <> (0, 0, 0) AND currency = ANY(%(currencies)s)
     ORDER BY posted_at, id, currency
"""


@dataclass(frozen=True, slots=True)
class Day:
    """A day of a time zone. `is_over` is by the merchant's clock: until then it can still change."""

    begins: datetime
    ends: datetime
    is_over: bool


@dataclass(slots=True)
class WalletDay:
    """`opening` and all movements are `ending`. Minor units."""

    opening: int = 0
    movements: dict[Category, Sum] = field(default_factory=lambda: defaultdict(Sum))

    @property
    def ending(self) -> int:
        return self.opening + sum(moved.amount for moved in self.movements.values())


def day_of(merchant: Merchant, first: date, zone: ZoneInfo) -> Day:
    begins, ends = (datetime.combine(one, time(), zone) for one in (first, first + DAY))
    return Day(begins, ends, ends <= clock.now(merchant))


def wallets(merchant: Merchant, day: Day) -> dict[str, WalletDay]:
    """Each wallet as a whole: money that moves between its buckets moves nothing here."""
    used = sorted(holdings(merchant).used)
    before = explain_each(merchant, used, BUCKETS, day.begins - _INSTANT, None)
    found = {currency: WalletDay(before[currency].ending if currency in before else 0) for currency in WALLET_METHOD}
    for currency, kind, is_dispute, *sums in _rows(_SUMS, merchant, day):
        names = (category_of(kind, is_dispute=bool(is_dispute)), Category.FEES, Category.ADVANCES)
        for name, sign, count, amount in zip(names, (1, -1, -1), sums[::2], sums[1::2], strict=True):
            moved = found[currency].movements[name]
            moved.count, moved.amount = moved.count + count, moved.amount + sign * int(amount)
    return found


def count(merchant: Merchant, day: Day) -> int:
    """How many postings moved a wallet."""
    return int(_rows(_COUNT, merchant, day)[0][0])


def page(merchant: Merchant, day: Day, *, skip: int, size: int) -> list[Part]:
    """What so many postings moved, oldest first: one part for each wallet, so that a conversion has two."""
    return [Part(*row[:6], *map(int, row[6:])) for row in _rows(_PAGE, merchant, day, skip=skip, size=size)]


def _rows(sql: str, merchant: Merchant, day: Day, **more: int) -> list[Any]:
    asked: dict[str, Any] = {"merchant": merchant.pk, "currencies": list(WALLET_METHOD), "inner": list(_INNER)} | more
    asked |= {"begins": day.begins, "ends": day.ends, "perhaps": list(_PERHAPS)}
    with connection.cursor() as cursor:
        cursor.execute(_WRITTEN, asked)
        closed, days = cursor.fetchone()
        since = [_midnight(one) for one in (*days, closed + DAY)]
        until = [*(_midnight(one + DAY) for one in days), _LATEST]
        cursor.execute(sql, asked | {"since": since, "until": until})
        found: list[Any] = cursor.fetchall()
    return found


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
