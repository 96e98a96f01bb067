"""Where the money of a paid card goes: into RELEASING by net, and dollars into the company's own currency."""

from datetime import datetime, timedelta
from decimal import ROUND_DOWN, Decimal
from typing import Any

import pytest
from django.db import connection

from gateway.payments.models import Payment
from ledger.books.models import Entry, Transfer
from ledger.rates.table import SANDBOX
from tests.support.api import Api, used
from tests.support.cards import APPROVED, DAY_S, book, events, lookup, opened, outcome, wait
from tests.support.companies import Shop

WALLETS = {"BRL": "PIX", "MXN": "SPEI", "EUR": "MB_WAY", "ARS": "BANK_TRANSFER", "COP": "BANK_TRANSFER"}
METHODS = pytest.mark.parametrize(
    ("method", "fee_cents", "days"), [("CREDIT_CARD", 19950, 30), ("DEBIT_CARD", 9950, 1)]
)


def wallets(api: Api, shop: Shop) -> list[dict[str, Any]]:
    return used(api.get(f"/companies/{shop.company.id}/balance").json()["data"]["wallets"])


@METHODS
@pytest.mark.parametrize("currency", WALLETS)
def test_a_paid_card_is_released_by_its_net_when_its_term_is_over(
    api: Api, acme: Shop, method: str, fee_cents: int, days: int, currency: str
) -> None:
    session = opened(api, method, currency=currency, amount=5000)

    assert outcome(session.pay()) == (200, "PAID")

    paid = lookup(api, session)
    net = (500_000 - fee_cents) / 100
    assert (paid["fee"], paid["netAmount"], "settlement" in paid) == (fee_cents / 100, net, False)
    term = datetime.fromisoformat(paid["releaseAt"]) - datetime.fromisoformat(paid["paidAt"])
    assert term == timedelta(days=days)
    assert wallets(api, acme) == [
        {
            "method": WALLETS[currency],
            "currency": currency,
            "available": 0,
            "releasing": net,
            "blocked": 0,
            "total": net,
        }
    ]
    assert book(acme) == {
        f"RELEASING {WALLETS[currency]} {currency}": 500_000 - fee_cents,
        f"CLEARING {method} {currency}": -500_000,
        f"FEE_INCOME {currency}": fee_cents,
    }


@pytest.mark.parametrize("target", WALLETS)
@pytest.mark.parametrize(
    ("amount", "fee"), [("100.00", "3.99"), ("0.50", "0.02"), ("33.33", "1.33"), ("9999.99", "399.00")]
)
def test_dollars_are_settled_in_the_companys_currency(api: Api, acme: Shop, target: str, amount: str, fee: str) -> None:
    acme.sandbox.card_settlement_currency = target
    acme.sandbox.save()
    session = opened(api, currency="USD", amount=float(amount))
    assert "settlement" not in session.payment

    session.pay()

    rate = (SANDBOX[target] / SANDBOX["USD"]).quantize(Decimal("1e-10"), ROUND_DOWN)
    net = Decimal(amount) - Decimal(fee)
    credited = (net * rate).quantize(Decimal("0.01"), ROUND_DOWN)
    paid = lookup(api, session)
    assert (paid["currency"], paid["amount"], paid["fee"]) == ("USD", float(amount), float(fee))
    assert paid["settlement"] == {"currency": target, "amount": float(credited), "rate": float(rate)}
    assert events(acme)[-1]["data"]["settlement"] == paid["settlement"]
    assert "settlement" not in events(acme)[-2]["data"]
    minor = {name: int(value * 100) for name, value in (("net", net), ("fee", Decimal(fee)), ("all", Decimal(amount)))}
    assert book(acme) == {
        "CLEARING CREDIT_CARD USD": -minor["all"],
        "FEE_INCOME USD": minor["fee"],
        "FX_POSITION USD": minor["net"],
        f"FX_POSITION {target}": -int(credited * 100),
        f"RELEASING {WALLETS[target]} {target}": int(credited * 100),
    }


def test_a_hundred_dollars_are_worked_out_by_hand(api: Api, acme: Shop) -> None:
    session = opened(api, currency="USD", amount=100)

    session.pay()

    assert lookup(api, session)["settlement"] == {"currency": "BRL", "amount": 523.50, "rate": 5.4525627044}
    [wallet] = wallets(api, acme)
    assert (wallet["method"], wallet["currency"], wallet["available"], wallet["releasing"]) == ("PIX", "BRL", 0, 523.50)


def test_a_corrected_dollar_payment_is_settled_by_its_new_net(api: Api) -> None:
    session = opened(api, currency="USD", amount=100)

    session.pay(APPROVED, "902")

    paid = lookup(api, session)
    assert (paid["netAmount"], paid["settlementDays"]) == (98.01, 1)
    assert paid["settlement"] == {"currency": "BRL", "amount": 534.40, "rate": 5.4525627044}


def test_the_settlement_is_frozen_at_the_capture(api: Api, acme: Shop) -> None:
    session = opened(api, currency="USD", amount=100)
    session.pay()
    paid, books = lookup(api, session), book(acme)

    acme.sandbox.card_settlement_currency = "EUR"
    acme.sandbox.save()

    assert (lookup(api, session), book(acme)) == (paid, books)


def test_the_currency_of_the_capture_counts_and_not_that_of_the_order(api: Api, acme: Shop) -> None:
    session = opened(api, currency="USD", amount=100)
    acme.sandbox.card_settlement_currency = "EUR"
    acme.sandbox.save()

    session.pay()

    assert lookup(api, session)["settlement"]["currency"] == "EUR"


def test_the_books_are_posted_once_by_one_transfer(api: Api) -> None:
    session = opened(api)
    session.pay()
    wait(api, 2 * DAY_S)

    [transfer] = Transfer.objects.all()
    assert (transfer.kind, transfer.reference) == ("payment.paid", session.id)
    assert Entry.objects.count() == 3
    assert Payment.objects.get().release_at == transfer.posted_at + timedelta(days=30)


def test_a_payment_that_was_not_captured_has_no_books(api: Api, acme: Shop) -> None:
    opened(api, currency="USD").pay("4000000000000119")
    opened(api).pay("4000000000000002")
    opened(api).pay("4000000000003220")

    assert (Transfer.objects.count(), book(acme), wallets(api, acme)) == (0, {}, [])
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM gateway_payment WHERE settlement_amount IS NOT NULL")
        assert cursor.fetchone() == (0,)
