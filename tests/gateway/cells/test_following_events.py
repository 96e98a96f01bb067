"""Events are followed in order and without a gap in each cell, also while a company moves and after a restore."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from accounts.base.rows import execute, table
from accounts.cells import in_cell_of
from accounts.models import Merchant
from gateway.local.processes import wait_until
from tests.support.api import Api, another_address
from tests.support.companies import Shop
from tests.support.lives import ACMES
from tests.support.moves import COPIES, ENDS, an_empty_cell, closing_connections, move, moving
from tests.support.payments import a_reference, pix
from tests.support.threads import wait_for_waiters
from tests.support.webhooks import happens
from webhooks.models import Event
from webhooks.restored import renumber

BEGINNING = f"evt_{'0' * 26}"


@pytest.fixture(autouse=True)
def another_cell(transactional_db: None) -> Iterator[None]:
    with an_empty_cell():
        yield


def occurs(shop: Shop, number: int) -> str:
    merchant = Merchant.objects.get(pk=shop.sandbox.pk)
    with in_cell_of(merchant):
        return happens(merchant, object_id=f"pay_{number}")


def told(shop: Shop, after: str = BEGINNING, *, news: int = 1) -> list[str]:
    """Once there are so many: transactions are counted for the whole server, on which other tests have theirs."""

    def found() -> list[str]:
        answer = Api(shop.sandbox_key, another_address()).get("/events", after=after)
        assert answer.status_code == 200
        return [one["id"] for one in answer.json()["data"]]

    wait_until(lambda: len(found()) >= news, 20)
    return found()


def test_nobody_who_follows_events_waits_for_a_move(acme: Shop, globex: Shop) -> None:
    assert Api(acme.sandbox_key, another_address()).post("/payments", pix()).status_code == 201
    shops = (acme, globex)
    known = [occurs(shop, 1) for shop in shops]
    with moving(acme, COPIES):
        news = [occurs(shop, 2) for shop in shops]
        assert [told(*asked) for asked in zip(shops, known, strict=True)] == [[one] for one in news]
    later = [occurs(shop, 3) for shop in shops]
    assert [told(shop, news=3) for shop in shops] == [[*each] for each in zip(known, news, later, strict=True)]
    assert [told(*asked) for asked in zip(shops, news, strict=True)] == [[one] for one in later]
    acme.sandbox.refresh_from_db()
    assert acme.sandbox.cell_id == ACMES


def test_nor_for_those_who_wait_until_the_move_has_ended(acme: Shop, globex: Shop) -> None:
    """The company's own calls that come in its last step: they wait, and are done in the new cell."""
    made = [_created(acme) for _ in range(2)]
    known = [occurs(shop, 1) for shop in (acme, globex)]
    with ThreadPoolExecutor(3) as backends:
        with moving(acme, ENDS):
            calls = [backends.submit(closing_connections, partial(_paid, acme, one)) for one in made]
            calls.append(backends.submit(closing_connections, partial(_created, acme)))
            wait_for_waiters(4)
            new = occurs(globex, 2)
            assert told(globex, known[1]) == [new]
        for call in calls:
            call.result(60)
    assert len(told(acme, known[0], news=2)) == 2


def _created(shop: Shop) -> str:
    answer = Api(shop.sandbox_key, another_address()).post("/payments", pix(reference=a_reference()))
    assert answer.status_code == 201, answer.content
    return str(answer.json()["data"]["id"])


def _paid(shop: Shop, payment: str) -> None:
    answer = Api(shop.sandbox_key, another_address()).post(f"/simulations/payments/{payment}", {"status": "PAID"})
    assert answer.status_code == 200, answer.content


def test_what_another_server_counted_comes_before_what_this_one_counts_in_each_cell(acme: Shop, globex: Shop) -> None:
    """As after a dump was restored."""
    shops = (acme, globex)
    old = [[occurs(shop, number) for number in range(2)] for shop in shops]
    move(acme)
    for shop in shops:
        with in_cell_of(Merchant.objects.get(pk=shop.sandbox.pk)):
            execute(f"UPDATE {table(Event)} SET xid = '900000000000'")

    renumber()

    new = [occurs(shop, 0) for shop in shops]
    assert [told(shop, news=3) for shop in shops] == [[*before, after] for before, after in zip(old, new, strict=True)]
    renumber()
    assert [told(shop, before[1]) for shop, before in zip(shops, old, strict=True)] == [[one] for one in new]
