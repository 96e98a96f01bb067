"""Who is idle is asked before they are signed out, and comes back to where they were."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.base.clock import utcnow
from gateway.dashboard.middleware import SEEN
from tests.support.pages import Page


@pytest.fixture(autouse=True)
def a_quarter_of_an_hour(settings: Any) -> None:
    settings.SESSION_IDLE_S = 900


def idle_for(browser: Client, seconds: int) -> None:
    session = browser.session
    session[SEEN] = int(utcnow().timestamp()) - seconds
    session.save()


def back_of(answer: HttpResponse) -> str:
    where = urlsplit(answer["Location"])
    assert (answer.status_code, where.path) == (302, "/accounts/login/")
    return parse_qs(where.query)["next"][0]


def test_the_way_back_keeps_the_query(owner: Client, page: Page) -> None:
    where = page("payments") + "?status=PAID&q=a%26b&page=2"
    owner.get(where)
    idle_for(owner, 901)

    assert back_of(owner.get(where)) == where


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        ("http://testserver{page}?tab=waiting#x", "{page}?tab=waiting"),
        ("https://evil.example{page}", "/dashboard/"),
        ("http://testserver/docs", "/dashboard/"),
        ("", "/dashboard/"),
    ],
)
def test_a_form_leads_back_to_the_page_where_it_stood(owner: Client, page: Page, referer: str, back: str) -> None:
    idle_for(owner, 901)

    answer = owner.post(page("invite"), headers={"referer": referer.format(page=page("refunds"))})

    assert back_of(answer) == back.format(page=page("refunds"))


def test_a_part_of_a_page_lets_the_whole_page_ask_again(owner: Client, page: Page) -> None:
    idle_for(owner, 901)

    answer = owner.get(page("balance"), headers={"hx-request": "true"})

    assert (answer.status_code, answer["HX-Refresh"]) == (204, "true")


def test_who_says_that_they_are_there_stays(owner: Client, page: Page) -> None:
    idle_for(owner, 850)
    assert owner.get("/dashboard/still-here").status_code == 204

    assert int(utcnow().timestamp()) - owner.session[SEEN] < 5
    idle_for(owner, 901)
    assert owner.get("/dashboard/still-here").status_code == 302


@pytest.mark.parametrize("name", ["home", "me"])
def test_the_page_asks_two_minutes_before(owner: Client, page: Page, name: str) -> None:
    body = owner.get("/dashboard/me" if name == "me" else page(name)).content.decode()

    assert '<dialog id="idle"' in body and 'role="alertdialog"' in body
    assert 'data-idle="900" data-warned="120" data-address="/dashboard/still-here"' in body
    assert "You are signed out after 15 minutes without a request." in body
    assert "js/idle.js" in body


def test_nobody_is_asked_who_is_not_signed_in(db: None) -> None:
    assert '<dialog id="idle"' not in Client().get("/accounts/login/").content.decode()
