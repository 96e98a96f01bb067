"""Every state that payments, refunds and withdrawals can reach: processes die anywhere, and providers act or not."""

import os

import pytest

from tests.model.checker.beginnings import BEGUN
from tests.model.checker.code import Code, Wrong
from tests.model.checker.machine import World
from tests.model.checker.mistakes import OF_PAYMENTS, OF_REFUNDS, OF_WITHDRAWALS
from tests.model.checker.payments import Payments
from tests.model.checker.refunds import Refunds
from tests.model.checker.search import Found, Search
from tests.model.checker.stage import Stage
from tests.model.checker.withdrawals import Withdrawals
from tests.support.companies import Shop
from tests.support.effort import NIGHTLY, tries

pytestmark = pytest.mark.django_db

PROCESSES = int(os.environ.get("PROCESSES") or 3)
STATES = int(os.environ.get("STATES") or tries(400, 1_050_000))
"""The bound of each search. STATES= and PROCESSES= choose others."""
PLANTED = [one for one in (*OF_PAYMENTS, *OF_REFUNDS, *OF_WITHDRAWALS) if NIGHTLY or not one.deep]
_METHOD = {"wallet": "PIX", "review": "PIX"} | dict.fromkeys(("card", *BEGUN), "CREDIT_CARD")


def searched(world: World, most: int = STATES) -> Found:
    return Search(world.first, world.steps, world.broken, world.is_end).explore(most)


@pytest.mark.parametrize("kind", ["wallet", "review", "card", "session", "late"])
def test_no_state_of_a_payment_breaks_a_promise(acme: Shop, kind: str) -> None:
    found = searched(Payments(Stage(acme, method=_METHOD[kind]), kind=kind, processes=PROCESSES))

    print(f"payment ({kind}), {PROCESSES} processes, bound {STATES:,}: {found}")
    assert not found.broken, str(found)


@pytest.mark.parametrize("amount", [4_000, 9_900, 10_000][: tries(1, 3)])
def test_no_state_of_a_refund_and_its_receivable_breaks_a_promise(acme: Shop, amount: int) -> None:
    found = searched(Refunds(Stage(acme), amount, PROCESSES))

    print(f"refund of {amount}, {PROCESSES} processes, bound {STATES:,}: {found}")
    assert not found.broken, str(found)


def test_no_state_of_a_withdrawal_breaks_a_promise(acme: Shop) -> None:
    found = searched(Withdrawals(Stage(acme), acme, PROCESSES))

    print(f"withdrawal, {PROCESSES} processes, bound {STATES:,}: {found}")
    assert not found.broken, str(found)


@pytest.mark.parametrize("wrong", PLANTED, ids=str)
def test_a_planted_mistake_is_found(acme: Shop, wrong: Wrong) -> None:
    stage = Stage(acme, Code(wrong), method=_METHOD[wrong.kind])
    if wrong in OF_PAYMENTS:
        world: World = Payments(stage, kind=wrong.kind, processes=2)
    else:
        world = Refunds(stage, processes=2) if wrong in OF_REFUNDS else Withdrawals(stage, acme, 2)

    found = searched(world, 50_000)

    print(f"{wrong}: {found}")
    assert found.broken, "the mistake was not found"
    assert wrong.breaks in found.broken
