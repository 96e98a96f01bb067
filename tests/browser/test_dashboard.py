"""The dashboard as people meet it: every page, in every width, light and dark, with the eyes of axe."""

import pytest
from django.test import Client
from django.urls import resolve

from accounts.models import User
from gateway.dashboard import urls
from gateway.demo.history import Life
from tests.browser.axe import faults_of
from tests.browser.conftest import Watched
from tests.factories import Shop, a_shop
from tests.people import a_member, a_person, signed_in_twice

pytestmark = pytest.mark.browser

FEW_DAYS = 12
NOT_BY_LINK = {"payments_csv", "statement_csv"}
"""What a browser keeps instead of showing it."""


@pytest.fixture
def shop(transactional_db: None) -> Shop:
    """A company with some days of everything behind it."""
    made = a_shop("Acme")
    Life(made.sandbox, a_person("staff@onpay.example", is_staff=True), a_member(made.company)).live(FEW_DAYS)
    return made


@pytest.fixture
def owner(shop: Shop) -> User:
    return User.objects.get(
        memberships__company=shop.company, memberships__role="OWNER", email__startswith="owner@acme"
    )


def enter(watched: Watched, browser: Client, **further: str) -> None:
    """Gives the page the session of somebody who has signed in."""
    cookies = {"session": browser.cookies["session"].value, **further}
    watched.page.context.add_cookies(
        [{"name": name, "value": value, "url": watched.origin} for name, value in cookies.items()]
    )


def one_of_each(watched: Watched, start: str) -> list[str]:
    """The addresses of all pages that links lead to: of each kind the first one that is found."""
    kinds, found, waiting = set[str](), list[str](), [start]
    while waiting:
        where = waiting.pop(0)
        kind = str(resolve(where.split("?")[0]).url_name)
        if kind in kinds or kind in NOT_BY_LINK:
            continue
        kinds.add(kind)
        found.append(where)
        watched.go(where)
        links = watched.page.eval_on_selector_all("a[href]", "all => all.map(one => one.getAttribute('href'))")
        waiting += [link.split("#")[0] for link in links if link.startswith(start)]
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_is_whole(watched: Watched, shop: Shop, owner: User, theme: str) -> None:
    enter(watched, signed_in_twice(owner), theme=theme)
    wrong = list[str]()
    pages = one_of_each(watched, f"/dashboard/{shop.company.pk}/sandbox/")
    for where in pages:
        page = watched.go(where)
        said = faults_of(page)
        if watched.overflow():
            said.append(f"{watched.overflow()} px too wide")
        if page.locator("h1").count() != 1:
            said.append("one heading is needed")
        wrong += [f"{where.removeprefix(pages[0])}: {one}" for one in said]

    assert "\n".join(wrong) == ""
    kinds = {str(resolve(where.split("?")[0]).url_name) for where in pages}
    assert len(kinds) > len(urls.company) / 3
