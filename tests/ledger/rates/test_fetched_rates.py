"""Rates are fetched from somebody who may be away, broken or wrong: then there are none, and the reason is said."""

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pytest_django import Settings

from accounts.base.clock import utcnow
from accounts.models import Merchant, User
from ledger.rates import services as rates
from ledger.rates.errors import RateBeyondGuard
from ledger.rates.models import Rate
from ledger.rates.provider import HttpProvider, RatesUnavailable
from ledger.rates.services import market_rate
from ledger.rates.tasks import fetch_rates
from tests.support.companies import Shop

pytestmark = pytest.mark.django_db

SECRET = "s3cr3t-app-id"
USUAL = {"base": "USD", "rates": {"BRL": 5.5, "MXN": 18, "EUR": 0.9, "XYZ": 3}}
MEGABYTE = 1024 * 1024


@dataclass
class Market:
    """A provider of rates on loopback, whose next answer the test chooses."""

    url: str = ""
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    is_endless: bool = False
    asked: list[str] = field(default_factory=list)
    sent: int = 0

    def says(self, answer: Any, status: int = 200, **headers: str) -> None:
        self.body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.status, self.headers = status, headers


@contextmanager
def opened() -> Iterator[Market]:
    market = Market()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            market.asked.append(self.path)
            self.send_response(market.status)
            for name, value in market.headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for _ in itertools.count() if market.is_endless else range(1):
                    market.sent += self.wfile.write(market.body)
            except OSError:
                pass

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    market.url = f"http://127.0.0.1:{server.server_port}/latest?app_id={SECRET}"
    yield market
    server.shutdown()
    server.server_close()


@pytest.fixture
def market(settings: Settings) -> Iterator[Market]:
    with opened() as market:
        settings.RATES_URL = market.url
        yield market


@pytest.fixture
def second(settings: Settings) -> Iterator[Market]:
    with opened() as market:
        settings.RATES_SECOND_URL = market.url
        yield market


@pytest.fixture
def production(acme: Shop) -> Merchant:
    return acme.production


def ago(**time: float) -> datetime:
    return utcnow() - timedelta(**time)


def test_what_the_provider_says_is_recorded(market: Market, production: Merchant) -> None:
    at = int(ago(seconds=20).timestamp())
    market.says(USUAL | {"timestamp": at})

    fetch_rates()

    assert market_rate(production, "BRL", "MXN") == Decimal("3.2727272727")
    assert market_rate(production, "BRL", "USD") == Decimal("0.1818181818")
    assert set(Rate.objects.values_list("currency", flat=True)) == {"USD", "MXN", "EUR"}
    assert set(Rate.objects.values_list("quoted_at", flat=True)) == {datetime.fromtimestamp(at, UTC)}
    assert market.asked == [f"/latest?app_id={SECRET}"]


@pytest.mark.parametrize("timestamp", [None, 9_999_999_999])
def test_a_time_that_is_missing_or_to_come_is_now(market: Market, timestamp: Any) -> None:
    market.says(USUAL | {"timestamp": timestamp})

    fetch_rates()

    assert Rate.objects.count() == 3
    assert all(ago(seconds=30) < rate.quoted_at <= utcnow() for rate in Rate.objects.all())


@pytest.mark.parametrize("fraction", [0, 0.5])
def test_old_news_does_not_hold(market: Market, production: Merchant, fraction: float) -> None:
    market.says(USUAL | {"timestamp": int(ago(minutes=6).timestamp()) + fraction})

    fetch_rates()

    with pytest.raises(rates.NoRate):
        market_rate(production, "BRL", "MXN")


def test_without_an_address_nothing_is_fetched(settings: Settings) -> None:
    settings.RATES_URL = ""

    fetch_rates()

    assert not Rate.objects.exists()


BROKEN = {
    "500": (b"{}", 500),
    "404 with rates": (json.dumps(USUAL).encode(), 404),
    "204": (b"", 204),
    "nothing": (b"", 200),
    "garbage": (b"\x00\xff<html>", 200),
    "half": (json.dumps(USUAL).encode()[:-5], 200),
    "a list": ([USUAL], 200),
    "a number": (7, 200),
    "null": (None, 200),
    "no base": ({"rates": USUAL["rates"]}, 200),
    "a base that is none": (USUAL | {"base": 7}, 200),
    "no rates": ({"base": "USD"}, 200),
    "rates in a list": (USUAL | {"rates": [5.5]}, 200),
    "no real": (USUAL | {"rates": {"MXN": 18}}, 200),
    "no rates at all": (USUAL | {"rates": {}}, 200),
    "the real is nothing": (USUAL | {"rates": {"BRL": 0, "MXN": 18}}, 200),
    "the real is negative": (USUAL | {"rates": {"BRL": -5.5, "MXN": 18}}, 200),
    "the real is a string": (USUAL | {"rates": {"BRL": "5.5", "MXN": 18}}, 200),
    "the real is true": (USUAL | {"rates": {"BRL": True, "MXN": 18}}, 200),
    "NaN": (b'{"base": "USD", "rates": {"BRL": NaN, "MXN": 18}}', 200),
    "Infinity": (b'{"base": "USD", "rates": {"BRL": 5.5, "MXN": Infinity}}', 200),
    "the real twice": (b'{"base": "USD", "rates": {"BRL": 5.5, "BRL": 55, "MXN": 18}}', 200),
    "a time that is none": (USUAL | {"timestamp": 10**17}, 200),
    "a time before all time": (USUAL | {"timestamp": -(10**16)}, 200),
    "a time without end": (b'{"base": "USD", "rates": {"BRL": 5.5, "MXN": 18}, "timestamp": 1e99999999}', 200),
    "too large": (b" " * 300_000 + json.dumps(USUAL).encode(), 200),
    "too deep": (b"[" * 100_000, 200),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_answer_is_no_rate_and_is_said_without_the_address(market: Market, capfd: Any, name: str) -> None:
    market.says(*BROKEN[name])

    fetch_rates()

    assert not Rate.objects.exists()
    said = capfd.readouterr()
    assert '"event":"rates.unavailable"' in said.err
    assert SECRET not in said.out + said.err
    assert len(market.asked) == 1


ABSURD = {
    "negative": b"-18", "zero": b"0", "a string": b'"18"', "true": b"true", "null": b"null", "a list": b"[18]",
    "less than is kept": b"1e-20", "more than is kept": b"1e20", "without end": b"1e400", "next to nothing": b"1e-400",
}  # fmt: skip


@pytest.mark.parametrize("name", ABSURD)
def test_one_absurd_rate_is_left_out_and_the_others_are_taken(market: Market, production: Merchant, name: str) -> None:
    market.says(b'{"base": "USD", "rates": {"BRL": 5.5, "EUR": 0.9, "MXN": ' + ABSURD[name] + b"}}")

    fetch_rates()

    assert set(Rate.objects.values_list("currency", flat=True)) == {"USD", "EUR"}
    assert market_rate(production, "EUR", "BRL") > 6


@pytest.mark.parametrize("worth", ["1e-30", "1e30", "1e400"])
def test_an_absurd_real_does_not_stop_the_timetable(market: Market, capfd: Any, worth: str) -> None:
    market.says(b'{"base": "USD", "rates": {"MXN": 18, "BRL": ' + worth.encode() + b"}}")

    fetch_rates()

    assert not Rate.objects.exists()
    assert SECRET not in "".join(capfd.readouterr())


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_nobody_is_sent_elsewhere(market: Market, capfd: Any, status: int) -> None:
    market.says(USUAL, status, Location="/elsewhere")

    fetch_rates()

    assert market.asked == [f"/latest?app_id={SECRET}"]
    assert not Rate.objects.exists()
    assert SECRET not in "".join(capfd.readouterr())


def test_an_answer_without_end_is_left(market: Market, capfd: Any) -> None:
    market.says(b" " * 65_536)
    market.is_endless = True

    fetch_rates()

    assert not Rate.objects.exists()
    assert market.sent < 20 * MEGABYTE
    assert '"event":"rates.unavailable"' in (said := capfd.readouterr().err)
    assert SECRET not in said


def test_a_party_that_is_away_is_said_without_the_address(market: Market, settings: Settings, capfd: Any) -> None:
    for url in (f"http://127.0.0.1:1/{SECRET}", f"http://{SECRET}@127.0.0.1:1/", f"http:///{SECRET}", f"{SECRET}"):
        settings.RATES_URL = url
        with pytest.raises(RatesUnavailable) as raised:
            HttpProvider(url).quotes()
        fetch_rates()
        assert SECRET not in repr(raised.getrepr(chain=True))
    said = capfd.readouterr()
    assert said.err.count('"event":"rates.unavailable"') == 4
    assert SECRET not in said.out + said.err


def test_a_later_broken_answer_leaves_the_last_rates_until_they_run_out(market: Market, production: Merchant) -> None:
    market.says(USUAL)
    fetch_rates()
    market.says(b"", 500)

    fetch_rates()

    assert market_rate(production, "BRL", "MXN") == Decimal("3.2727272727")


# ── Two sources ───────────────────────────────────────────────────────────────────────────────────────────────────────
def test_two_sources_that_agree_are_one_rate_that_says_so(market: Market, second: Market, production: Merchant) -> None:
    older, newer = (int(ago(seconds=seconds).timestamp()) for seconds in (60, 20))
    market.says(USUAL | {"timestamp": newer})
    second.says({"base": "BRL", "timestamp": older, "rates": {"USD": 0.182, "MXN": 3.3, "EUR": 0.164}})

    fetch_rates()

    assert set(Rate.objects.values_list("currency", "seen_by")) == {(code, "BOTH") for code in ("USD", "MXN", "EUR")}
    assert market_rate(production, "BRL", "MXN") == Decimal("3.2727272727")
    assert set(Rate.objects.values_list("quoted_at", flat=True)) == {datetime.fromtimestamp(older, UTC)}


WRONG = {"ten times": 180, "a tenth": 1.8, "three per cent": 18.55, "next to nothing": 0.000001, "huge": 10**9}


@pytest.mark.parametrize("name", WRONG)
def test_what_two_sources_disagree_about_is_not_used_whoever_is_right(
    market: Market, second: Market, production: Merchant, capfd: Any, name: str
) -> None:
    wrong = USUAL | {"rates": USUAL["rates"] | {"MXN": WRONG[name]}}
    for one, other in ((market, second), (second, market)):
        one.says(wrong)
        other.says(USUAL)

        fetch_rates()

        assert set(Rate.objects.values_list("currency", flat=True)) == {"USD", "EUR"}
        with pytest.raises(rates.NoRate):
            market_rate(production, "BRL", "MXN")
        said = capfd.readouterr().err
        assert ('"event":"rates.disagree"' in said, '"level":"critical"' in said, '"MXN"' in said) == (True,) * 3


@pytest.mark.parametrize(
    ("which", "answer"),
    [
        *(("first", broken) for broken in ("500", "garbage", "no real", "the real is negative", "too large")),
        ("first", "yesterday's"),
        ("second", "garbage"),
        ("second", "yesterday's"),
    ],
)
def test_while_one_source_is_away_the_other_serves_with_a_mark(
    market: Market, second: Market, production: Merchant, capfd: Any, which: str, answer: str
) -> None:
    away, serving = (market, second) if which == "first" else (second, market)
    yesterdays = ({"base": "USD", "timestamp": int(ago(days=1).timestamp()), "rates": {"BRL": 1, "MXN": 99}}, 200)
    away.says(*(BROKEN | {"yesterday's": yesterdays})[answer])
    serving.says(USUAL)

    fetch_rates()

    assert market_rate(production, "BRL", "MXN") == Decimal("3.2727272727")
    assert set(Rate.objects.values_list("seen_by", flat=True)) == {"SECOND" if which == "first" else "FIRST"}
    assert f'"source":"{which}"' in capfd.readouterr().err


def test_a_redirect_of_the_first_is_not_followed_and_the_second_serves(
    market: Market, second: Market, production: Merchant
) -> None:
    market.says(USUAL, 302, Location=second.url)
    second.says(USUAL)

    fetch_rates()

    assert len(second.asked) == 1
    assert set(Rate.objects.values_list("seen_by", flat=True)) == {"SECOND"}


def test_the_guard_of_jumps_holds_for_a_source_alone(market: Market, second: Market, production: Merchant) -> None:
    for one in (market, second):
        one.says(USUAL)
    fetch_rates()
    market.says(b"", 503)
    second.says(USUAL | {"rates": USUAL["rates"] | {"MXN": 180, "EUR": 0.91}})

    fetch_rates()

    assert market_rate(production, "BRL", "MXN") == Decimal("3.2727272727")
    assert market_rate(production, "BRL", "EUR") == Decimal("0.1654545454")


def test_each_currency_has_limits_of_its_own(market: Market, second: Market, settings: Settings) -> None:
    settings.RATES_MAX_DIFFERENCE = {"ALL": "0.01", "MXN": "0.2"}
    settings.RATES_MAX_AGE_S = {"EUR": "30"}
    settings.RATES_MAX_JUMP = {"USD": "0.001"}
    rates.record({"BRL": Decimal("5.45"), "USD": Decimal(1)}, ago(minutes=1))
    at = int(ago(seconds=40).timestamp())
    market.says(USUAL | {"timestamp": at})
    second.says({"base": "USD", "timestamp": at, "rates": {"BRL": 5.5, "MXN": 21, "EUR": 0.9}})

    fetch_rates()

    fetched = Rate.objects.exclude(quoted_at__lt=ago(seconds=50))
    assert list(fetched.values_list("currency", "seen_by")) == [("MXN", "BOTH")]


def test_without_any_source_conversions_wait_until_staff_say_a_rate(
    market: Market, second: Market, production: Merchant
) -> None:
    for one in (market, second):
        one.says(b"", 500)

    fetch_rates()

    assert rates.in_use() == dict.fromkeys(("MXN", "EUR", "COP", "ARS", "USD", "USDT", "BTC"))
    staff = User.objects.create_user("rates@onpay.example")
    with pytest.raises(RateBeyondGuard):
        rates.enter("MXN", Decimal("3.3"), timedelta(hours=1), staff)
    with pytest.raises(rates.NoRate):
        market_rate(production, "BRL", "MXN")
    rates.enter("MXN", Decimal("3.3"), timedelta(hours=1), staff, confirmed=True)
    assert market_rate(production, "BRL", "MXN") == Decimal("3.3")
    assert rates.in_use()["MXN"] is not None
