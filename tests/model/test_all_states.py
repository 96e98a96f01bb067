"""Every state that a payment can reach, with processes that die anywhere and providers that act, answer, or neither."""

import os

import pytest

from tests.model.checker.code import Code, Wrong
from tests.model.checker.mistakes import OF_PAYMENTS
from tests.model.checker.payments import Payments
from tests.model.checker.search import Found, Search
from tests.model.checker.stage import Stage
from tests.support.companies import Shop
from tests.support.effort import tries

pytestmark = pytest.mark.django_db

PROCESSES = 3
STATES = int(os.environ.get("STATES") or tries(1_500, 1_050_000))
"""The bound of each search. STATES= chooses another one."""


def searched(payments: Payments, most: int = STATES) -> Found:
    return Search(payments.first, payments.steps, payments.broken, payments.is_end).explore(most)


@pytest.mark.parametrize("kind", ["wallet", "review", "card"])
def test_no_state_of_a_payment_breaks_a_promise(acme: Shop, kind: str) -> None:
    found = searched(Payments(Stage(acme), kind=kind, processes=PROCESSES))

    print(f"payment ({kind}), {PROCESSES} processes, bound {STATES:,}: {found}")
    assert not found.broken, str(found)


@pytest.mark.parametrize("wrong", OF_PAYMENTS, ids=str)
def test_a_planted_mistake_is_found(acme: Shop, wrong: Wrong) -> None:
    found = searched(Payments(Stage(acme, Code(wrong)), kind=wrong.kind, processes=2), 50_000)

    print(f"{wrong}: {found}")
    assert found.broken
    assert wrong.breaks in found.broken
