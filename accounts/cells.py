"""Which cells there are, and who lives in which (docs/scaling.md)."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from math import inf
from random import shuffle
from time import monotonic
from typing import TypeVar

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import Count
from django.http import HttpResponseBase, StreamingHttpResponse

from accounts.base import cells
from accounts.base.retryable import is_refused_by_move
from accounts.base.rows import every, execute, first, retry_on_deadlock, table
from accounts.models import Cell, Merchant

R = TypeVar("R", bound=HttpResponseBase)
T = TypeVar("T")
PUBLIC = "public"
"""What people call the first cell."""
LOOKS_AGAIN_S = 10.0
"""A process that meets nobody of a new cell knows of it after so long at most."""
SETTLES_S = 5.0
"""So long after a move is announced it begins to copy at the earliest. Who has known for less where a merchant lives
knows whether it may be moving.
"""
FAILS = 400
"""From this status on an answer says that nothing was done."""
OPEN_CELL = "'the open cell'"
"""In a query of an invariant, the name of the cell that is proved: a node of Citus has another `current_schema()`."""
LIVING_HERE = f"(SELECT id FROM {table(Merchant)} WHERE coalesce(cell_id, 'public') = {OPEN_CELL})"
"""In SQL, the merchants of the cell that is open: for what is in `public` and is compared with rows in cells."""
IS_FIRST = f"{OPEN_CELL} = 'public'"
"""In SQL, whether the first cell is open: where what is in `public` alone is looked at once, and not in each cell."""
WAITS = f"'public.{table(Merchant)}'::regclass::oid::int"
"""Class of the advisory locks of merchants: shared by those who write in a cell that one may be leaving, alone for who
moves one.
"""
_LIVES = f"SELECT coalesce(cell_id, '') FROM {table(Merchant)} WHERE id = %s"
LIVING = f"SELECT id, coalesce(cell_id, ''), moving_since IS NOT NULL FROM {table(Merchant)} WHERE id = ANY(%s)"
_STAY = f"SELECT pg_advisory_xact_lock_shared({WAITS}, %s)"
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


def where_it_lives(merchant: Merchant, act: Callable[[], T], keeps: Callable[[T], bool] = lambda done: False) -> T:
    """What `act` returns in the merchant's cell. If the merchant has moved to another one meanwhile, it is done once
    more there: what was read may be missing, and what was refused was not done.

    `act` can be repeated. `keeps`: what it returned is true wherever the merchant lives.
    """
    before, began = cell_of(merchant), monotonic()
    try:
        with cells.opened(before):
            done = act()
    except Exception as error:
        if not has_moved(merchant, before, error, since=began):
            raise
    else:
        if keeps(done) or not has_moved(merchant, before, since=began):
            return done
    with in_cell_of(merchant):
        return act()


def where_it_lives_now(merchant: Merchant, act: Callable[[], T]) -> T:
    """What `act`, a transaction, returns in the cell in which the merchant lives by now, and stays meanwhile.

    For what applies the answer of somebody who may have taken so long that the merchant has moved. `merchant` has its
    cell of now. `act` is repeated after a deadlock.
    """

    def there() -> T:
        with staying([merchant.pk]) as living:
            merchant.cell_id = living[merchant.pk] or None
            with in_cell_of(merchant):
                return act()

    return retry_on_deadlock(there)


class Elsewhere(OperationalError):
    """The merchant has moved while something was sought in the cell that it has left: the same can be done again."""


def sent_where_it_lives(merchant: Merchant, act: Callable[[], R]) -> R:
    """What `act` answers in the merchant's cell to what is not done twice by itself, as a form. Raises Elsewhere if it
    fails because the merchant has moved to another one meanwhile.
    """
    before, began = cell_of(merchant), monotonic()
    try:
        with cells.opened(before):
            response = act()
    except Exception as error:
        if not is_refused_by_move(error) and has_moved(merchant, before, since=began):
            raise Elsewhere from error
        raise
    if response.status_code >= FAILS and has_moved(merchant, before, since=began):
        raise Elsewhere
    return response


def has_moved(merchant: Merchant, before: str, error: BaseException | None = None, *, since: float = -inf) -> bool:
    """Whether the merchant lives elsewhere now, or a write was refused because it moves: then the move has ended when
    this returns. `merchant` has its cell of now. `since`: when it was read, in monotonic time.

    Costs nothing for a merchant that did not move when it was read just now. Raises OperationalError if the move takes
    longer than a lock is waited for.
    """
    is_refused = is_refused_by_move(error)
    if not is_refused and merchant.moving_since is None and monotonic() - since < SETTLES_S / 2:
        return False
    if is_refused:
        first(_STAY, [merchant.pk])
    merchant.cell_id = (first(_LIVES, [merchant.pk]) or ("",))[0] or None
    return is_refused or cell_of(merchant) != before


@contextmanager
def staying(merchants: Iterable[int]) -> Iterator[dict[int, str]]:
    """In which cells these merchants live. None of them moves before this ends."""
    ids = sorted({*merchants})
    if every_cell(lately=True) == [cells.FIRST]:
        yield dict.fromkeys(ids, cells.FIRST)
        return
    found = every(LIVING, [ids])
    if not any(is_moving for *_, is_moving in found):
        yield {merchant: cell for merchant, cell, _ in found}
        return
    with transaction.atomic():
        for merchant in (merchant for merchant, _, is_moving in sorted(found) if is_moving):
            execute(_STAY, [merchant])
        yield {merchant: cell for merchant, cell, _ in every(LIVING, [ids])}


def every_cell(*, lately: bool = False) -> list[str]:
    """The names of all cells, the first one first, as this process knows them; `lately`: as of a few seconds ago."""
    if not _known or (lately and monotonic() - _looked_at > LOOKS_AGAIN_S):
        look_again()
    return _known


_NAMES = f"SELECT name FROM {table(Cell)} ORDER BY name"


def look_again() -> bool:
    """Reads which cells there are; whether that is news to this process."""
    global _known, _looked_at
    before, _looked_at = _known, monotonic()
    _known = [cells.FIRST, *_names()]
    return _known != before


def beside_the_first() -> list[str]:
    """The names of the other cells: of a database in the middle of its migrations, which may not know of any yet."""
    if table(Cell) not in connection.introspection.table_names():
        return []
    return _names()


def _names() -> list[str]:
    return [name for (name,) in every(_NAMES)]


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
    yield from each_of(every_cell(lately=True))


def served() -> list[str]:
    """The cells in which this process does what nobody waits for: those that ONPAY_CELLS names, or all. What comes
    through a door is done in every cell.
    """
    return [one for one in every_cell(lately=True) if not settings.CELLS or (one or PUBLIC) in settings.CELLS]


def each_of(names: Iterable[str]) -> Iterator[str]:
    """The same with these cells."""
    shuffled = [*names]
    shuffle(shuffled)
    yield from _each(shuffled)


def each_cell_in_order() -> Iterator[str]:
    """The same, always in the same order: for a transaction that locks rows in several of them."""
    yield from _each([*every_cell(lately=True)])


def _each(names: list[str]) -> Iterator[str]:
    for name in names:
        with cells.opened(name):
            yield name


class CutOff(Exception):
    """The rest of a stream is in another cell: what was sent is not all, and the connection says so."""


def streamed_here(response: R, merchant: Merchant | None = None) -> R:
    """The response, of which a stream is read in the cell that is open now: it is sent after its view has returned.

    One about a merchant that moves meanwhile breaks off.
    """
    if isinstance(response, StreamingHttpResponse):
        read = cells.read_here(response.streaming_content)  # type: ignore[arg-type]
        response.streaming_content = _whole(read, merchant.pk, cell_of(merchant)) if merchant else read
    return response


def _whole(read: Iterator[T], merchant: int, cell: str) -> Iterator[T]:
    yield from read
    if (first(_LIVES, [merchant]) or (cell,))[0] != cell:
        raise CutOff


def emptiest() -> Cell | None:
    """Where the next merchants are to live. None: in the first cell, where no other is open."""
    return Cell.objects.filter(is_open=True).annotate(living=Count("merchants")).order_by("living", "name").first()
