"""A payer is answered: prepared in a draft, looked at, and sent once."""

import uuid
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.roles import Role
from gateway.refunds import services as refunds
from gateway.refunds.due import LAPSE
from gateway.refunds.evidence import LARGEST
from gateway.refunds.models import Draft, DraftEvidence, Evidence, Refund, Response
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.people import a_member, signed_in
from tests.support.refunds import PDF, later, nothing_moves

pytestmark = pytest.mark.django_db

PNG, JPEG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20, b"\xff\xd8\xff\xe0" + b"\0" * 20


def a_file(content: bytes = PDF, name: str = "proof.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, "text/html")


def once(**said: Any) -> dict[str, Any]:
    return {"once": str(uuid.uuid4())} | said


def pieces(client: Client, where: str) -> list[tuple[str | None, str | None, str | None]]:
    """The evidence of the draft: file or address, and what it shows."""
    return [(one.file_name, one.url, one.description) for one in client.get(where).context["pieces"]]


def errors(answer: HttpResponse) -> dict[str, list[str]]:
    assert answer.status_code == 200
    return {name: list(said) for name, said in answer.context["form"].errors.items()}


def seen(client: Client, where: str) -> dict[str, Any]:
    """The form that is sent with the confirmation, as the page holds it."""
    return {name: client.get(where).context["form"][name].value() for name in ("once", "seen")}


def actions() -> list[tuple[str, str]]:
    return [*AuditEntry.objects.order_by("id").values_list("action", "object_id")]


# ── Accepting ─────────────────────────────────────────────────────────────────────────────────────────────────────
def test_accepting_is_explained_and_then_done(acme: Shop, asked: Refund, support: Client, page: Page) -> None:
    where = page("accept_refund", asked.pk)
    with nothing_moves(acme):
        assert "This cannot be undone." in support.get(where).content.decode()

    answer = support.post(where, once(message=" Ours was late.\r\nSorry. "))

    assert (answer.status_code, answer["Location"]) == (302, page("refund", asked.pk))
    said = Response.objects.get()
    assert (said.answer, said.answered_by, said.message) == ("ACCEPT", "DASHBOARD", "Ours was late.\nSorry.")
    assert said.person is not None and said.person.email == "support@acme.example"
    assert Refund.objects.get().status == "PROCESSING"
    assert actions() == [("refund.accepted", asked.pk)]
    entry = AuditEntry.objects.get()
    assert (entry.before, entry.after) == ({"status": "AWAITING_RESPONSE"}, {"status": "PROCESSING", "evidence": 0})


def test_what_is_sent_twice_is_done_once(acme: Shop, asked: Refund, support: Client, page: Page) -> None:
    form = once()
    support.post(page("accept_refund", asked.pk), form)
    with nothing_moves(acme):
        answer = support.post(page("accept_refund", asked.pk), form, follow=True)

    assert answer.redirect_chain[-1][0] == page("refund", asked.pk)
    assert len(actions()) == 1


@pytest.mark.parametrize("role", [Role.VIEWER, Role.DEVELOPER])
def test_who_may_not_refund_neither_looks_nor_answers(acme: Shop, asked: Refund, page: Page, role: Role) -> None:
    client = signed_in(a_member(acme.company, role))
    with nothing_moves(acme):
        for name in ("accept_refund", "contest_refund", "confirm_contest"):
            assert client.get(page(name, asked.pk)).status_code == 403
            assert client.post(page(name, asked.pk), once()).status_code == 403
        assert client.post(page("refund_draft", asked.pk), {"message": "x"}).status_code == 403
    assert page("accept_refund", asked.pk) not in client.get(page("refund", asked.pk)).content.decode()


def test_after_the_deadline_nothing_is_answered(acme: Shop, asked: Refund, support: Client, page: Page) -> None:
    later(acme, hours=73)
    with nothing_moves(acme):
        for name in ("accept_refund", "contest_refund", "confirm_contest"):
            assert support.post(page(name, asked.pk), once())["Location"] == page("refund", asked.pk)


# ── Contesting ────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_contest_is_prepared_looked_at_and_sent(acme: Shop, asked: Refund, support: Client, page: Page) -> None:
    where, confirm = page("contest_refund", asked.pk), page("confirm_contest", asked.pk)
    with nothing_moves(acme):
        support.post(where, {"uploads": [a_file(), a_file(PNG, "b.gif")], "file_description": "Signed"})
        support.post(where, {"message": "Delivered\r\non time.", "link": "https://shop.example/1"})
        support.post(where, {"message": "Delivered\r\non time.", "uploads": [a_file(JPEG, "../ç/<x>.jpeg")]})
        assert pieces(support, where) == [
            ("proof.pdf", None, "Signed"),
            ("b.gif.png", None, "Signed"),
            (None, "https://shop.example/1", None),
            ("_x_.jpeg", None, None),
        ]
        second = support.get(where).context["pieces"][1].pk
        support.post(where, {"message": "Delivered\non time.", "remove": str(second)})
        assert support.post(where, {"message": "Delivered\non time.", "continue": "1"})["Location"] == confirm
        body = support.get(confirm).content.decode()

    assert "This cannot be undone." in body
    assert "Delivered<br>on time." in body
    answer = support.post(confirm, seen(support, confirm))
    assert (answer.status_code, answer["Location"]) == (302, page("refund", asked.pk))
    said = Response.objects.get()
    assert (said.answer, said.answered_by, said.message) == ("CONTEST", "DASHBOARD", "Delivered\non time.")
    shown = Evidence.objects.order_by("id").values_list("kind", "file_name", "content_type", "url")
    assert [*shown] == [
        ("FILE", "proof.pdf", "application/pdf", None),
        ("URL", None, None, "https://shop.example/1"),
        ("FILE", "_x_.jpeg", "image/jpeg", None),
    ]
    assert bytes(Evidence.objects.get(file_name="proof.pdf").content or b"") == PDF
    assert Refund.objects.get().status == "UNDER_REVIEW"
    assert AuditEntry.objects.get().after == {"status": "UNDER_REVIEW", "evidence": 3}


def test_sent_is_sent(acme: Shop, asked: Refund, support: Client, page: Page) -> None:
    support.post(page("contest_refund", asked.pk), {"message": "Delivered.", "uploads": [a_file()]})
    confirm = page("confirm_contest", asked.pk)
    form = seen(support, confirm)
    support.post(confirm, form)

    assert not Draft.objects.exists() and not DraftEvidence.objects.exists()
    with nothing_moves(acme):
        for said in (form, once(seen=form["seen"])):
            assert support.post(confirm, said)["Location"] in (confirm, page("refund", asked.pk))
        assert support.get(page("contest_refund", asked.pk))["Location"] == page("refund", asked.pk)
    assert Response.objects.count() == 1
    support.post(page("accept_refund", asked.pk), once())
    assert [*Response.objects.order_by("id").values_list("answer", flat=True)] == ["CONTEST", "ACCEPT"]


def test_what_another_tab_changed_is_shown_before_it_is_sent(
    acme: Shop, asked: Refund, support: Client, page: Page
) -> None:
    where, confirm = page("contest_refund", asked.pk), page("confirm_contest", asked.pk)
    support.post(where, {"message": "Delivered."})
    form = seen(support, confirm)
    support.post(where, {"message": "Never delivered."})

    with nothing_moves(acme):
        answer = support.post(confirm, form)

    assert "The draft was changed in the meantime" in answer.content.decode()
    assert "Never delivered." in answer.content.decode()


def test_without_a_message_there_is_nothing_to_send(acme: Shop, asked: Refund, support: Client, page: Page) -> None:
    where = page("contest_refund", asked.pk)
    with nothing_moves(acme):
        assert "message" in errors(support.post(where, {"message": "  ", "continue": "1", "uploads": [a_file()]}))
        assert support.post(page("confirm_contest", asked.pk), once(seen="x"))["Location"] == where
    assert len(pieces(support, where)) == 1


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"link": "http://shop.example/1"}, "link"),
        ({"link": "https://user@shop.example/"}, "link"),
        ({"link": "javascript:alert(1)"}, "link"),
        ({"link": "https://" + "a" * 2050}, "link"),
        ({"link": "https://shop.example/", "link_description": "x" * 256}, "link_description"),
        ({"uploads": [a_file(b"<html>")]}, "uploads"),
        ({"uploads": [a_file(b"")]}, "uploads"),
        ({"uploads": [a_file(PDF + b"\0" * LARGEST)]}, "uploads"),
        ({"message": "x" * 2001}, "message"),
    ],
)
def test_what_cannot_be_taken_is_said_and_the_rest_is_kept(
    asked: Refund, support: Client, page: Page, said: dict[str, Any], field: str
) -> None:
    where = page("contest_refund", asked.pk)
    uploads = [a_file(PDF, "good.pdf"), *said.pop("uploads", [])]

    assert [*errors(support.post(where, {"message": "Kept.", "continue": "1", **said, "uploads": uploads}))] == [field]

    kept = support.get(where).context["draft"]
    assert kept.message == said.get("message", "Kept.")
    assert ("good.pdf", None, None) in pieces(support, where)


def test_the_two_characters_of_a_line_count_as_one(asked: Refund, support: Client, page: Page) -> None:
    said = {"message": "x\r\n" * 1000, "continue": "1"}

    assert support.post(page("contest_refund", asked.pk), said).status_code == 302


def test_there_is_room_for_ten_pieces(asked: Refund, support: Client, page: Page) -> None:
    where = page("contest_refund", asked.pk)
    support.post(where, {"message": "x", "uploads": [a_file(PDF, f"{n}.pdf") for n in range(9)]})

    answer = support.post(where, {"uploads": [a_file(PDF, "ten.pdf"), a_file(PDF, "eleven.pdf")]})
    assert errors(answer) == {"uploads": ["At most 10 pieces of evidence."]}
    assert errors(support.post(where, {"link": "https://shop.example/"})) == {
        "link": ["At most 10 pieces of evidence."]
    }
    assert [name for name, _, _ in pieces(support, where)][9:] == ["ten.pdf"]


def test_the_draft_belongs_to_the_refund_and_not_to_the_browser(
    acme: Shop, asked: Refund, support: Client, stranger: Client, page: Page
) -> None:
    where = page("contest_refund", asked.pk)
    support.post(where, {"uploads": [a_file()]})
    answer = support.post(page("refund_draft", asked.pk), {"message": "Half a sen"})
    colleague = signed_in(a_member(acme.company, Role.FINANCE))

    assert "Draft saved" in answer.content.decode()
    for reader in (support, colleague):
        body = reader.get(where).content.decode()
        assert "Half a sen" in body and "Last changed by support@acme.example" in body
        assert pieces(reader, where) == [("proof.pdf", None, None)]
    assert stranger.get(where).status_code == 404
    assert colleague.post(where, {"message": "A whole sentence.", "continue": "1"}).status_code == 302
    draft = Draft.objects.get()
    assert (draft.message, str(draft.author)) == ("A whole sentence.", "finance@acme.example")


def test_the_draft_outlives_the_session(asked: Refund, support: Client, page: Page) -> None:
    support.post(page("contest_refund", asked.pk), {"message": "Delivered.", "uploads": [a_file()]})

    support.post("/accounts/logout/")

    back = signed_in(User.objects.get(email="support@acme.example"))
    assert "Delivered." in back.get(page("contest_refund", asked.pk)).content.decode()
    assert pieces(back, page("contest_refund", asked.pk)) == [("proof.pdf", None, None)]


@pytest.mark.parametrize("ends", ["accepted", "answered by the API", "silence", "canceled by the payer"])
def test_the_draft_ends_with_the_answer_or_the_refund(
    acme: Shop, asked: Refund, support: Client, page: Page, ends: str
) -> None:
    support.post(page("contest_refund", asked.pk), {"message": "Delivered.", "uploads": [a_file()]})

    if ends == "accepted":
        support.post(page("accept_refund", asked.pk), once())
    elif ends == "answered by the API":
        refunds.respond(acme.sandbox, asked.pk, "CONTEST", message="By the backend.")
    elif ends == "silence":
        later(acme, hours=73)
        LAPSE.run_at_clock(acme.sandbox, asked.pk)
    else:
        refunds.decide(acme.sandbox, asked.pk, refunds.RefundAction.WITHDRAW)

    assert (Draft.objects.count(), DraftEvidence.objects.count()) == (0, 0)
    assert support.post(page("refund_draft", asked.pk), {"message": "Too late"}).status_code == 409
    assert not Draft.objects.exists()


def test_what_a_colleague_answered_meanwhile_is_not_answered_again(
    acme: Shop, asked: Refund, support: Client, page: Page
) -> None:
    support.post(page("contest_refund", asked.pk), {"message": "Delivered."})
    form = seen(support, page("confirm_contest", asked.pk))
    refunds.respond(acme.sandbox, asked.pk, "ACCEPT")

    with nothing_moves(acme):
        assert support.post(page("confirm_contest", asked.pk), form)["Location"] == page("refund", asked.pk)
