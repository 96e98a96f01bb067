"""The fast path answers companies of several cells at the same time, each in its own."""

import pytest

from accounts.base import cells
from accounts.cells import in_cell_of
from accounts.models import Merchant
from accounts.selectors import find_key
from accounts.services import note_permission, note_use
from gateway.payments.models import Payment
from ledger.books.models import Transfer
from tests.support.companies import Shop
from tests.support.lives import ACMES, FIRST, GLOBEXES, Lives, moved, resting, rows, violations
from tests.support.payments import a_payment, pix
from tests.support.rsgi import Request, Sent, together
from webhooks.models import Event


@pytest.fixture
def shops(lives: Lives) -> list[Shop]:
    """All have used their keys today. Nobody has opened a cell: requests find theirs."""
    found = [lives.early, lives.acme, lives.globex]
    with cells.opened(FIRST):
        for shop in found:
            known(shop)
    return found


def known(shop: Shop) -> None:
    for _ in range(2):
        key = find_key(shop.sandbox_key)
        assert key
        note_use(key)
        for permission in ("payments:write", "transactions:read"):
            note_permission(key, permission)


def pending(shop: Shop) -> str:
    with in_cell_of(shop.sandbox):
        return a_payment(shop.sandbox).id


def play(shop: Shop, payment: str) -> Sent:
    return Sent(Request(shop.sandbox_key, "POST", f"/api/v2/simulations/payments/{payment}", {"status": "PAID"}))


def is_paid(shop: Shop, payment: str) -> bool:
    """In its cell, with its event and its money; nothing of it if it is not."""
    with in_cell_of(shop.sandbox):
        status = Payment.objects.get(pk=payment).status
        events = Event.objects.filter(object_id=payment).count()
        transfers = Transfer.objects.filter(reference=payment).count()
    assert (events, transfers) == ((1, 1) if status == "PAID" else (0, 0))
    return status == "PAID"


@pytest.mark.parametrize("rounds", [1, 8])
def test_each_is_paid_in_its_cell(shops: list[Shop], rounds: int) -> None:
    """Also when statements are prepared, for each cell its own."""
    for _ in range(rounds):
        made = [pending(shop) for shop in shops]
        sent = [play(shop, payment) for shop, payment in zip(shops, made, strict=True)]
        sent += [Sent(Request(shop.sandbox_key, "POST", body=pix())) for shop in shops]
        with cells.opened(FIRST):
            assert together(sent) == [True] * 6
        assert all(is_paid(*one) for one in zip(shops, made, strict=True))

    assert rows("gateway_payment") == [2 * rounds] * 3
    assert rows("webhooks_event") == [rounds] * 3
    assert violations() == [[], [], []]


def test_a_payment_of_another_cell_is_nobodys(shops: list[Shop]) -> None:
    early, acme, globex = shops
    theirs, ours = pending(globex), pending(acme)
    with cells.opened(FIRST):
        sent = [play(acme, theirs), play(early, ours), play(acme, ours)]
        assert together(sent) == [False, False, True]
        assert [one.through_django().status for one in sent[:2]] == [404, 404]
    assert (is_paid(globex, theirs), is_paid(acme, ours)) == (False, True)


def test_where_one_cell_rests_the_others_go_on(shops: list[Shop]) -> None:
    made = [pending(shop) for shop in shops]
    sent = [play(shop, payment) for shop, payment in zip(shops, made, strict=True)]
    with cells.opened(FIRST), resting(ACMES):
        assert together(sent) == [True, False, True]
    assert [is_paid(*one) for one in zip(shops, made, strict=True)] == [True, False, True]


def test_who_has_moved_since_is_paid_once_by_django(shops: list[Shop]) -> None:
    _, acme, globex = shops
    made = [pending(acme), pending(globex)]
    sent = [play(acme, made[0]), play(globex, made[1])]
    moved(acme, GLOBEXES)
    with cells.opened(FIRST):
        assert together(sent) == [False, True]
        assert sent[0].through_django().status == 200
    assert all(is_paid(*one) for one in zip((acme, globex), made, strict=True))
    assert Merchant.objects.get(pk=acme.sandbox.pk).cell_id == GLOBEXES
    assert violations() == [[], [], []]
