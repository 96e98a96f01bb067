"""Withdrawals that are paid by file: gathered once, released by two people, written once, handed over once."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from accounts.audit import Actor
from accounts.base.errors import Refusal
from accounts.models import AuditEntry, Company, Merchant
from gateway.bank_files.cnab.payment_orders import orders_of
from gateway.payout_batches import services
from gateway.payout_batches.errors import BatchChanged, BatchState, FileUnwritable, NothingToGather
from gateway.payout_batches.models import BatchOrder, PayoutBatch
from gateway.providers.models import ProviderAccount
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.models import Withdrawal
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.batches import DECLINED, bank_account, gathered, handed_over, manual_account, release, released
from tests.support.companies import Shop
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.providers import NOTE, confirms, paid_out_by
from tests.support.scripted_provider import rewritten
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def rich(acme: Shop, address: str) -> Api:
    rewritten()
    return with_real_money(acme, address)


def waiting(api: Api, shop: Shop, *amounts: float) -> list[Withdrawal]:
    """Accepted and queued: nobody is called."""
    found = [swept(accepted(api, shop, amount=amount).pk) for amount in amounts]
    assert all(one.queued_at and not one.sent_at and not one.ask_at for one in found)
    return found


def facts() -> Any:
    return list(Withdrawal.objects.order_by("pk").values_list("pk", "status", "sent_at", "sent_times", "updated_at"))


def test_withdrawals_are_gathered_once_and_written_into_one_file(rich: Api, acme: Shop) -> None:
    account = bank_account()
    paid_out_by(account)
    first, second = waiting(rich, acme, 10.00, 25.50)

    batch = gathered(account)
    assert (batch.count, batch.total, batch.state) == (2, 3550, "OPEN")
    with pytest.raises(NothingToGather):
        gathered(account)
    batch = release(batch)

    content = handed_over(batch)
    numbers = dict(BatchOrder.objects.values_list("number", "withdrawal"))
    assert {numbers[one.number]: one.amount for one in orders_of(content)} == {first.pk: 10, second.pk: 25.5}
    assert all(len(number) == 20 and number.isalnum() for number in numbers)
    stored = PayoutBatch.objects.get()
    assert (stored.state, stored.sequence, stored.size) == ("HANDED_OVER", 1, len(content))
    assert set(Withdrawal.objects.values_list("status", "sent_times", "ask_at")) == {("PROCESSING", 1, None)}
    assert [one.action for one in AuditEntry.objects.filter(object_id=batch.pk).order_by("pk")] == [
        "payout_batch.gathered", "payout_batch.released", "payout_batch.downloaded",
    ]  # fmt: skip
    assert released_again(batch) is BatchState
    waiting(rich, acme, 5)
    assert released(account).sequence == 2


def released_again(batch: PayoutBatch) -> type[Exception] | None:
    before = facts()
    with pytest.raises(BatchState) as refused:
        release(batch)
    assert facts() == before
    return refused.type


def test_a_file_is_handed_over_once_and_then_never_canceled(rich: Api, acme: Shop) -> None:
    batch = released(_with_one(rich, acme))
    handed_over(batch)
    before = facts()

    with pytest.raises(BatchState):
        handed_over(batch)
    with pytest.raises(BatchState):
        services.cancel(Actor(confirms()), batch.pk, NOTE)

    assert facts() == before


def test_what_is_canceled_before_waits_for_another_batch_under_another_number(rich: Api, acme: Shop) -> None:
    account = _with_one(rich, acme)
    batch = released(account)
    ProviderAccount.objects.filter(pk=account.pk).update(status="PAUSED")
    with pytest.raises(BatchChanged):
        handed_over(batch)
    ProviderAccount.objects.filter(pk=account.pk).update(status="ACTIVE")
    services.cancel(Actor(confirms()), batch.pk, NOTE)
    with pytest.raises(BatchState):
        handed_over(batch)

    again = released(account)

    (withdrawal,) = Withdrawal.objects.all()
    assert (withdrawal.status, withdrawal.sent_times, again.sequence) == ("PROCESSING", 1, 2)
    numbers = BatchOrder.objects.order_by("number").values_list("is_live", flat=True)
    assert list(numbers) == [False, True]


@pytest.mark.parametrize("changed", ["failed", "suspended", "switched off", "other amount"])
@pytest.mark.parametrize("when", ["before release", "before the file is handed over"])
def test_what_has_changed_since_is_neither_released_nor_handed_over(
    rich: Api, acme: Shop, changed: str, when: str
) -> None:
    account = _with_one(rich, acme)
    batch = gathered(account) if when == "before release" else released(account)
    (withdrawal,) = Withdrawal.objects.all()
    if changed == "failed":
        withdrawals.decide(acme.production, withdrawal.pk, DECLINED)
    elif changed == "suspended":
        Company.objects.filter(pk=acme.company.pk).update(status="SUSPENDED")
    elif changed == "switched off":
        Merchant.objects.filter(pk=acme.production.pk).update(withdrawal_enabled=False)
    else:
        BatchOrder.objects.update(amount=1)
    before = facts()

    with pytest.raises(BatchChanged):
        release(batch) if when == "before release" else handed_over(batch)

    assert facts() == before
    assert PayoutBatch.objects.get().downloads == 0
    services.cancel(Actor(confirms()), batch.pk, NOTE)


def test_what_waits_for_approval_is_in_no_file_whatever_else_is_wrong(rich: Api, acme: Shop) -> None:
    account = _with_one(rich, acme)
    batch = gathered(account)
    waits = {"approvals_required": 1, "approval_expires_at": "2030-01-01T00:00Z", "approval_digest": b"1"}
    for instant in ("sent_at", "queued_at"):
        with pytest.raises(IntegrityError), transaction.atomic():
            Withdrawal.objects.update(approval="PENDING", **waits, **{instant: "2026-01-01T00:00Z"})
    Withdrawal.objects.update(approval="APPROVED", approvals_given=1, **waits)

    with pytest.raises(BatchChanged):
        release(batch)
    Withdrawal.objects.update(
        approval=None, approvals_given=0, approvals_required=0, approval_expires_at=None, approval_digest=None
    )

    assert PayoutBatch.objects.get().state == "OPEN"
    assert Withdrawal.objects.get().sent_at is None


def tried(act: Callable[[], Any]) -> Callable[[], Any]:
    """What it gives, or the refusal."""

    def call() -> Any:
        try:
            return act()
        except Refusal as refusal:
            return refusal

    return call


def test_two_at_once_gather_release_and_download_once(rich: Api, acme: Shop) -> None:
    account = manual_account()
    waiting(rich, acme, 1, 2, 3)

    made = at_once(*[tried(lambda: gathered(account))] * 2)
    (batch,) = PayoutBatch.objects.all()
    assert sum(isinstance(one, PayoutBatch) for one in made) == 1
    at_once(*[tried(lambda: release(batch))] * 2)
    taken = at_once(*[tried(lambda: handed_over(batch))] * 3)

    assert sum(isinstance(one, bytes) for one in taken) == 1
    batch.refresh_from_db()
    assert (batch.downloads, batch.sequence, batch.count) == (1, 1, 3)
    assert set(Withdrawal.objects.values_list("sent_times", flat=True)) == {1}


def test_an_order_that_the_format_cannot_carry_is_named_and_nothing_is_written(rich: Api, acme: Shop) -> None:
    account = bank_account(BY_OTHER_BANK)
    paid_out_by(account)
    waiting(rich, acme, 1)
    batch = gathered(account)
    before = facts()

    with pytest.raises(FileUnwritable) as refused:
        release(batch)

    assert refused.value.faults[0].message
    assert facts() == before
    assert PayoutBatch.objects.get().sealed_file is None


BY_OTHER_BANK = {
    "format": "CNAB 240", "currency": "BRL", "holder": "Onpay", "tax_id": "11222333000181", "bank": "999",
    "branch": "1", "account": "1", "account_digit": "1", "agreement": "1",
}  # fmt: skip


def test_the_sandbox_has_no_files(acme: Shop, api: Api, address: str) -> None:
    account = manual_account()
    w.register(acme, address)
    w.fund(api)
    assert swept(accepted(api, acme).pk).queued_at is None
    with pytest.raises(NothingToGather):
        gathered(account)


def _with_one(api: Api, shop: Shop) -> Any:
    account = manual_account()
    waiting(api, shop, 10)
    return account
