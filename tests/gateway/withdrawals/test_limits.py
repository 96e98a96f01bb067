"""To the cent: what is enough for a withdrawal and its fee, and what its rail takes."""

from decimal import Decimal

import pytest

from gateway.payouts.models import PayoutRule
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.withdrawals import (
    ARS,
    COP,
    PIX,
    SPEI,
    Rail,
    ask,
    fund,
    nothing_moves,
    price,
    refusal,
    register,
    wallet,
    withdrawn,
)


def test_exactly_what_is_available_can_leave_with_its_fee(out: Api, acme: Shop) -> None:
    price(PIX, fee_fixed=99)

    withdrawn(out, acme, amount=9900.00)

    assert wallet(out, acme) == (Decimal(0), Decimal(0), Decimal("9900.99"))


@pytest.mark.parametrize(("amount", "fee"), [(9900.01, 99), (9901.00, 0), (9900.00, 100)])
def test_one_cent_more_than_there_is_cannot(out: Api, acme: Shop, amount: float, fee: int) -> None:
    price(PIX, fee_fixed=fee)

    with nothing_moves(acme):
        answer = ask(out, acme, amount=amount)

    assert refusal(answer) == (422, "ONP422_INSUFFICIENT_BALANCE")


def test_money_that_is_blocked_already_is_not_available(out: Api, acme: Shop) -> None:
    withdrawn(out, acme, amount=9000)

    with nothing_moves(acme):
        assert refusal(ask(out, acme, amount=901)) == (422, "ONP422_INSUFFICIENT_BALANCE")

    withdrawn(out, acme, amount=900.99)


@pytest.mark.parametrize("amount", [0.01, 1, 1000.05])
def test_halves_of_a_cent_of_the_fee_are_rounded_up(out: Api, acme: Shop, amount: float) -> None:
    price(PIX, minimum=1, fee_percentage=Decimal(50))

    fee = withdrawn(out, acme, amount=amount)["fee"]

    assert fee == {0.01: Decimal("0.01"), 1: Decimal("0.50"), 1000.05: Decimal("500.03")}[amount]


@pytest.mark.parametrize(
    ("rail", "least", "most"),
    [
        (PIX, 1.00, 100_000),
        (SPEI, 1.00, 1_000_000),
        (ARS, 100, 10_000_000),
        (COP, 4_000, 50_000_000),
    ],
)
def test_the_limits_of_a_rail_are_exact(
    api: Api, acme: Shop, address: str, rail: Rail, least: float, most: int
) -> None:
    register(acme, address)
    with nothing_moves(acme):
        small = ask(api, acme, rail, amount=round(least - 0.01, 2))
        large = ask(api, acme, rail, amount=most + 0.01)
    fund(api, rail[1])
    fund(api, rail[1])

    assert refusal(small) == (422, "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL")
    assert refusal(large) == (422, "ONP422_WITHDRAWAL_AMOUNT_TOO_LARGE")
    assert [withdrawn(api, acme, rail, amount=amount)["amount"] for amount in (least, most)] == [least, most]


def test_the_terms_of_the_company_go_before_those_for_everybody(out: Api, acme: Shop) -> None:
    rule = {"environment": "SANDBOX", "rail": "PIX", "currency": "BRL", "enabled": True, "fee_fixed": 250}
    PayoutRule.objects.create(merchant=acme.sandbox, minimum=1000, maximum=2000, **rule)

    assert refusal(ask(out, acme, amount=9.99))[1] == "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL"
    assert refusal(ask(out, acme, amount=20.01))[1] == "ONP422_WITHDRAWAL_AMOUNT_TOO_LARGE"
    assert [withdrawn(out, acme, amount=amount)["fee"] for amount in (10, 20)] == [Decimal("2.5")] * 2
