"""A bank account that pays by file, as staff enter it."""

from typing import Any

import pytest
from pydantic import ValidationError

from gateway.providers.bank_files.credentials import BankFilesCredentials
from gateway.providers.bank_files.provider import BankFilesProvider
from tests.support.batches import BY_CNAB, BY_PAIN


def provider(given: dict[str, Any]) -> BankFilesProvider:
    return BankFilesProvider(BankFilesCredentials.model_validate(given))


def test_an_account_pays_out_the_rails_of_its_currency() -> None:
    assert provider(BY_CNAB).pays_out() == {("PIX", "BRL"), ("BANK_TRANSFER", "BRL")}
    assert provider(BY_PAIN).pays_out() == {("SPEI", "MXN")}
    assert provider(BY_CNAB | {"tax_id": "11.222.333/0001-81"}).by_file().payer.tax_id == "11222333000181"
    assert all(rail.is_by_batch for rail in provider(BY_CNAB).payout_rails())


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"agreement": ""}, "the agreement"),
        ({"currency": "MXN"}, "CNAB 240 files pay in BRL"),
        ({"account_digit": ""}, "its digit"),
        ({"iban": "BR1500000000000010932840814P1"}, "The IBAN is not valid"),
        ({"sftp_host": "sftp.bank.example"}, "host key"),
        ({"sftp_host_key": "AAAAB3Nz"}, "host key"),
        ({"sftp_host_key": "ssh-ed25519 AAAAB"}, "host key"),
        ({"sftp_host_key": "ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIA=="}, "host key"),
        ({"sftp_folder_out": "../etc"}, "without `..`"),
        ({"gathered_at": "10:00 25:00"}, "times such as"),
        ({"zone": "Sao Paulo"}, "time zone"),
        ({"tax_id": "ab"}, "5 to 20 digits and capitals"),
        ({"branch": "12 34 A"}, "at most 12 digits"),
    ],
)
def test_what_is_missing_or_wrong_is_named(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        provider(BY_CNAB | changed)
