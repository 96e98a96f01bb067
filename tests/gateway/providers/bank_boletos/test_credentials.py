"""What staff may enter of an agreement with a bank."""

from typing import Any

import pytest

from gateway.providers.bank_boletos.credentials import BoletoCredentials
from gateway.providers.bank_boletos.provider import BankBoletoProvider
from gateway.providers.credentials import sealed_of
from gateway.providers.errors import AccountOfAnother, InvalidAccount
from tests.support.boleto_bank import BRADESCO, CREDENTIALS, SANTANDER, connected
from tests.support.companies import Shop


@pytest.mark.parametrize("given", [CREDENTIALS, BRADESCO, SANTANDER])
def test_an_agreement_is_taken_as_the_letter_of_the_bank_names_it(given: dict[str, Any]) -> None:
    shown = sealed_of(BankBoletoProvider, given | {"tax_id": "11.444.777/0001-61", "branch": "12-34"}).shown
    assert (shown["tax_id"], shown["branch"]) == ("11444777000161", "1234")


@pytest.mark.parametrize(
    "wrong",
    [
        {"bank": "001"},
        {"tax_id": "11444777000162"},
        {"branch": "12345"},
        {"branch": "12A4"},
        {"account": "567890"},  # of Itaú: five digits
        {"account_digit": ""},
        {"wallet": "1099"},
        {"first_number": 0},
        {"first_number": 2001},
        {"last_number": 10**8},
        {"beneficiary_code": "1899775"},
        SANTANDER | {"beneficiary_code": ""},
        SANTANDER | {"agreement": "1899775"},
        SANTANDER | {"beneficiary_code": "12345678"},
    ],
)
def test_what_does_not_fit_the_bank_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidAccount):
        sealed_of(BankBoletoProvider, CREDENTIALS | wrong)


def test_numbers_are_counted_for_the_agreement_however_it_was_entered() -> None:
    again = CREDENTIALS | {"branch": "1 234", "first_number": 1500}
    one, other = (BoletoCredentials(**given) for given in (CREDENTIALS, again))
    assert one.of_the_bank.series == other.of_the_bank.series == "341/1234/56789/109"


def test_an_account_collects_for_one_owner(acme: Shop, globex: Shop) -> None:
    connected(acme, **BRADESCO)
    connected(acme, **BRADESCO | {"wallet": "19"})
    for same in ({}, {"wallet": "19"}, {"wallet": "009", "account": "0456789"}):
        with pytest.raises(AccountOfAnother):
            connected(globex, **BRADESCO | same)
