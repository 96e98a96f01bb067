"""A payment file is dropped in the bank's folder once, wherever the connection breaks."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from accounts.audit import Actor
from accounts.base.clock import utcnow
from gateway.payout_batches import drops, due, services
from gateway.payout_batches.errors import BatchState
from gateway.payout_batches.models import PayoutBatch
from gateway.providers.bank_files.provider import BankFilesProvider
from gateway.providers.credentials import sealed_of
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.batches import BY_CNAB, DECLINED, bank_account, handed_over, released
from tests.support.companies import Shop
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.providers import NOTE, confirms, paid_out_by
from tests.support.scripted_provider import rewritten
from tests.support.sftp import SftpBank

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[SftpBank]:
    found = SftpBank(tmp_path)
    yield found
    found.close()


@pytest.fixture
def batch(acme: Shop, address: str, bank: SftpBank, settings: Any) -> PayoutBatch:
    """Released, with one order; nothing is dropped yet."""
    settings.PROVIDER_TIMEOUT_S = 5
    rewritten()
    api: Api = with_real_money(acme, address)
    account = bank_account(BY_CNAB | bank.credentials)
    paid_out_by(account)
    swept(accepted(api, acme).pk)
    made = released(account)
    bank.faults.steps.clear()
    return made


def dropped(**changes: Any) -> PayoutBatch:
    """After the next attempt."""
    PayoutBatch.objects.filter(drop_at__isnull=False).update(
        drop_at=utcnow() - timedelta(seconds=1), leased_until=None, **changes
    )
    due.run_due()
    return PayoutBatch.objects.get()


def test_a_released_file_is_dropped_whole_and_once(batch: PayoutBatch, bank: SftpBank) -> None:
    with pytest.raises(BatchState):
        handed_over(batch)

    assert dropped().state == "HANDED_OVER"

    assert bank.files() == {batch.file_name: services.content_of(batch)}
    assert due.run_due() == 0
    with pytest.raises(BatchState):
        services.cancel(Actor(confirms()), batch.pk, NOTE)


@pytest.mark.parametrize("step", ["open", "write", "stat", "rename"])
def test_a_connection_that_breaks_anywhere_leads_to_one_file(batch: PayoutBatch, bank: SftpBank, step: str) -> None:
    bank.faults.cut[step] = 1

    broken = dropped()
    assert (broken.state, bool(broken.drop_failure)) == ("DROPPING", True)
    assert batch.file_name not in bank.files()
    assert dropped().state == "HANDED_OVER"

    assert bank.files() == {batch.file_name: services.content_of(batch)}
    assert bank.faults.steps.count("rename") == (2 if step == "rename" else 1)


def test_a_rename_that_took_effect_is_found(batch: PayoutBatch, bank: SftpBank) -> None:
    bank.faults.cut["rename"], bank.faults.takes_effect = 1, True

    assert dropped().state == "DROPPING"
    bank.faults.takes_effect = False
    assert dropped().state == "HANDED_OVER"

    assert list(bank.files()) == [batch.file_name]
    assert bank.faults.steps.count("rename") == 1


def test_a_file_that_was_picked_up_meanwhile_is_never_written_again(
    batch: PayoutBatch, bank: SftpBank, capsys: pytest.CaptureFixture[str]
) -> None:
    bank.faults.cut["rename"], bank.faults.takes_effect, bank.faults.picks_up = 1, True, True
    dropped()
    bank.faults.takes_effect = False

    uncertain = dropped()

    assert (uncertain.state, uncertain.drop_at, bank.files()) == ("UNCERTAIN", None, {})
    assert len(bank.taken) == 1
    assert "payout_batch.possibly_dropped" in capsys.readouterr().err
    for refused in (lambda: handed_over(batch), lambda: services.cancel(Actor(confirms()), batch.pk, NOTE)):
        with pytest.raises(BatchState):
            refused()
    with transaction.atomic():
        drops.clear(Actor(confirms()), services.hold(batch.pk), NOTE, was_dropped=True)
    assert PayoutBatch.objects.get().state == "HANDED_OVER"
    assert due.run_due() == 0


def test_a_file_of_the_same_name_is_never_overwritten(batch: PayoutBatch, bank: SftpBank) -> None:
    (bank.root / "out" / batch.file_name).write_bytes(b"somebody else's")

    assert dropped().state == "DROPPING"
    assert bank.files()[batch.file_name] == b"somebody else's"


def test_a_host_with_another_key_gets_nothing(batch: PayoutBatch, bank: SftpBank, tmp_path: Path) -> None:
    (tmp_path / "impostor").mkdir()
    impostor = SftpBank(tmp_path / "impostor")
    batch.account.refresh_from_db()
    given = BY_CNAB | bank.credentials | {"sftp_port": impostor.port}
    batch.account.sealed_credentials = sealed_of(BankFilesProvider, given).sealed
    batch.account.save(update_fields=["sealed_credentials"])

    failed = dropped()

    assert failed.state == "DROPPING" and "key" in failed.drop_failure
    assert (impostor.files(), impostor.faults.steps) == ({}, [])
    impostor.close()
    services.cancel(Actor(confirms()), batch.pk, NOTE)
    assert Withdrawal.objects.get().sent_at is None


def test_what_failed_before_it_was_dropped_is_not_dropped(batch: PayoutBatch, bank: SftpBank, acme: Shop) -> None:
    withdrawals.decide(acme.production, Withdrawal.objects.get().pk, DECLINED)

    stopped = dropped()

    assert (stopped.state, stopped.drop_at, bank.files()) == ("RELEASED", None, {})


@pytest.mark.parametrize("step", ["open", "stat", "while it is uploaded"])
def test_what_failed_after_a_broken_attempt_is_not_dropped(
    batch: PayoutBatch, bank: SftpBank, acme: Shop, step: str
) -> None:
    """Staff end a withdrawal when the bank's folder cannot be reached: its money is free again."""
    if step == "while it is uploaded":
        with transaction.atomic():
            uploading = drops.begin(services.hold(batch.pk), utcnow())
    else:
        bank.faults.cut[step] = 1
        assert dropped().state == "DROPPING"
    withdrawals.decide(acme.production, Withdrawal.objects.get().pk, DECLINED)
    if step == "while it is uploaded":
        assert uploading is not None
        uploading()

    stopped = dropped()

    assert (stopped.state, stopped.drop_at, stopped.renaming_since) == ("RELEASED", None, None)
    assert batch.file_name not in bank.files()
    assert "failed" in stopped.drop_failure
    services.cancel(Actor(confirms()), batch.pk, NOTE)


def test_a_process_that_was_overtaken_renames_nothing(batch: PayoutBatch, bank: SftpBank) -> None:
    with transaction.atomic():
        slow = drops.begin(services.hold(batch.pk), utcnow())
    assert slow is not None
    PayoutBatch.objects.update(leased_until=utcnow() - timedelta(seconds=1))
    assert dropped().state == "HANDED_OVER"
    renamed = bank.faults.steps.count("rename")

    with pytest.raises(Exception, match="another process took over"):
        slow()

    assert bank.faults.steps.count("rename") == renamed
    assert PayoutBatch.objects.get().state == "HANDED_OVER"
