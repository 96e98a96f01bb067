"""Checks a whole file: all faults of all rows at once, and what somebody should look at before confirming it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from django.utils.translation import gettext as _

from accounts.base import clock
from accounts.models import Merchant
from gateway.bulk import selectors, sheets
from gateway.bulk.models import Kind
from gateway.bulk.services import SAME_FILE, Line
from gateway.dashboard.bulk.columns import REFUNDS, columns_of
from gateway.dashboard.bulk.refund_rows import refund_line
from gateway.dashboard.bulk.refund_rows import standings as payments_of
from gateway.dashboard.bulk.rows import CellFault, Entry, digest, entries
from gateway.dashboard.bulk.withdrawal_rows import WithdrawalRows
from gateway.dashboard.withdrawals.ways import WAYS

K = TypeVar("K", bound=Hashable)

REPEATED, RECENT, NEW = "repeated", "recent", "new"
"""Warnings: lines that are alike, that were paid in the last days, and to new beneficiaries."""


@dataclass(slots=True)
class Checked:
    """The result: faults, or the lines with their warnings (kind → rows)."""

    faults: list[CellFault]
    lines: list[Line] = field(default_factory=list)
    warnings: dict[str, list[int]] = field(default_factory=dict)
    digest: bytes = b""


def check(merchant: Merchant, way: str, content: bytes) -> Checked:
    """Raises ONP400_BULK_FILE if it cannot be read, and what refuses every withdrawal of the company."""
    rows = sheets.read(content)
    found, faults = entries(way, rows, None if way == REFUNDS else WAYS[way].wallet)
    faults += _same(found, lambda entry: entry.texts.get("reference"), _title(way, "reference"))
    checked = _refunds(merchant, found, faults) if way == REFUNDS else _withdrawals(merchant, way, found, faults)
    checked.digest = digest(way, found)
    kind = Kind.REFUNDS if way == REFUNDS else Kind.WITHDRAWALS
    if not checked.faults and selectors.same_before(merchant, kind, checked.digest):
        checked.warnings[SAME_FILE] = []
    checked.faults = _once(checked.faults)
    return checked


def _once(faults: Sequence[CellFault]) -> list[CellFault]:
    """One fault of each cell, by row."""
    first: dict[tuple[int, str], CellFault] = {}
    for fault in faults:
        first.setdefault((fault.row, fault.column), fault)
    return sorted(first.values(), key=lambda fault: fault.row)


def _withdrawals(merchant: Merchant, way: str, found: Sequence[Entry], faults: list[CellFault]) -> Checked:
    reader = WithdrawalRows(merchant, way)
    faults += _taken(merchant, Kind.WITHDRAWALS, found, _title(way, "reference"))
    read = []
    for entry in found:
        made, wrong = reader.read(entry)
        faults += wrong
        if made is not None:
            read.append(made)
    if faults:
        return Checked(faults)
    marks = [mark for _line, mark in read]
    known = selectors.known_destinations(merchant, marks)
    recent = selectors.recent_payouts(merchant, marks, clock.now(merchant))
    warnings = {
        REPEATED: _repeated({line.row: (mark, line.amount) for line, mark in read}),
        RECENT: [line.row for line, mark in read if (mark, line.amount) in recent],
        NEW: [line.row for line, mark in read if mark not in known],
    }
    return Checked([], [line for line, _mark in read], {name: rows for name, rows in warnings.items() if rows})


def _refunds(merchant: Merchant, found: Sequence[Entry], faults: list[CellFault]) -> Checked:
    known = payments_of(merchant, [entry.texts.get("payment_id", "") for entry in found])
    spent: dict[str, int] = defaultdict(int)
    faults += _taken(merchant, Kind.REFUNDS, found, _title(REFUNDS, "reference"))
    lines = []
    for entry in found:
        made, wrong = refund_line(entry, known, spent)
        faults += wrong
        if made is not None:
            lines.append(made)
    if faults:
        return Checked(faults)
    repeated = _repeated({line.row: line.shown["payment"] for line in lines})
    return Checked([], lines, {REPEATED: repeated} if repeated else {})


def _taken(merchant: Merchant, kind: str, found: Sequence[Entry], title: str) -> list[CellFault]:
    rows = {entry.texts["reference"]: entry.row for entry in found if entry.texts.get("reference")}
    taken = selectors.live_references(merchant, kind, list(rows))
    return [CellFault(rows[one], title, _("This reference has been used already.")) for one in taken]


def _same(found: Sequence[Entry], key: Callable[[Entry], str | None], title: str) -> list[CellFault]:
    counted = Counter(filter(None, map(key, found)))
    return [
        CellFault(entry.row, title, _("Another row has the same reference."))
        for entry in found
        if counted[key(entry) or ""] > 1
    ]


def _repeated(keys: Mapping[int, K]) -> list[int]:
    by_key: dict[K, list[int]] = defaultdict(list)
    for row, key in keys.items():
        by_key[key].append(row)
    return sorted(row for rows in by_key.values() if len(rows) > 1 for row in rows)


def _title(way: str, name: str) -> str:
    return next(str(column.title) for column in columns_of(way) if column.name == name)
