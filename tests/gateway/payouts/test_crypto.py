"""Crypto for money of a wallet: at which rate, for how much, and what we keep."""

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from typing import Any

import pytest

from ledger.books.models import Entry
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.withdrawals import (
    BTC,
    USDT,
    Rail,
    ask,
    change,
    fund,
    looked_up,
    nothing_moves,
    price,
    refusal,
    register,
    told,
    wait,
    wallet,
    withdrawn,
)

UNIT = {"USDT": Decimal("0.000001"), "BTC": Decimal("0.00000001")}
FEE = {"USDT": Decimal(2), "BTC": Decimal("0.00005")}


def booked(made: dict[str, Any], kind: str) -> dict[str, int]:
    """What was posted for a withdrawal, by account, in minor units."""
    entries = Entry.objects.filter(transfer__reference=made["id"], transfer__kind=f"withdrawal.{kind}")
    return {str(entry.account): entry.amount for entry in entries.select_related("account")}


def worth(made: dict[str, Any]) -> dict[str, Decimal]:
    """The figures by the formula of the contract, from the market's rate."""
    applied = (made["marketRate"] * (1 - made["spreadPercentage"] / 100)).quantize(Decimal("1e-10"), ROUND_HALF_UP)
    gross = (made["amount"] * applied).quantize(UNIT[made["asset"]], ROUND_DOWN)
    fee = FEE[made["asset"]]
    return {"appliedRate": applied, "assetGrossAmount": gross, "networkFee": fee, "assetAmount": gross - fee}


def test_the_figures_are_those_of_the_contract(out: Api, acme: Shop) -> None:
    assert "asset" not in withdrawn(out, acme)

    made = withdrawn(out, acme, USDT)

    expected = {
        "rail": "CRYPTO",
        "status": "PROCESSING",
        "amount": Decimal(1000),
        "currency": "BRL",
        "fee": 0,
        "totalDebited": Decimal(1000),
        "asset": "USDT",
        "network": "TRC20",
        "address": "TR7NHq...gjLj6t",
        "marketRate": Decimal("0.1834"),
        "appliedRate": Decimal("0.180649"),
        "spreadPercentage": Decimal("1.5"),
        "assetGrossAmount": Decimal("180.649"),
        "networkFee": 2,
        "assetAmount": Decimal("178.649"),
        "transactionHash": None,
    }
    assert {name: made[name] for name in expected} == expected
    assert "pixKeyType" not in made
    assert wallet(out, acme) == (Decimal("9900.99") - 1500, 0, 1500)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("rail", [USDT, BTC], ids=" ".join)
@pytest.mark.parametrize("currency", ["BRL", "MXN", "EUR", "ARS", "COP"])
@pytest.mark.parametrize("spread", ["0", "1.5", "3.3333"])
def test_every_wallet_is_converted_by_the_same_formula(
    api: Api, acme: Shop, address: str, rail: Rail, currency: str, spread: str
) -> None:
    register(acme, address)
    change(acme, conversion_spread=Decimal(spread))
    fund(api, currency)
    amount = Decimal({"BRL": "7777.77", "MXN": "77777.77", "EUR": "1777.77"}.get(currency, "7777777.77"))

    made = withdrawn(api, acme, rail, amount=float(amount), currency=currency, minimumAssetAmount=None)

    assert made["spreadPercentage"] == Decimal(spread)
    assert made["amount"] == amount
    figures = worth(made)
    assert {name: made[name] for name in figures} == figures


def test_the_spread_at_acceptance_counts(out: Api, acme: Shop) -> None:
    made = withdrawn(out, acme, USDT)
    change(acme, conversion_spread=Decimal(9))
    wait(out, 6)

    now = looked_up(out, made)

    assert now["status"] == "COMPLETED"
    assert {name: now[name] for name in worth(made)} == worth(made)
    assert withdrawn(out, acme, USDT, minimumAssetAmount=None)["assetGrossAmount"] == Decimal("166.894")


@pytest.mark.parametrize(("least", "status"), [(178.649, 201), (178.648999, 201), (178.64901, 409), (1000, 409)])
def test_less_than_the_least_that_was_asked_for_is_refused(out: Api, acme: Shop, least: float, status: int) -> None:
    if status == 201:
        assert withdrawn(out, acme, USDT, minimumAssetAmount=least)["assetAmount"] == Decimal("178.649")
        return
    with nothing_moves(acme):
        assert refusal(ask(out, acme, USDT, minimumAssetAmount=least)) == (409, "ONP409_RATE_CHANGED")


@pytest.mark.parametrize("least", [0, -1, "175", True, 1.0000001])
def test_the_least_is_a_positive_number_of_the_asset(out: Api, acme: Shop, least: Any) -> None:
    with nothing_moves(acme):
        answer = ask(out, acme, USDT, minimumAssetAmount=least)

    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == "minimumAssetAmount"


@pytest.mark.parametrize(
    ("rail", "amount"), [(USDT, 16.60), (USDT, 11.08), (USDT, 11.07), (USDT, 1), (USDT, 0.01), (BTC, 0.01)]
)
def test_what_is_less_than_the_network_takes_does_not_leave(out: Api, acme: Shop, rail: Rail, amount: float) -> None:
    with nothing_moves(acme):
        answer = ask(out, acme, rail, amount=amount, minimumAssetAmount=None)

    assert refusal(answer) == (422, "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL")


def test_the_least_that_leaves_is_one_usdt(out: Api, acme: Shop) -> None:
    """After two for the network, at a rate of 0.180649: 16.61 reais."""
    made = withdrawn(out, acme, USDT, amount=16.61, minimumAssetAmount=None)

    assert (made["assetGrossAmount"], made["assetAmount"]) == (Decimal("3.000579"), Decimal("1.000579"))


def test_the_limits_are_of_what_the_beneficiary_receives(out: Api, acme: Shop) -> None:
    price(USDT, minimum=178_649_000, maximum=178_649_000)

    small = ask(out, acme, USDT, amount=999.99)
    large = ask(out, acme, USDT, amount=1000.01)
    made = withdrawn(out, acme, USDT)

    assert refusal(small) == (422, "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL")
    assert refusal(large) == (422, "ONP422_WITHDRAWAL_AMOUNT_TOO_LARGE")
    assert made["assetAmount"] == Decimal("178.649")


def test_our_fee_is_on_top_in_the_wallets_currency(out: Api, acme: Shop) -> None:
    price(USDT, fee_percentage=Decimal("0.5"))

    made = withdrawn(out, acme, USDT)

    assert (made["fee"], made["totalDebited"], made["assetAmount"]) == (5, 1005, Decimal("178.649"))
    assert wallet(out, acme) == (Decimal("8895.99"), 0, 1005)


def test_the_books_hold_the_spread_and_both_fees(out: Api, acme: Shop) -> None:
    price(USDT, fee_percentage=Decimal("0.5"))
    made = withdrawn(out, acme, USDT)
    assert booked(made, "held") == {"AVAILABLE PIX BRL": -100_500, "BLOCKED PIX BRL": 100_500}
    assert booked(made, "completed") == {}

    wait(out, 6)

    assert booked(made, "completed") == {
        "BLOCKED PIX BRL": -100_500,
        "FEE_INCOME BRL": 500,
        "FX_POSITION BRL": 100_000,
        "FX_POSITION USDT": -183_400_000,
        "FX_SPREAD USDT": 2_751_000,
        "FEE_INCOME USDT": 2_000_000,
        "PAYOUT CRYPTO USDT": 178_649_000,
    }


def test_what_failed_was_never_converted(out: Api, acme: Shop) -> None:
    made = withdrawn(out, acme, USDT, amount=1901, minimumAssetAmount=None)
    wait(out, 6)

    now = looked_up(out, made)

    assert (now["status"], now["transactionHash"]) == ("FAILED", None)
    assert wallet(out, acme) == (Decimal("9900.99"), 0, 0)
    assert booked(made, "failed") == {"AVAILABLE PIX BRL": 190_100, "BLOCKED PIX BRL": -190_100}


@pytest.mark.parametrize("rail", [USDT, BTC], ids=" ".join)
def test_the_transaction_is_told_once_it_is_known(out: Api, acme: Shop, rail: Rail) -> None:
    made = withdrawn(out, acme, rail, amount=5_000, minimumAssetAmount=None)
    wait(out, 6)

    now = looked_up(out, made)

    assert len(now["transactionHash"]) == 64
    assert told(acme)[0]["data"] == now


def test_a_withdrawal_in_a_wallet_without_money_is_refused(out: Api, acme: Shop) -> None:
    with nothing_moves(acme):
        answer = ask(out, acme, USDT, currency="MXN", amount=5_000, minimumAssetAmount=None)

    assert refusal(answer) == (422, "ONP422_INSUFFICIENT_BALANCE")
