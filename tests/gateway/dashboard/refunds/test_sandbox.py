"""In the sandbox a payer asks, and somebody decides, when one of the company says so."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.base.clock import now
from accounts.models import AuditEntry
from accounts.roles import Role
from gateway.refunds.models import Refund
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.payments import a_payment
from tests.support.people import a_member, signed_in
from tests.support.refunds import nothing_moves

pytestmark = pytest.mark.django_db


def wish(payment: str, **said: Any) -> dict[str, Any]:
    return {"once": str(uuid.uuid4()), "payment": payment, "reason_code": "FRAUD", **said}


def errors(answer: HttpResponse) -> dict[str, list[str]]:
    return {name: list(said) for name, said in answer.context["form"].errors.items()}


def test_a_payer_asks(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    offered = support.get(page("ask_for_refund") + f"?payment={payment.pk}").content.decode()

    said = wish(payment.pk, amount="50,00", statement="Not me.", hours="10")
    answer = support.post(page("ask_for_refund"), said)

    asked = Refund.objects.get()
    assert f'value="{payment.pk}"' in offered
    assert answer["Location"] == page("refund", asked.pk)
    assert (asked.origin, asked.amount, asked.reason_code, asked.payer_statement) == ("PAYER", 5000, "FRAUD", "Not me.")
    due = asked.response_due_at
    assert due is not None and abs(due - now(acme.sandbox) - timedelta(hours=10)) < timedelta(minutes=1)
    assert AuditEntry.objects.get().action == "refund.asked_by_payer"
    with nothing_moves(acme):
        support.post(page("ask_for_refund"), said)


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"payment": "pay_nobody"}, "__all__"),
        ({"amount": "150.01"}, "amount"),
        ({"amount": "1.001"}, "amount"),
        ({"amount": "-1"}, "amount"),
        ({"reason_code": "WHY"}, "reason_code"),
        ({"hours": "0"}, "hours"),
        ({"statement": "x" * 2001}, "statement"),
    ],
)
def test_what_cannot_be_asked_is_said(
    acme: Shop, support: Client, page: Page, said: dict[str, Any], field: str
) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    with nothing_moves(acme):
        answer = support.post(page("ask_for_refund"), wish(payment.pk) | said)

    assert [*errors(answer)] == [field]


def test_a_payment_of_another_company_is_not_there(acme: Shop, globex: Shop, stranger: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    own = page("ask_for_refund").replace(acme.company.pk, globex.company.pk)
    with nothing_moves(acme):
        assert errors(stranger.post(own, wish(payment.pk))) != {}


def test_only_what_can_happen_next_is_offered_and_done(acme: Shop, asked: Refund, support: Client, page: Page) -> None:
    where = page("decide_refund", asked.pk)
    offered = support.get(page("refund", asked.pk)).context["decisions"]

    assert [status for status, _ in offered] == ["CANCELED"]
    with nothing_moves(acme):
        for status in ("REJECTED", "COMPLETED", "FAILED", "PROCESSING", "", "x"):
            assert support.post(where, {"status": status}).status_code == 409
    support.post(where, {"status": "CANCELED"})
    assert Refund.objects.get().status == "CANCELED"
    assert AuditEntry.objects.get().after == {"status": "CANCELED"}


def test_nobody_decides_in_production_or_without_being_allowed_to(acme: Shop, asked: Refund, page: Page) -> None:
    viewer, owner = signed_in(a_member(acme.company, Role.VIEWER)), signed_in(a_member(acme.company))
    with nothing_moves(acme):
        for name, args in (("ask_for_refund", ()), ("decide_refund", (asked.pk,))):
            where = page(name, *args)
            assert viewer.post(where, {"status": "CANCELED"}).status_code == 403
            assert owner.post(where.replace("sandbox", "production"), {"status": "CANCELED"}).status_code == 404
