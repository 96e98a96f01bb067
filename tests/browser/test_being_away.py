"""The question that is asked before a person who is idle is signed out, before a real browser."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.axe import faults_of
from tests.support.browser import Watched
from tests.support.companies import a_shop
from tests.support.people import a_member, signed_in

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_question_is_hidden_until_it_is_time_and_gone_once_answered(watched: Watched, settings: Any) -> None:
    settings.SESSION_IDLE_S = 16  # asked half of that before
    session = signed_in(a_member(a_shop("Acme").company)).cookies["session"].value
    watched.page.context.add_cookies([{"name": "session", "value": session, "url": watched.origin}])
    page = watched.go("/dashboard/")
    question = page.locator("#idle")
    expect(question).to_be_hidden()

    expect(question).to_be_visible(timeout=12_000)
    expect(question).to_be_in_viewport(ratio=1)
    assert (faults_of(page), watched.overflow()) == ([], 0)
    page.get_by_role("button", name="Stay signed in").click()

    expect(question).to_be_hidden()
    watched.go("/dashboard/me")
    expect(page.get_by_role("heading", level=1)).to_have_text("Language and time")
