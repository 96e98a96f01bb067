"""Money that is converted there and back, or round several corners, never becomes more."""

import contextlib
import os
import random
import secrets
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accounts.models import Environment, Merchant
from ledger.money import DECIMALS, convert, to_minor
from ledger.rates.services import NoRate, applied_rate, market_rate
from ledger.rates.table import SANDBOX

OPS = int(os.environ.get("OPS") or 100_000)
SEED = int(os.environ.get("SEED") or secrets.randbits(32))
OPS_PER_TABLE = 100
LARGEST = to_minor(Decimal("999999999999.99"), "BRL")
WALLETS = ("BRL", "MXN", "EUR", "ARS", "COP")
SPREADS = (Decimal(0), Decimal("0.0001"), Decimal("1.5"), Decimal(20))
MERCHANT = Merchant(environment=Environment.SANDBOX)
"""Whose market is a table, which these tests fill."""

Corner = tuple[str, Decimal]
"""A currency, and the spread on the way to it."""


def through(minor: int, start: str, corners: Sequence[Corner]) -> int:
    """What is left of the amount after it was converted from corner to corner."""
    source = start
    for currency, spread in corners:
        minor = convert(minor, source, currency, applied_rate(market_rate(MERCHANT, source, currency), spread))
        source = currency
    return minor


def a_worth(dice: random.Random) -> Decimal:
    """Of any size there is between currencies, with few digits or many."""
    digits = dice.choice((1, 2, 4, 15))
    return Decimal(dice.randrange(1, 10**digits)).scaleb(dice.randint(-4, 4) - digits // 2)


def an_amount(dice: random.Random) -> int:
    return min(LARGEST, dice.randrange(1, 10 ** dice.randint(1, 15)))


def a_spread(dice: random.Random) -> Decimal:
    return dice.choice(SPREADS) if dice.random() < 0.5 else Decimal(dice.randrange(200_001)).scaleb(-4)


def test_a_way_that_ends_where_it_began_never_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    dice, gained, lost = random.Random(SEED), [], 0
    for number in range(OPS):
        if number % OPS_PER_TABLE == 0:
            for currency in WALLETS:
                monkeypatch.setitem(SANDBOX, currency, a_worth(dice))
        start, *corners = dice.sample(WALLETS, dice.choice((2, 2, 3)))
        way = [(currency, a_spread(dice)) for currency in (*corners, start)]
        minor = an_amount(dice)
        try:
            left = through(minor, start, way)
        except NoRate:
            continue
        lost += left < minor
        if left > minor:
            gained.append((minor, left, start, way, dict(SANDBOX)))

    assert gained == [], f"SEED={SEED}"
    assert OPS // 2 < lost <= OPS, f"SEED={SEED}: hardly any of the ways could be gone"


def worths(digits: st.SearchStrategy[int], exponents: st.SearchStrategy[int]) -> st.SearchStrategy[Decimal]:
    return st.builds(lambda number, exponent: Decimal(number).scaleb(exponent), digits, exponents)


WORTH = worths(st.integers(1, 10**9), st.integers(-6, 0)) | worths(st.integers(10**9, 10**15), st.integers(-12, -6))
SPREAD = st.builds(lambda hundredths: Decimal(hundredths).scaleb(-4), st.integers(0, 200_000))
AMOUNT = st.integers(1, LARGEST)
NONE = Decimal(0)


@given(AMOUNT, WORTH, WORTH, SPREAD, SPREAD)
@example(LARGEST, Decimal(1), Decimal(3), NONE, NONE)
@example(LARGEST, Decimal(3), Decimal(7), NONE, NONE)
@example(LARGEST, Decimal("0.0001572"), Decimal(1), NONE, NONE)
@example(LARGEST, Decimal(7), Decimal(7), NONE, NONE)
@example(1, Decimal(2), Decimal(1), NONE, NONE)
@example(1, Decimal(1), Decimal("0.9999999999"), Decimal("0.0001"), NONE)
def test_there_and_back_never_gains(minor: int, one: Decimal, other: Decimal, first: Decimal, second: Decimal) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(SANDBOX, "BRL", one)
        patched.setitem(SANDBOX, "MXN", other)
        with contextlib.suppress(NoRate):
            assert through(minor, "BRL", [("MXN", first), ("BRL", second)]) <= minor


@given(AMOUNT, WORTH, WORTH, WORTH, SPREAD)
@example(LARGEST, Decimal(1), Decimal(3), Decimal(7), NONE)
@example(LARGEST, Decimal("0.1572"), Decimal("262.4"), Decimal("745.2"), NONE)
def test_round_three_corners_never_gains(
    minor: int, one: Decimal, other: Decimal, third: Decimal, spread: Decimal
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        for currency, worth in zip(("BRL", "MXN", "COP"), (one, other, third), strict=True):
            patched.setitem(SANDBOX, currency, worth)
        with contextlib.suppress(NoRate):
            assert through(minor, "BRL", [("MXN", spread), ("COP", NONE), ("BRL", spread)]) <= minor


@given(AMOUNT, st.permutations(WALLETS), SPREAD)
@example(LARGEST, ["EUR", "COP", "BRL", "MXN", "ARS"], NONE)
def test_nobody_gets_more_than_the_market_and_what_is_got_fits_the_books(
    minor: int, wallets: list[str], spread: Decimal
) -> None:
    source, destination = wallets[:2]
    market = market_rate(MERCHANT, source, destination)
    applied = applied_rate(market, spread)

    exact = Fraction(SANDBOX[destination]) / Fraction(SANDBOX[source])
    assert 0 <= exact - Fraction(market) < Fraction(1, 10**10)
    assert applied <= market
    got = convert(minor, source, destination, applied)
    assert got <= convert(minor, source, destination, market) <= minor * exact
    assert minor * Fraction(applied) - 1 < got < 2**63


@given(st.integers(1, 10**14), st.sampled_from(sorted(DECIMALS)), st.sampled_from(sorted(DECIMALS)), WORTH)
def test_what_is_converted_is_rounded_down_and_by_less_than_the_least_unit(
    minor: int, source: str, destination: str, rate: Decimal
) -> None:
    worth = Fraction(minor, 10 ** DECIMALS[source]) * Fraction(rate) * 10 ** DECIMALS[destination]

    assert 0 <= worth - convert(minor, source, destination, rate) < 1


@pytest.mark.parametrize(
    ("spread", "applied"),
    [("0", "0.3047386865"), ("1.5", "0.3001676062"), ("50", "0.1523693433"), ("100", "0"), ("0.0001", "0.3047383818")],
)
def test_an_applied_rate_rounds_halves_up(spread: str, applied: str) -> None:
    assert applied_rate(Decimal("0.3047386865"), Decimal(spread)) == Decimal(applied)


def test_crypto_of_the_contract_is_worked_out_by_hand() -> None:
    applied = applied_rate(market_rate(MERCHANT, "BRL", "USDT"), Decimal("1.5"))

    assert (applied, convert(100_000, "BRL", "USDT", applied)) == (Decimal("0.180649"), 180_649_000)
