"""With production alone, no card number goes in or out of our process while a payer pays in an acquirer's fields.

The process is one of its own, as it is shipped, with taps between it and everybody whom it talks to: the browser, the
acquirers, PostgreSQL and Valkey.
"""

import json
import re
import tempfile
import uuid
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as configured
from django.db import connection
from playwright.sync_api import Page
from redis import Redis

from tests.support import web_server
from tests.support.acquirer_pages import ADYEN, ADYEN_LIBRARY, SHOP, LiveShop
from tests.support.adyen.acquirer import Acquirer, server_context
from tests.support.adyen.acquirer import serving as serving_adyen
from tests.support.bacen_pix.front import fronting
from tests.support.browser import NARROW
from tests.support.network import free_port
from tests.support.payments import MARIA, a_reference
from tests.support.production import live
from tests.support.providers import connected
from tests.support.stripe import in_browsers
from tests.support.stripe.stand_in import StandIn, in_front_of, localstripe
from tests.support.taps import Address, Tap, card_numbers_in, tapped

STRIPES, ADYENS, CVC = "4242424242424242", "4012888888881881", "739"
SPOKEN = re.compile(rb"(?i)(?:cvc|cvv|security.?code)[\"':= ]{1,5}[\"']?" + CVC.encode())
WRITTEN = {
    "plain": ADYENS, "with blanks": "4012 8888 8888 1881", "of a form": "4012+8888%208888-1881",
    "hexadecimal": ADYENS.encode().hex(), "base64": b64encode(b"{" + ADYENS.encode() + b"}").decode(),
}  # fmt: skip


@dataclass
class Production:
    """A process that serves production alone, and the acquirers that it asks."""

    stripe: StandIn
    adyen: Acquirer
    port: int = 0
    taps: dict[str, Tap] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def call(self, path: str, body: str, **headers: str) -> tuple[int, bytes]:
        """As anybody but the browser does."""
        caller = HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            caller.request("POST", path, body, {"host": f"localhost:{self.port}"} | headers)
            answer = caller.getresponse()
            return answer.status, answer.read()
        finally:
            caller.close()

    def told(self) -> dict[str, list[bytes]]:
        """What was said on either side of each tap."""
        return {name: tap.heard() for name, tap in self.taps.items()}

    def forget(self) -> None:
        for tap in self.taps.values():
            tap.forget()


def database() -> Address:
    at = connection.settings_dict
    host, port = at["OPTIONS"].get("host") or at["HOST"], at["OPTIONS"].get("port") or at["PORT"] or 5432
    return f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, int(port))


def valkey() -> Address:
    at = Redis.from_url(configured.CACHE_URL).connection_pool.connection_kwargs
    return str(at["path"]) if "path" in at else (at["host"], at["port"])


@pytest.fixture
def production(transactional_db: None) -> Iterator[Production]:
    with ExitStack() as running, tempfile.TemporaryDirectory(prefix="taps") as folder:
        enter, here, port = running.enter_context, Path(folder), free_port()
        stripe = enter(in_front_of(enter(localstripe()), tls=False))
        found = Production(stripe, Acquirer())
        behind: dict[str, Address] = {
            "browser": ("127.0.0.1", port),
            "stripe": ("127.0.0.1", int(urlsplit(stripe.url).port or 0)),
            "adyen": ("127.0.0.1", enter(serving_adyen(found.adyen, tls=False))),
        }
        ports = {}
        for name, address in behind.items():
            found.taps[name], ports[name] = enter(tapped(address))
        stripe.url = f"https://localhost:{enter(fronting(ports['stripe'], server_context()))}"
        found.adyen.url = f"https://localhost:{enter(fronting(ports['adyen'], server_context()))}"
        found.taps["database"], _ = enter(tapped(database(), here / ".s.PGSQL.5432"))
        found.taps["valkey"], _ = enter(tapped(valkey(), here / "valkey"))
        found.port = ports["browser"]
        asked = urlsplit(web_server.tested_database())
        user = asked.netloc.rpartition("@")[0]
        environment = {
            "ONPAY_ENVIRONMENTS": "production",
            "ONPAY_WEB_WORKERS": "1",
            "ONPAY_ALLOWED_HOSTS": "localhost,127.0.0.1",
            "ONPAY_BASE_URL": f"http://localhost:{found.port}",
            "ONPAY_SDK_URL": found.url,
            "ONPAY_ACQUIRER_SCRIPTS": f"stripe={in_browsers.library(stripe)},adyen={ADYEN}/adyen.js",
            "DATABASE_URL": f"postgres://{user}@{asked.path}?host={folder}&port=5432",
            "CELERY_BROKER_URL": f"redis+socket://{here}/valkey?virtual_host=0",
            "ONPAY_CACHE_URL": f"unix://{here}/valkey?db=1",
        }
        enter(web_server.serving(here / "log", port, **environment))
        yield found


@dataclass
class TappedShop(LiveShop):
    """Its backend and its page talk to the tapped process."""

    production: Production = field(kw_only=True)

    def order(self, key: str | None = None, **members: Any) -> dict[str, Any]:
        body = {
            "method": "CREDIT_CARD", "amount": 200.00, "currency": "BRL", "reference": a_reference(), "payer": MARIA,
            "returnUrl": f"{SHOP}/thanks",
        }  # fmt: skip
        headers = {"x-api-key": self.shop.production_key, "idempotency-key": str(uuid.uuid4())}
        sent = headers | {"content-type": "application/json"}
        status, told = self.production.call("/api/v2/payments", json.dumps(body | members), **sent)
        assert status == 202, told
        return dict(json.loads(told)["data"])

    def until_heard(self, text: bytes) -> None:
        """Somebody who is not waited for says it to the process."""
        for _ in range(200):
            if any(text in stream for stream in self.production.told()["browser"]):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"nobody said {text!r}")


@pytest.fixture
def shop(production: Production, page: Page, settings: Any) -> Iterator[TappedShop]:
    """Its page allows both acquirers; no card is taken yet."""
    stripe = production.stripe
    settings.SDK_URL = production.url
    settings.ACQUIRER_SCRIPTS = {"stripe": in_browsers.library(stripe), "adyen": f"{ADYEN}/adyen.js"}
    allowed = (in_browsers.origin(stripe), ADYEN)
    found = TappedShop(
        page, SHOP, sdk=production.url, acquirers=("stripe", "adyen"), allowed=allowed, production=production
    )
    live(found.shop, method="CREDIT_CARD")
    with found.before(NARROW):
        in_browsers.serve(page, stripe)
        script = {"body": ADYEN_LIBRARY, "content_type": "text/javascript"}
        page.route(f"{ADYEN}/adyen.js", lambda route: route.fulfill(**script))
        found.serve()
        yield found


def test_no_card_number_passes_our_process_while_cards_are_paid(shop: TappedShop, production: Production) -> None:
    stripe = connected("stripe", production.stripe.credentials(), "CREDIT_CARD", "DEBIT_CARD")
    production.stripe.send_webhooks_to(f"{production.url}/callbacks/{stripe.pk}")
    paid = shop.open()
    assert shop.pay(STRIPES, "1230", CVC)["payment"] == {"id": paid["id"], "status": "PAID"}
    connected("adyen", production.adyen.credentials(), "CREDIT_CARD", "DEBIT_CARD")
    authorized = shop.open()
    assert shop.pay(ADYENS, "1230", CVC)["payment"] == {"id": authorized["id"], "status": "AUTHORIZED"}
    shop.until_heard(b"POST /callbacks/")

    for name, told in production.told().items():
        assert card_numbers_in(told, [STRIPES, ADYENS]) == set(), name
        assert not any(SPOKEN.search(stream) for stream in told), name
    for name, text in {"browser": paid["id"], "stripe": paid["id"], "adyen": authorized["id"],
                       "database": authorized["id"], "valkey": "EVALSHA"}.items():  # fmt: skip
        assert any(text.encode() in stream for stream in production.told()[name]), f"{name} is tapped"

    for form, written in WRITTEN.items():
        production.forget()
        assert production.call("/sdk/v1/tokens", f"number={written}&said=1")[0] == 404
        assert card_numbers_in(production.told()["browser"], [ADYENS]) == {ADYENS}, f"{form} is found"
