"""An order on its way and a person who decides: the money is never given back while it may still arrive."""

from datetime import timedelta

import pytest
from django.db import transaction

from accounts.base.clock import utcnow
from accounts.models import Company, Merchant
from gateway.payouts.rail import PayoutOutcome, PayoutResult
from gateway.withdrawals import due as withdrawals_due
from gateway.withdrawals import provider
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.errors import WithdrawalState
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.provider import Question
from ledger.wallets.selectors import holdings
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop

FAILED = PayoutOutcome(PayoutResult.DECLINED, failure=("BANK_REJECTED", "The beneficiary's bank rejected the money."))


@pytest.fixture
def withdrawal(out: Api, funded: Shop) -> Withdrawal:
    """Accepted, and not yet handed over."""
    return Withdrawal.objects.get(pk=w.withdrawn(out, funded)["id"])


@pytest.fixture
def question(withdrawal: Withdrawal, funded: Shop) -> Question:
    """It is just being handed over to the bank."""
    return put(withdrawal, funded)


def put(withdrawal: Withdrawal, shop: Shop) -> Question:
    with transaction.atomic():
        return provider.prepare(withdrawals.lock(shop.sandbox, withdrawal.id), withdrawal.created_at)


def answer(withdrawal: Withdrawal, shop: Shop, question: Question, outcome: PayoutOutcome) -> None:
    with transaction.atomic():
        provider.take(withdrawals.lock(shop.sandbox, withdrawal.id), question, outcome, utcnow())
    withdrawal.refresh_from_db()


def its_caller_died() -> None:
    Withdrawal.objects.update(leased_until=utcnow() - timedelta(seconds=1))


def available(shop: Shop) -> int:
    return holdings(shop.sandbox, "BRL").currencies["BRL"].available


def test_nobody_gives_money_back_that_is_just_being_sent(
    withdrawal: Withdrawal, question: Question, funded: Shop
) -> None:
    before = available(funded)

    with pytest.raises(WithdrawalState), transaction.atomic():
        withdrawals.decide(funded.sandbox, withdrawal.id, FAILED, note="The bank is silent")

    withdrawal.refresh_from_db()
    assert (withdrawal.status, available(funded)) == ("PROCESSING", before)


def test_nobody_asks_while_somebody_is_asking(withdrawal: Withdrawal, question: Question, funded: Shop) -> None:
    assert withdrawals_due.query_now(funded.sandbox, withdrawal.id) is False

    withdrawal.refresh_from_db()
    assert (withdrawal.sent_times, withdrawal.asked_times) == (1, 0)


@pytest.mark.parametrize(
    "answered", [PayoutResult.SENT, PayoutResult.DONE, PayoutResult.UNKNOWN, PayoutResult.RETURNED]
)
def test_an_answer_after_the_decision_changes_nothing_and_is_said_loudly(
    withdrawal: Withdrawal,
    question: Question,
    funded: Shop,
    capsys: pytest.CaptureFixture[str],
    answered: PayoutResult,
) -> None:
    its_caller_died()
    withdrawals.decide(funded.sandbox, withdrawal.id, FAILED, note="The bank never heard of it")
    given_back = available(funded)

    answer(withdrawal, funded, question, PayoutOutcome(answered, reference="E-LATE"))

    assert (withdrawal.status, withdrawal.ask_at, available(funded)) == ("FAILED", None, given_back)
    assert withdrawal.rail_reference == "E-LATE"
    assert "withdrawal.answered_unforeseen" in capsys.readouterr().err


@pytest.mark.parametrize("answered", [PayoutResult.SENT, PayoutResult.UNKNOWN, PayoutResult.NOT_RECEIVED])
def test_a_late_answer_leaves_alone_who_asks_now(
    withdrawal: Withdrawal, question: Question, funded: Shop, answered: PayoutResult
) -> None:
    its_caller_died()
    put(withdrawal, funded)
    withdrawal.refresh_from_db()
    asked_now = (withdrawal.leased_until, withdrawal.sent_at, withdrawal.ask_at)

    answer(withdrawal, funded, question, PayoutOutcome(answered))

    assert (withdrawal.leased_until, withdrawal.sent_at, withdrawal.ask_at) == asked_now
    with pytest.raises(WithdrawalState), transaction.atomic():
        withdrawals.decide(funded.sandbox, withdrawal.id, FAILED, note="Too early")


def test_a_late_end_is_an_end_all_the_same(withdrawal: Withdrawal, question: Question, funded: Shop) -> None:
    its_caller_died()
    put(withdrawal, funded)

    answer(withdrawal, funded, question, PayoutOutcome(PayoutResult.DONE, reference="E-1"))

    assert (withdrawal.status, withdrawal.rail_reference) == ("COMPLETED", "E-1")


def test_the_banks_own_id_is_kept_before_the_money_arrives(
    withdrawal: Withdrawal, question: Question, funded: Shop
) -> None:
    answer(withdrawal, funded, question, PayoutOutcome(PayoutResult.SENT, reference="PSP-77", ask_after_s=5))

    assert (withdrawal.status, withdrawal.rail_reference) == ("PROCESSING", "PSP-77")


@pytest.mark.parametrize("stopped", ["suspended", "switched off"])
def test_what_was_accepted_waits_while_the_company_may_not_withdraw(
    withdrawal: Withdrawal, funded: Shop, stopped: str
) -> None:
    if stopped == "suspended":
        Company.objects.update(status=Company.Status.SUSPENDED)
    else:
        Merchant.objects.update(withdrawal_enabled=False)
    withdrawals_due.run_due()
    withdrawal.refresh_from_db()
    assert (withdrawal.status, withdrawal.sent_times) == ("PROCESSING", 0)

    Company.objects.update(status=Company.Status.ACTIVE)
    Merchant.objects.update(withdrawal_enabled=True)
    assert withdrawal.ask_at is not None and withdrawal.ask_at > utcnow()  # looked at again in a minute
    Withdrawal.objects.update(ask_at=utcnow())
    assert withdrawals_due.run_due() == 1
    withdrawal.refresh_from_db()
    assert withdrawal.sent_times == 1
