"""Pages beside a long life: what the dashboard reads, every page of it and of staff whole, and the paint of home."""

import logging
import shutil
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import sync_playwright

from gateway.payments.models import Payment
from tests.bench import pages, reads, stage
from tests.bench.life import Lived
from tests.bench.scale import SHORT, scaled
from tests.bench.timing import Timed
from tests.support.people import browser_of

HOST = "127.0.0.1"
PAINTS = scaled(20, 2)
_FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint').map(paint => paint.startTime)"


def of_reads(lived: Lived) -> list[Timed]:
    return [Timed(title, steps) for title, steps in reads.pages(lived.merchant)]


def of_company(lived: Lived) -> list[Timed]:
    """As its owner gets them, without the way over the network."""
    client = _browser(lived.owner)
    return _timed(client, pages.of_company(client, lived.merchant, _texts(lived)))


def of_staff(lived: Lived) -> list[Timed]:
    client = _browser(lived.staff)
    return _timed(client, pages.of_staff(client, _texts(lived)))


def of_paint(lived: Lived) -> list[Timed] | None:
    """From the request to the first text of home that is seen, with a server and a browser; None without Chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        return None
    port, session = stage.free_port(), _browser(lived.owner).cookies[settings.SESSION_COOKIE_NAME].value
    home = reverse("dashboard:home", args=(lived.merchant.company_id, "sandbox"))
    with stage.running("web", stage.web(port), port), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(bypass_csp=True)
        where = f"http://{HOST}:{port}"
        page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": where}])
        timed = Timed("home, first paint", {})
        for number in range(PAINTS + 2):
            page.goto(where + home)
            if number > 1:
                timed.took.setdefault("", []).append(_paint(page))
        browser.close()
    return [timed]


def _paint(page: Any) -> float:
    page.wait_for_function(f"{_FIRST_PAINT}.length")
    return float(page.evaluate(_FIRST_PAINT)[0])


def _browser(user: Any) -> Client:
    client = browser_of(user)
    client.defaults["HTTP_HOST"] = f"{HOST}:8000"
    logging.disable(logging.CRITICAL)
    return client


def _texts(lived: Lived) -> pages.Texts:
    paid = Payment.objects.filter(merchant=lived.merchant, method="CREDIT_CARD", status="PAID")
    return pages.Texts(paid.order_by("-created_at")[1 if SHORT else 500])


def _timed(client: Client, found: dict[str, str]) -> list[Timed]:
    return [Timed(title, {"": _opening(client, where)}) for title, where in found.items()]


def _opening(client: Client, where: str) -> Callable[[], Any]:
    return partial(client.get, where)
