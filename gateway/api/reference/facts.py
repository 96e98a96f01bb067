"""Documentation generated from the code: payment methods and sandbox, in the README and under /docs."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext

from accounts.base.clock import utcnow
from accounts.models import Environment
from gateway.api.deprecations import MEMBERS, NOTICE, Deprecation
from gateway.api.openapi.document import operations
from gateway.api.openapi.schemas import OPEN
from gateway.api.reference.libraries import offered
from gateway.api.reference.methods import resources
from gateway.api.reference.reproductions.calls import Call
from gateway.api.reference.shell import command
from gateway.conversions import scenarios as conversion_scenarios
from gateway.methods.card.sandbox_cards import FUNDING_OF_CVC, STORED_CARDS, TEST_CARDS
from gateway.methods.rail import Market
from gateway.methods.registry import Method, rails
from gateway.methods.scenarios import SCENARIOS, PaymentScenario
from gateway.methods.selectors import required_fields
from gateway.methods.words import GIVEN
from gateway.payouts import scenarios as payout_scenarios
from gateway.payouts.rail import PayoutMarket as Payout
from gateway.payouts.registry import markets as payout_markets
from gateway.providers.browsers import browsers
from gateway.providers.scripts import VERSION, integrity
from gateway.simulations.examples import ORDERS, WITHDRAWALS
from ledger.chart import WALLET_METHOD
from ledger.notation import notation
from ledger.rates.table import SANDBOX
from webhooks import signing
from webhooks.schedule import DELAYS_S


@dataclass(frozen=True, slots=True)
class MethodGuide:
    """A method in a currency, with an order that works as it is."""

    method: str
    market: Market
    required: list[str]

    @property
    def given(self) -> str:
        return GIVEN[self.market.flow].members

    @property
    def limits(self) -> str:
        return _between(_number(self.market.minimum), _number(self.market.maximum))

    @property
    def price(self) -> str:
        parts = (f"{self.market.percentage} %" if self.market.percentage else "", str(self.market.fixed or ""))
        return " + ".join(filter(None, parts))

    @property
    def time(self) -> str:
        if self.market.flow == "BOLETO":
            return gettext("due date + 3 days")
        span = _span(self.market.expires_in_s)
        return gettext("%(time)s, or until the due date") % {"time": span} if self.market.flow == "PIX_CODE" else span

    @property
    def curl(self) -> str:
        return _curl(ORDERS[self.method, self.market.currency])


def _curl(order: dict[str, Any], path: str = "/payments") -> str:
    """A shell command with a new reference and key for each run."""
    return command(Call("POST", path, order))


def ways() -> list[MethodGuide]:
    """Every payment method and currency, in folder order."""
    simulators = rails(Environment.SANDBOX)
    return [
        MethodGuide(pair[0], rail.market(pair[1]), required_fields(rail, pair[1], utcnow()))
        for pair, rail in simulators.items()
    ]


CARD_PAGE = """<!doctype html>
<meta charset="utf-8">
<title>Pay by card</title>
<script src="{sdk_url}/sdk/onpay-card.js"></script>
<form id="pay">
  <div id="number"></div>
  <div id="expiry"></div>
  <div id="cvc"></div>
  <button>Pay</button>
  <p id="said"></p>
</form>
<script>
  const clientSecret = "…";
  const elements = OnpayCard.elements({{ clientSecret }});
  elements.create("cardNumber").mount("#number");
  elements.create("cardExpiry").mount("#expiry");
  elements.create("cardCvc").mount("#cvc");

  document.getElementById("pay").addEventListener("submit", async (event) => {{
    event.preventDefault();
    const {{ error, payment }} = await OnpayCard.confirmCardPayment({{ clientSecret, elements }});
    document.getElementById("said").textContent = error ? error.message : payment.status;
  }});
</script>
"""


def cards() -> dict[str, Any]:
    """Cards: a page that works as pasted, test cards, saved cards."""
    order = ORDERS["CREDIT_CARD", "BRL"] | {"returnUrl": "http://localhost:9000/pay.html"}
    return {
        "sdk_url": settings.SDK_URL,
        "version": VERSION,
        "integrity": integrity(),
        "curl": _curl(order),
        "page": CARD_PAGE.format(sdk_url=settings.SDK_URL),
        "policies": [
            (gettext("The sandbox"), policy_of()),
            *((_in_production(acquirer.title()), policy_of(acquirer)) for acquirer in browsers()),
            (_in_production(gettext("All acquirers")), policy_of(*browsers())),
        ],
        "test_cards": [(card.number, translation.gettext(card.effect)) for card in TEST_CARDS],
        "funding": [(cvc, str(funding)) for cvc, funding in FUNDING_OF_CVC.items()],
        "stored": [(kept.token, translation.gettext(kept.effect)) for kept in STORED_CARDS],
    }


def policy_of(*acquirers: str) -> str:
    """The strict security policy of a shop's page with card fields, of the sandbox or of acquirers."""
    needed = [browsers()[acquirer]["live"].policy() for acquirer in acquirers]
    directives = {"default-src": ["'self'"]}
    for name, own in (("script-src", ["'self'"]), ("connect-src", ["'self'"]), ("frame-src", [])):
        directives[name] = [*own, settings.SDK_URL, *(source for one in needed for source in one.get(name, []))]
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in directives.items())


def table() -> str:
    """The payment methods as a Markdown table, for the README."""
    titles = ("method", "currency", "you must say", "the payer gets", "limits", "time", "price")
    head = f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|"
    rows = (
        f"| `{way.method}` | {way.market.currency} | {', '.join(f'`{name}`' for name in way.required)} | {way.given} "
        f"| {way.limits} | {way.time} | {way.price} |"
        for way in ways()
    )
    return "\n".join([head, *rows])


def scenarios() -> list[tuple[int, str, str]]:
    """Every magic amount: its last digits, its methods, and its effect as Markdown."""
    return [
        (scenario.tail, ", ".join(_methods(scenario)), translation.gettext(scenario.effect)) for scenario in SCENARIOS
    ]


@dataclass(frozen=True, slots=True)
class WayOut:
    """A rail with its payout currency, and a withdrawal that works as it is."""

    rail: str
    market: Payout

    @property
    def limits(self) -> str:
        return f"{_between(_number(self.market.minimum), _number(self.market.maximum))} {self.market.currency}"

    @property
    def network_fee(self) -> str:
        return _number(self.market.network_fee) if self.market.network_fee else ""

    @property
    def path(self) -> str:
        return f"/withdrawals/{self.rail.lower().replace('_', '-')}"

    @property
    def curl(self) -> str:
        return _curl(WITHDRAWALS[self.rail, self.market.currency], self.path)


def ways_out() -> list[WayOut]:
    """Every payout rail and currency, in folder order."""
    return [WayOut(rail, market) for (rail, _), market in payout_markets().items()]


def money_out() -> dict[str, Any]:
    """Withdrawals and conversions: working requests, magic amounts, sandbox rates."""
    return {
        "ways": ways_out(),
        "scenarios": [(scenario.tail, translation.gettext(scenario.effect)) for scenario in payout_scenarios.SCENARIOS],
        "conversion_scenarios": [(one.tail, translation.gettext(one.effect)) for one in conversion_scenarios.SCENARIOS],
        "rates": [(currency, _number(rate)) for currency, rate in SANDBOX.items()],
        "wallets": WALLET_METHOD.items(),
    }


SAMPLE_SECRET = "whsec_c2VjcmV0LW9mLXRoZS1leGFtcGxlLXNlY3JldC1vZi0="  # noqa: S105  (an example's, and published)
SAMPLE_AT = 1_795_262_400
SAMPLE_BODY = (
    b'{"id":"evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT","type":"payment.paid","timestamp":"2026-11-21T12:00:00.000Z",'
    b'"apiVersion":"v2","environment":"SANDBOX","companyId":"cmp_01KAGTW3Q8XJ5V0N2B7R4C9CMP","sequence":1795262400000,'
    b'"data":{"id":"pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF","reference":"order-1042","status":"PAID",'
    b'"paidAt":"2026-11-21T12:00:00.000Z"}}'
)


def sample_delivery() -> tuple[dict[str, str], bytes]:
    """Headers and body of a delivery, signed with SAMPLE_SECRET; of the payment only what a handler reads."""
    signed = signing.headers("evt_01KAGTW3Q8XJ5V0N2B7R4C9EVT", SAMPLE_BODY, [SAMPLE_SECRET], SAMPLE_AT)
    named = {
        "x-onpay-event": "payment.paid",
        "x-onpay-delivery": "dlv_01KAGTW3Q8XJ5V0N2B7R4C9DLV",
        "x-onpay-attempt": "1",
    }
    return {"content-type": "application/json"} | signed | named, SAMPLE_BODY


def sample(name: str) -> str:
    """A receiver's code, which the tests run."""
    return (settings.BASE_DIR / "templates" / "docs" / "samples" / name).read_text()


def _raw_delivery() -> str:
    headers, body = sample_delivery()
    lines = "\n".join(f"{name}: {value}" for name, value in headers.items())
    return f"POST /hooks HTTP/1.1\n{lines}\n\n{body.decode()}"


def webhooks() -> dict[str, Any]:
    """Webhooks: the listener, working requests, the retry schedule, event types."""
    return {
        "listen": f"curl -sO {settings.SANDBOX_BASE_URL}/sdk/onpay_listen.py\n"
        f"ONPAY_KEY=$ONPAY_API_KEY python3 onpay_listen.py --base {settings.SANDBOX_BASE_URL} "
        "--forward-to http://localhost:3000/hooks",
        "raw": _raw_delivery(),
        "secret": SAMPLE_SECRET,
        "in_python": sample("receiver.py"),
        "in_node": sample("receiver.mjs"),
        "delays": ", ".join(_span(seconds) for seconds in DELAYS_S[1:]),
    }


def _between(least: str, most: str) -> str:
    return gettext("%(least)s to %(most)s") % {"least": least, "most": most}


def _number(value: Decimal) -> str:
    """With all its decimals, as the reader writes numbers."""
    places = max(0, -int(value.as_tuple().exponent))
    return notation().number(value, f"#,##0.{'0' * places}" if places else "#,##0")


def _in_production(acquirer: str) -> str:
    return gettext("%(acquirer)s in production") % {"acquirer": acquirer}


def _span(seconds: int) -> str:
    """`5 s`, `30 min`, `2 h`."""
    if seconds < 60:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 3600 else f"{seconds // 3600} h"


def _methods(scenario: PaymentScenario) -> list[str]:
    if set(scenario.methods) == set(Method):
        return [gettext("every method")]
    named = {"method": "BANK_TRANSFER", "currency": scenario.currency}
    bank_transfer = gettext("%(method)s in %(currency)s") % named
    return [bank_transfer if method == Method.BANK_TRANSFER else str(method) for method in scenario.methods]


def _deprecated() -> list[tuple[str, Deprecation]]:
    return [(one.name, one.deprecated) for *_, one in operations() if one.deprecated]


def versioning() -> dict[str, Any]:
    """What can gain values at any time, the headers of a deprecation, and what is deprecated."""
    since = datetime(2027, 1, 1, tzinfo=UTC)
    announced = Deprecation(since, since + NOTICE).headers()
    members = [(f"nextAction.{member}", instead, None) for (_, member), instead in MEMBERS.items()]
    ending = [(name, one.instead, one.sunset) for name, one in _deprecated()]
    return {
        "open_members": sorted(OPEN),
        "announced": "\n".join(f"{name}: {value}" for name, value in announced.items()),
        "deprecated": [*ending, *members, ("OnpayCard.create", "OnpayCard.elements", None)],
    }


FACTS: dict[str, Callable[[], dict[str, Any]]] = {
    "sandbox": lambda: {"ways": ways(), "scenarios": scenarios()},
    "cards": cards,
    "money-out": money_out,
    "webhooks": webhooks,
    "versioning": versioning,
    "libraries": lambda: {"packages": offered()},
    "methods": lambda: {"resources": resources()},
}
"""What guides state and the code decides, by page."""
