"""A company that is moved beside what others do, each in a transaction of its own. Somebody holds the move up."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import partial
from typing import TypeVar

from django.core.management import call_command
from django.db import connections

from accounts.base import cells
from accounts.base.clock import utcnow
from accounts.cells import cell_of
from accounts.models import Merchant
from gateway.cells.building import build
from gateway.cells.gates import STAY_FOR, open_old
from gateway.database.connections import separate_connection
from tests.support.companies import Shop
from tests.support.lives import ACMES, FIRST, gone
from tests.support.threads import wait_for_waiters

T = TypeVar("T")

COPIES = "LOCK TABLE {target}.gateway_payment IN EXCLUSIVE MODE"
ENDS = "LOCK TABLE {source}.gateway_monthplan_readers IN SHARE MODE"
"""What holds a move up while it copies, and in its last step, in which nobody may write rows of the company. Neither
writes, so that whoever follows events does not wait for it.
"""


@contextmanager
def an_empty_cell() -> Iterator[None]:
    """To which companies are moved in a test that commits. It goes afterwards, with what is there."""
    with cells.opened(FIRST):
        build(ACMES, is_open=False)
    yield
    with cells.opened(FIRST):
        Merchant.objects.update(moving_since=utcnow() - STAY_FOR - timedelta(hours=1))
        open_old()
        Merchant.objects.filter(cell_id=ACMES).update(cell_id=None)
        gone(ACMES)


@contextmanager
def moving(shop: Shop, held_by: str) -> Iterator[None]:
    """As long as this lasts the company is being moved, and the move cannot go on."""
    held = held_by.format(source=cell_of(shop.sandbox) or "public", target=ACMES)
    with ThreadPoolExecutor(1) as mover, closing(separate_connection()) as holder, holder.cursor() as cursor:
        cursor.execute(f"BEGIN; {held}")
        done = mover.submit(closing_connections, partial(move, shop))
        try:
            wait_for_waiters()
            yield
        finally:
            cursor.execute("ROLLBACK")
        done.result(60)


def closing_connections(act: Callable[[], T]) -> T:
    """What it returns, in a thread of its own."""
    try:
        return act()
    finally:
        connections.close_all()


@contextmanager
def meanwhile(act: Callable[[], T]) -> Iterator["Future[T]"]:
    """What is done beside, in a thread."""
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(closing_connections, act)


def move(shop: Shop) -> None:
    """To the empty cell, with as long a pause as it takes."""
    with cells.opened(FIRST):
        call_command("move_cell", shop.company.pk, ACMES, settles=0, longest_pause=60.0)
