"""Where money moves, nobody decides what they asked for; what became of real withdrawals is said by two people."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.test import Client

from accounts.errors import OwnRequest
from accounts.models import Membership, Proposal, User
from accounts.roles import Role
from gateway.models import Refund, Withdrawal
from gateway.refunds import services as refunds
from gateway.refunds.lifecycle import RefundAction
from gateway.staff.kit.columns import address as page_at
from gateway.staff.kit.pages import TWO_PEOPLE
from gateway.withdrawals import services as withdrawals
from ledger.holds import services as holds
from ledger.models import Hold
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import browser_of
from tests.support.staff import support
from tests.support.staff_overview import listed
from tests.support.staff_refunds import ADD, DECISIONS, NOTE, a_refund, everything
from tests.support.staff_withdrawals import FORMS, has_become, offered, page_of, take_to_production

OWN = "You cannot approve your own request. Ask a colleague to review it."
OWN_COMPANY = "You cannot decide about yourself or about a company that you belong to."


def told(browser: Client, where: str, sent: dict[str, str]) -> str:
    answer = browser.post(where, sent, follow=True)
    assert answer.status_code == 200
    return [str(message) for message in answer.context["messages"]][-1]


def answer_at(proposal: Proposal, name: str) -> str:
    return page_at(Proposal, "change", proposal.pk).replace("/change/", f"/{name}/")


def answered(
    browser: Client, proposal: Proposal, name: str, note: str = "Seen it", digest: str | None = None
) -> tuple[int, str]:
    """Status and sentence of the answer to a proposal, as it stands on the page unless another digest is sent."""
    sent = {"note": note, "digest": proposal.digest if digest is None else digest}
    answer = browser.post(answer_at(proposal, name), sent, follow=True)
    if messages := [str(message) for message in answer.context["messages"]]:
        return answer.status_code, messages[-1]
    return answer.status_code, str(answer.context["sentence"])


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
        refunds.decide(acme.sandbox, refund.id, RefundAction.FOR_PAYER, by=root)
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
    hold = holds.place(acme.sandbox, "BRL", 100, "COMPLIANCE", by=root, note="An invoice is missing")
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
    assert str(TWO_PEOPLE) in staff.get(page_of(real, name)).content.decode()
    with w.nothing_moves(funded):
        assert str(TWO_PEOPLE) in told(staff, page_of(real, name), FORMS[name])
        assert (offered(staff, real), offered(colleague, real)) == ([], [])
        proposal = Proposal.objects.get()
        assert listed(colleague, "Proposals to confirm") == [proposal.pk]
        page = staff.get(answer_at(proposal, "change")).content.decode()
        assert f'href="{answer_at(proposal, "confirm")}"' not in page
        assert answered(staff, proposal, "confirm") == (403, OWN)
    assert (proposal.state, proposal.proposed_by, proposal.note) == ("OPEN", root, NOTE["note"])

    assert root.email in colleague.get(page_of(real)).content.decode()
    assert f'href="{answer_at(proposal, "confirm")}"' in colleague.get(answer_at(proposal, "change")).content.decode()
    question = colleague.get(answer_at(proposal, "confirm")).content.decode()
    assert [one for one in (root.email, NOTE["note"], "904.00 BRL") if one not in question] == []
    assert answered(colleague, proposal, "confirm", "Seen it, too") == (200, f"{real.pk} is {status.lower()}.")

    real.refresh_from_db()
    proposal.refresh_from_db()
    assert (real.status, real.failure_code) == (status, failure)
    assert real.note == f"{NOTE['note']} / Seen it, too"
    assert (proposal.state, proposal.decided_by and proposal.decided_by.email) == (
        "CONFIRMED",
        "colleague@onpay.example",
    )
    assert listed(colleague, "Proposals to confirm") == []
    with w.nothing_moves(funded):
        status_code, said = answered(colleague, proposal, "confirm")
        assert (status_code, "There is nothing to confirm" in said) == (409, True)


def test_what_was_said_can_be_turned_down_and_said_otherwise(
    staff: Client, colleague: Client, funded: Shop, real: Withdrawal
) -> None:
    with w.nothing_moves(funded):
        told(staff, page_of(real, "arrived"), FORMS["arrived"])
        assert "A decision about this has already been proposed" in told(
            colleague, page_of(real, "failed"), FORMS["failed"]
        )
        proposal = Proposal.objects.get()
        assert "rejected" in answered(colleague, proposal, "turn_down")[1]
        assert answered(colleague, proposal, "turn_down")[0] == 409
        assert str(TWO_PEOPLE) in told(colleague, page_of(real, "failed"), FORMS["failed"])
    assert list(Proposal.objects.order_by("pk").values_list("state", flat=True)) == ["TURNED_DOWN", "OPEN"]
    assert answered(staff, Proposal.objects.get(state="OPEN"), "confirm") == (200, f"{real.pk} is failed.")


def test_a_proposal_that_took_the_place_of_the_one_that_was_read_is_not_confirmed(
    staff: Client, colleague: Client, funded: Shop, real: Withdrawal
) -> None:
    """The colleague reads "it failed"; meanwhile that is turned down and "it arrived" is said."""
    told(staff, page_of(real, "failed"), FORMS["failed"])
    read = Proposal.objects.get()
    assert answered(staff, read, "turn_down")[0] == 200
    told(staff, page_of(real, "arrived"), FORMS["arrived"])
    swapped = Proposal.objects.get(state="OPEN")
    with w.nothing_moves(funded):
        for name in ("confirm", "turn_down"):
            assert answered(colleague, read, name)[0] == 409
            assert answered(colleague, swapped, name, digest=read.digest)[0] == 409
            assert answered(colleague, swapped, name, digest="")[0] == 409
    swapped.refresh_from_db()
    assert swapped.state == "OPEN"


def test_a_proposal_that_was_altered_in_its_place_is_not_confirmed(
    staff: Client, colleague: Client, funded: Shop, real: Withdrawal
) -> None:
    told(staff, page_of(real, "failed"), FORMS["failed"])
    read = Proposal.objects.get()
    Proposal.objects.update(values={"answered": "done", "reference": "E0000FAKE", "failure_code": ""})
    with w.nothing_moves(funded):
        assert answered(colleague, read, "confirm")[0] == 409


def test_what_the_outside_party_answers_meanwhile_overtakes_what_was_said(
    staff: Client, colleague: Client, funded: Shop, real: Withdrawal
) -> None:
    told(staff, page_of(real, "arrived"), FORMS["arrived"])
    outcome = withdrawals.PayoutOutcome(withdrawals.PayoutResult.DONE, reference=FORMS["arrived"]["reference"])
    withdrawals.decide(real.merchant, real.pk, outcome)  # as the provider's own answer does

    proposal = Proposal.objects.get()
    assert answered(colleague, proposal, "confirm")[0] == 409
    assert "status does not allow this" in told(staff, page_of(real, "arrived"), FORMS["arrived"])
    told(colleague, page_of(real, "came_back"), NOTE)
    assert list(Proposal.objects.order_by("pk").values_list("state", flat=True)) == ["OVERTAKEN", "OPEN"]


def test_a_member_of_the_company_says_and_confirms_nothing(
    staff: Client, colleague: Client, root: User, funded: Shop, real: Withdrawal
) -> None:
    mine = Membership.objects.create(company=real.merchant.company, user=root, role=Role.VIEWER)
    with w.nothing_moves(funded):
        assert OWN_COMPANY in told(staff, page_of(real, "arrived"), FORMS["arrived"])
        assert not Proposal.objects.exists()
        told(colleague, page_of(real, "arrived"), FORMS["arrived"])
        for name in ("confirm", "turn_down"):
            assert answered(staff, Proposal.objects.get(), name)[0] == 403
    mine.delete()
    assert answered(staff, Proposal.objects.get(), "confirm")[0] == 200


def test_the_sandbox_needs_one(staff: Client, out: Api, funded: Shop) -> None:
    withdrawal = has_become(out, funded, "PROCESSING")
    assert "must confirm" not in staff.get(page_of(withdrawal, "arrived")).content.decode()
    assert told(staff, page_of(withdrawal, "arrived"), FORMS["arrived"]) == f"{withdrawal.pk} is completed."
    assert not Proposal.objects.exists()


def test_whoever_may_only_view_confirms_nothing(staff: Client, funded: Shop, real: Withdrawal) -> None:
    told(staff, page_of(real, "arrived"), FORMS["arrived"])
    proposal = Proposal.objects.get()
    viewer = browser_of(support("view_proposal"))
    with w.nothing_moves(funded):
        for name in ("confirm", "turn_down"):
            assert viewer.get(answer_at(proposal, name)).status_code == 403
            assert viewer.post(answer_at(proposal, name), NOTE).status_code == 403
    assert viewer.get(answer_at(proposal, "change")).status_code == 200


def test_whoever_may_not_decide_such_a_thing_sees_no_proposal(staff: Client, real: Withdrawal) -> None:
    told(staff, page_of(real, "arrived"), FORMS["arrived"])
    stranger = browser_of(support("change_company"))
    assert stranger.get(answer_at(Proposal.objects.get(), "confirm")).status_code == 404
    assert stranger.get(page_at(Proposal, "changelist")).status_code == 403
