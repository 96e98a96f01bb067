"""A shop whose card payments are real: the fields in its page are those of a stand-in for an acquirer's library."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Route

from gateway.api.reference.facts import policy_of
from tests.support.adyen import in_browsers
from tests.support.api import Api
from tests.support.card_pages import FIELDS, CardShop
from tests.support.payments import MARIA, a_reference

SHOP = "https://shop.test"
ADYEN = "https://adyen.test"
ADYEN_LIBRARY = in_browsers.LIBRARY.decode()
PAGE, CODE = (
    """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>
<link rel="icon" href="/icon.svg"><script src="{sdk}/sdk/onpay-card.js"></script>
<form id="order"><label for="cardNumber">Number</label><div id="cardNumber"></div><div id="cardExpiry"></div>
<div id="cardCvc"></div><button>Pay</button></form><script src="/cart.js"></script></html>""",
    """
  told = [];
  function mount(clientSecret, options) {
    card = { clientSecret, elements: OnpayCard.elements({ clientSecret, ...options }) };
    for (const kind of ["cardNumber", "cardExpiry", "cardCvc"]) {
      const element = card.elements.create(kind, { placeholder: kind }).mount("#" + kind);
      for (const event of ["ready", "change", "error", "focus", "enter"]) {
        element.on(event, (about) => told.push([event, about]));
      }
    }
    order.addEventListener("submit", (event) => {
      event.preventDefault();
      OnpayCard.confirmCardPayment(card).then((outcome) => { window.outcome = outcome; });
    });
  }
""",
)
"""Nothing in it is inline, so that it works under the policy of the documentation."""


@dataclass
class LiveShop(CardShop):
    """Under the strict policy that the documentation gives for the acquirers."""

    acquirers: tuple[str, ...] = ("stripe",)
    allowed: tuple[str, ...] = ()
    """The acquirers' origins."""

    def serve(self) -> None:
        """The shop's page."""
        policy, page = policy_of(*self.acquirers), PAGE.replace("{sdk}", self.sdk)

        def cart(route: Route) -> None:
            headers = {"content-security-policy": policy, "content-type": "text/html"}
            route.fulfill(body=page, headers=headers)

        self.page.route(f"{SHOP}/cart", cart)
        self.page.route(f"{SHOP}/thanks?*", cart)
        self.page.route(f"{SHOP}/cart.js", lambda route: route.fulfill(body=CODE, content_type="text/javascript"))
        self.page.route(f"{SHOP}/icon.svg", lambda route: route.fulfill(body="", content_type="image/svg+xml"))

    def order(self, key: str | None = None, **members: Any) -> dict[str, Any]:
        """A payment with real money, or with another key."""
        body = {
            "method": "CREDIT_CARD", "amount": 200.00, "currency": "BRL", "reference": a_reference(), "payer": MARIA,
            "returnUrl": f"{SHOP}/thanks",
        }  # fmt: skip
        answer = Api(key or self.shop.production_key).post("/payments", body | members)
        assert answer.status_code == 202, answer.content
        return dict(answer.json()["data"])

    def open(self, options: dict[str, Any] | None = None) -> dict[str, Any]:
        ordered = self.order()
        self.mount(ordered, {"locale": "en"} | (options or {}))
        self.until("told.filter(([event]) => event === 'ready').length === 3")
        return ordered

    def type(self, *texts: str) -> None:
        for kind, text in zip(FIELDS, texts, strict=True):
            self.page.locator(f"#{kind} input").fill(text)

    def pay(self, *texts: str) -> dict[str, Any]:
        self.type(*texts)
        self.press()
        return self.outcome()

    def errors(self) -> list[str]:
        codes = "told.filter(([event]) => event === 'error').map(([, { error }]) => error.code)"
        return list(self.page.evaluate(codes))

    def until(self, expression: str) -> Any:
        """Its value, once it has one. The driver's own way evaluates strings in the page, which the policy forbids."""
        for _ in range(200):
            if value := self.page.evaluate(expression):
                return value
            self.page.wait_for_timeout(50)
        raise AssertionError(f"never: {expression}")

    def outcome(self) -> dict[str, Any]:
        return dict(self.until("window.outcome"))

    def on_request(self, request: Any) -> None:
        if not request.url.startswith(tuple(f"{origin}/" for origin in self.allowed)):
            super().on_request(request)
