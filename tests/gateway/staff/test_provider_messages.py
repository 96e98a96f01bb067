"""Staff see what providers sent, and have it read again; who may only look sees no body."""

import pytest
from django.test import Client

from accounts.models import AuditEntry
from gateway.models import ProviderMessage
from gateway.providers import due
from gateway.staff.kit.columns import address as page_at
from tests.support.callbacks import about, sent
from tests.support.people import browser_of
from tests.support.proposals import NOTE, action
from tests.support.providers import active
from tests.support.scripted_provider import Script, rewritten
from tests.support.staff import support


@pytest.fixture(autouse=True)
def script(db: None) -> Script:
    return rewritten()


def a_message(body: bytes) -> ProviderMessage:
    assert sent(active(), body) == 200
    due.run_due(10)
    return ProviderMessage.objects.get()


def page_of(browser: Client, message: ProviderMessage) -> str:
    answer = browser.get(page_at(ProviderMessage, "change", message.pk))
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_a_message_is_shown_with_its_body_and_found_by_what_it_is_about(staff: Client) -> None:
    message = a_message(about("tst_1"))
    page = page_of(staff, message)
    assert "tst_1: queried" in page
    assert "&quot;id&quot;: &quot;tst_1&quot;" in page
    assert "[redacted]" in page
    found = staff.get(page_at(ProviderMessage, "changelist"), {"q": "tst_1"})
    assert [row.pk for row in found.context["cl"].result_list] == [message.pk]


@pytest.mark.parametrize("body", [b"<script>alert(1)</script>", b"\xff\xfe\x00", b"", b"[" * 9000 + b"]" * 9000])
def test_a_body_that_is_no_json_is_shown_as_text(staff: Client, body: bytes) -> None:
    page = page_of(staff, a_message(body))
    assert "not readable" in page
    assert "<script>alert" not in page


def test_reading_again_takes_a_note_and_queries_the_provider_once_more(staff: Client, script: Script) -> None:
    message = a_message(about("tst_1"))
    staff.post(action(message, "read_again"), {})
    assert due.run_due(10) == 0

    staff.post(action(message, "read_again"), NOTE)

    assert due.run_due(10) == 1
    assert [our_id for _, our_id in script.heard] == ["tst_1", "tst_1"]
    assert AuditEntry.objects.get(action="provider_message.read_again").note == NOTE["note"]


def test_whoever_may_only_look_sees_no_body_and_has_nothing_read_again() -> None:
    message = a_message(about("tst_1"))
    looks = browser_of(support("view_providermessage"))
    assert "&quot;tst_1&quot;" not in page_of(looks, message)
    assert looks.post(action(message, "read_again"), NOTE).status_code == 403
    assert due.run_due(10) == 0
