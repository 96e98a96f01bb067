"""Lines of a report are stored, each once however often it is told."""

from collections.abc import Iterable, Iterator
from datetime import UTC
from itertools import islice
from typing import BinaryIO

from django.db import connection
from pydantic import TypeAdapter

from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from accounts.base.rows import insert_into, table, values
from gateway.providers.errors import Unreadable
from gateway.providers.settlements import ReportedLine
from gateway.settlements import days
from gateway.settlements.models import LONGEST_REFERENCE, SettlementLine, SettlementReport
from ledger.money import MAX_SIGNIFICANT_DIGITS, to_minor

CHUNK = 1000
_LINE = TypeAdapter(ReportedLine)
LARGEST = 10**MAX_SIGNIFICANT_DIGITS
"""Minor units. Thousands of larger ones would not fit into the sum of a day."""
# A line that is known only learns which payout it was paid with; then it is booked.
_STORE = f"""
    {insert_into(SettlementLine)} ON CONFLICT (account_id, line_id) DO UPDATE
    SET payout = excluded.payout, due_at = excluded.due_at
    WHERE {table(SettlementLine)}.payout = '' AND excluded.payout <> ''
"""


def fetched(told: Iterable[ReportedLine], file: BinaryIO) -> Iterator[ReportedLine]:
    """The lines, once all of them were written to the file: what is slow is over before a transaction begins."""
    for one in told:
        file.write(_LINE.dump_json(one) + b"\n")
    file.seek(0)
    return map(_LINE.validate_json, file)


def store(report: SettlementReport, told: Iterable[ReportedLine]) -> int:
    """Stores the lines, and returns how many are new. Raises Unreadable, and what the lines raise while iterated.

    Call it in a transaction: all of them, or none.
    """
    before = _count(report)
    keys: set[days.Key] = set()
    rows = (_row(report, one) for one in told)
    while chunk := list(islice(rows, CHUNK)):
        keys |= {days.key_of(row) for row in chunk}
        _insert(chunk)
    days.changed(keys)
    return _count(report) - before


def _insert(rows: list[SettlementLine]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(_STORE, [values(row) for row in rows])


def _count(report: SettlementReport) -> int:
    return SettlementLine.objects.filter(report=report).count()


def _row(report: SettlementReport, told: ReportedLine) -> SettlementLine:
    now = utcnow()
    texts = (told.id, told.reference, told.payment_reference, told.payout)
    if not told.id or any(len(text) > LONGEST_REFERENCE or "\0" in text for text in texts):
        raise Unreadable("an id of another form")
    gross = to_minor(told.gross, told.gross_currency)
    fee, net = (to_minor(amount, told.currency) for amount in (told.fee, told.net))
    if max(abs(gross), abs(fee), abs(net)) >= LARGEST:
        raise Unreadable(f"an amount of {told.id} is too large")
    return SettlementLine(
        id=new_id("stl"),
        account_id=report.account_id,
        report=report,
        line_id=told.id,
        kind=told.kind,
        reference=told.reference,
        payment_reference=told.payment_reference,
        object_id=told.object_id,
        method=told.method,
        gross=gross,
        gross_currency=told.gross_currency,
        fee=fee,
        net=net,
        currency=told.currency,
        at=told.at,
        day=told.at.astimezone(UTC).date(),
        payout=told.payout,
        due_at=now,
        created_at=now,
    )
