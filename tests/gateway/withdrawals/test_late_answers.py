"""An order on its way and a person who decides: the money is never given back while it may still arrive."""

from datetime import timedelta

import pytest
from django.db import transaction

from accounts.clock import wall
from gateway.payouts.rail import Answered, Outcome
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.errors import WithdrawalState
from gateway.withdrawals.models import Withdrawal
from ledger.wallets.selectors import holdings
from tests.client import Api
from tests.factories import Shop
from tests.gateway.withdrawals import withdrawing as w

FAILED = Outcome(Answered.DECLINED, failure=("BANK_REJECTED", "The beneficiary's bank refused the money."))


@pytest.fixture
def on_its_way(out: Api, funded: Shop) -> Withdrawal:
    """Accepted, and just being handed over to the bank."""
    accepted = out.post("/withdrawals/pix", w.body(funded, ("PIX", "BRL")))
    assert accepted.status_code == 201, accepted.content
    with transaction.atomic():
        withdrawal = withdrawals.lock(funded.sandbox, accepted.json()["data"]["id"])
        withdrawals.prepare(withdrawal, withdrawal.created_at)
    return withdrawal


def available(shop: Shop) -> int:
    return holdings(shop.sandbox, "BRL").currencies["BRL"].available


def test_nobody_gives_money_back_that_is_just_being_sent(on_its_way: Withdrawal, funded: Shop) -> None:
    before = available(funded)

    with pytest.raises(WithdrawalState), transaction.atomic():
        withdrawals.decide(funded.sandbox, on_its_way.id, FAILED, note="The bank is silent")

    on_its_way.refresh_from_db()
    assert (on_its_way.status, available(funded)) == ("PROCESSING", before)


def test_nobody_asks_while_somebody_is_asking(on_its_way: Withdrawal, funded: Shop) -> None:
    assert withdrawals.pursue(funded.sandbox, on_its_way.id, early=True) is False

    on_its_way.refresh_from_db()
    assert (on_its_way.sent_times, on_its_way.asked_times) == (1, 0)


@pytest.mark.parametrize("answered", [Answered.SENT, Answered.DONE, Answered.UNKNOWN, Answered.RETURNED])
def test_an_answer_after_the_decision_changes_nothing_and_is_said_loudly(
    on_its_way: Withdrawal, funded: Shop, capsys: pytest.CaptureFixture[str], answered: Answered
) -> None:
    Withdrawal.objects.update(leased_until=wall() - timedelta(seconds=1))
    withdrawals.decide(funded.sandbox, on_its_way.id, FAILED, note="The bank never heard of it")
    given_back = available(funded)

    with transaction.atomic():
        late = withdrawals.lock(funded.sandbox, on_its_way.id)
        withdrawals.take(late, Outcome(answered, reference="E-LATE"), wall())

    on_its_way.refresh_from_db()
    assert (on_its_way.status, on_its_way.ask_at, available(funded)) == ("FAILED", None, given_back)
    assert "withdrawal.answered_unforeseen" in capsys.readouterr().err
