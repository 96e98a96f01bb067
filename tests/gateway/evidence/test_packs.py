"""Evidence packs: what an institution reads in one, where people put them, and what is handed in by itself."""

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry, Company, Email
from accounts.roles import Role
from gateway.evidence import services
from gateway.evidence.due import run_due, watch
from gateway.evidence.facts import facts
from gateway.evidence.models import AutomaticEvidence
from gateway.evidence.pdf import render
from gateway.refunds import due as refunds_due
from gateway.refunds import selectors
from gateway.refunds.models import Draft, Evidence, Refund, Response
from gateway.staff.refund_queues import QUEUES
from tests.support.api import Api
from tests.support.cards import opened
from tests.support.companies import Shop
from tests.support.pdf import poppler
from tests.support.people import a_member, signed_in
from tests.support.refunds import PDF, answered, claimed, disputed, later, now, paid
from tests.support.sweeps import broken, repaired, the_delay_is_over
from webhooks.models import Delivery, Endpoint, Event

pytestmark = pytest.mark.django_db
TO_ANNOUNCE, TO_HAND_IN = 0.8 * 72, 0.9 * 72
"""Hours after the opening of a MED claim."""
READERS = 2
"""The owner, and who turned it on."""


@pytest.fixture(autouse=True)
def told_in_the_sandbox(settings: Any) -> None:
    settings.SANDBOX_NOTICES = True


def found(shop: Shop, refund: dict[str, Any]) -> Refund:
    return selectors.get(shop.sandbox, refund["id"])


def printed(shop: Shop, refund: dict[str, Any]) -> str:
    return " ".join(poppler("pdftotext", "-layout", "-", "-", pdf=render(facts(found(shop, refund)))).decode().split())


def turn_on(shop: Shop, role: Role = Role.FINANCE) -> Client:
    person = signed_in(a_member(shop.company, role))
    person.post(reverse("dashboard:automatic_evidence", args=(shop.company.pk, "sandbox")), {"on": "1"})
    return person


def at(shop: Shop, hours: float) -> None:
    """Hours after now, and the worker looks."""
    later(shop, hours=hours, seconds=1)
    run_due()


def mails() -> list[str]:
    return list(Email.objects.filter(kind__startswith="evidence").order_by("id").values_list("kind", flat=True))


def test_a_pack_has_all_that_is_known_in_the_language_of_who_decides(api: Api, acme: Shop) -> None:
    session = opened(api, "CREDIT_CARD", reference="order-77")
    session.pay()
    card = disputed(api, session.id, amount=60, reasonCode="UNRECOGNIZED", payerStatement="Não reconheço (x).")
    claim = claimed(api, paid(api), reasonCode="SCAM")

    text = printed(acme, card)
    for part in ("order-77", session.id, "60,00", "Não reconheço (x).", "127.0.0.1", "•••• 4242"):
        assert part in text, part
    assert (facts(found(acme, card)).tag, facts(found(acme, card)).mark) == ("pt-BR", "SANDBOX · SEM VALOR")
    assert claim["claimId"] in printed(acme, claim)
    english = Refund.objects.get(pk=card["id"])
    english.dispute_kind = "CHARGEBACK"
    made = facts(english)
    assert (made.tag, made.title, made.sections[0].lines[-1].text[-5:]) == (
        "en",
        "Evidence for a disputed payment",
        "(UTC)",
    )


def test_a_pack_stays_a_file_however_often_an_event_was_sent_again(api: Api, acme: Shop) -> None:
    refund = claimed(api, paid(api))
    event = Event.objects.filter(object_id=refund["paymentId"]).earliest("sequence")
    hook = Endpoint.objects.create(
        merchant=acme.sandbox, url="https://shop.example/hook", events=["*"], sealed_secret=b""
    )
    sent = {"event": event, "endpoint": hook, "status": "DELIVERED", "attempts": 1, "next_attempt_at": None}
    Delivery.objects.bulk_create(Delivery(**sent, http_status=200) for _ in range(30))

    assert printed(acme, refund).count("shop.example · HTTP 200") == 10


def test_a_pack_goes_among_the_evidence_of_the_answer_once(api: Api, acme: Shop, globex: Shop) -> None:
    refund = disputed(api, paid(api))
    page = reverse("dashboard:evidence_pack", args=(acme.company.pk, "sandbox", refund["id"]))
    support, viewer = (signed_in(a_member(acme.company, role)) for role in (Role.SUPPORT, Role.VIEWER))
    assert viewer.post(page).status_code == 403
    assert signed_in(a_member(globex.company)).get(page).status_code == 404

    support.post(page)
    again = support.post(page)

    assert again["Location"].endswith(f"{refund['id']}/contest")
    [piece] = Draft.objects.get().evidence.all()
    assert (piece.file_name, bytes(piece.content or b"")[:5]) == (f"evidence-{refund['id']}.pdf", b"%PDF-")
    served = support.get(page)
    assert served["Content-Disposition"].startswith("attachment") and "sandbox" in served["Content-Security-Policy"]

    draft = Draft.objects.get()
    draft.evidence.all().delete()
    for _ in range(10):
        draft.evidence.create(url="https://shop.example/proof")
    assert support.post(page).status_code == 422
    assert draft.evidence.count() == 10
    answered(api, refund, "CONTEST")
    support.post(page)
    assert not Draft.objects.exists()


def test_only_who_may_turns_it_on_and_it_is_written_down(api: Api, acme: Shop) -> None:
    support = turn_on(acme, Role.SUPPORT)
    assert not AutomaticEvidence.objects.exists()
    finance = turn_on(acme)

    page = reverse("dashboard:automatic_evidence", args=(acme.company.pk, "sandbox"))
    finance.post(page, {"on": "1"})
    assert "Turn off" in finance.get(page).content.decode()
    finance.post(page, {"on": "0"})

    written = AuditEntry.objects.filter(action="evidence.automatic").order_by("id")
    assert [one.after for one in written] == [{"automatic": True}, {"automatic": False}]
    assert not AutomaticEvidence.objects.exists() and support.get(page).status_code == 403


def test_a_claim_that_nobody_answers_is_announced_and_contested_once(api: Api, acme: Shop) -> None:
    Company.objects.filter(pk=acme.company.pk).update(legal_name="Acme Comércio Ltda")
    turn_on(acme)
    refund = claimed(api, paid(api))

    at(acme, TO_ANNOUNCE)
    assert (now(api, refund)["status"], set(mails())) == ("AWAITING_RESPONSE", {"evidence_announced"})
    at(acme, TO_HAND_IN - TO_ANNOUNCE)
    run_due()

    shown = now(api, refund)
    assert (shown["status"], len(shown["responses"])) == ("UNDER_REVIEW", 1)
    response = shown["responses"][0]
    assert (response["answer"], response["answeredBy"]) == ("CONTEST", "SYSTEM")
    assert [one["fileName"] for one in response["evidence"]] == [f"evidence-{refund['id']}.pdf"]
    assert set(mails()) == {"evidence_announced", "evidence_handed_in"}
    assert answered(api, refund, "ACCEPT").status_code == 201


def test_without_a_wish_and_for_other_requests_silence_is_silence(api: Api, acme: Shop, globex: Shop) -> None:
    asked, claim = disputed(api, paid(api)), claimed(api, paid(api))
    at(acme, 71)
    assert not Response.objects.exists() and mails() == []
    turn_on(globex)
    run_due()
    assert not Response.objects.exists()

    turn_on(acme)
    at(acme, 2)
    refunds_due.run_due()

    assert now(api, asked)["responses"][0]["answeredBy"] == "SYSTEM"
    assert (now(api, asked)["status"], now(api, claim)["responses"]) == ("PROCESSING", [])


def test_a_draft_goes_along_with_the_pack_in_its_newest_form(api: Api, acme: Shop) -> None:
    person = turn_on(acme)
    refund = claimed(api, paid(api))
    person.post(reverse("dashboard:evidence_pack", args=(acme.company.pk, "sandbox", refund["id"])))
    draft = Draft.objects.get()
    draft.evidence.create(file_name="invoice.pdf", content_type="application/pdf", content=PDF, size=len(PDF))
    Draft.objects.update(message="Delivered to the door.")

    at(acme, TO_HAND_IN)
    run_due()

    assert now(api, refund)["responses"][0]["message"] == "Delivered to the door."
    names = Evidence.objects.order_by("id").values_list("file_name", flat=True)
    assert list(names) == ["invoice.pdf", f"evidence-{refund['id']}.pdf"]
    assert not Draft.objects.exists()


def test_a_process_that_dies_on_the_way_leaves_all_to_the_next(api: Api, acme: Shop) -> None:
    turn_on(acme)
    refund = claimed(api, paid(api))
    at(acme, TO_ANNOUNCE)
    broken("gateway_refund", [refund["id"]])
    at(acme, TO_HAND_IN - TO_ANNOUNCE)
    assert not Response.objects.exists() and "evidence_handed_in" not in mails()

    repaired("gateway_refund")
    the_delay_is_over()
    run_due()
    run_due()

    assert Response.objects.count() == 1


def test_evidence_that_stands_still_is_told_while_people_can_answer_and_when_they_cannot(api: Api, acme: Shop) -> None:
    turn_on(acme)
    first, second = claimed(api, paid(api)), claimed(api, paid(api))
    at(acme, TO_ANNOUNCE)

    later(acme, hours=0.94 * 72 - TO_ANNOUNCE)
    watch()
    assert "evidence_late" not in mails() and not late()
    later(acme, hours=0.015 * 72)
    watch()
    watch()
    assert (mails().count("evidence_late"), late()) == (2 * READERS, {first["id"], second["id"]})
    answered(api, first, "CONTEST")
    later(acme, hours=0.05 * 72)
    refunds_due.run_due()
    watch()
    watch()

    assert (mails().count("evidence_missed"), late()) == (READERS, {second["id"]})
    assert set(mails()) == {"evidence_announced", "evidence_late", "evidence_missed"}
    assert second["id"] in Email.objects.filter(kind="evidence_missed")[0].text
    assert now(api, second)["responses"] == []


def test_what_passed_before_it_was_turned_on_is_not_missed(api: Api, acme: Shop) -> None:
    lapsed = claimed(api, paid(api))
    at(acme, 73)
    refunds_due.run_due()
    awaited = claimed(api, paid(api))
    later(acme, hours=0.96 * 72)

    turn_on(acme)

    assert watch() == 0 and mails() == [] and not late()
    assert run_due() == run_due() == 1
    assert mails() == ["evidence_announced"] * READERS + ["evidence_handed_in"] * READERS
    assert now(api, awaited)["responses"] and now(api, lapsed)["responses"] == []


def late() -> set[str]:
    """What staff find in their queue."""
    queue = next(queue for queue in QUEUES if queue.name == "evidence")
    return set(queue.rows(Refund).values_list("pk", flat=True))


def test_a_long_story_goes_on_on_further_pages(api: Api, acme: Shop) -> None:
    refund = disputed(api, paid(api), payerStatement="Nothing arrived. " * 100)
    made = facts(found(acme, refund))
    many = [line for _ in range(80) for line in made.sections[0].lines[:1]]
    pdf = render(replace(made, sections=[*made.sections, made.sections[0]._replace(lines=many)]))
    text = poppler("pdftotext", "-layout", "-", "-", pdf=pdf).decode()
    assert text.count("\f") >= 3 and text.count(refund["id"]) > 80
    assert len(pdf) < services.LARGEST / 10
