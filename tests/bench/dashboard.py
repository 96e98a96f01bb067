"""Pages beside a long life: what the dashboard reads, every page of it and of staff whole, and the paint of home."""

import json
import logging
import shutil
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import sync_playwright

from accounts.base.garbage import spare_what_is_loaded
from gateway.local import home
from gateway.payments.models import Payment
from tests.bench import pages, reads, stage
from tests.bench.life import PAYMENTS, TIMES, Lived
from tests.bench.scale import SHORT, scaled
from tests.bench.timing import LEAST_ROUNDS, Timed, measure, table
from tests.support.people import browser_of

HOST = "127.0.0.1"
PAINTS = scaled(20, 2)
_FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint').map(paint => paint.startTime)"


def of_reads(lived: Lived, only: str) -> None:
    read = [Timed(title, steps) for title, steps in reads.pages(lived.merchant) if only in title]
    measure(read)
    print(table(f"reads beside {PAYMENTS:,} payments and the demo's data times {TIMES}", read))


def of_company(lived: Lived, only: str) -> None:
    """As its owner gets them, without the way over the network."""
    client = _browser(lived.owner)
    found = _found("company", lived, lambda: pages.of_company(client, lived.merchant, _texts(lived)))
    _opened("pages of a company", client, found, only)


def of_staff(lived: Lived, only: str) -> None:
    client = _browser(lived.staff)
    found = _found("staff", lived, lambda: pages.of_staff(client, _texts(lived)))
    _opened("pages of staff", client, found, only)


def of_paint(lived: Lived, _only: str) -> None:
    """From the request to the first text of home that is seen, with a server and a browser; not without Chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        return
    port, session = stage.free_port(), _browser(lived.owner).cookies[settings.SESSION_COOKIE_NAME].value
    home_page = reverse("dashboard:home", args=(lived.merchant.company_id, "sandbox"))
    with stage.running("web", stage.web(port), port), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(bypass_csp=True)
        where = f"http://{HOST}:{port}"
        page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": where}])
        timed = Timed("home, first paint", {})
        for number in range(PAINTS + 2):
            page.goto(where + home_page)
            if number > 1:
                timed.took.setdefault("", []).append(_paint(page))
        browser.close()
    print(table("in Chromium, warm", [timed]))


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


def _found(part: str, lived: Lived, walk: Callable[[], dict[str, str]]) -> dict[str, str]:
    """Titles and addresses. They are kept beside the data for a run that measures `--again`."""
    kept = home.folder() / f"pages-{part}.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    if known.get("company") != lived.merchant.company_id:
        known = {"company": lived.merchant.company_id, "pages": walk()}
        home.write(kept, known)
    found: dict[str, str] = known["pages"]
    return found


def _opened(title: str, client: Client, found: dict[str, str], only: str) -> None:
    opened = [Timed(title, {"": partial(client.get, where)}) for title, where in found.items() if only in title]
    spare_what_is_loaded()
    measure(opened, *LEAST_ROUNDS)
    print(table(f"{title}, whole, in one process", opened))


MEASURES: dict[str, Callable[[Lived, str], None]] = {
    "reads": of_reads,
    "company": of_company,
    "staff": of_staff,
    "paint": of_paint,
}
