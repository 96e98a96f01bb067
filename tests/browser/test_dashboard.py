"""The dashboard as people meet it: every page, in every width, light and dark, with the eyes of axe."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import resolve, reverse
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from gateway.dashboard import urls
from gateway.dashboard.navigation import MENU
from tests.support.axe import faults_of
from tests.support.browser import NARROW, Watched
from tests.support.companies import Shop, a_shop
from tests.support.people import a_member, signed_in_twice

NOT_BY_LINK = {
    "bulk_template",
    "document",
    "month_file",
    "month_files",
    "month_script",
    "evidence_pack",
    "payment_receipt",
    "payments_csv",
    "statement_csv",
    "withdrawal_receipt",
}
"""What a browser keeps instead of showing it."""


@pytest.fixture
def shop(transactional_db: None) -> Shop:
    return a_shop("Acme")


@pytest.fixture
def owner(shop: Shop) -> User:
    return a_member(shop.company)


def enter(watched: Watched, browser: Client, **further: str) -> None:
    """Gives the page the session of somebody who has signed in."""
    cookies = {"session": browser.cookies["session"].value, **further}
    watched.page.context.add_cookies(
        [{"name": name, "value": value, "url": watched.origin} for name, value in cookies.items()]
    )


def faults_on(watched: Watched) -> list[str]:
    said = faults_of(watched.page)
    if watched.overflow():
        said.append(f"{watched.overflow()} px too wide")
    if watched.page.locator("h1").count() != 1:
        said.append("one heading is needed")
    return said


def without_an_id(shop: Shop, browser: Client) -> list[str]:
    """The addresses of the pages that one reads without naming a record."""
    place = {"company_id": shop.company.pk, "environment": "sandbox"}
    plain = [page for page in urls.company if not page.pattern.converters]
    addresses = [reverse(f"dashboard:{page.name}", kwargs=place) for page in plain]
    answers = ((where, browser.get(where)) for where in addresses)
    return [where for where, answer in answers if answer.status_code == 200 and "html" in answer["Content-Type"]]


def test_every_page_is_whole(watched: Watched, old_shop: Shop) -> None:
    """Of each kind the first page that an address without an id or a link leads to: light on a telephone, dark on a
    desk.
    """
    theme = "light" if watched.page.viewport_size == NARROW else "dark"
    ana = signed_in_twice(User.objects.get(email="ana@acme.example"))
    enter(watched, ana, theme=theme)
    start = f"/dashboard/{old_shop.company.pk}/sandbox/"
    seen, wrong, waiting = set[str](), list[str](), [start, *without_an_id(old_shop, ana)]
    while waiting:
        where = waiting.pop(0)
        kind = str(resolve(where.split("?")[0]).url_name)
        if kind in seen or kind in NOT_BY_LINK:
            continue
        seen.add(kind)
        page = watched.go(where)
        wrong += [f"{where.removeprefix(start)}: {fault}" for fault in faults_on(watched)]
        links = page.eval_on_selector_all("a[href]", "all => all.map(one => one.getAttribute('href'))")
        waiting += [link.split("#")[0] for link in links if link.startswith(start)]

    assert "\n".join(wrong) == ""
    assert len(seen) > len(urls.company) / 2


@pytest.fixture
def without_scripts(browser: Browser, live_server: LiveServer, plain_static_files: None) -> Iterator[Watched]:
    context = browser.new_context(viewport=NARROW, java_script_enabled=False)
    yield Watched(context.new_page(), live_server.url)
    context.close()


def test_everything_can_be_read_without_scripts(without_scripts: Watched, shop: Shop, owner: User) -> None:
    enter(without_scripts, signed_in_twice(owner))
    home = f"/dashboard/{shop.company.pk}/sandbox/"
    page = without_scripts.go(home)
    for _, items in MENU:
        for item in items:
            page.locator("label.menu-button").click()
            page.locator(".sidebar").get_by_role("link", name=str(item.title), exact=True).click()
            assert page.url.endswith(home + item.area)
            assert page.locator("main").inner_text().strip() != ""


@pytest.mark.parametrize(("language", "title"), [("pt-br", "Pagamentos"), ("es", "Pagos")])
def test_the_pages_speak_the_persons_language(
    watched: Watched, shop: Shop, owner: User, language: str, title: str
) -> None:
    User.objects.filter(pk=owner.pk).update(language=language)
    enter(watched, signed_in_twice(owner))
    page = watched.go(f"/dashboard/{shop.company.pk}/sandbox/payments/")

    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    assert page.locator("html").get_attribute("lang") == language


_BROKEN_WORDS = """heads => heads.filter(head => head.textContent.trim().split(/\\s+/).some(word => {
    const walker = document.createTreeWalker(head, NodeFilter.SHOW_TEXT)
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
        const begins = text.data.indexOf(word)
        if (begins < 0) continue
        const range = document.createRange()
        range.setStart(text, begins)
        range.setEnd(text, begins + word.length)
        return new Set([...range.getClientRects()].map(one => one.top)).size > 1
    }
})).map(head => head.textContent.trim())"""


@pytest.mark.parametrize("language", ["pt-br", "es"])
def test_no_word_is_broken_and_no_button_cut(watched: Watched, old_shop: Shop, language: str) -> None:
    ana = User.objects.get(email="ana@acme.example")
    User.objects.filter(pk=ana.pk).update(language=language)
    enter(watched, signed_in_twice(ana))
    home = f"/dashboard/{old_shop.company.pk}/sandbox/"

    page = watched.go(f"{home}lab/")
    assert page.locator(".plays tbody th").count() > 0
    assert page.eval_on_selector_all(".plays tbody th", _BROKEN_WORDS) == []

    page = watched.go(f"{home}refunds/?tab=all")
    if page.viewport_size and page.viewport_size["width"] >= 1280:
        assert page.eval_on_selector(".table-responsive", "one => one.scrollWidth - one.clientWidth") == 0
