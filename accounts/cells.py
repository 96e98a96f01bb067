"""Which cells there are, and who lives in which (docs/scaling.md)."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from random import shuffle
from time import monotonic
from typing import TypeVar

from django.db.models import Count
from django.http import HttpResponseBase, StreamingHttpResponse

from accounts.base import cells
from accounts.models import Cell, Merchant


def cell_of(merchant: Merchant) -> str:
    """The name of the cell in which the merchant lives."""
    return str(merchant.cell_id or cells.FIRST)


def in_cell_of(merchant: Merchant | None) -> AbstractContextManager[None]:
    """Statements within work in the merchant's cell, or where they would without one."""
    return cells.opened(cell_of(merchant) if merchant else cells.current())


R = TypeVar("R", bound=HttpResponseBase)
KNOWN_FOR_S = 1.0
_known: tuple[float, list[str]] = 0.0, []


def every_cell() -> list[str]:
    """The names of all cells, the first one first, as they were a second ago at most. A new one is still empty then."""
    global _known
    until, names = _known
    if monotonic() > until:
        names = [cells.FIRST, *Cell.objects.order_by("name").values_list("name", flat=True)]
        _known = monotonic() + KNOWN_FOR_S, names
    return names


def streamed_here(response: R) -> R:
    """The response, of which a stream is read in the cell that is open now: it is sent after its view has returned."""
    if isinstance(response, StreamingHttpResponse):
        response.streaming_content = cells.read_here(response.streaming_content)  # type: ignore[arg-type]
    return response


def each_cell() -> Iterator[str]:
    """Opens one cell after the other, each time in another order, so that none is always the last."""
    names = [*every_cell()]
    shuffle(names)
    for name in names:
        with cells.opened(name):
            yield name


def look_again() -> None:
    """Forgets which cells there were: this process has just made one."""
    global _known
    _known = 0.0, []


def everywhere() -> str:
    """The name under which the rows of all cells are seen; where there is one cell, that one."""
    return cells.ALL if len(every_cell()) > 1 else cells.FIRST


def all_cells() -> AbstractContextManager[None]:
    """Statements within see the rows of all cells. They may write to `public` only."""
    return cells.opened(everywhere())


def emptiest() -> Cell | None:
    """Where the next merchants are to live. None: in the first cell, where no other is open."""
    return Cell.objects.filter(is_open=True).annotate(living=Count("merchants")).order_by("living", "name").first()
