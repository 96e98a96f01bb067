"""localstripe, a stand-in for Stripe by others, as a process of its own: its API, and its library for browsers.

Its library has one element for a whole card, and confirms only what waits for its holder. `split_elements.js` adds the
elements that Stripe's library has besides, and the card that is typed there is confirmed here, with localstripe's API.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from playwright.sync_api import Page, Route

from tests.support.web_server import free_port

SPLIT = (Path(__file__).parent / "split_elements.js").read_text()
SERVE = (
    "import sys; from aiohttp import web; from localstripe.server import app;"
    " web.run_app(app, host='127.0.0.1', port=int(sys.argv[1]), access_log=None)"
)
"""Its own command listens on every address of the machine."""


@dataclass(frozen=True)
class LocalStripe:
    origin: str

    @property
    def script(self) -> str:
        return f"{self.origin}/js.stripe.com/v3/"

    def call(self, path: str, form: dict[str, str] | None = None) -> dict[str, Any]:
        """Of a server with a secret key; refusals are answers, too. GET without a form."""
        request = Request(f"{self.origin}/v1/{path}", data=None if form is None else urlencode(form).encode())
        request.add_header("Authorization", "Bearer sk_test_12345")
        try:
            with urlopen(request, timeout=10) as answer:
                return dict(json.load(answer))
        except HTTPError as refusal:
            return dict(json.load(refusal))

    def intent(self, amount: int, **members: str) -> dict[str, Any]:
        form = {"amount": str(amount), "currency": "brl", "capture_method": "manual"}
        return self.call("payment_intents", form | members)

    def card(self, number: str, **of_card: str) -> str:
        """The id of the saved card."""
        fields = {"number": number, "exp_month": "12", "exp_year": "2030", "cvc": "123"} | of_card
        saved = self.call("payment_methods", {"type": "card"} | {f"card[{name}]": fields[name] for name in fields})
        return str(saved["id"])

    def serve(self, page: Page) -> None:
        """The browser gets localstripe's library with what it lacks; typed cards are confirmed with a secret key."""

        def library(route: Route) -> None:
            theirs = route.fetch()
            route.fulfill(response=theirs, body=f"{theirs.text()}\n{SPLIT}")

        def confirm(route: Route) -> None:
            intent = route.request.url.split("/")[-2]
            card = self.card(**json.loads(route.request.post_data or "{}"))
            self.call(f"payment_intents/{intent}", {"payment_method": card})
            answer = self.call(f"payment_intents/{intent}/confirm", {})
            route.fulfill(json=answer, headers={"access-control-allow-origin": "*"})

        page.route(self.script, library)
        page.route(f"{self.origin}/v1/payment_intents/*/confirm", confirm)


@contextmanager
def localstripe() -> Iterator[LocalStripe]:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", SERVE, str(port)], stdout=subprocess.DEVNULL)
    try:
        yield _once_it_answers(LocalStripe(f"http://127.0.0.1:{port}"))
    finally:
        process.terminate()
        process.wait(10)


def _once_it_answers(served: LocalStripe) -> LocalStripe:
    until = monotonic() + 20
    while monotonic() < until:
        with suppress(URLError, ConnectionError):
            served.call("customers")
            return served
        sleep(0.05)
    raise AssertionError("localstripe does not answer")
