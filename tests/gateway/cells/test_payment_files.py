"""One payment file of a bank account has withdrawals of merchants in several cells."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.management import call_command
from django.db.models import F
from django.test import Client

from accounts.base.clock import utcnow
from accounts.cells import in_cell_of
from accounts.models import Merchant, Proposal
from gateway.bank_files.cnab.payment_orders import orders_of
from gateway.bank_files.shapes import OrderAnswer, OrderOutcome
from gateway.payout_batches import answers
from gateway.payout_batches.models import BatchAnswer, BatchOrder, PayoutBatch
from gateway.payout_batches.tasks import gather_batches, sweep_batches
from gateway.providers.by_file import SATURDAY
from gateway.providers.models import ProviderAccount
from gateway.withdrawals.models import Withdrawal
from tests.support.api import another_address
from tests.support.batches import BY_CNAB, bank_account
from tests.support.lives import Lives, rows, violations
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.proposals import action, confirmed, proposed
from tests.support.providers import paid_out_by
from tests.support.scripted_provider import rewritten

pytestmark = pytest.mark.a_third_a_day

AMOUNTS = (10.00, 25.50, 31.25)
SAO_PAULO = ZoneInfo("America/Sao_Paulo")


@pytest.fixture
def account(lives: Lives) -> ProviderAccount:
    """It pays by file what early, acme and globex have withdrawn: 10.00, 25.50 and 31.25."""
    rewritten()
    found = bank_account(BY_CNAB, gathered_at="00:00")
    backends = []
    for shop in lives.in_turn():
        backends.append(with_real_money(shop, another_address()))
    paid_out_by(found)
    for shop, api, amount in zip(lives.in_turn(), backends, AMOUNTS, strict=True):
        waits = swept(accepted(api, shop, amount=amount).pk)
        assert waits.queued_at and waits.account_id == found.pk
    return found


def states(lives: Lives) -> list[tuple[str, bool]]:
    """Of the withdrawals, in the order of their companies, and whether they count as sent."""
    return [_state(Withdrawal.objects.get()) for _ in lives.in_turn()]


def _state(one: Withdrawal) -> tuple[str, bool]:
    assert one.sent_times == int(one.sent_at is not None)
    return one.status, one.sent_at is not None


def gathered(people: list[Client], account: ProviderAccount) -> PayoutBatch:
    sent = {"way": f"{account.pk}:BRL", "pay_on": f"{utcnow():%Y-%m-%d}", "note": "The file at ten"}
    answer = people[0].post("/admin/gateway/payoutbatch/gather/", sent)
    assert answer.status_code == 302, answer.content
    return PayoutBatch.objects.latest("created_at")


def released(people: list[Client], account: ProviderAccount) -> PayoutBatch:
    batch = gathered(people, account)
    confirmed(people[1], proposed(people[0], batch, "release"))
    batch.refresh_from_db()
    assert batch.state == "RELEASED"
    return batch


def downloaded(people: list[Client], batch: PayoutBatch) -> bytes:
    return bytes(people[0].post(action(batch, "download"), {"note": "To the bank"}).content)


def numbers(lives: Lives) -> list[str]:
    """Of their live orders, in the order of their companies."""
    found = dict(BatchOrder.objects.filter(is_live=True).values_list("withdrawal", "number"))
    return [found[Withdrawal.objects.get().pk] for _ in lives.in_turn()]


def said(account: ProviderAccount, *told: tuple[str, OrderOutcome]) -> None:
    """What the bank says of orders is stored, and applied by the scheduled task."""
    answers.store("a file", [account.pk], [OrderAnswer(number, outcome, None) for number, outcome in told], utcnow())
    sweep_batches()


def test_staff_gather_release_and_download_one_file_for_all_cells(
    lives: Lives, account: ProviderAccount, people: list[Client]
) -> None:
    batch = gathered(people, account)
    assert (batch.count, batch.total) == (3, 6675)
    page = people[0].get("/admin/gateway/payoutbatch/gather/").content.decode()
    assert account.pk not in page, "nothing waits any more"

    confirmed(people[1], proposed(people[0], batch, "release"))
    assert states(lives) == [("PROCESSING", True)] * 3
    sent = downloaded(people, batch)
    assert {one.number: float(one.amount) for one in orders_of(sent)} == dict(zip(numbers(lives), AMOUNTS, strict=True))
    assert PayoutBatch.objects.get().state == "HANDED_OVER"
    assert violations() == [[], [], []]


def test_a_canceled_batch_puts_everybodys_withdrawals_back(
    lives: Lives, account: ProviderAccount, people: list[Client]
) -> None:
    batch = released(people, account)
    people[0].post(action(batch, "cancel"), {"note": "Not today"})
    assert states(lives) == [("PROCESSING", False)] * 3
    assert gathered(people, account).count == 3


def test_what_one_company_ends_meanwhile_stops_the_whole_file(
    lives: Lives, account: ProviderAccount, people: list[Client]
) -> None:
    batch = gathered(people, account)
    Merchant.objects.filter(pk=lives.globex.production.pk).update(withdrawal_enabled=False)
    people[0].post(action(batch, "release"), {"note": "The file at ten"})
    assert (Proposal.objects.count(), PayoutBatch.objects.get().state) == (0, "OPEN")
    assert states(lives) == [("PROCESSING", False)] * 3


def test_a_withdrawal_whose_approval_lapsed_waits_in_its_cell(
    lives: Lives, account: ProviderAccount, people: list[Client]
) -> None:
    with in_cell_of(lives.acme.production):
        given = {"approvals_required": 1, "approvals_given": 1}
        Withdrawal.objects.update(approval="APPROVED", approval_expires_at=utcnow(), approval_digest=b"", **given)
    assert gathered(people, account).count == 2
    with in_cell_of(lives.acme.production):
        assert Withdrawal.objects.values_list("approval", "queued_at").get() == ("PENDING", None)
    assert rows("webhooks_event WHERE type = 'withdrawal.approval_requested'") == [0, 1, 0]


def test_batches_of_a_cut_off_have_what_waits_in_all_cells(lives: Lives, account: ProviderAccount) -> None:
    for _ in lives.in_turn():
        Withdrawal.objects.update(queued_at=F("queued_at") - timedelta(days=10))
    gather_batches()
    is_banking_day = PayoutBatch.objects.exists()
    assert is_banking_day == (utcnow().astimezone(SAO_PAULO).weekday() < SATURDAY)
    assert list(PayoutBatch.objects.values_list("count", flat=True)) == [3] * is_banking_day


def test_what_the_bank_answers_reaches_each_in_its_cell(
    lives: Lives, account: ProviderAccount, people: list[Client]
) -> None:
    downloaded(people, released(people, account))

    said(account, *zip(numbers(lives), (OrderOutcome.PAID, OrderOutcome.REJECTED, OrderOutcome.ACCEPTED), strict=True))

    assert sorted(BatchAnswer.objects.values_list("found", flat=True)) == ["APPLIED", "APPLIED", "NOTED"]
    assert [state for state, _ in states(lives)] == ["COMPLETED", "FAILED", "PROCESSING"]
    assert rows("webhooks_event WHERE type = 'withdrawal.completed'") == [1, 0, 0]
    assert rows("webhooks_event WHERE type = 'withdrawal.failed'") == [0, 1, 0]
    assert violations() == [[], [], []]


def test_a_refused_file_puts_back_what_the_bank_said_nothing_about(
    lives: Lives, account: ProviderAccount, people: list[Client]
) -> None:
    batch = released(people, account)
    downloaded(people, batch)
    said(account, (numbers(lives)[1], OrderOutcome.PAID))
    confirmed(people[1], proposed(people[0], batch, "put_back"))
    assert states(lives) == [("PROCESSING", False), ("COMPLETED", True), ("PROCESSING", False)]
    assert gathered(people, account).total == 4125
    assert violations() == [[], [], []]


def test_an_operator_who_is_alone_releases_it_on_the_host(
    lives: Lives, account: ProviderAccount, people: list[Client]
) -> None:
    proposal = proposed(people[0], gathered(people, account), "release")
    call_command("confirm_proposal", proposal.pk, note="I am alone here")
    assert PayoutBatch.objects.get().state == "RELEASED"
    assert states(lives) == [("PROCESSING", True)] * 3
