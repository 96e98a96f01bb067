"""Parts of the books are proved at the same time, each by one connection."""

from threading import current_thread

import pytest

from ledger.verify import Part, verify
from tests.support.companies import Shop
from tests.support.ledger import a_cent_too_much
from tests.support.payments import a_payment
from tests.support.receivables import a_receivable

pytestmark = pytest.mark.django_db(transaction=True)


def test_connections_prove_each_part_once_and_find_what_one_finds(acme: Shop, globex: Shop) -> None:
    for shop in (acme, globex):
        a_payment(shop.sandbox, "PAID")
        a_receivable(shop.sandbox)

    with a_cent_too_much():
        alone: list[Part] = []
        found = verify(alone.append, at_once=1)
        shared: list[Part] = []
        threads: set[str] = set()

        def taken(part: Part) -> None:
            shared.append(part)
            threads.add(current_thread().name)

        found_together = verify(taken, at_once=1, connections=3)

    assert shared == alone
    assert len(threads) > 1
    assert {one.invariant.number for one in found} >= {"I6"}
    assert _each(found_together) == _each(found)
    assert verify(connections=3) == []


def test_what_breaks_off_in_one_of_them_ends_the_proof(acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    parts: list[Part] = []

    def breaks(part: Part) -> None:
        parts.append(part)
        if len(parts) == 3:
            raise ConnectionError

    with pytest.raises(ConnectionError):
        verify(breaks, at_once=1, connections=2)
    assert len(parts) == 3


def _each(violations: list) -> dict[str, list[str]]:
    return {one.invariant.number: sorted(map(str, one.counterexamples)) for one in violations}
