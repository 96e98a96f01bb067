"""Where money moves, nobody decides what they asked for; what became of real withdrawals is said by two people."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.test import Client

from accounts.errors import OwnRequest
from accounts.models import User
from accounts.staff.columns import address as page_at
from gateway.models import Proposal, Refund, Withdrawal
from gateway.refunds import services as refunds
from gateway.refunds.lifecycle import Asked
from gateway.withdrawals import proposals
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.errors import WithdrawalState
from ledger.holds import services as holds
from ledger.models import Hold
from tests.client import Api
from tests.factories import Shop, a_payment
from tests.gateway.admin.conftest import browser_of
from tests.gateway.admin.test_decisions import support
from tests.gateway.admin.test_queues import listed
from tests.gateway.admin.test_refunds import ADD, DECISIONS, NOTE, a_refund, everything
from tests.gateway.admin.test_withdrawals import FORMS, has_become, offered, page_of, take_to_production
from tests.gateway.withdrawals import withdrawing as w

OWN = "Whoever asked for something does not decide it. Ask a colleague."


def told(browser: Client, where: str, sent: dict[str, str]) -> str:
    answer = browser.post(where, sent, follow=True)
    assert answer.status_code == 200
    return [str(message) for message in answer.context["messages"]][-1]


# Refunds and blocks


def test_whoever_opened_a_refund_for_a_payer_does_not_decide_it(
    staff: Client, colleague: Client, root: User, acme: Shop
) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    staff.post(ADD, {"payment": payment.id, "reason_code": "FRAUD", **NOTE})
    refund = Refund.objects.get()
    assert refund.opened_by == root
    refunds.respond(acme.sandbox, refund.id, "CONTEST", message="Delivered")
    before = everything()

    for name in ("for_payer", "for_company", "withdrawn"):
        assert told(staff, page_at(Refund, "change", refund.pk).replace("/change/", f"/{name}/"), NOTE) == OWN
    with pytest.raises(OwnRequest), transaction.atomic():
        refunds.decide(acme.sandbox, refund.id, Asked.FOR_PAYER, by=root)
    assert everything() == before

    where = page_at(Refund, "change", refund.pk).replace("/change/", "/for_payer/")
    assert told(colleague, where, NOTE) == f"{refund.id} is processing."


def test_a_refund_that_nobody_of_us_opened_is_decided_by_anybody(staff: Client, acme: Shop) -> None:
    refund = a_refund(acme.sandbox, "UNDER_REVIEW")
    assert refund.opened_by is None
    where = page_at(Refund, "change", refund.pk).replace("/change/", "/for_company/")
    assert told(staff, where, NOTE) == f"{refund.id} is rejected."
    assert set(DECISIONS) >= {"for_company"}


def test_whoever_blocked_money_does_not_lift_the_block(staff: Client, root: User, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    hold = holds.place(acme.sandbox, "BRL", 100, "COMPLIANCE", by=root)
    before = everything()
    assert told(staff, page_at(Hold, "change", hold.pk).replace("/change/", "/lift/"), NOTE) == OWN
    assert everything() == before
    assert not LogEntry.objects.filter(object_id=hold.pk).exists()


# Withdrawals


@pytest.fixture
def real(out: Api, funded: Shop) -> Withdrawal:
    """On its way to a beneficiary, in production."""
    withdrawal = has_become(out, funded, "PROCESSING")
    take_to_production(funded)
    withdrawal.refresh_from_db()
    return Withdrawal.objects.select_related("merchant__company").get(pk=withdrawal.pk)


@pytest.mark.parametrize(
    ("name", "status", "failure"), [("arrived", "COMPLETED", None), ("failed", "FAILED", "BANK_REJECTED")]
)
def test_what_one_says_becomes_true_when_another_confirms_it(
    staff: Client, colleague: Client, root: User, funded: Shop, real: Withdrawal, name: str, status: str, failure: Any
) -> None:
    assert "Somebody else of the staff must confirm it" in staff.get(page_of(real, name)).content.decode()
    with w.nothing_moves(funded):
        assert told(staff, page_of(real, name), FORMS[name]).startswith("Written down. Somebody else")
        assert (offered(staff, real), offered(colleague, real)) == ([], [])
        assert listed(colleague, "Withdrawals to confirm") == [real.pk]
        page = staff.get(page_of(real)).content.decode()
        assert f'href="{page_of(real, "confirm")}"' not in page
        assert told(staff, page_of(real, "confirm"), NOTE) == OWN
    proposal = Proposal.objects.get()
    assert (proposal.state, proposal.proposed_by, proposal.note) == ("OPEN", root, NOTE["note"])

    page = colleague.get(page_of(real)).content.decode()
    assert f'href="{page_of(real, "confirm")}"' in page
    assert root.email in page
    question = colleague.get(page_of(real, "confirm")).content.decode()
    assert [one for one in (root.email, NOTE["note"], "904.00 BRL") if one not in question] == []
    assert told(colleague, page_of(real, "confirm"), {"note": "Seen it, too"}) == f"{real.pk} is {status.lower()}."

    real.refresh_from_db()
    proposal.refresh_from_db()
    assert (real.status, real.failure_code) == (status, failure)
    assert real.note == f"{NOTE['note']} / Seen it, too"
    assert (proposal.state, proposal.decided_by and proposal.decided_by.email) == (
        "CONFIRMED",
        "colleague@onpay.example",
    )
    assert listed(colleague, "Withdrawals to confirm") == []
    with w.nothing_moves(funded):
        assert "There is nothing to confirm" in told(colleague, page_of(real, "confirm"), NOTE)


def test_what_was_said_can_be_turned_down_and_said_otherwise(
    staff: Client, colleague: Client, funded: Shop, real: Withdrawal
) -> None:
    with w.nothing_moves(funded):
        told(staff, page_of(real, "arrived"), FORMS["arrived"])
        assert "Somebody has said what became of this" in told(colleague, page_of(real, "failed"), FORMS["failed"])
        assert Proposal.objects.count() == 1
        assert "turned down" in told(colleague, page_of(real, "turn_down"), NOTE)
        assert "There is nothing to confirm" in told(colleague, page_of(real, "turn_down"), NOTE)
        assert "Written down" in told(colleague, page_of(real, "failed"), FORMS["failed"])
    assert list(Proposal.objects.order_by("pk").values_list("state", flat=True)) == ["TURNED_DOWN", "OPEN"]
    assert told(staff, page_of(real, "confirm"), NOTE) == f"{real.pk} is failed."


def test_what_the_outside_party_answers_meanwhile_overtakes_what_was_said(
    colleague: Client, root: User, funded: Shop, real: Withdrawal
) -> None:
    arrived = FORMS["arrived"]["reference"]
    outcome = withdrawals.Outcome(withdrawals.Answered.DONE, reference=arrived)
    proposals.propose(real.merchant, real.pk, outcome, by=root, note="The bank wrote")
    withdrawals.decide(real.merchant, real.pk, outcome)  # as the outside party's own answer does

    assert proposals.opened(Withdrawal.objects.get(pk=real.pk)) is None
    assert "There is nothing to confirm" in told(colleague, page_of(real, "confirm"), NOTE)
    with pytest.raises(WithdrawalState):
        proposals.propose(real.merchant, real.pk, outcome, by=root, note="The bank wrote")
    told(colleague, page_of(real, "came_back"), NOTE)
    assert list(Proposal.objects.order_by("pk").values_list("state", flat=True)) == ["OVERTAKEN", "OPEN"]


def test_the_sandbox_needs_one(staff: Client, out: Api, funded: Shop) -> None:
    withdrawal = has_become(out, funded, "PROCESSING")
    assert "must confirm" not in staff.get(page_of(withdrawal, "arrived")).content.decode()
    assert told(staff, page_of(withdrawal, "arrived"), FORMS["arrived"]) == f"{withdrawal.pk} is completed."
    assert not Proposal.objects.exists()


def test_whoever_may_only_view_confirms_nothing(root: User, funded: Shop, real: Withdrawal) -> None:
    outcome = withdrawals.Outcome(withdrawals.Answered.DONE, reference="E1")
    proposals.propose(real.merchant, real.pk, outcome, by=root, note="The bank wrote")
    viewer = browser_of(support("view_withdrawal"))
    with w.nothing_moves(funded):
        for name in ("confirm", "turn_down"):
            assert viewer.get(page_of(real, name)).status_code == 403
            assert viewer.post(page_of(real, name), NOTE).status_code == 403
    assert viewer.get(page_at(Proposal, "change", Proposal.objects.get().pk)).status_code == 200
