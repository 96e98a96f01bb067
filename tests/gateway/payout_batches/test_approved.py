"""Only what people approved, as they approved it, gets into a payment file."""

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.sealing import seal
from accounts.models import ApiKey
from accounts.services import revoke_key
from gateway.payout_batches import services
from gateway.payout_batches.errors import BatchChanged, NothingToGather
from gateway.payout_batches.models import BatchOrder, PayoutBatch
from gateway.withdrawals.approvals.errors import Unapproved
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.provider import put_in_file, queue
from tests.support.api import Api
from tests.support.approvals import age, an_approver, approve, key_of, set_rules, the_owner
from tests.support.batches import gathered, manual_account, release
from tests.support.companies import Shop
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.providers import confirms
from tests.support.scripted_provider import rewritten

pytestmark = pytest.mark.django_db(transaction=True)

CHANGES: dict[str, dict[str, Any]] = {
    "amount": {"amount": 999_00, "payout_amount": 999_00},
    "destination": {"sealed_destination": seal(b'{"pixKey": "thief@example.com", "pixKeyType": "EMAIL"}')},
}


@pytest.fixture
def approver(acme: Shop, address: str) -> Api:
    rewritten()
    owner = the_owner(acme)
    made = an_approver(acme, address, by=owner, merchant=acme.production)
    age(*ApiKey.objects.filter(merchant=acme.production), *owner.memberships.all())
    return made


@pytest.fixture
def approved(acme: Shop, address: str, approver: Api) -> Iterator[Withdrawal]:
    """Approved by another key, and queued for a file. What a test changed behind the books' back is undone."""
    api = with_real_money(acme, address)
    manual_account()
    set_rules(acme.production, the_owner(acme), people=1, above={"BRL": 0}, keys=True)
    waits = swept(accepted(api, acme, amount=10).pk)
    assert (waits.approval, waits.queued_at, waits.sent_at) == ("PENDING", None, None)
    with pytest.raises(Unapproved):
        queue(waits, utcnow())
    assert approve(approver, {"id": waits.pk}).status_code == 201
    found = swept(waits.pk)
    assert found.queued_at is not None
    yield found
    Withdrawal.objects.update(amount=found.amount, payout_amount=found.payout_amount)


def facts() -> Any:
    return list(Withdrawal.objects.values_list("status", "sent_at", "sent_times", "rail_reference"))


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_before_it_was_gathered_gets_into_no_batch(
    approved: Withdrawal, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = facts()
    Withdrawal.objects.update(**CHANGES[change])

    with pytest.raises(NothingToGather):
        gathered(approved.account)

    assert (facts(), BatchOrder.objects.count()) == (before, 0)
    assert "withdrawal.changed_after_approval" in capsys.readouterr().err


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_after_it_was_gathered_gets_into_no_file(
    approved: Withdrawal, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    batch, before = gathered(approved.account), facts()
    Withdrawal.objects.update(**CHANGES[change])
    BatchOrder.objects.update(amount=Withdrawal.objects.get().payout_amount)

    with pytest.raises(BatchChanged):
        release(batch)
    with pytest.raises(Unapproved):
        put_in_file(Withdrawal.objects.get(), utcnow())

    stored = PayoutBatch.objects.get()
    assert (facts(), stored.state, stored.sealed_file) == (before, "OPEN", None)
    assert "withdrawal.changed_after_approval" in capsys.readouterr().err


def test_an_approval_that_no_longer_counts_keeps_it_out_of_the_file(approved: Withdrawal, approver: Api) -> None:
    batch, before = gathered(approved.account), facts()
    revoke_key(key_of(approver))

    with pytest.raises(BatchChanged):
        release(batch)
    assert (facts(), PayoutBatch.objects.get().state) == (before, "OPEN")
    services.cancel(Actor(confirms()), batch.pk, "Approve it again")
    with pytest.raises(NothingToGather):
        gathered(approved.account)

    waits = Withdrawal.objects.get()
    assert (waits.approval, waits.queued_at, facts()) == ("PENDING", None, before)
