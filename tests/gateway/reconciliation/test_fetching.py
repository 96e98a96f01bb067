"""The bank's own folder: its files are fetched whole, each once, and take effect by themselves."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from gateway.providers import sftp
from gateway.providers.bank_files.provider import BankFilesProvider
from gateway.providers.credentials import sealed_of
from gateway.providers.models import ProviderAccount
from gateway.reconciliation import fetching
from gateway.reconciliation.models import BankAccount, BankStatement, ImportedFile
from tests.support.bank_accounts import a_bank_account, booked, sweep
from tests.support.batches import BY_CNAB, bank_account
from tests.support.scripted_provider import rewritten
from tests.support.sftp import SftpBank
from tests.support.statements import moved, ofx

pytestmark = pytest.mark.django_db(transaction=True)
STATEMENT = ofx(moved("12,50", "1"), closing="12,50").encode()


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[SftpBank]:
    found = SftpBank(tmp_path)
    yield found
    found.close()


@pytest.fixture
def account(bank: SftpBank, settings: Any) -> BankAccount:
    settings.PROVIDER_TIMEOUT_S = 5
    rewritten()
    return a_bank_account(
        "BANK-1", bank_account(BY_CNAB | bank.credentials), numbers={"account": "123456", "account_digit": "7"}
    )


def put(bank: SftpBank, name: str, content: bytes = STATEMENT) -> Path:
    path = bank.root / "in" / name
    path.write_bytes(content)
    return path


def test_a_file_is_fetched_once_under_whatever_name(bank: SftpBank, account: BankAccount) -> None:
    put(bank, "extrato ção\n'; --.ofx")
    (bank.root / "in" / "folder").mkdir()
    put(bank, "empty.ofx", b"")

    assert fetching.fetch() == 1
    sweep()
    put(bank, "the same again.ofx")
    assert fetching.fetch() == 0

    file = ImportedFile.objects.get()
    assert (file.state, file.name, file.uploaded_by) == ("TAKEN", "extrato ção?'; --.ofx", None)
    assert (BankStatement.objects.count(), booked(account)) == (1, 1250)


def test_what_cannot_be_read_is_refused_once_and_stops_nothing(bank: SftpBank, account: BankAccount) -> None:
    put(bank, "a", b"nothing that a bank says")
    put(bank, "b.ofx")

    assert fetching.fetch() == 2
    assert fetching.fetch() == 0

    assert dict(ImportedFile.objects.values_list("name", "state")) == {"a": "REFUSED", "b.ofx": "TAKEN"}


def test_a_file_that_is_still_written_or_too_long_waits(
    bank: SftpBank, account: BankAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(bank, "whole.ofx.part")
    bank.grows = put(bank, "grows.ofx", STATEMENT[:300])
    put(bank, "gone.ofx").unlink()
    monkeypatch.setattr(sftp, "LONGEST_FILE", len(STATEMENT) + 1)
    put(bank, "long.ofx", STATEMENT + b"  ")

    assert fetching.fetch() == 0
    assert ImportedFile.objects.count() == 0

    bank.grows.write_bytes(STATEMENT)
    bank.grows = None
    assert fetching.fetch() == 1
    assert booked(account) == 0
    sweep()
    assert booked(account) == 1250


def test_a_file_that_goes_meanwhile_stops_nothing(bank: SftpBank, account: BankAccount) -> None:
    bank.goes = put(bank, "a goes.ofx", STATEMENT + b" ")
    put(bank, "b stays.ofx")

    assert fetching.fetch() == 1

    assert list(ImportedFile.objects.values_list("name", flat=True)) == ["b stays.ofx"]
    assert booked(account) == 0
    sweep()
    assert booked(account) == 1250


def test_of_too_many_files_the_newest_are_read(
    bank: SftpBank, account: BankAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sftp, "MOST_FILES", 1)
    os.utime(put(bank, "z of last year.ofx", b"nothing that a bank says"), (1, 1))
    put(bank, "a.ofx")

    with capture_logs() as told:
        assert fetching.fetch() == 1

    assert list(ImportedFile.objects.values_list("name", "state")) == [("a.ofx", "TAKEN")]
    assert [one["files"] for one in told if one["event"] == "bank_folder.too_many_files"] == [2]


def test_a_statement_that_came_too_early_is_booked_after_the_one_before_it(
    bank: SftpBank, account: BankAccount
) -> None:
    def month(number: str, amount: str, closing: str) -> bytes:
        return ofx(moved(amount, number), closing=closing).replace("202610", f"2026{number}").encode()

    put(bank, "august.ofx", month("08", "12,50", "12,50"))
    put(bank, "october.ofx", month("10", "-2,50", "17,50"))
    assert fetching.fetch() == 2
    assert fetching.fetch() == 0
    sweep()
    assert booked(account) == 1250
    assert ImportedFile.objects.get(state="REFUSED").cause == "GAP"

    put(bank, "september.ofx", month("09", "7,50", "20,00"))
    fetched = fetching.fetch() + fetching.fetch()

    assert (fetched, fetching.fetch()) == (2, 0)
    sweep()
    assert booked(account) == 1750


def test_a_host_with_another_key_is_asked_for_nothing(bank: SftpBank, account: BankAccount, tmp_path: Path) -> None:
    (tmp_path / "impostor").mkdir()
    impostor = SftpBank(tmp_path / "impostor")
    put(impostor, "forged.ofx")
    given = BY_CNAB | bank.credentials | {"sftp_port": impostor.port}
    ProviderAccount.objects.update(sealed_credentials=sealed_of(BankFilesProvider, given).sealed)

    assert fetching.fetch() == 0

    assert (ImportedFile.objects.count(), impostor.faults.steps) == (0, [])
    impostor.close()


def test_a_folder_that_fails_stops_no_other(bank: SftpBank, account: BankAccount) -> None:
    put(bank, "whole.ofx")
    broken = bank_account(BY_CNAB | {"account": "999999"})
    a_bank_account("BANK-2", broken, numbers={"account": "999999"})
    ProviderAccount.objects.filter(pk=broken.pk).update(sealed_credentials=b"sealed with a key that is lost")

    with capture_logs() as logs:
        assert fetching.fetch() == 1

    assert [one["account"] for one in logs if one["event"] == "bank_folder.failed"] == [broken.pk]
    assert booked(account) == 0
    sweep()
    assert booked(account) == 1250


def test_a_name_in_another_encoding_stops_no_other_file(bank: SftpBank, account: BankAccount) -> None:
    (bank.root / "in" / os.fsdecode(b"extrato de mar\xe7o.ofx")).write_bytes(STATEMENT + b" ")
    put(bank, "whole.ofx")

    assert fetching.fetch() == 1

    assert ImportedFile.objects.get().name == "whole.ofx"
