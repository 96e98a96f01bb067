"""A quote says what a conversion would give, to the last digit, and moves nothing."""

import re
import uuid
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from accounts.base.clock import now
from accounts.models import Company, Merchant, User
from accounts.services import issue_key
from ledger.rates import services as rates
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.conversions import (
    ask,
    change,
    confirm,
    later,
    nothing_moves,
    path,
    payload,
    quoted,
    refusal,
)
from tests.support.operations import EVERY
from tests.support.withdrawals import fund as pay_in

pytestmark = pytest.mark.django_db

WALLET, CURRENCY = "ONP400_CONVERSION_WALLET", "ONP400_CONVERSION_CURRENCY_REQUIRED"
PRICES = [
    # from, to,         amount,            market,             applied,            gives
    ("PIX BRL", "SPEI MXN", "1000.00", "3.2815", "3.2322775", "3232.27"),
    ("SPEI MXN", "PIX BRL", "1000.00", "0.3047386865", "0.3001676062", "300.16"),
    ("PIX BRL", "MB_WAY EUR", "0.07", "0.1572", "0.154842", "0.01"),
    ("MB_WAY EUR", "BANK_TRANSFER COP", "49.90", "4740.4580152671", "4669.3511450381", "233000.62"),
    ("BANK_TRANSFER ARS", "BANK_TRANSFER COP", "85000", "2.8399390243", "2.7973399389", "237773.89"),
    ("BANK_TRANSFER COP", "BANK_TRANSFER ARS", "85000", "0.3521202361", "0.3468384326", "29481.26"),
    ("SPEI MXN", "MB_WAY EUR", "123.45", "0.0479049215", "0.0471863477", "5.82"),
    ("BANK_TRANSFER COP", "PIX BRL", "7.57", "0.0013419216", "0.0013217928", "0.01"),
    ("PIX BRL", "MB_WAY EUR", "999999999999.99", "0.1572", "0.154842", "154841999999.99"),
]  # fmt: skip


def between(source: str, destination: str, amount: str) -> dict[str, Any]:
    (source_method, source_currency), (method, currency) = source.split(), destination.split()
    return {
        "sourceMethod": source_method,
        "sourceCurrency": source_currency,
        "destinationMethod": method,
        "destinationCurrency": currency,
        "sourceAmount": float(amount),
    }


@pytest.mark.parametrize(("source", "destination", "amount", "market", "applied", "gives"), PRICES)
def test_a_quote_is_worked_out_by_hand(
    api: Api, acme: Shop, source: str, destination: str, amount: str, market: str, applied: str, gives: str
) -> None:
    wish = between(source, destination, amount)

    with nothing_moves(acme):
        quote = quoted(api, acme, **wish)

    assert {name: value for name, value in quote.items() if name not in ("expiresAt", "quoteToken")} == wish | {
        "sourceAmount": Decimal(amount),
        "marketRate": Decimal(market),
        "appliedRate": Decimal(applied),
        "spreadPercentage": Decimal("1.5"),
        "destinationAmount": Decimal(gives),
    }


def test_a_quote_holds_for_a_minute_of_the_sandbox_clock(api: Api, acme: Shop) -> None:
    later(acme, days=40)

    before = now(acme.sandbox).timestamp() * 1000
    quote = quoted(api, acme)

    assert round(before) + 60_000 <= quote["expiresAt"] <= round(now(acme.sandbox).timestamp() * 1000) + 60_000
    said = payload(quote["quoteToken"])
    assert said["expiresAt"] - said["iat"] == 60_000
    assert said["expiresAt"] == quote["expiresAt"]


def test_the_token_says_what_the_quote_says_and_no_more_than_the_contract(api: Api, acme: Shop) -> None:
    quote = quoted(api, acme)
    token = str(quote.pop("quoteToken"))

    assert re.fullmatch(r"onpq1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}", token)
    assert len(token) <= 2048
    said = payload(token)
    assert (said["companyId"], said["environment"]) == (acme.company.id, "SANDBOX")
    for name, value in quote.items():
        assert isinstance(said[name], int if name == "expiresAt" else str)
        assert said[name] == value or Decimal(said[name]) == value
    assert set(said) - set(quote) == {"jti", "companyId", "environment", "termsVersion", "iat", "kid"}


def test_the_members_without_a_currency_are_enough_where_the_method_has_one_wallet(api: Api, acme: Shop) -> None:
    quote = quoted(api, acme, sourceMethod="MB_WAY", destinationMethod="PIX", sourceAmount=10)

    assert (quote["sourceCurrency"], quote["destinationCurrency"]) == ("EUR", "BRL")


@pytest.mark.parametrize("spread", ["0", "0.0001", "20"])
def test_the_spread_is_that_of_the_company(api: Api, acme: Shop, spread: str) -> None:
    change(acme, conversion_spread=Decimal(spread))

    quote = quoted(api, acme)

    applied = Decimal("3.2815") * (100 - Decimal(spread)) / 100
    assert (quote["spreadPercentage"], quote["marketRate"]) == (Decimal(spread), Decimal("3.2815"))
    assert quote["appliedRate"] == applied
    assert quote["destinationAmount"] == (1000 * applied).quantize(Decimal("0.01"), "ROUND_DOWN")


def test_nobody_looks_at_the_balance(api: Api, acme: Shop) -> None:
    assert quoted(api, acme, sourceAmount=5_000_000)["destinationAmount"] == Decimal("16161387.50")


def test_the_same_key_gets_the_same_quote_again(api: Api, acme: Shop) -> None:
    key = str(uuid.uuid4())
    first = ask(api, acme, key=key)
    change(acme, conversion_spread=3)
    later(acme, seconds=90)

    again = ask(api, acme, key=key)

    assert (again.status_code, again.content, again["Idempotent-Replayed"]) == (200, first.content, "true")
    assert refusal(ask(api, acme, key=key, sourceAmount=2)) == (409, "ONP409_IDEMPOTENCY_CONFLICT")
    assert quoted(api, acme)["quoteToken"] != first.json()["data"]["quoteToken"]


# ── Which wallets ─────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("used", [(), ("ARS", "COP")])
@pytest.mark.parametrize("end", ["source", "destination"])
def test_a_method_of_two_wallets_wants_a_currency(api: Api, acme: Shop, end: str, used: tuple[str, ...]) -> None:
    for currency in used:
        pay_in(api, currency)

    wish = {"sourceMethod": "PIX", "destinationMethod": "PIX", f"{end}Method": "BANK_TRANSFER"}

    with nothing_moves(acme):
        answer = ask(api, acme, **wish)

    assert refusal(answer) == (400, CURRENCY)
    assert answer.json()["error"]["field"] == f"{end}Currency"


@pytest.mark.parametrize("currency", ["ARS", "COP"])
@pytest.mark.parametrize("end", ["source", "destination"])
def test_the_only_one_of_two_wallets_that_was_used_is_meant(api: Api, acme: Shop, end: str, currency: str) -> None:
    pay_in(api, currency)

    wish = {"sourceMethod": "PIX", "destinationMethod": "PIX", f"{end}Method": "BANK_TRANSFER"}

    assert quoted(api, acme, **wish)[f"{end}Currency"] == currency


def test_the_wallets_of_another_company_or_environment_do_not_decide(
    api: Api, globex_api: Api, acme: Shop, globex: Shop
) -> None:
    pay_in(globex_api, "ARS")

    assert refusal(ask(api, acme, destinationMethod="BANK_TRANSFER")) == (400, CURRENCY)
    assert quoted(globex_api, globex, destinationMethod="BANK_TRANSFER")["destinationCurrency"] == "ARS"


def test_a_named_currency_decides_whatever_was_used(api: Api, acme: Shop) -> None:
    pay_in(api, "ARS")

    wish = {"destinationMethod": "BANK_TRANSFER", "destinationCurrency": "COP"}

    assert quoted(api, acme, **wish)["destinationCurrency"] == "COP"


@pytest.mark.parametrize(
    "wallets",
    [
        {"destinationMethod": "PIX"},
        {"sourceMethod": "BANK_TRANSFER", "sourceCurrency": "COP", "destinationMethod": "BANK_TRANSFER",
         "destinationCurrency": "COP"},
        {"sourceCurrency": "MXN"},
        {"destinationCurrency": "BRL"},
        {"destinationMethod": "BANK_TRANSFER", "destinationCurrency": "EUR"},
        *[{"destinationMethod": name} for name in ("BOLETO", "CREDIT_CARD", "PSE", "CRYPTO", "spei", "", "SPEI ")],
        *[{"sourceMethod": name} for name in ("NEQUI", 7, True, ["PIX"], {"PIX": 1})],
    ],
)  # fmt: skip
def test_wallets_that_do_not_exist_or_are_the_same_are_refused(api: Api, acme: Shop, wallets: dict[str, Any]) -> None:
    with nothing_moves(acme):
        assert refusal(ask(api, acme, **wallets)) == (400, WALLET)


@pytest.mark.parametrize("missing", ["sourceMethod", "destinationMethod"])
def test_a_wallet_that_is_not_named_is_refused_and_named(api: Api, acme: Shop, missing: str) -> None:
    answer = ask(api, acme, **{missing: None})

    assert refusal(answer) == (400, WALLET)
    assert answer.json()["error"]["field"] == missing


@pytest.mark.parametrize("amount", [0, -1, -0.01, 0.001, 10.005, "1000", True, [1], 1e12, 1e15, 123456789012345.6])
def test_an_amount_that_is_none_is_refused(api: Api, acme: Shop, amount: Any) -> None:
    with nothing_moves(acme):
        answer = ask(api, acme, sourceAmount=amount)

    assert refusal(answer) == (400, "ONP400_AMOUNT")
    assert answer.json()["error"]["field"] == "sourceAmount"


@pytest.mark.parametrize(
    ("source", "destination", "amount"),
    [
        ("PIX BRL", "MB_WAY EUR", "0.06"),
        ("BANK_TRANSFER COP", "PIX BRL", "7.56"),
        ("BANK_TRANSFER COP", "MB_WAY EUR", "0.01"),
    ],
)
def test_what_would_give_nothing_is_too_small(api: Api, acme: Shop, source: str, destination: str, amount: str) -> None:
    with nothing_moves(acme):
        answer = ask(api, acme, **between(source, destination, amount))

    assert refusal(answer) == (422, "ONP422_CONVERSION_AMOUNT_TOO_SMALL")
    assert answer.json()["error"]["retryable"] is False


def test_a_result_that_is_more_than_anybody_may_have_is_refused(api: Api, acme: Shop) -> None:
    wish = between("PIX BRL", "BANK_TRANSFER COP", "999999999999.99")

    with nothing_moves(acme):
        assert refusal(ask(api, acme, **wish)) == (400, "ONP400_AMOUNT")


# ── Who may ask ───────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_company_that_may_not_convert_gets_no_quote(api: Api, acme: Shop) -> None:
    change(acme, conversion_enabled=False)

    assert refusal(ask(api, acme)) == (403, "ONP403_CONVERSION_DISABLED")


def test_a_company_that_is_suspended_gets_no_quote(api: Api, acme: Shop) -> None:
    Company.objects.filter(pk=acme.company.pk).update(status=Company.Status.SUSPENDED)

    assert refusal(ask(api, acme)) == (403, "ONP403_COMPANY_STATUS")


def test_the_company_in_the_path_is_ones_own(api: Api, globex_api: Api, acme: Shop, globex: Shop) -> None:
    token = quoted(globex_api, globex)["quoteToken"]

    for answer in (ask(api, globex), confirm(api, globex, token), api.get(path(globex)), api.get(path(globex, "/x"))):
        assert refusal(answer) == (404, "ONP404_COMPANY")


def test_production_has_a_quote_as_soon_as_there_is_a_rate(acme: Shop, address: str) -> None:
    production = Api(issue_key(acme.production, EVERY, "production")[1], address)
    assert refusal(ask(production, acme)) == (403, "ONP403_CONVERSION_DISABLED")
    Merchant.objects.filter(pk=acme.production.pk).update(conversion_enabled=True)

    answer = ask(production, acme)

    assert refusal(answer) == (503, "ONP503_CONVERSION_TEMPORARILY_UNAVAILABLE")
    error = answer.json()["error"]
    assert (error["retryable"], answer["Retry-After"]) == (True, str(error["retryAfter"]))
    assert 5 <= error["retryAfter"] <= 60
    rates.record({"BRL": Decimal(5), "MXN": Decimal(20)}, now(acme.production))
    quote = quoted(production, acme)
    assert (quote["marketRate"], quote["appliedRate"], quote["destinationAmount"]) == (4, Decimal("3.94"), 3940)
    assert payload(quote["quoteToken"])["environment"] == "PRODUCTION"


def test_staff_can_give_production_a_rate(acme: Shop, address: str) -> None:
    production = Api(issue_key(acme.production, EVERY, "production")[1], address)
    Merchant.objects.filter(pk=acme.production.pk).update(conversion_enabled=True)
    staff = User.objects.create_user("rates@onpay.example")

    rate = rates.enter("MXN", Decimal("3.3"), timedelta(hours=1), staff, "The provider is away", confirmed=True)

    assert quoted(production, acme)["marketRate"] == Decimal("3.3")
    rates.withdraw(rate)
    assert refusal(ask(production, acme)) == (503, "ONP503_CONVERSION_TEMPORARILY_UNAVAILABLE")
