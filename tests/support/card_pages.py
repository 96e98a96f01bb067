"""A shop that takes cards, as its developer would write it, and a payer before it who tells us all that was said."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Frame, FrameLocator, Locator, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from gateway.models import Payment
from tests.support.api import Api
from tests.support.browser import NARROW, Watched
from tests.support.companies import Shop, a_shop
from tests.support.payments import MARIA, a_reference

APPROVED = "4242424242424242"
CHALLENGE = "4000000000003220"
FIELDS = ("cardNumber", "cardExpiry", "cardCvc")
ENDS = [
    (APPROVED, "123", "PAID", None, "CREDIT_CARD"),
    (APPROVED, "901", "PAID", None, "CREDIT_CARD"),
    (APPROVED, "902", "PAID", None, "DEBIT_CARD"),
    (APPROVED, "903", "PAID", None, "DEBIT_CARD"),
    (APPROVED, "904", "FAILED", "UNKNOWN_CARD_TYPE", "CREDIT_CARD"),
    ("4000000000000002", "123", "FAILED", "CARD_REFUSED", "CREDIT_CARD"),
    ("4000000000009995", "123", "FAILED", "INSUFFICIENT_FUNDS", "CREDIT_CARD"),
    ("4000000000000069", "123", "FAILED", "EXPIRED_CARD", "CREDIT_CARD"),
    ("4000000000000127", "123", "FAILED", "INVALID_CVV", "CREDIT_CARD"),
    ("4000000000000119", "123", "PENDING", None, "CREDIT_CARD"),
    ("5555555555554444", "123", "FAILED", "TEST_CARD_UNKNOWN", "CREDIT_CARD"),
]
"""Number, code; how the payment ends, why, and by which method (contract §14.2)."""
NUMBERS = [
    ("4242 4242-4242 4242", "4242 4242 4242 4242", "visa"),
    ("378282246310005999", "3782 822463 10005", "amex"),
    ("5555555555554444", "5555 5555 5555 4444", "mastercard"),
    ("30569309025904", "3056 930902 5904", "diners"),
    ("6011111111111117", "6011 1111 1111 1117", "discover"),
    ("6062826786276634", "6062 8267 8627 6634", "hipercard"),
    ("6362970000457013", "6362 9700 0045 7013", "elo"),
    ("9999", "9999", "unknown"),
]
"""What is pasted, what is shown, and the brand."""
DATES = [("1/27", "01/27"), ("01 / 2027", "01/27"), ("1227", "12/27"), ("9", "09/"), ("13", "01/3"), ("00", "0")]
"""What is pasted or typed, and what is shown."""
NONSENSE = [
    ("OnpayCard.confirmCardPayment('$other', { elements: card.elements })", "INTEGRATION_CLIENT_SECRET"),
    ("OnpayCard.confirmCardPayment('$other')", "INTEGRATION_ELEMENTS_MISSING"),
    ("OnpayCard.confirmCardPayment(card.clientSecret, { elements: {} })", "TypeError"),
    ("OnpayCard.confirmCardPayment('sk_live_1')", "TypeError"),
    ("OnpayCard.confirmCardPayment()", "TypeError"),
]
"""Calls that a shop gets wrong, and what it is told. `$other` is the secret of another payment."""
SHOP = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Shop</title><link rel="icon" href="data:,">
<script>heard = []; addEventListener("message", ({ origin, data }) => heard.push({ origin, data }));</script>
<script src="{sdk}/sdk/onpay-card.js"></script>
<form id="order"><label for="cardNumber">Number</label><div id="cardNumber"></div><div id="cardExpiry"></div>
<div id="cardCvc"></div><button>Pay</button></form><div id="page"></div>
<script>
  told = [];
  function mount(clientSecret, options = {}) {
    card = { clientSecret, elements: OnpayCard.elements({ clientSecret, locale: "en", ...options }) };
    for (const kind of ["cardNumber", "cardExpiry", "cardCvc"]) {
      const element = card.elements.create(kind).mount("#" + kind);
      for (const event of ["ready", "change", "error"]) element.on(event, (about) => told.push([event, about]));
    }
    order.addEventListener("submit", (event) => {
      event.preventDefault();
      OnpayCard.confirmCardPayment(card).then((outcome) => { window.outcome = outcome; });
    });
  }
</script></html>"""

FORGE = """([id, payment]) => {
  const paid = { payment: { id: payment, status: "PAID" } };
  const says = ["mount", "ready", "clear", "focus", "confirm", "enter", "threeDs", "threeDsLeave", "result"];
  for (const message of [...says.map((type) => ({ type, ...paid })), { type: "update", disabled: true }]) {
    for (const one of [top, ...Array.from({ length: top.length }, (_, at) => top[at])]) {
      one.postMessage({ onpay: 2, id, request: "forged", clientSecret: payment + "_secret_x", ...message }, "*");
    }
  }
}"""
"""Says all that frames and shops say to each other, with the right ids, to everybody."""

SHOW_HOSTED = """sessionToken => OnpayCard.create({ sessionToken, container: "#page" })
  .on("complete", (outcome) => { window.outcome = outcome; }) && null"""
CONFIRM = "secret => { OnpayCard.confirmCardPayment(secret).then((outcome) => { window.outcome = outcome; }); }"
CODE_OF = """async (call) => {
  const { error, payment } = await eval(call).catch((thrown) => ({ error: { code: thrown.name } }));
  return error?.code ?? payment.status;
}"""


@dataclass
class CardShop(Watched):
    """The page of a shop on one origin, with fields of another."""

    sdk: str = ""
    shop: Shop = field(default_factory=a_shop)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def order(self, **members: Any) -> dict[str, Any]:
        """A card payment whose session is open."""
        body = {
            "method": "CREDIT_CARD", "amount": 200.00, "currency": "BRL", "reference": a_reference(), "payer": MARIA,
            "returnUrl": f"{self.origin}/thanks?cart=7",
        }  # fmt: skip
        answer = Api(self.shop.sandbox_key).post("/payments", body | members)
        assert answer.status_code == 202, answer.content
        return dict(answer.json()["data"])

    def open(self, options: dict[str, Any] | None = None) -> dict[str, Any]:
        """An order, and its fields in the page."""
        ordered = self.order()
        self.mount(ordered, options)
        self.page.wait_for_function("told.filter(([event]) => event === 'ready').length === 3")
        return ordered

    def mount(self, ordered: dict[str, Any], options: dict[str, Any] | None = None) -> None:
        self.go("/cart")
        secret = ordered["nextAction"]["clientSecret"]
        self.page.evaluate("([secret, options]) => mount(secret, options)", [secret, options or {}])

    def field(self, kind: str) -> Locator:
        return self.page.frame_locator(f"#{kind} iframe").locator("#field")

    def frame(self, kind: str) -> Frame:
        return next(frame for frame in self.page.frames if frame.url.partition("?")[0].endswith(f"/{kind}"))

    def show_frame(self, address: str) -> Frame:
        """A frame of another origin beside the fields."""
        self.page.route(address, lambda route: route.fulfill(body="<p>", content_type="text/html"))
        self.page.evaluate(
            """src => new Promise((onload) => {
            document.body.append(Object.assign(document.createElement("iframe"), { src, onload }));
        })""",
            address,
        )
        return next(frame for frame in self.page.frames if frame.url == address)

    def enter(
        self, number: str = APPROVED, expiry: str = "1230", cvc: str = "123", within: Page | FrameLocator | None = None
    ) -> None:
        for kind, text in zip(FIELDS, (number, expiry, cvc), strict=True):
            (within or self.page).frame_locator(f"#{kind} iframe").locator("#field").fill(text)

    def paste(self, kind: str, text: str) -> None:
        self.field(kind).fill("")
        self.field(kind).focus()
        self.page.keyboard.insert_text(text)

    def press(self) -> None:
        self.page.get_by_role("button", name="Pay").click()

    def outcome(self) -> dict[str, Any]:
        """What the SDK told the shop, once it did."""
        return dict(self.page.wait_for_function("window.outcome").json_value())

    def pay(self, *typed: str) -> dict[str, Any]:
        self.enter(*typed)
        self.press()
        return self.outcome()

    @property
    def challenge(self) -> FrameLocator:
        """The dialog's frame, once its script has run."""
        frame = self.page.frame_locator("dialog iframe")
        expect(frame.locator("body.framed")).to_be_visible()
        return frame

    def challenged(self, number: str) -> FrameLocator:
        """The dialog that opens when a card is paid with."""
        self.enter(number)
        self.press()
        return self.challenge

    def challenge_url(self) -> str:
        return str(self.page.locator("dialog iframe").get_attribute("src"))

    def last(self, kind: str) -> dict[str, Any]:
        """The field's latest change that the shop was told of."""
        change = "kind => told.findLast(([event, about]) => event === 'change' && about.elementType === kind)?.[1]"
        return dict(self.page.evaluate(change, kind))

    def on_request(self, request: Any) -> None:
        self.asked.append((request.url, request.post_data or ""))
        if not request.url.startswith((f"{self.origin}/", f"{self.sdk}/", "data:", "blob:")):
            self.complaints.append(f"asks {request.url}")

    def lose_the_first(self, address: str, *, arrives: bool) -> None:
        """The connection breaks before, or after, the server has done what was asked."""

        def lose(route: Route) -> None:
            if arrives:
                route.fetch()
            route.abort()

        self.page.route(address, lose, times=1)

    def forgive(self, *parts: str) -> None:
        """What was meant to be complained of is off the list, also what the browser says later of the same."""
        self.forgiven += parts
        kept = [text for text in self.complaints if not any(part in text for part in parts)]
        assert len(kept) < len(self.complaints), self.complaints
        self.complaints[:] = kept


def state() -> tuple[str, str | None]:
    payment = Payment.objects.get()
    return payment.status, payment.failure_code


def a_card_shop(page: Page, server: LiveServer, settings: Any, viewport: Any) -> Iterator[CardShop]:
    """Shop and API on `localhost`, fields on `127.0.0.1`: two origins, two sites."""
    port = server.url.rpartition(":")[2]
    settings.BASE_URL = settings.SANDBOX_BASE_URL = f"http://localhost:{port}"
    settings.SDK_URL = f"http://127.0.0.1:{port}"
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
    found = CardShop(page, settings.BASE_URL, sdk=settings.SDK_URL)
    html = SHOP.replace("{sdk}", settings.SDK_URL)

    def shown(route: Route) -> None:
        route.fulfill(body=html, content_type="text/html")

    page.route(f"{settings.BASE_URL}/cart", shown)
    page.route(f"{settings.BASE_URL}/thanks?*", shown)
    with found.before(viewport):
        yield found


@pytest.fixture
def shop(
    page: Page, live_server: LiveServer, settings: Any, plain_static_files: None, transactional_db: None
) -> Iterator[CardShop]:
    yield from a_card_shop(page, live_server, settings, NARROW)


@pytest.fixture
def any_shop(
    viewport: Any, page: Page, live_server: LiveServer, settings: Any, plain_static_files: None, transactional_db: None
) -> Iterator[CardShop]:
    yield from a_card_shop(page, live_server, settings, viewport)
