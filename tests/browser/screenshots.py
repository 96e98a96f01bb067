"""`make screenshots`: the main pages as the README shows them, of a company with ninety days behind it."""

from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from gateway.demo.history import Life
from tests.support.browser import NARROW, WIDE
from tests.support.companies import a_shop
from tests.support.people import a_member, a_person

SHELF = Path(settings.BASE_DIR) / "static" / "img" / "screenshots"
PAGES = {"home": "", "payments": "payments/", "balance": "balance/", "refunds": "refunds/"}


@pytest.mark.django_db(transaction=True)
def test_pictures(browser: Browser, live_server: LiveServer, plain_static_files: None) -> None:
    shop = a_shop("Loja Exemplo")
    staff = a_person("staff@onpay.example", is_staff=True, is_superuser=True)
    owner = a_member(shop.company, email="ana@lojaexemplo.example")
    Life(shop.sandbox, staff, owner).live()
    home = f"/dashboard/{shop.company.pk}/sandbox/"
    SHELF.mkdir(parents=True, exist_ok=True)
    for name, path in PAGES.items():
        _picture(browser, live_server, owner, home + path, name)
    _picture(browser, live_server, owner, home, "home-dark", dark=True)
    _picture(browser, live_server, owner, f"{home}payments/", "payments-narrow", viewport=NARROW)


def _picture(
    browser: Browser,
    server: LiveServer,
    user: User,
    path: str,
    name: str,
    *,
    dark: bool = False,
    viewport: dict[str, int] = WIDE,
) -> None:
    session = _session_of(user)
    context = browser.new_context(viewport=viewport, color_scheme="dark" if dark else "light")  # type: ignore[arg-type]
    context.add_cookies([{"name": "session", "value": session, "url": server.url}])
    page = context.new_page()
    page.goto(server.url + path)
    page.wait_for_timeout(800)  # charts draw themselves
    page.screenshot(path=SHELF / f"{name}.png")
    context.close()


def _session_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies["session"].value
