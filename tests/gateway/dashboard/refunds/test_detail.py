"""A refund's page: what each outcome does, what was said, and how it ended."""

import re
from typing import Any

import pytest
from django.test import Client

from gateway.refunds import services as refunds
from gateway.refunds.due import run_due
from gateway.refunds.models import Evidence, Refund
from gateway.refunds.services import Shown
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.payments import a_payment
from tests.support.receivables import a_receivable
from tests.support.refunds import PDF, later, withdraw_all_but

pytestmark = pytest.mark.django_db


def text_of(client: Client, where: str) -> str:
    """What is read on the page, in one line."""
    answer = client.get(where)
    assert answer.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).replace("&nbsp;", " ").split())


def outcomes(client: Client, where: str) -> tuple[Any, Any, int]:
    found = client.get(where).context["outcomes"]
    return tuple(found.kept), tuple(found.given), found.missing


def test_it_says_what_is_asked_until_when_and_what_helps(asked: Refund, support: Client, page: Page) -> None:
    body = text_of(support, page("refund", asked.pk))

    for said in (
        "R$150.00",
        "Waiting for your answer",
        "Not received",
        "NOT_RECEIVED",
        "Nothing &lt;b&gt;arrived&lt;/b&gt;.",
        "2 d 23 h",
        "Without an answer by the deadline",
        "Tracking from dispatch to arrival",
        "Held for the refund",
        "refund.response_required",
    ):
        assert said in body, said


def test_each_outcome_is_told_to_the_cent(acme: Shop, asked: Refund, support: Client, page: Page) -> None:
    assert outcomes(support, page("refund", asked.pk)) == ((14_850, 0, -14_850), (0, 0, -14_850), 150)


def test_what_came_from_a_receivable_goes_back_there_before_its_day(acme: Shop, support: Client, page: Page) -> None:
    card = a_receivable(acme.sandbox)
    disputed = refunds.dispute(acme.sandbox, card.payment_id, amount=5_000)

    assert outcomes(support, page("refund", disputed.pk)) == ((0, 5_000, -5_000), (0, 0, -5_000), 0)
    later(acme, days=31)
    assert outcomes(support, page("refund", disputed.pk)) == ((5_000, 0, -5_000), (0, 0, -5_000), 0)
    assert "Card dispute" in text_of(support, page("refund", disputed.pk))


def test_what_is_missing_is_said(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    withdraw_all_but(acme, 4_000)
    short = refunds.dispute(acme.sandbox, payment.pk)

    assert outcomes(support, page("refund", short.pk)) == ((4_000, 0, -4_000), (0, 0, -4_000), 11_000)
    assert "R$110.00 is not held yet" in text_of(support, page("refund", short.pk))


@pytest.mark.usefixtures("money")
@pytest.mark.parametrize(
    ("answer", "wanted", "said"),
    [
        ("CONTEST", ["REJECTED"], "You won"),
        ("CONTEST", ["PROCESSING", "COMPLETED"], "You lost"),
        ("CONTEST", ["CANCELED"], "The payer withdrew the request"),
        ("ACCEPT", ["COMPLETED"], "You accepted"),
        ("ACCEPT", ["FAILED"], "It could not be refunded"),
    ],
)
def test_every_end_has_its_words(
    acme: Shop, support: Client, page: Page, answer: str, wanted: list[str], said: str
) -> None:
    refund = refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").pk)
    refunds.respond(acme.sandbox, refund.pk, answer, message="Delivered.")

    for status in wanted:
        assert support.post(page("decide_refund", refund.pk), {"status": status}).status_code == 302

    body = text_of(support, page("refund", refund.pk))
    assert said in body
    assert "What each outcome" not in body


def test_silence_has_its_own_words(acme: Shop, money: None, asked: Refund, support: Client, page: Page) -> None:
    later(acme, hours=73)
    assert "The deadline has passed" in text_of(support, page("refund", asked.pk))
    for _ in range(3):
        run_due()
        later(acme, seconds=5)

    body = text_of(support, page("refund", asked.pk))
    assert "Nobody answered in time" in body
    assert "Accepted automatically (no answer)" in body


def test_a_refund_of_the_company_asks_nobody(acme: Shop, money: None, support: Client, page: Page) -> None:
    given = refunds.create(acme.sandbox, a_payment(acme.sandbox, "PAID").pk, reason="Out of stock")

    body = text_of(support, page("refund", given.pk))

    assert "Out of stock" in body
    for absent in ("Contest", "Your answers", "Evidence that helps"):
        assert absent not in body, absent


def test_answers_are_told_with_their_evidence_and_files_are_only_saved(
    acme: Shop, asked: Refund, support: Client, viewer: Client, stranger: Client, globex: Shop, page: Page
) -> None:
    shown = [
        Shown(url="https://shop.example/proof?a=1", description="Tracking"),
        Shown(file_name="signed.pdf", content_type="application/pdf", content=PDF),
    ]
    refunds.respond(acme.sandbox, asked.pk, "CONTEST", message="Delivered <b>.", evidence=shown)
    file = Evidence.objects.get(kind="FILE")
    where = page("refund_evidence", asked.pk, file.pk)

    body = text_of(viewer, page("refund", asked.pk))
    for said in ("by the API", "Delivered &lt;b&gt;.", "https://shop.example/proof?a=1", "signed.pdf"):
        assert said in body, said
    answer = viewer.get(where)
    assert answer.content == PDF
    assert answer["Content-Disposition"] == 'attachment; filename="signed.pdf"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert stranger.get(where).status_code == 404
    assert stranger.get(where.replace(acme.company.pk, globex.company.pk)).status_code == 404
    for other in ("evd_nobody", Evidence.objects.get(kind="URL").pk):
        assert support.get(page("refund_evidence", asked.pk, other)).status_code == 404


def test_another_companys_refund_is_not_there(
    acme: Shop, globex: Shop, asked: Refund, stranger: Client, page: Page
) -> None:
    for name in ("refund", "accept_refund", "contest_refund", "confirm_contest"):
        where = page(name, asked.pk)
        assert stranger.get(where).status_code == 404
        assert stranger.get(where.replace(acme.company.pk, globex.company.pk)).status_code == 404


def test_the_page_asks_the_database_a_few_questions_only(
    acme: Shop, asked: Refund, support: Client, page: Page, django_assert_max_num_queries: Any
) -> None:
    shown = [Shown(url=f"https://shop.example/{n}") for n in range(10)]
    refunds.respond(acme.sandbox, asked.pk, "CONTEST", message="Delivered.", evidence=shown)

    with django_assert_max_num_queries(15):
        support.get(page("refund", asked.pk))
