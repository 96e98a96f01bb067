"""A real browser before the running service. Every page is watched: it may complain of nothing and call nobody else."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import WIDTHS, Watched, widths_for


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test whose page has a `viewport` runs in each width."""
    if "viewport" in metafunc.fixturenames:
        names = widths_for(metafunc.definition.name)
        metafunc.parametrize("viewport", [WIDTHS[name] for name in names], ids=names)


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


@pytest.fixture
def plain_static_files(settings: Any) -> None:
    """As they are in the source: nothing was collected."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}


@pytest.fixture
def watched(viewport: Any, browser: Browser, live_server: LiveServer, plain_static_files: None) -> Iterator[Watched]:
    context = browser.new_context(viewport=viewport, reduced_motion="reduce")
    found = Watched(context.new_page(), live_server.url)
    found.watch()
    yield found
    context.close()
    assert found.complaints == []
