"""Stripe in a browser: localstripe's library, and beside it what that lacks of Stripe's.

It has one element for a whole card, and confirms only what waits for its holder. `split_elements.js` adds the elements
for each part; the card that is typed there is confirmed here, as localstripe lets a browser do that for nothing else.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route

from tests.support.bacen_pix.bank import Handler
from tests.support.stripe.stand_in import StandIn

SPLIT = (Path(__file__).parent / "split_elements.js").read_text()
LIBRARY = "/js.stripe.com/v3/"
CONFIRM = re.compile(r"/v1/payment_intents/(\w+)/confirm")
ANYBODY = {"access-control-allow-origin": "*"}


def origin(stand_in: StandIn) -> str:
    return f"http://127.0.0.1:{stand_in.port}"


def library(stand_in: StandIn) -> str:
    return f"{origin(stand_in)}{LIBRARY}"


def confirmed(stand_in: StandIn, intent: str, sent: str) -> dict[str, Any]:
    """What the library is answered once the payer has typed a card."""
    stand_in.confirm(intent, json.loads(sent)["number"])
    now = json.loads(stand_in.as_played(json.dumps(stand_in.call("GET", f"/v1/payment_intents/{intent}")).encode()))
    refused = now["last_payment_error"]
    return {"error": refused | {"type": "card_error"}} if refused else dict(now)


def serve(page: Page, stand_in: StandIn) -> None:
    """To one page of a test, by its driver."""

    def script(route: Route) -> None:
        theirs = route.fetch()
        route.fulfill(response=theirs, body=f"{theirs.text()}\n{SPLIT}")

    def confirm(route: Route) -> None:
        intent = route.request.url.split("/")[-2]
        route.fulfill(json=confirmed(stand_in, intent, route.request.post_data or "{}"), headers=ANYBODY)

    page.route(library(stand_in), script)
    page.route(f"{origin(stand_in)}/v1/payment_intents/*/confirm", confirm)


class _ForBrowsers(Handler):
    stand_in: StandIn

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if asked := CONFIRM.fullmatch(self.path):
            self.send(200, json.dumps(confirmed(self.stand_in, asked[1], body.decode())).encode(), **ANYBODY)
            return
        sent = {"Authorization": "", "Content-Type": self.headers.get("content-type", "")}
        status, kind, told = self.stand_in.forward(self.command, self.path, body, sent)
        self.send(status, told + f"\n{SPLIT}".encode() if self.path == LIBRARY else told, kind, **ANYBODY)


@contextmanager
def serving(stand_in: StandIn) -> Iterator[str]:
    """To any browser of this machine. The address of the library."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("OfOneStandIn", (_ForBrowsers,), {"stand_in": stand_in}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{LIBRARY}"
    finally:
        server.shutdown()
        server.server_close()
