"""Who may open what: a matrix made from the list of addresses, so that no page can be forgotten."""

from collections.abc import Collection, Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, reverse

from accounts.models import AuditEntry
from accounts.roles import GRANTS, May, Role
from gateway.dashboard import urls
from gateway.dashboard.navigation import MENU
from gateway.requests.models import IdempotencyKey
from tests.support.companies import Shop
from tests.support.effort import DAY, NIGHTLY
from tests.support.people import a_member, signed_in, signed_in_twice

PAGES: dict[str, Any] = {str(page.name): page for page in urls.company}
OF_A_PERSON = {"accept_terms", "end_look", "legal", "root", "me", "still_here", "new_company", "invitation"}
SENSITIVE = {May.MOVE_MONEY, May.DEVELOP, May.MANAGE}
TAME = {
    "company_data", "verification", "take_back_document", "ask_for_production",
    "test_webhook", "redeliver", "replay_webhook", "check_withdrawal",
    "upload_withdrawals", "automatic_evidence", "close_month", "month_readers", "company_logo",
}  # fmt: skip
"""Changes by those who may that neither move money nor open a door."""
NOBODYS = "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF"
SET_UP = "/accounts/2fa/"


def address_of(page: URLPattern, shop: Shop, environment: str = "sandbox") -> str:
    """With ids that nobody has: whether a person may is asked before what there is."""
    ids = {name: 1 if "Int" in type(kind).__name__ else NOBODYS for name, kind in page.pattern.converters.items()}
    return reverse(f"dashboard:{page.name}", kwargs={"company_id": shop.company.pk, "environment": environment, **ids})


def visits(
    browser: Client, shop: Shop, environment: str = "sandbox", pages: Collection[str] = tuple(PAGES)
) -> Iterator[tuple[str, Any, list[HttpResponse]]]:
    """Every page, asked for by both methods: its name, its view, and the answers to the methods that it knows."""
    for name, page in PAGES.items():
        if name not in pages:
            continue
        where = address_of(page, shop, environment)
        answers = [browser.get(where), browser.post(where)]
        yield name, page.callback, [answer for answer in answers if answer.status_code != 405]


def todays_pages(role: Role) -> set[str]:
    """Each page has one role that may open it and one that may not, other ones tomorrow; at night all."""
    return {name for number, name in enumerate(PAGES) if NIGHTLY or role in _todays_roles(name, number)}


def _todays_roles(name: str, number: int) -> list[Role]:
    needs = PAGES[name].callback.needs
    sides = ([role for role in Role if (needs in GRANTS[role]) is may] for may in (True, False))
    return [side[(number + DAY) % len(side)] for side in sides if side]


def statuses(answers: list[HttpResponse]) -> set[int]:
    return {answer.status_code for answer in answers}


def places(answers: list[HttpResponse]) -> set[str]:
    return {answer.headers.get("location", "").split("?")[0] for answer in answers}


def test_every_page_says_what_it_needs_but_those_of_a_person() -> None:
    own = {str(page.name) for page in urls.urlpatterns if isinstance(page, URLPattern)}

    assert own == OF_A_PERSON
    assert [name for name, page in PAGES.items() if not isinstance(getattr(page.callback, "needs", None), May)] == []


def test_the_menu_leads_to_pages_and_offers_none_that_would_be_refused() -> None:
    for _, items in MENU:
        for item in items:
            view = PAGES[item.name].callback
            assert (view.needs, view.sandbox_only) == (item.needs, item.sandbox_only), item.name


def test_what_is_sensitive_steps_up(acme: Shop) -> None:
    browser = Client()
    changing = {name for name, page in PAGES.items() if browser.post(address_of(page, acme)).status_code != 405}
    tame = {name for name in changing if not PAGES[name].callback.steps_up}

    assert {name for name in tame if PAGES[name].callback.needs in SENSITIVE} == TAME


def test_a_stranger_is_asked_who_they_are(acme: Shop) -> None:
    let_in = {name for name, _, answers in visits(Client(), acme) if places(answers) != {"/accounts/login/"}}

    assert let_in == set()


def test_nobody_of_another_company_finds_a_page(acme: Shop, globex: Shop) -> None:
    browser = signed_in_twice(a_member(globex.company))

    assert {name for name, _, answers in visits(browser, acme) if statuses(answers) != {404}} == set()


@pytest.mark.parametrize("role", Role)
def test_a_role_opens_what_it_is_for_and_nothing_else(role: Role, acme: Shop) -> None:
    browser = signed_in_twice(a_member(acme.company, role))
    for name, view, answers in visits(browser, acme, pages=todays_pages(role)):
        if view.needs in GRANTS[role]:
            assert 403 not in statuses(answers), name
            assert statuses(answers) <= {200, 302, 400, 404, 409, 422}, name
        else:
            assert statuses(answers) == {403}, name
    if role == Role.VIEWER:  # who only reads changes nothing
        assert (AuditEntry.objects.count(), IdempotencyKey.objects.count()) == (0, 0)


def test_what_is_for_the_sandbox_is_not_there_in_production(acme: Shop) -> None:
    browser = signed_in_twice(a_member(acme.company))
    for name, view, answers in visits(browser, acme, "production"):
        if view.sandbox_only:
            assert statuses(answers) == {404}, name
        else:
            assert statuses(answers) <= {200, 302, 400, 404, 409, 422}, name


def test_what_steps_up_asks_for_the_second_factor_and_nothing_else_does(acme: Shop) -> None:
    browser = signed_in(a_member(acme.company))
    for name, view, answers in visits(browser, acme):
        if view.steps_up:
            assert places(answers) == {SET_UP}, name
        else:
            assert SET_UP not in places(answers), name
