"""A real browser before the running service. Every page is watched: it may complain of nothing and call nobody else."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from gateway.demo.history import Life
from tests.support.browser import NOBODY, SHORT, WIDTHS, Watched, languages_for, widths_for
from tests.support.companies import Shop, a_shop
from tests.support.desks import Desks, a_company_at_work
from tests.support.effort import todays
from tests.support.people import a_member, a_person
from tests.support.recording import Recording

FEW_DAYS = 12
PATIENCE_MS = 120_000
"""How long a page may take where two cores do everything at once. What never appears fails all the same."""

expect.set_options(timeout=PATIENCE_MS)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test whose page has a `viewport` runs in each width, one whose page is `spoken` in each language."""
    if "viewport" in metafunc.fixturenames:
        names = widths_for(metafunc.definition.name)
        metafunc.parametrize("viewport", [WIDTHS[name] for name in names], ids=names)
    if "spoken" in metafunc.fixturenames:
        metafunc.parametrize("spoken", languages_for(metafunc.definition.name))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With SHORT=1 the robot does a third of its jobs a day."""
    jobs = [item for item in items if item.path.stem.endswith("_jobs")] if SHORT else []
    for later in {*jobs} - {*todays(jobs)}:
        items.remove(later)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One for the whole run: while it runs, asyncio cannot be used in this process."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        missing = "no Chromium found: apt-get install chromium"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # the driver's event loop is in this thread
        launched = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def histories(django_db_setup: None, django_db_blocker: Any) -> Recording[Shop]:
    """Some days of everything, lived once in each process."""
    with django_db_blocker.unblock():
        return Recording(_with_a_history)


def _with_a_history() -> Shop:
    shop = a_shop("Acme")
    staff = a_person("staff@onpay.example", is_staff=True, is_superuser=True)
    Life(shop.sandbox, staff, a_member(shop.company, email="ana@acme.example")).live(FEW_DAYS)
    return shop


@pytest.fixture
def old_shop(histories: Recording[Shop], transactional_db: None) -> Shop:
    """Ana's company, which has a history."""
    return histories.again()


@pytest.fixture(scope="session")
def both_desks(django_db_setup: None, django_db_blocker: Any) -> Recording[Desks]:
    """A company that finance and support work on, made once in each process."""
    with django_db_blocker.unblock():
        return Recording(a_company_at_work)


@pytest.fixture
def desks(both_desks: Recording[Desks], transactional_db: None) -> Desks:
    return both_desks.again()


@pytest.fixture
def plain_static_files(settings: Any) -> None:
    """As they are in the source: nothing was collected."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


@pytest.fixture(scope="session")
def page(browser: Browser, live_server: LiveServer) -> Page:
    """One for the whole run, too: a new one takes a browser longer than most tests, as it starts processes for it."""
    context = browser.new_context(reduced_motion="reduce", locale="en-US")
    context.set_default_timeout(PATIENCE_MS)
    # A shop comes from no server, the fields in it from this host. A person who clicks may copy.
    context.grant_permissions(["local-network-access", "clipboard-write"])
    context.route(f"**{NOBODY}", lambda route: route.fulfill(body="", content_type="text/html"))
    context.new_page().goto(live_server.url.replace("localhost", "127.0.0.1") + NOBODY)  # the site of card fields
    return context.new_page()


@pytest.fixture
def watched(viewport: Any, page: Page, live_server: LiveServer, plain_static_files: None) -> Iterator[Watched]:
    found = Watched(page, live_server.url)
    with found.before(viewport):
        yield found
