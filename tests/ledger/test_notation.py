"""Amounts: what a page writes is read back, and what can be two amounts is refused."""

from decimal import Decimal

import pytest
from django.conf import settings
from django.utils import translation
from hypothesis import example, given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from ledger import notation
from ledger.money import DECIMALS, MAX_AMOUNT, to_decimal, to_minor
from ledger.notation import NONE, TwoReadings, Unreadable, counted, in_market, read, typed, written
from tests.support.effort import tries

LANGUAGES = [code for code, _ in settings.LANGUAGES]
MARKETS = ["", "BR", "MX", "AR", "CO", "PT"]
every_page = pytest.mark.parametrize(
    ("language", "market"), [(language, market) for language in LANGUAGES for market in MARKETS]
)
every_currency = pytest.mark.parametrize("currency", DECIMALS)
few = settings_of_hypothesis(max_examples=tries(5, 200))
minor_units = st.integers(-to_minor(MAX_AMOUNT, "BRL"), to_minor(MAX_AMOUNT, "BRL"))
SPACES = ["\u00a0", "\u202f", " "]


@pytest.mark.a_third_a_day
@every_page
@every_currency
@few
@given(minor=minor_units, coded=st.booleans(), space=st.sampled_from(SPACES))
@example(minor=0, coded=True, space=" ")
@example(minor=-1_000_000, coded=False, space=" ")
@example(minor=1_000_000, coded=False, space="\u202f")
@example(minor=1_000_000_000, coded=False, space=" ")
def test_what_is_written_is_read_back(
    language: str, market: str, currency: str, minor: int, coded: bool, space: str
) -> None:
    amount = to_decimal(minor, currency)

    with translation.override(language), in_market(market):
        text = written(amount, currency, coded=coded).replace("\u00a0", space)

        assert read(text, currency) == amount
        assert read(typed(abs(amount))) == abs(amount)


@every_page
@few
@given(number=st.integers(0, 10**15))
def test_what_has_a_sign_or_a_code_of_its_own_is_read_without_a_currency(
    language: str, market: str, number: int
) -> None:
    with translation.override(language), in_market(market):
        for currency in DECIMALS:
            text = written(Decimal(number), currency, coded=True)

            assert read(text) == number, text


@every_page
@few
@given(digits=st.from_regex(r"[1-9][0-9]{0,2}[.,][0-9]{3}", fullmatch=True), currency=st.sampled_from(list(DECIMALS)))
def test_thousands_that_can_be_decimals_are_never_guessed(
    language: str, market: str, digits: str, currency: str
) -> None:
    whole, exact = Decimal(digits.replace(".", "").replace(",", "")), Decimal(digits.replace(",", "."))

    with translation.override(language), in_market(market):
        if written(whole, currency).replace("\u00a0", " ").strip("$COP ") == digits:
            assert read(digits, currency) == whole
            return
        with pytest.raises(TwoReadings) as refused:
            read(digits, currency)

    assert refused.value.readings == (whole, exact)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("10.000,00", "10000"), ("10,000.00", "10000"), ("10 000,00", "10000"), ("10000", "10000"), ("10,00", "10"),
        ("1.234.567", "1234567"), ("1,234,567.8", "1234567.8"), ("1'", None), ("0.500", "0.5"), ("0,001", "0.001"),
        (".5", "0.5"), ("R$ 56,14", "56.14"), ("R$56.14", "56.14"), ("brl 56,14", "56.14"), ("56,14 BRL", "56.14"),
        ("−5,00", "-5"), ("-5,00", "-5"), ("1.2345", "1.2345"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_has_one_reading_is_read_alike_in_every_language(language: str, text: str, amount: str | None) -> None:
    with translation.override(language):
        if amount is None:
            with pytest.raises(Unreadable):
                read(text, "BRL")
        else:
            assert read(text, "BRL") == Decimal(amount)


@pytest.mark.parametrize(
    "text",
    [
        "1e5", "1_000", "NaN", "12.34,5", "1.234.56", "1,23,456", "1 2", "5.", ",", "١٢", "US$ 5", "5 MXN", "€5",
        "x" * 99, "--5", "5-",
    ],
)  # fmt: skip
def test_what_is_no_amount_of_the_currency_is_not_read(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text, "BRL")


def test_nothing_is_read_from_nothing() -> None:
    assert read("") is read(" ") is read(NONE) is None


@pytest.mark.parametrize(
    ("language", "market", "texts"),
    [
        ("es", "MX", ["$22,867.42", "R$5.00", "USD 5.00", "−$1.50", "$85,000.00 MXN"]),
        ("es", "CO", ["MXN 22.867,42", "R$ 5,00", "USD 5,00", "−MXN 1,50", "MXN 85.000,00"]),
        ("es", "", ["MXN 22,867.42", "R$5.00", "USD 5.00", "−MXN 1.50", "MXN 85,000.00"]),
        ("pt-br", "BR", ["MXN 22.867,42", "R$ 5,00", "USD 5,00", "−MXN 1,50", "MXN 85.000,00"]),
        ("en", "MX", ["MXN 22,867.42", "R$5.00", "USD 5.00", "−MXN 1.50", "MXN 85,000.00"]),
    ],
)
def test_each_market_writes_in_its_own_way(language: str, market: str, texts: list[str]) -> None:
    with translation.override(language), in_market(market):
        shown = [
            written(Decimal("22867.42"), "MXN"),
            written(Decimal(5), "BRL"),
            written(Decimal(5), "USD"),
            written(Decimal("-1.5"), "MXN"),
            written(Decimal(85000), "MXN", coded=True),
        ]

    assert [text.replace("\u00a0", " ") for text in shown] == texts


@pytest.mark.parametrize(
    ("market", "amount", "text"),
    [("CO", "85000", "$ 85.000"), ("CO", "85000.50", "$ 85.000,50"), ("AR", "85000", "COP 85.000")],
)
def test_colombians_write_cents_only_where_there_are_any(market: str, amount: str, text: str) -> None:
    with translation.override("es"), in_market(market):
        assert written(Decimal(amount), "COP").replace("\u00a0", " ") == text


def test_argentines_and_portuguese_write_in_their_own_way() -> None:
    with translation.override("es"), in_market("AR"):
        assert written(Decimal("685610.23"), "ARS") == "$\u00a0685.610,23"
    with translation.override("pt-br"), in_market("PT"):
        assert written(Decimal("12345.67"), "EUR") == "12\u00a0345,67\u00a0€"
    with translation.override("en"), in_market("AR"):
        assert written(Decimal("310191.84"), "ARS") == "ARS\u00a0310,191.84"


def test_counts_are_grouped_as_the_market_groups() -> None:
    with translation.override("es"):
        with in_market("MX"):
            assert counted(12345) == "12,345"
        with in_market("AR"):
            assert counted(12345) == "12.345"
    assert notation.notation() == notation.ENGLISH
