"""Stripe in a browser: localstripe's library, and beside it what that lacks of Stripe's.

It has one element for a whole card, and confirms only what waits for its holder. `split_elements.js` adds the elements
for each part; the card that is typed there is confirmed here, as localstripe lets a browser do that for nothing else.
"""

import json
from pathlib import Path

from playwright.sync_api import Page, Route

from tests.support.stripe.stand_in import StandIn

SPLIT = (Path(__file__).parent / "split_elements.js").read_text()


def origin(stand_in: StandIn) -> str:
    return f"http://127.0.0.1:{stand_in.port}"


def library(stand_in: StandIn) -> str:
    return f"{origin(stand_in)}/js.stripe.com/v3/"


def serve(page: Page, stand_in: StandIn) -> None:
    def script(route: Route) -> None:
        theirs = route.fetch()
        route.fulfill(response=theirs, body=f"{theirs.text()}\n{SPLIT}")

    def confirm(route: Route) -> None:
        intent = route.request.url.split("/")[-2]
        stand_in.confirm(intent, json.loads(route.request.post_data or "{}")["number"])
        now = stand_in.call("GET", f"/v1/payment_intents/{intent}")
        refused = now["last_payment_error"]
        answer = {"error": refused | {"type": "card_error"}} if refused else now
        route.fulfill(json=answer, headers={"access-control-allow-origin": "*"})

    page.route(library(stand_in), script)
    page.route(f"{origin(stand_in)}/v1/payment_intents/*/confirm", confirm)
