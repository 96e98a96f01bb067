"""What a currency is worth: by the sandbox's table, as it was fetched or as staff say, for as long as it holds."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from accounts.base.clock import utcnow
from accounts.models import Merchant, User
from gateway.payments import pricing
from gateway.payments.models import Payment
from ledger.rates import services as rates
from ledger.rates.models import Rate
from ledger.rates.services import NoRate, market_rate
from ledger.rates.table import SANDBOX
from tests.support.api import Api
from tests.support.cards import order
from tests.support.companies import Shop

pytestmark = pytest.mark.django_db


@pytest.fixture
def production(acme: Shop) -> Merchant:
    return acme.production


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_user("rates@onpay.example")


def ago(**time: float) -> datetime:
    return utcnow() - timedelta(**time)


def has_rate(merchant: Merchant, source: str = "BRL", destination: str = "MXN") -> bool:
    try:
        return market_rate(merchant, source, destination) > 0
    except NoRate:
        return False


def record(at: datetime | None = None, **units: str) -> list[Rate]:
    return rates.record({code: Decimal(worth) for code, worth in units.items()}, at or utcnow())


# ── Which rate holds ──────────────────────────────────────────────────────────────────────────────────────────────
def test_production_has_no_rate_until_there_is_one(acme: Shop, production: Merchant) -> None:
    assert not has_rate(production)
    assert market_rate(production, "MXN", "MXN") == 1
    assert market_rate(acme.sandbox, "BRL", "MXN") == SANDBOX["MXN"]

    record(BRL="5", MXN="20", EUR="0.9")

    assert market_rate(production, "BRL", "MXN") == 4
    assert market_rate(production, "EUR", "BRL") == Decimal("5.5555555555")
    assert market_rate(production, "BRL", "EUR") == Decimal("0.18")
    assert market_rate(production, "EUR", "MXN") == Decimal("22.2222222222")
    assert not has_rate(production, "BRL", "COP")
    assert market_rate(acme.sandbox, "BRL", "MXN") == SANDBOX["MXN"]


def test_a_fetched_rate_holds_for_five_minutes_from_when_it_was_the_markets(production: Merchant) -> None:
    record(ago(minutes=5), BRL="5", MXN="20")
    assert not has_rate(production)
    assert market_rate(production, "BRL", "MXN", must_hold=False) == 4

    record(ago(minutes=4, seconds=50), BRL="5", MXN="21")

    assert market_rate(production, "BRL", "MXN") == Decimal("4.2")
    assert {rate.holds_until - rate.quoted_at for rate in Rate.objects.all()} == {timedelta(minutes=5)}


def test_the_newest_holds_in_whatever_order_they_came(production: Merchant) -> None:
    record(ago(minutes=1), BRL="5", MXN="20")
    record(ago(minutes=3), BRL="5", MXN="19")

    assert market_rate(production, "BRL", "MXN") == 4


def test_what_staff_say_goes_first_while_it_holds(production: Merchant, staff: User) -> None:
    said = rates.enter("MXN", Decimal("3.5"), timedelta(hours=1), staff, "The provider is wrong", confirmed=True)
    record(BRL="5", MXN="20")

    assert market_rate(production, "BRL", "MXN") == Decimal("3.5")
    assert rates.withdraw(said) is True
    assert market_rate(production, "BRL", "MXN") == 4
    assert rates.withdraw(said) is False
    said.refresh_from_db()
    assert (said.source, said.entered_by, said.note) == ("STAFF", staff, "The provider is wrong")


def test_of_two_that_staff_said_the_later_holds_and_a_fetched_one_cannot_be_withdrawn(
    production: Merchant, staff: User
) -> None:
    [fetched] = record(BRL="5", MXN="20")
    for worth, hours in (("3.5", 24), ("3.6", 1)):
        rates.enter("MXN", Decimal(worth), timedelta(hours=hours), staff, confirmed=True)

    assert market_rate(production, "BRL", "MXN") == Decimal("3.6")
    assert (used := rates.in_use()["MXN"]) and used.per_real == Decimal("3.6")
    assert rates.withdraw(fetched) is False


@pytest.mark.parametrize("units", [{"MXN": "20"}, {"BRL": "0", "MXN": "20"}, {"BRL": "-5", "MXN": "20"}, {}])
def test_rates_that_do_not_tell_the_real_are_refused_whole(units: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="BRL"):
        record(**units)

    assert not Rate.objects.exists()


@pytest.mark.parametrize(
    ("pesos", "is_taken"), [("24", True), ("16", True), ("24.001", False), ("15.999", False), ("2000", False)]
)
def test_a_jump_of_more_than_a_fifth_is_left_out_and_said_loudly(
    production: Merchant, capfd: Any, pesos: str, is_taken: bool
) -> None:
    record(ago(minutes=2), BRL="5", MXN="20", EUR="0.9")

    record(ago(minutes=1), BRL="5", MXN=pesos, EUR="0.91")

    assert market_rate(production, "BRL", "MXN") == (Decimal(pesos) / 5 if is_taken else 4)
    assert market_rate(production, "BRL", "EUR") == Decimal("0.182")
    said = capfd.readouterr().err
    assert ("rates.implausible" in said, '"level":"critical"' in said) == (not is_taken, not is_taken)


def test_after_staff_said_so_a_jump_is_taken(production: Merchant, staff: User) -> None:
    record(ago(minutes=2), BRL="5", MXN="20")
    said = rates.enter("MXN", Decimal(6), timedelta(hours=1), staff, "Devaluation", confirmed=True)

    record(BRL="5", MXN="30.5")

    rates.withdraw(said)
    assert market_rate(production, "BRL", "MXN") == Decimal("6.1")


# ── Cards in dollars, which have no wallet ────────────────────────────────────────────────────────────────────────
def test_a_dollar_card_is_refused_while_there_is_no_rate(acme: Shop, address: str) -> None:
    backend = Api(acme.production_key, address)

    answer = backend.post("/payments", order(currency="USD"))

    assert (answer.status_code, answer.json()["onpayCode"]) == (503, "ONP503_CREDIT_CARD_TEMPORARILY_UNAVAILABLE")
    assert answer.json()["error"]["retryable"] is True
    record(USD="1", BRL="5")
    answer = backend.post("/payments", order(currency="USD"))
    assert answer.json()["onpayCode"] == "ONP403_METHOD_NOT_ENABLED"  # nobody is connected there yet
    assert not Payment.objects.exists()


@pytest.mark.parametrize("minutes", [0, 60])
def test_a_dollar_that_was_paid_is_settled_by_the_last_known_rate(production: Merchant, minutes: int) -> None:
    record(ago(minutes=minutes), USD="1", BRL="5.45", MXN="18")
    payment = Payment(merchant=production, currency="USD", amount=10_000, fee=399)

    pricing.settle(payment)

    assert (payment.settlement_currency, payment.settlement_rate) == ("BRL", Decimal("5.45"))
    assert payment.settlement_amount == 52_325  # of 523.2545
