"""The dashboard as people meet it: without scripts, and in their language."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from gateway.dashboard.navigation import MENU
from tests.support.browser import NARROW, Watched
from tests.support.companies import Shop, a_shop
from tests.support.people import a_member, signed_in_twice


@pytest.fixture
def shop(transactional_db: None) -> Shop:
    return a_shop("Acme")


@pytest.fixture
def owner(shop: Shop) -> User:
    return a_member(shop.company)


@pytest.fixture
def without_scripts(browser: Browser, live_server: LiveServer, plain_static_files: None) -> Iterator[Watched]:
    context = browser.new_context(viewport=NARROW, java_script_enabled=False)
    yield Watched(context.new_page(), live_server.url)
    context.close()


def test_everything_can_be_read_without_scripts(without_scripts: Watched, shop: Shop, owner: User) -> None:
    without_scripts.enters(signed_in_twice(owner))
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
    watched.enters(signed_in_twice(owner))
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
    watched.enters(signed_in_twice(ana))
    home = f"/dashboard/{old_shop.company.pk}/sandbox/"

    page = watched.go(f"{home}lab/")
    assert page.locator(".plays tbody th").count() > 0
    assert page.eval_on_selector_all(".plays tbody th", _BROKEN_WORDS) == []

    page = watched.go(f"{home}refunds/?tab=all")
    if page.viewport_size and page.viewport_size["width"] >= 1280:
        assert page.eval_on_selector(".table-responsive", "one => one.scrollWidth - one.clientWidth") == 0
