"""Money is exact: nothing is rounded on the way in, and the parts always make the whole."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import money


@given(st.integers(1, 10**14), st.sampled_from(sorted(money.DECIMALS)))
def test_minor_units_and_decimals_are_the_same_amount(minor: int, currency: str) -> None:
    amount = money.to_decimal(minor, currency)

    assert money.to_minor(amount, currency) == minor
    assert -amount.as_tuple().exponent == money.DECIMALS[currency]


@pytest.mark.parametrize(("amount", "currency"), [("0.001", "BRL"), ("1.234", "COP"), ("0.000000001", "BTC")])
def test_more_decimals_than_the_currency_has_are_refused_never_rounded(amount: str, currency: str) -> None:
    with pytest.raises(ValueError, match="decimals"):
        money.to_minor(Decimal(amount), currency)


@pytest.mark.parametrize(
    ("minor", "percentage", "fixed", "fee"),
    [
        (15000, "0.99", 1, 150),  # 148.5 + 1 = 149.5, and halves go up
        (100, "0.99", 1, 2),
        (20000, "3.99", 0, 798),
        (1, "0.99", 0, 0),
    ],
)
def test_fees_round_halves_up(minor: int, percentage: str, fixed: int, fee: int) -> None:
    assert money.fee(minor, Decimal(percentage), fixed) == fee
