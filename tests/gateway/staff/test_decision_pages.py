"""Pages on which staff decide show what the decision needs."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Company, Document
from gateway.refunds import services as refunds
from ledger.receivables import advances
from ledger.receivables.models import Advance
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import a_member, browser_of
from tests.support.proposals import action
from tests.support.receivables import a_receivable
from tests.support.staff import page_at, support

pytestmark = pytest.mark.django_db


def test_the_page_of_an_advance_shows_what_else_is_known_of_the_company(staff: Client, acme: Shop) -> None:
    asked = advances.request(acme.sandbox, [a_receivable(acme.sandbox).pk], a_member(acme.company))
    refund = refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").pk, reason_code="SCAM")

    shown = staff.get(page_at(Advance, "change", asked.pk)).content.decode()

    assert "Disputes and requests of payers" in shown and refund.pk in shown
    assert "BRL blocked" in shown and "Refunds by the company" not in shown


def test_documents_are_read_beside_the_decision_and_can_do_nothing(staff: Client, acme: Shop) -> None:
    Company.objects.filter(pk=acme.company.pk).update(status="PENDING_VERIFICATION")
    for kind, name, content_type in (("IDENTITY", "id.png", "image/png"), ("ADDRESS", "bill.pdf", "application/pdf")):
        Document.objects.create(
            company=acme.company, kind=kind, file_name=name, content_type=content_type, size=9, content=b"x" * 9,
            handed_in_by=a_member(acme.company, email=f"{kind}@acme.example"),
        )  # fmt: skip
    image, pdf = Document.objects.order_by("id")
    addresses = [reverse("admin:accounts_document_preview", args=[one.pk]) for one in (image, pdf)]

    shown = staff.get(action(acme.company, "verify")).content.decode()

    assert all(where in shown for where in addresses) and "<iframe" in shown
    [of_image, of_pdf] = [staff.get(where) for where in addresses]
    assert (
        "sandbox" in of_image["Content-Security-Policy"] and "default-src 'none'" in of_pdf["Content-Security-Policy"]
    )
    for served in (of_image, of_pdf):
        assert (served["X-Content-Type-Options"], served["X-Frame-Options"]) == ("nosniff", "SAMEORIGIN")
    agent = browser_of(support("view_company", "verify_company"))
    assert "<iframe" not in agent.get(action(acme.company, "verify")).content.decode()
    assert agent.get(addresses[0]).status_code == 403
