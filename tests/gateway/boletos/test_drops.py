"""Registration files are dropped in the bank's folder once, in the order of their numbers, and its returns fetched."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from accounts.base.clock import utcnow
from accounts.base.sealing import unseal
from gateway.boletos import due
from gateway.boletos.models import RegistrationFile
from gateway.reconciliation import fetching
from tests.support.api import Api
from tests.support.boleto_bank import PAID, Bank, Said, connected, ordered, returned
from tests.support.companies import Shop
from tests.support.manual_provider import live
from tests.support.sftp import SftpBank

pytestmark = pytest.mark.django_db(transaction=True)
CENTS = 15000


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Iterator[SftpBank]:
    settings.PROVIDER_TIMEOUT_S = 5
    found = SftpBank(tmp_path)
    yield found
    found.close()


@pytest.fixture
def bank(acme: Shop, folder: SftpBank) -> Bank:
    return Bank(connected(acme, **folder.credentials))


@pytest.fixture
def shop(acme: Shop, bank: Bank, address: str) -> Api:
    return live(acme, address)


def written(shop: Api, bank: Bank) -> RegistrationFile:
    ordered(shop)
    found = bank.given()
    assert found is not None
    return found


def sweep() -> list[RegistrationFile]:
    """After the next attempt."""
    waiting = RegistrationFile.objects.filter(drop_at__isnull=False)
    waiting.update(drop_at=utcnow() - timedelta(seconds=1), leased_until=None)
    due.run_due()
    return list(RegistrationFile.objects.order_by("sequence"))


def test_files_are_dropped_in_their_order_whatever_breaks(shop: Api, bank: Bank, folder: SftpBank) -> None:
    first, second = written(shop, bank), written(shop, bank)
    folder.faults.cut, folder.faults.takes_effect = {"rename": 1}, True

    broken = sweep()
    ended = sweep()

    assert (broken[0].renaming_since is not None, broken[1].renaming_since) == (True, None)

    assert all(one.dropped_at and one.drop_at is None and one.drop_failure == "" for one in ended)
    assert folder.files() == {one.name: unseal(bytes(one.sealed_content)) for one in (first, second)}
    assert due.run_due() == 0


def test_a_file_that_was_picked_up_meanwhile_is_never_written_again(shop: Api, bank: Bank, folder: SftpBank) -> None:
    written(shop, bank)
    folder.faults.cut, folder.faults.takes_effect, folder.faults.picks_up = {"rename": 1}, True, True
    sweep()

    with capture_logs() as logs:
        [uncertain] = sweep()

    assert [one["event"] for one in logs if one["log_level"] == "critical"] == ["registration_file.possibly_dropped"]
    assert (uncertain.dropped_at, uncertain.drop_at, len(folder.taken)) == (None, None, 1)
    assert "ask the bank" in uncertain.drop_failure


def test_returns_are_fetched_from_the_folder(shop: Api, bank: Bank, folder: SftpBank) -> None:
    created = ordered(shop)
    bank.given()
    sweep()
    (folder.root / "in" / "1.ret").write_bytes(returned([Said(created["id"], PAID, CENTS)], 1))

    assert fetching.fetch() == 1
    due.run_due()

    assert shop.get(f"/payments/{created['id']}").json()["data"]["status"] == "PAID"
