"""Numbers of boletos as the banks' manuals print them."""

from datetime import date

import pytest

from gateway.bank_files.shapes import Party
from gateway.methods.boleto.numbers import amount_of, barcode_of, digitable_line
from gateway.slips.agreements import Agreement
from gateway.slips.wallets import WALLETS, check_digit, filled, free_field

DUE = date(2026, 12, 1)

ITAU = {"branch": "0057", "account": "12345", "account_digit": "7", "wallet": "110", "number": "12345678"}


def bradesco(number: str) -> dict[str, str]:
    return {"branch": "1234", "account": "456789", "account_digit": "0", "wallet": "19", "number": number}


def test_the_example_of_itau() -> None:
    assert check_digit("341", ITAU) == "8"
    assert free_field("341", ITAU) == "1101234567880057123457000"


@pytest.mark.parametrize(("number", "check"), [("2", "8"), ("1", "P"), ("6", "0")])
def test_the_examples_of_bradesco(number: str, check: str) -> None:
    """A digit of 10 is written as P, one of 11 as 0."""
    assert check_digit("237", bradesco(number)) == check
    assert free_field("237", bradesco(number)) == f"1234190000000000{number}04567890"


def test_the_example_of_santander() -> None:
    values = {"number": "566612457800", "wallet": "101", "beneficiary_code": "1899775"}
    assert check_digit("033", values) == "2"
    assert free_field("033", values) == "9189977556661245780020101"


@pytest.mark.parametrize("bank", sorted(WALLETS))
def test_a_return_names_the_number_that_was_given(bank: str) -> None:
    holder = Party(name="Acme", bank=bank, branch="1234", account="5678", account_digit="9")
    agreement = Agreement(holder, "1", "9", 1, 99, "77")
    for number in range(1, 100):
        check = agreement.check_digit(number) if WALLETS[bank].is_returned_with_check else ""
        assert agreement.number_in(f"{number:08d}{check}") == number
    assert agreement.number_in("") is None
    assert agreement.number_in("0000000X") is None
    assert agreement.number_in("0000000²") is None
    assert agreement.number_in("0000000²1") is None


def test_a_number_with_a_wrong_check_digit_is_none_of_ours() -> None:
    agreement = Agreement(Party(name="Acme", bank="237", branch="1234", account="5678"), "1", "19", 1, 99)
    assert agreement.number_in("000000000028") == 2
    assert agreement.number_in("000000000027") is None


@pytest.mark.parametrize("bank", sorted(WALLETS))
def test_the_barcode_holds_amount_and_number(bank: str) -> None:
    holder = Party(name="Acme", bank=bank, branch="1234", account="5678", account_digit="9")
    agreement = Agreement(holder, "1", "9", 1, 99, "77")
    bars = agreement.barcode(42, DUE, 15025)
    assert (bars[:3], amount_of(bars), len(bars)) == (bank, 15025, 44)
    assert barcode_of(digitable_line(bars)) == bars
    assert agreement.digits(42) in bars


def test_what_is_longer_than_its_place_is_never_cut() -> None:
    with pytest.raises(AssertionError):
        filled("{number:3}", {"number": "1234"})
