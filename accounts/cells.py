"""Which cells there are, and who lives in which (docs/scaling.md)."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from random import shuffle
from time import monotonic
from typing import TypeVar

from django.db.models import Count
from django.http import HttpResponseBase, StreamingHttpResponse

from accounts.base import cells
from accounts.base.rows import table
from accounts.models import Cell, Merchant

R = TypeVar("R", bound=HttpResponseBase)
LOOKS_AGAIN_S = 10.0
"""A process that meets nobody of a new cell knows of it after so long at most."""
LIVING_HERE = f"(SELECT id FROM {table(Merchant)} WHERE coalesce(cell_id, 'public') = current_schema())"
"""In SQL, the merchants of the cell that is open: for what is in `public` and is compared with rows in cells."""
IS_FIRST = "current_schema() = 'public'"
"""In SQL, whether the first cell is open: where what is in `public` alone is looked at once, and not in each cell."""
_known: list[str] = []
_looked_at = 0.0


def cell_of(merchant: Merchant) -> str:
    """The name of the cell in which the merchant lives."""
    name = str(merchant.cell_id or cells.FIRST)
    if name and name not in every_cell():
        look_again()
    return name


def in_cell_of(merchant: Merchant | None) -> AbstractContextManager[None]:
    """Statements within work in the merchant's cell, or where they would without one."""
    return cells.opened(cell_of(merchant) if merchant else cells.current())


def every_cell(*, lately: bool = False) -> list[str]:
    """The names of all cells, the first one first, as this process knows them; `lately`: as of a few seconds ago."""
    if not _known or (lately and monotonic() - _looked_at > LOOKS_AGAIN_S):
        look_again()
    return _known


def look_again() -> bool:
    """Reads which cells there are; whether that is news to this process."""
    global _known, _looked_at
    before, _looked_at = _known, monotonic()
    _known = [cells.FIRST, *Cell.objects.order_by("name").values_list("name", flat=True)]
    return _known != before


def forget() -> None:
    """The next who asks reads which cells there are: this process has made one."""
    global _known
    _known = []


def everywhere() -> str:
    """The name under which the rows of all cells are seen; where there is one cell, that one."""
    return cells.ALL if len(every_cell(lately=True)) > 1 else cells.FIRST


def all_cells() -> AbstractContextManager[None]:
    """Statements within see the rows of all cells. They may write to `public` only."""
    return cells.opened(everywhere())


def each_cell() -> Iterator[str]:
    """Opens one cell after the other, each time in another order, so that none is always the last."""
    names = [*every_cell(lately=True)]
    shuffle(names)
    yield from _each(names)


def each_cell_in_order() -> Iterator[str]:
    """The same, always in the same order: for a transaction that locks rows in several of them."""
    yield from _each([*every_cell(lately=True)])


def _each(names: list[str]) -> Iterator[str]:
    for name in names:
        with cells.opened(name):
            yield name


def streamed_here(response: R) -> R:
    """The response, of which a stream is read in the cell that is open now: it is sent after its view has returned."""
    if isinstance(response, StreamingHttpResponse):
        response.streaming_content = cells.read_here(response.streaming_content)  # type: ignore[arg-type]
    return response


def emptiest() -> Cell | None:
    """Where the next merchants are to live. None: in the first cell, where no other is open."""
    return Cell.objects.filter(is_open=True).annotate(living=Count("merchants")).order_by("living", "name").first()
