"""A MED claim before the company: its clocks, what is missing, what was recovered; and simulated by it."""

import uuid
from typing import Any

import pytest
from django.test import Client

from gateway.refunds import services as refunds
from gateway.refunds.due import run_due
from gateway.refunds.models import Refund
from tests.support.companies import Shop
from tests.support.pages import Page, words
from tests.support.payments import a_payment
from tests.support.refunds import later, nothing_moves

pytestmark = pytest.mark.django_db

CLAIM = "81a15e14-ff7a-4f34-9e01-57172bde7f4a"


@pytest.fixture
def claim(acme: Shop) -> Refund:
    """Of 150 reais, of which 148.50 are there."""
    payment = a_payment(acme.sandbox, "PAID")
    return refunds.claim(acme.sandbox, payment.pk, claim_id=CLAIM, reason_code="SCAM")


def test_its_page_tells_every_deadline_and_what_silence_means(claim: Refund, support: Client, page: Page) -> None:
    body = words(support.get(page("refund", claim.pk)))

    for said in (
        "PIX MED",
        "MED claim id",
        CLAIM,
        "Scam",
        "Decision due",
        "End of the return window",
        "it is decided without your evidence",
        "or nobody decides in time",
    ):
        assert said in body, said
    assert "the money goes back to the payer" not in body


def test_after_silence_it_says_who_decides_and_until_when(
    acme: Shop, claim: Refund, support: Client, page: Page
) -> None:
    later(acme, hours=73)
    run_due()

    body = words(support.get(page("refund", claim.pk)))

    assert "The MED claim is under review. Without a decision by" in body
    found = support.get(page("refund", claim.pk)).context
    assert (found["can_contest"], found["can_accept"]) == (False, True)


def test_what_is_missing_is_owed_until_the_window_ends(acme: Shop, claim: Refund, support: Client, page: Page) -> None:
    refunds.respond(acme.sandbox, claim.pk, "ACCEPT")
    where = page("refund", claim.pk)
    assert "You are R$1.50 short. Incoming money is held until" in words(support.get(where))

    later(acme, days=12)
    while run_due():
        pass

    body = words(support.get(where))
    assert "R$148.50 of the claimed R$150.00 was returned to the payer" in body
    assert "fails after 90 days" not in body


def test_the_list_names_and_filters_it(claim: Refund, support: Client, page: Page) -> None:
    where = page("refunds") + "?tab=all&kind="

    found = {kind: len(support.get(where + kind).context["page"].rows) for kind in ("med", "claim", "dispute")}

    assert found == {"med": 1, "claim": 0, "dispute": 0}


def test_a_claim_is_simulated(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")

    answer = support.post(page("ask_for_refund"), sent(payment.pk))

    made = Refund.objects.get()
    assert answer["Location"] == page("refund", made.pk)
    assert (made.dispute_kind, made.reason_code, made.claimed_amount) == ("MED", "COERCION", 15_000)


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"kind": "med"}, "kind"),
        ({"hours": "10"}, "hours"),
        ({"reason_code": "DUPLICATE"}, "reason_code"),
        ({"kind": ""}, "reason_code"),
        ({"amount": "150.01"}, "amount"),
    ],
)
def test_what_is_no_claim_is_said(acme: Shop, support: Client, page: Page, members: dict[str, str], field: str) -> None:
    payment = a_payment(acme.sandbox, "PAID")

    with nothing_moves(acme):
        answer = support.post(page("ask_for_refund"), sent(payment.pk, **members))

    assert field in answer.context["form"].errors


def sent(payment_id: str, **members: Any) -> dict[str, Any]:
    return {"once": str(uuid.uuid4()), "payment": payment_id, "kind": "MED", "reason_code": "COERCION", **members}


def test_what_a_bank_took_back_itself_says_what_is_owed(acme: Shop, support: Client, page: Page) -> None:
    taken = refunds.simulate_clawback(acme.sandbox, a_payment(acme.sandbox, "PAID").pk)

    body = words(support.get(page("refund", taken.pk)))

    assert "your balance did not cover it: you owe" in body and "1.50" in body
    assert "Your answers" not in body and "Decision due" not in body
    assert "A bank took a payment back through MED: you owe" in words(support.get(page("home")))
    a_payment(acme.sandbox, "PAID")
    body = words(support.get(page("refund", taken.pk)))
    assert "There was no claim that you could have answered" in body
    assert "Debt from a return by the bank paid" in body
