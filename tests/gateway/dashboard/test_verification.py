"""From the sandbox to production: documents are handed in, production is asked for, support decides."""

from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts import verification
from accounts.models import AuditEntry, Company, Document, User
from accounts.roles import Role
from gateway.staff.kit.columns import address
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.pages import Committed
from tests.support.people import PASSWORD, a_member, signed_in, signed_in_twice

PDF, PNG, JPEG = b"%PDF-1.7 what it says", b"\x89PNG\r\n\x1a\nwhat it shows", b"\xff\xd8\xffwhat it shows"
NEEDED = [kind.value for kind in verification.NEEDED]


def page_of(shop: Shop, place: str = "") -> str:
    return f"/dashboard/{shop.company.pk}/sandbox/verification/{place}"


@pytest.fixture
def newcomer(acme: Shop) -> Shop:
    """Acme, before anybody looked at it."""
    Company.objects.filter(pk=acme.company.pk).update(status="PENDING_VERIFICATION", verified_at=None)
    return acme


@pytest.fixture
def owner(newcomer: Shop) -> Client:
    return signed_in(a_member(newcomer.company))


@pytest.fixture
def staff(db: None) -> Client:
    return signed_in_twice(User.objects.create_superuser("root@onpay.example", PASSWORD))


def hand_in(
    browser: Client, shop: Shop, kind: str = "ADDRESS", content: bytes = PDF, name: str = "bill.pdf"
) -> HttpResponse:
    once = form_in(browser.get(page_of(shop)).content).get("once", "")
    sent = {"once": once, "kind": kind, "file": SimpleUploadedFile(name, content, "text/html")}
    return browser.post(page_of(shop), sent)  # type: ignore[return-value]


def hand_in_all(browser: Client, shop: Shop) -> None:
    for kind in NEEDED:
        assert hand_in(browser, shop, kind).status_code == 302


def company(shop: Shop) -> Company:
    return Company.objects.get(pk=shop.company.pk)


# ── Documents ─────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("content", "name", "kept_as", "content_type"),
    [
        (PDF, "bill.pdf", "bill.pdf", "application/pdf"),
        (PNG, "scan", "scan.png", "image/png"),
        (JPEG, "photo.JPEG", "photo.JPEG", "image/jpeg"),
        (PDF, "page.html", "page.html.pdf", "application/pdf"),
    ],
)
def test_a_document_is_kept_for_what_it_is_and_given_back_as_a_file(
    newcomer: Shop, owner: Client, content: bytes, name: str, kept_as: str, content_type: str
) -> None:
    assert hand_in(owner, newcomer, content=content, name=name)["location"] == page_of(newcomer)

    document = Document.objects.get()
    assert (document.kind, document.file_name, document.content_type) == ("ADDRESS", kept_as, content_type)
    assert (document.size, bytes(document.content)) == (len(content), content)
    given = owner.get(page_of(newcomer, f"documents/{document.pk}"))
    assert (given.content, given["Content-Type"]) == (content, content_type)
    assert given["Content-Disposition"] == f'attachment; filename="{kept_as}"'
    assert (given["X-Content-Type-Options"], given["Content-Security-Policy"]) == (
        "nosniff", "default-src 'none'; sandbox",
    )  # fmt: skip
    assert AuditEntry.objects.get().after == {"kind": "ADDRESS", "file": kept_as, "bytes": len(content)}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<html>", "The file cannot be accepted:"),
        (b" %PDF-1.7", "The file cannot be accepted:"),
        (b"", "The submitted file is empty."),
        (PDF + bytes(verification.LARGEST), "The file is larger than 10 MB."),
    ],
)
def test_what_is_no_document_is_refused_and_nothing_is_kept(
    newcomer: Shop, owner: Client, content: bytes, said: str
) -> None:
    answer = hand_in(owner, newcomer, content=content)

    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert (Document.objects.count(), AuditEntry.objects.count()) == (0, 0)


def test_ten_megabytes_fit_and_lists_never_read_them(
    newcomer: Shop, owner: Client, django_assert_max_num_queries: Any
) -> None:
    hand_in(owner, newcomer, content=PDF + bytes(verification.LARGEST - len(PDF)))

    assert Document.objects.get().size == verification.LARGEST
    assert "content" in Document.objects.get().get_deferred_fields()
    with django_assert_max_num_queries(12) as asked:
        owner.get(page_of(newcomer))
    assert not [query for query in asked.captured_queries if '"accounts_document"."content"' in query["sql"]]


def test_twenty_documents_are_enough(newcomer: Shop, owner: Client) -> None:
    once = form_in(owner.get(page_of(newcomer)).content)["once"]
    for _ in range(verification.MOST):
        hand_in(owner, newcomer)
    late = {"once": once, "kind": "OTHER", "file": SimpleUploadedFile("a.pdf", PDF)}

    assert "You have already uploaded 20 documents." in owner.post(page_of(newcomer), late).content.decode()
    assert "the maximum" in owner.get(page_of(newcomer)).content.decode()
    assert Document.objects.count() == verification.MOST


def test_a_file_that_is_sent_twice_is_kept_once(newcomer: Shop, owner: Client) -> None:
    once = form_in(owner.get(page_of(newcomer)).content)["once"]
    for _ in range(2):
        sent = {"once": once, "kind": "OTHER", "file": SimpleUploadedFile("a.pdf", PDF)}
        owner.post(page_of(newcomer), sent)

    assert Document.objects.count() == 1


def test_a_wrong_file_is_taken_back_until_production_is_asked_for(newcomer: Shop, owner: Client) -> None:
    hand_in(owner, newcomer)
    owner.post(page_of(newcomer, f"documents/{Document.objects.get().pk}/remove"))
    assert not Document.objects.exists()

    hand_in_all(owner, newcomer)
    owner.post(page_of(newcomer, "production"))
    answer = owner.post(page_of(newcomer, f"documents/{Document.objects.first().pk}/remove"))  # type: ignore[union-attr]

    assert answer.status_code == 409
    assert Document.objects.count() == len(NEEDED)


def test_only_owners_of_the_company_reach_documents(newcomer: Shop, globex: Shop, owner: Client) -> None:
    hand_in(owner, newcomer)
    document = Document.objects.get().pk
    stranger = signed_in(a_member(globex.company))
    finance = signed_in(a_member(newcomer.company, Role.FINANCE))

    for place in ("", f"documents/{document}"):
        assert stranger.get(page_of(newcomer, place)).status_code == 404
        assert finance.get(page_of(newcomer, place)).status_code == 403
    assert stranger.get(page_of(globex, f"documents/{document}")).status_code == 404
    assert stranger.post(page_of(globex, f"documents/{document}/remove")).status_code == 404
    assert finance.post(page_of(newcomer, f"documents/{document}/remove")).status_code == 403
    assert Document.objects.count() == 1


# ── Production ────────────────────────────────────────────────────────────────────────────────────────────────────
def test_production_is_asked_for_when_everything_needed_is_there(newcomer: Shop, owner: Client) -> None:
    for kind in NEEDED:
        assert owner.post(page_of(newcomer, "production")).status_code == 409
        assert "Request production</button>" not in owner.get(page_of(newcomer)).content.decode()
        hand_in(owner, newcomer, kind)
    assert company(newcomer).production_asked_at is None

    assert owner.post(page_of(newcomer, "production"))["location"] == page_of(newcomer)

    assert company(newcomer).production_asked_at is not None
    assert "You requested production" in owner.get(page_of(newcomer)).content.decode()
    assert owner.post(page_of(newcomer, "production")).status_code == 409
    assert AuditEntry.objects.filter(action="production.asked").count() == 1


def test_who_is_verified_need_not_ask(acme: Shop) -> None:
    browser = signed_in(a_member(acme.company))

    assert "production accepts real money." in browser.get(page_of(acme)).content.decode()
    assert browser.post(page_of(acme, "production")).status_code == 409
    assert company(acme).production_asked_at is None


# ── Staff ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def decision(company: Company, name: str) -> str:
    return reverse(f"admin:accounts_company_{name}", args=[company.pk])


def test_staff_read_what_was_handed_in(newcomer: Shop, owner: Client, staff: Client) -> None:
    hand_in(owner, newcomer)
    document = Document.objects.get()

    listed = staff.get(address(Company, "change", newcomer.company.pk)).content.decode()
    assert address(Document, "change", document.pk) in listed
    file = reverse("admin:accounts_document_file", args=[document.pk])
    assert file in staff.get(address(Document, "change", document.pk)).content.decode()
    assert staff.get(file).content == PDF
    assert staff.get(file.replace(document.pk, "doc_1")).status_code == 404
    assert owner.get(file).status_code == 302


def test_staff_without_the_right_read_no_file(newcomer: Shop, owner: Client) -> None:
    hand_in(owner, newcomer)
    file = reverse("admin:accounts_document_file", args=[Document.objects.get().pk])
    poor = User.objects.create_user("poor@onpay.example", PASSWORD, is_staff=True)

    assert signed_in(poor).get(file).status_code == 403


def test_a_company_is_verified_and_its_owners_read_it_in_their_language(
    newcomer: Shop, owner: Client, staff: Client, committed: Committed
) -> None:
    User.objects.filter(email="owner@acme.example").update(language="en")
    hand_in_all(owner, newcomer)
    owner.post(page_of(newcomer, "production"))

    with committed():
        staff.post(decision(newcomer.company, "verify"))

    verified = company(newcomer)
    assert (verified.status, verified.verification_note) == ("ACTIVE", "")
    assert verified.verified_at is not None
    told = {message.to[0]: message for message in mail.outbox}
    assert "Acme is verified. Production is open." in str(told["owner@acme.example"].body)
    assert AuditEntry.objects.get(action="company.verified").by_staff
    page = staff.get(address(Company, "change", newcomer.company.pk)).content.decode()
    assert decision(newcomer.company, "verify") not in page


def test_what_is_missing_is_said_on_the_page_and_by_mail_and_can_be_asked_again(
    newcomer: Shop, owner: Client, staff: Client, committed: Committed
) -> None:
    hand_in_all(owner, newcomer)
    owner.post(page_of(newcomer, "production"))
    note = "The extract is older than 90 days & not legible."

    with committed():
        staff.post(decision(newcomer.company, "send_back"), {"note": note})

    assert company(newcomer).production_asked_at is None
    page = owner.get(page_of(newcomer)).content.decode()
    assert "older than 90 days &amp; not legible." in page
    assert note in str(mail.outbox[-1].body)
    owner.post(page_of(newcomer, "production"))
    assert company(newcomer).production_asked_at is not None
    assert company(newcomer).verification_note == ""


@pytest.mark.parametrize("sent", [{}, {"note": ""}, {"note": "No"}])
def test_nothing_is_sent_back_without_a_reason(newcomer: Shop, staff: Client, sent: dict[str, str]) -> None:
    assert staff.post(decision(newcomer.company, "send_back"), sent).status_code == 200
    assert (company(newcomer).verification_note, mail.outbox) == ("", [])


@pytest.mark.parametrize("name", ["verify", "send_back"])
def test_what_was_decided_stays_decided(acme: Shop, staff: Client, name: str) -> None:
    before = company(acme).verified_at

    staff.post(decision(acme.company, name), {"note": "Something is missing."})

    assert (company(acme).status, company(acme).verified_at) == ("ACTIVE", before)
    assert (AuditEntry.objects.count(), mail.outbox) == (0, [])
