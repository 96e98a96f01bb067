"""How banks number boletos of an agreement, and what they want in the 25 digits of the barcode that are their own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gateway.methods.boleto.numbers import mod10

_PLACE = re.compile(r"\{(\w+)(?::(\d+))?\}")
_BASE = 11


@dataclass(frozen=True, slots=True)
class Wallet:
    """`check_over` are the digits of which the check digit is made: by modulo 10, or by modulo 11 with weights from 2
    up to `highest`, where 10 is written as `ten` and 11 as 0.
    """

    title: str
    wallet_digits: int
    number_digits: int
    account_digits: int
    check_over: str
    free_field: str
    highest: int = 0
    ten: str = "0"
    is_returned_with_check: bool = False


WALLETS: Mapping[str, Wallet] = {
    "033": Wallet(
        title="Santander",
        wallet_digits=3,
        number_digits=12,
        account_digits=9,
        check_over="{number:12}",
        free_field="9{beneficiary_code:7}{number:12}{check}0{wallet:3}",
        highest=9,
        is_returned_with_check=True,
    ),
    "237": Wallet(
        title="Bradesco",
        wallet_digits=2,
        number_digits=11,
        account_digits=7,
        check_over="{wallet:2}{number:11}",
        free_field="{branch:4}{wallet:2}{number:11}{account:7}0",
        highest=7,
        ten="P",
        is_returned_with_check=True,
    ),
    "341": Wallet(
        title="Itaú",
        wallet_digits=3,
        number_digits=8,
        account_digits=5,
        check_over="{branch:4}{account:5}{wallet:3}{number:8}",
        free_field="{wallet:3}{number:8}{check}{branch:4}{account:5}{account_digit}000",
    ),
}
"""By the code of the bank."""


def check_digit(bank: str, values: Mapping[str, str]) -> str:
    """Of the nosso número. `values` are its number, wallet, branch and account."""
    wallet = WALLETS[bank]
    digits = filled(wallet.check_over, values)
    if not wallet.highest:
        return str(mod10(digits))
    span = wallet.highest - 1
    total = sum(int(digit) * (2 + place % span) for place, digit in enumerate(reversed(digits)))
    rest = _BASE - total % _BASE
    return {10: wallet.ten, 11: "0"}.get(rest, str(rest))


def free_field(bank: str, values: Mapping[str, str]) -> str:
    """The bank's 25 digits of the barcode. `values` also have the account's digit."""
    found = filled(WALLETS[bank].free_field, {**values, "check": check_digit(bank, values)})
    assert len(found) == 25, "the layout of a bank has 25 digits"
    return found


def filled(layout: str, values: Mapping[str, str]) -> str:
    """The layout with its values in it, filled up with zeros."""

    def one(place: re.Match[str]) -> str:
        width = int(place[2] or 1)
        text = values[place[1]].lstrip("0").rjust(width, "0")
        assert len(text) == width, f"{place[1]} has more than {width} digits"
        return text

    return _PLACE.sub(one, layout)
