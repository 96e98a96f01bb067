"""The transfers of a month, read from the books a few thousand at a time, and what proves their sum."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from django.db import connection

from accounts.base.rows import table
from accounts.models import Merchant
from gateway.database.replica import elsewhere
from ledger.books.models import Account, Entry, Transfer
from ledger.chart import BUCKETS, WALLET_METHOD, AccountKind
from ledger.closings.models import TOTAL
from ledger.closings.parts import PARTS
from ledger.proofs.models import ProvedAccount
from ledger.wallets.explain import explain

AT_ONCE = 2000
SLACK = timedelta(hours=1)
_INSTANT = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Span:
    """Which transfers a month has; see `Month`."""

    begins: datetime
    ends: datetime
    cut: datetime
    opening_cut: datetime


class Mark(NamedTuple):
    """When a transfer was written, and its number: what was read so far."""

    at: datetime
    number: int


@dataclass(frozen=True, slots=True)
class Part:
    """What one transfer did to a bucket, or to the wallet as a whole. `amount` includes the fees. Minor units."""

    number: int
    kind: str
    reference: str
    posted_at: datetime
    currency: str
    bucket: str
    amount: int
    fee: int
    advance_fee: int

    @property
    def net(self) -> int:
        return self.amount - self.fee - self.advance_fee

    def line(self) -> bytes:
        """As it is summed up in the digest of a month."""
        moved = (self.currency, self.bucket, self.amount, self.fee, self.advance_fee)
        known = (self.number, self.kind, self.reference, self.posted_at.isoformat(), *moved)
        return "|".join(map(str, known)).encode() + b"\n"


_MINE = f"""
    FROM {table(Transfer)}
   WHERE merchant_id = %(merchant)s AND created_at >= %(least)s AND created_at < %(cut)s AND posted_at < %(ends)s
     AND NOT (posted_at < %(begins)s AND created_at < %(opening_cut)s)
"""
_NEXT = f"""
    SELECT created_at, id {_MINE} AND (created_at, id) > (%(at)s, %(id)s) ORDER BY created_at, id LIMIT %(limit)s
"""
_PARTS = f"""
    SELECT id, kind, reference, posted_at, currency, bucket, amount, fee, advance_fee
      FROM ({PARTS.format(transfers=f"SELECT * FROM {table(Transfer)} WHERE id = ANY(%(ids)s)")}) parts
     WHERE (amount, fee, advance_fee) <> (0, 0, 0) AND currency = ANY(%(currencies)s)
     ORDER BY created_at, id, bucket
"""
# Entries above those that were proved: see `ProvedAccount`.
_UNPROVED = f"""
    SELECT EXISTS (SELECT {_MINE} AND id IN (
        SELECT e.transfer_id FROM {table(Account)} a LEFT JOIN {table(ProvedAccount)} p ON p.account_id = a.id
          JOIN {table(Entry)} e ON e.account_id = a.id AND e.sequence > coalesce(p.sequence, 0)
         WHERE a.merchant_id = %(merchant)s))
"""
_WRITTEN_SINCE = f"""
    SELECT * FROM {table(Transfer)}
     WHERE merchant_id = %(merchant)s AND created_at >= %(cut)s AND posted_at < %(ends)s
"""
_LATE = f"""
    SELECT coalesce(sum(amount - fee - advance_fee), 0) FROM ({PARTS.format(transfers=_WRITTEN_SINCE)}) parts
     WHERE currency = %(currency)s AND bucket = %(bucket)s
"""


def cut_now() -> datetime:
    """Once those who are writing now have ended, nothing more is written before it."""
    return _one("SELECT clock_timestamp()", [])  # type: ignore[no-any-return]


def count(merchant: Merchant, span: Span) -> int:
    """How many transfers the span has."""
    return int(_one(f"SELECT count(*) {_MINE}", _asked(merchant, span)))


def are_proved(merchant: Merchant, span: Span) -> bool:
    """Whether a proof has read all transfers of the span and found nothing."""
    return not _one(_UNPROVED, _asked(merchant, span))


def chunks(merchant: Merchant, span: Span, *, after: Mark | None, most: int) -> Iterator[tuple[Mark, int, list[Part]]]:
    """At most so many transfers of the span in the order of writing: the last one, how many, and their parts, of all
    wallets. A replica may answer: all of them were committed before, and the sums are compared with the books.
    """
    asked = _asked(merchant, span)
    asked["at"], asked["id"] = after or (asked["least"], 0)
    while most:
        found, parts = elsewhere(partial(_next, asked | {"limit": min(most, AT_ONCE)}))
        if not found:
            return
        yield Mark(*found[-1]), len(found), parts
        asked["at"], asked["id"] = found[-1]
        most -= len(found)


def _next(asked: dict[str, Any]) -> tuple[list[tuple[datetime, int]], list[Part]]:
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, asked)
        found = cursor.fetchall()
        if not found:
            return [], []
        ids = [number for _, number in found]
        cursor.execute(_PARTS, {"ids": ids, "currencies": list(WALLET_METHOD)})
        return found, [Part(*row[:6], *map(int, row[6:])) for row in cursor.fetchall()]


def balances(merchant: Merchant, currency: str, at: datetime, cut: datetime) -> dict[str, int]:
    """What the closed days, and what was written since, say of each bucket and of all before `at`, but for what was
    written after `cut`.
    """
    found = {}
    for bucket in (*BUCKETS, TOTAL):
        kinds = BUCKETS if bucket == TOTAL else (AccountKind(bucket),)
        while True:  # until nothing was written between the readings
            late = _late(merchant, currency, bucket, at, cut)
            ending = explain(merchant, currency, kinds, at - _INSTANT).ending
            if late == _late(merchant, currency, bucket, at, cut):
                break
        found[str(bucket)] = ending - late
    return found


def _late(merchant: Merchant, currency: str, bucket: str, ends: datetime, cut: datetime) -> int:
    asked = {"merchant": merchant.pk, "currency": currency, "bucket": str(bucket), "ends": ends, "cut": cut}
    return int(_one(_LATE, asked))


def _asked(merchant: Merchant, span: Span) -> dict[str, Any]:
    """Nothing counts ahead of its merchant's clock, which never goes back: `least` is the earliest time of writing."""
    least = min(span.begins - merchant.clock_offset - SLACK, span.opening_cut)
    return {
        "merchant": merchant.pk,
        "begins": span.begins,
        "ends": span.ends,
        "cut": span.cut,
        "opening_cut": span.opening_cut,
        "least": least,
    }


def _one(sql: str, params: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchone()[0]
