"""A bank takes money back while everybody else acts on the same payment: once, and the books are right each time."""

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest

from accounts.base.errors import Refusal
from gateway.methods.rail import Clawback
from gateway.payments.models import Payment
from gateway.refunds import due, services
from gateway.refunds.clawbacks import settle
from gateway.refunds.models import Refund
from ledger.verify import verify
from tests.support.api import Api
from tests.support.cards import book
from tests.support.companies import Shop
from tests.support.effort import tries
from tests.support.refunds import claimed, later, paid, withdraw_all_but
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def taken_back(shop: Shop, payment: str, *amounts: int) -> bool:
    told = [Clawback(f"D{minor}{payment}", "E1", Decimal(minor) / 100, "BRL", "FRAUD") for minor in amounts]
    return settle(shop.sandbox, payment, told)


def trying(act: Callable[..., Any], *args: Any) -> Callable[[], None]:
    """Does it, unless that has become impossible."""

    def attempt() -> None:
        with suppress(Refusal):
            act(*args)

    return attempt


def completed(payment: str) -> int:
    return sum(Refund.objects.filter(payment=payment, status="COMPLETED").values_list("amount", flat=True))


@pytest.mark.parametrize("there", [20_000, 4_000])
def test_the_same_two_told_many_times_at_once_are_two(api: Api, acme: Shop, there: int) -> None:
    payment = paid(api)
    paid(api)
    withdraw_all_but(acme, there)
    claimed(api, payment)

    at_once(
        *[lambda: taken_back(acme, payment, 6_000, 9_000)] * 6, *[lambda: taken_back(acme, payment, 9_000, 6_000)] * 6
    )

    assert (completed(payment), Refund.objects.count()) == (15_000, 2)
    assert book(acme)["CLEARING PIX BRL"] == -15_000
    assert list(verify()) == []


@pytest.mark.parametrize("amount", [15_000, 6_000])
def test_against_the_answer_the_decision_and_the_sweep_nothing_is_paid_twice(api: Api, acme: Shop, amount: int) -> None:
    for _ in range(tries(3, 100)):
        payment = paid(api)
        paid(api)
        claim = claimed(api, payment)["id"]
        later(acme, seconds=3)

        at_once(
            *[trying(taken_back, acme, payment, amount)] * 2,
            trying(services.respond, acme.sandbox, claim, "ACCEPT"),
            trying(services.simulate, acme.sandbox, claim, "CANCELED"),
            trying(services.create, acme.sandbox, payment),
            due.run_due,
        )
        later(acme, seconds=3)
        due.run_due()

        assert taken_back(acme, payment, amount)
        assert amount <= completed(payment) == Payment.objects.get(pk=payment).refunded_amount <= 15_000
        assert Refund.objects.filter(payment=payment, end_to_end_id=f"D{amount}{payment}").count() == 1
    assert list(verify()) == []
