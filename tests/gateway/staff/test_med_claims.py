"""MED claims before staff: opened with the institution's id, queued by deadline, decided by two where money is real."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from accounts.models import Merchant, Proposal, User
from gateway.models import Refund
from gateway.refunds import services as refunds
from gateway.refunds.due import run_due
from gateway.refunds.lifecycle import RefundAction
from gateway.staff.kit.columns import address
from ledger.models import Hold
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.proposals import action, confirmed, proposed
from tests.support.refunds import paid
from tests.support.staff_refunds import ADD, NOTE, everything, take_to_production
from tests.support.tables import held_in

CLAIM = "81a15e14-ff7a-4f34-9e01-57172bde7f4a"
SENT = {"dispute_kind": "MED", "claim_id": CLAIM, "reason_code": "SCAM", **NOTE}
DECISIONS = [("for_payer", "PROCESSING"), ("for_company", "REJECTED"), ("withdrawn", "CANCELED")]


def a_claim(shop: Shop, **members: Any) -> Refund:
    """Of 150 reais, of which 148.50 are there, contested."""
    payment = a_payment(shop.sandbox, "PAID")
    claim = refunds.claim(shop.sandbox, payment.id, claim_id=CLAIM, reason_code="SCAM", **members)
    return refunds.respond(shop.sandbox, claim.id, "CONTEST", message="Delivered")


def waiting(browser: Client, queue: str) -> list[str]:
    return [row.pk for row in browser.get(address(Refund, "changelist"), {"queue": queue}).context["cl"].result_list]


def test_a_claim_is_opened_with_the_id_of_the_institution(staff: Client, root: User, acme: Shop) -> None:
    payment = a_payment(acme.sandbox, "PAID")

    assert staff.post(ADD, {"payment": payment.id, "amount": "50.00", **SENT}).status_code == 302

    claim = Refund.objects.get()
    assert (claim.dispute_kind, claim.claim_id, claim.claimed_amount, claim.opened_by) == ("MED", CLAIM, 5000, root)
    assert (claim.status, Hold.objects.get().reason) == ("AWAITING_RESPONSE", "MED")
    page = staff.get(address(Refund, "change", claim.pk)).content.decode()
    assert all(said in page for said in (CLAIM, "PIX MED", "End of the return window", "50.00 BRL"))
    assert [row.pk for row in staff.get(address(Refund, "changelist"), {"q": CLAIM}).context["cl"].result_list] == [
        claim.pk
    ]


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"claim_id": ""}, "claim_id"),
        ({"claim_id": "x" * 65}, "claim_id"),
        ({"dispute_kind": ""}, "claim_id"),
        ({"dispute_kind": "", "claim_id": ""}, "reason_code"),
        ({"reason_code": "NOT_RECEIVED"}, "reason_code"),
        ({"dispute_kind": "WAR"}, "dispute_kind"),
        ({"response_due_at_0": "2099-01-01", "response_due_at_1": "10:00"}, "response_due_at"),
        ({"amount": "150.01"}, "amount"),
    ],
)
def test_what_is_no_claim_is_told_in_the_form_and_moves_nothing(
    staff: Client, acme: Shop, members: dict[str, str], field: str
) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    before = everything()

    answer = staff.post(ADD, {"payment": payment.id, **SENT, **members})

    assert answer.status_code == 200
    assert field in answer.context["adminform"].form.errors
    assert everything() == before


def test_only_a_pix_and_only_a_new_claim_is_opened(staff: Client, api: Api, acme: Shop) -> None:
    transfer = paid(api, "SPEI")
    known = a_claim(acme)
    other = a_payment(acme.sandbox, "PAID")
    before = everything()

    for payment, claim_id, field in ((transfer, "new", "payment"), (other.id, CLAIM, "claim_id")):
        answer = staff.post(ADD, {"payment": payment, **SENT, "claim_id": claim_id})
        assert list(answer.context["adminform"].form.errors) == [field]
    assert (everything(), Refund.objects.get()) == (before, known)


def test_claims_have_a_queue_of_their_own_by_deadline(staff: Client, acme: Shop) -> None:
    claim = a_claim(acme)
    contested = refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").id)
    refunds.respond(acme.sandbox, contested.id, "CONTEST", message="Delivered")

    assert (waiting(staff, "claims"), waiting(staff, "decide")) == ([claim.pk], [contested.pk])
    listed = staff.get(address(Refund, "changelist"), {"dispute_kind__exact": "MED"}).context["cl"].result_list
    assert [row.pk for row in listed] == [claim.pk]


def pass_days(days: int) -> None:
    """Production clocks do not move: everything was due so much earlier."""
    times = ("ask_at", "response_due_at", "analysis_due_at", "return_due_at")
    Refund.objects.update(**{name: F(name) - timedelta(days=days) for name in times})
    run_due()


@pytest.mark.parametrize(("name", "ends"), DECISIONS)
def test_in_production_two_people_decide_a_claim(
    staff: Client, colleague: Client, acme: Shop, name: str, ends: str
) -> None:
    claim = a_claim(acme)
    take_to_production(acme.sandbox)
    before = everything()

    proposal = proposed(staff, claim, name)
    assert (proposal.kind, everything()) == ("refund.claim", before)
    confirmed(staff, proposal)
    assert everything() == before
    a_payment_comes_in(acme)
    confirmed(colleague, proposal)

    claim.refresh_from_db()
    assert (claim.status, claim.note) == (ends, "They wrote on Monday / Seen it, too")
    assert Hold.objects.filter(ended_at=None).count() == (1 if ends == "PROCESSING" else 0)


def a_payment_comes_in(shop: Shop) -> None:
    """More of the claimed amount is held while the proposal waits."""
    Merchant.objects.filter(pk=shop.sandbox.pk).update(environment="SANDBOX")
    a_payment(shop.sandbox, "PAID")
    Merchant.objects.filter(pk=shop.sandbox.pk).update(environment="PRODUCTION")
    assert not Refund.objects.get().shortfall


def test_whoever_opened_a_claim_does_not_decide_it(staff: Client, colleague: Client, root: User, acme: Shop) -> None:
    claim = a_claim(acme, by=root)
    take_to_production(acme.sandbox)
    before = everything()

    staff.post(action(claim, "for_company"), NOTE)
    assert (everything(), Proposal.objects.count()) == (before, 0)
    proposal = proposed(colleague, claim, "for_company")
    confirmed(staff, proposal)

    assert everything() == before


@pytest.mark.parametrize(("name", "ends"), DECISIONS)
def test_in_the_sandbox_one_person_decides_a_claim(staff: Client, acme: Shop, name: str, ends: str) -> None:
    claim = a_claim(acme)

    staff.post(action(claim, name), NOTE)

    claim.refresh_from_db()
    assert (claim.status, claim.note, Proposal.objects.count()) == (ends, NOTE["note"], 0)


def test_a_proposal_after_the_deadline_changes_nothing(staff: Client, colleague: Client, acme: Shop) -> None:
    claim = a_claim(acme)
    take_to_production(acme.sandbox)
    proposal = proposed(staff, claim, "for_company")
    pass_days(8)
    claim.refresh_from_db()
    assert claim.status == "PROCESSING"
    before = held_in(Refund, Hold)

    confirmed(colleague, proposal)

    assert held_in(Refund, Hold) == before


def test_staff_pay_what_was_recovered_where_no_provider_can(staff: Client, colleague: Client, acme: Shop) -> None:
    claim = a_claim(acme)
    refunds.decide(acme.sandbox, claim.id, RefundAction.FOR_PAYER)
    take_to_production(acme.sandbox)
    pass_days(3)
    pass_days(12)
    claim.refresh_from_db()
    assert (claim.status, claim.amount, claim.shortfall) == ("PROCESSING", 14_850, 0)
    assert claim.pk in waiting(staff, "decide")

    confirmed(colleague, proposed(staff, claim, "carried_out"))

    claim.refresh_from_db()
    assert (claim.status, claim.recovered, claim.claimed_amount) == ("COMPLETED", 14_850, 15_000)
    assert claim.payment.refunded_amount == 14_850


def test_what_a_company_owes_after_med_is_a_queue_until_it_is_paid(staff: Client, acme: Shop) -> None:
    taken = refunds.simulate_clawback(acme.sandbox, a_payment(acme.sandbox, "PAID").id)

    assert waiting(staff, "debts") == [taken.pk]
    assert "1.50 BRL" in staff.get(address(Refund, "change", taken.pk)).content.decode()
    a_payment(acme.sandbox, "PAID")
    assert waiting(staff, "debts") == []
