"""Reads a month in slices: what is read is kept as pieces of its files, so that a process that ends loses one slice."""

import hashlib
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction

from accounts.models import Merchant
from gateway.database.replica import elsewhere
from gateway.months import books
from gateway.months.books import Mark, Part, Span
from gateway.months.figures import CATEGORY, Figures, Subjects
from gateway.months.models import Month, MonthPiece
from gateway.months.ofx import Ofx
from gateway.months.rows import Rows
from ledger.chart import AccountKind

SLICE = 10_000
"""Transfers: a few seconds."""


@dataclass(slots=True)
class Progress:
    """What was read of a month so far. `digest` chains the lines of all transfers' parts; `rows` by category."""

    figures: Figures
    rows: dict[str, int]
    digest: bytes = b""
    mark: Mark | None = None
    slices: int = 0

    @classmethod
    def of(cls, month: Month) -> "Progress":
        if month.progress is None:
            return cls(Figures(month.begins), {})
        known = month.progress
        mark = Mark(datetime.fromisoformat(known["at"]), known["number"]) if known["at"] else None
        figures = Figures.restored(month.begins, known["figures"])
        return cls(figures, dict(known["rows"]), bytes.fromhex(known["digest"]), mark, known["slices"])

    def stored(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "at": self.mark.at.isoformat() if self.mark else None,
            "number": self.mark.number if self.mark else None,
            "digest": self.digest.hex(),
            "figures": self.figures.stored(),
            "rows": self.rows,
            "slices": self.slices,
        }

    def add(self, part: Part, subjects: Subjects) -> None:
        self.digest = hashlib.sha256(self.digest + part.line()).digest()
        self.figures.add(part, subjects)


def read_slice(month: Month, merchant: Merchant, span: Span, most: int) -> bool:
    """Reads at most so many further transfers; returns whether all were read.

    In the company's words. What another process has read meanwhile is not read twice.
    """
    zone, progress, read = ZoneInfo(month.time_zone), Progress.of(month), 0
    rows, movements = Rows(zone, progress.rows), defaultdict[str, list[bytes]](list)
    for mark, count, parts in books.chunks(merchant, span, after=progress.mark, most=most):
        subjects = elsewhere(partial(Subjects.of, parts))
        for part in parts:
            progress.add(part, subjects)
            rows.add(part, subjects)
            if part.bucket == AccountKind.AVAILABLE:
                name = str(CATEGORY[subjects.category(part)])
                movements[part.currency].append(
                    Ofx(merchant, part.currency, span, zone).transactions(part, name, part.reference)
                )
        progress.mark = mark
        read += count
    pieces = {name: "".join(written).encode() for name, written in rows.written.items()}
    pieces |= {currency: b"".join(written) for currency, written in movements.items()}
    return _kept(month, progress, pieces, read) and read < most


@transaction.atomic
def _kept(month: Month, progress: Progress, pieces: dict[str, bytes], read: int) -> bool:
    held = Month.objects.select_for_update(no_key=True).get(pk=month.pk)
    if held.state == Month.State.SEALED or held.progress != month.progress:
        return False
    MonthPiece.objects.bulk_create(
        MonthPiece(month=held, part_of=name, number=progress.slices, content=zlib.compress(content, 1))
        for name, content in pieces.items()
    )
    progress.slices += 1
    held.done, held.progress, held.waits_for = held.done + read, progress.stored(), ""
    held.save(update_fields=["done", "progress", "waits_for"])
    month.progress, month.done = held.progress, held.done
    return True


def pieces(month: Month, name: str) -> Iterator[bytes]:
    """What was kept of a part of a file, in order."""
    found = MonthPiece.objects.filter(month=month, part_of=name).order_by("number")
    for piece in found.values_list("pk", flat=True):
        yield zlib.decompress(MonthPiece.objects.values_list("content", flat=True).get(pk=piece))


def forget(month: Month) -> None:
    """Deletes what was read: the month is sealed, or read again from its beginning. Call it with the row locked."""
    MonthPiece.objects.filter(month=month).delete()
    month.progress, month.done = None, 0
