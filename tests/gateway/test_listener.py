"""The downloadable listener: what a developer's machine receives from it is what the gateway itself would send."""

import ast
import base64
import hmac
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from standardwebhooks import Webhook

from accounts.base.ids import CROCKFORD
from tests.support.receiver import Receiver, listening
from webhooks import signing

pytestmark = pytest.mark.a_third_a_day
FILE = Path(__file__).resolve().parents[2] / "static/sdk/onpay_listen.py"
KEY = "onp_sandbox_" + "aK-9_" * 8 + "xyz"
DERIVED = "whsec_" + base64.b64encode(hmac.digest(KEY.encode(), b"onpay-listener", "sha256")).decode()
GIVEN = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
FIXED = {"user-agent": "Onpay-Webhooks/2", "content-type": "application/json"}
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
BEGINNING = "evt_" + "0" * 26
WRONG_KEY = {"success": False, "error": {"code": "ONP401", "message": "The API key is not valid."}}
TOO_MANY = {"success": False, "error": {"code": "ONP429", "message": "Slow down.", "retryable": True, "retryAfter": 1}}


def event_id(at: datetime, tail: int) -> str:
    value = int(at.timestamp() * 1000) << 80 | tail
    return "evt_" + "".join(CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))


@dataclass
class Gateway:
    """Speaks `GET /api/v2/events` and nothing else; `troubles` are answered first, one after another."""

    events: list[dict[str, Any]] = field(default_factory=list)
    troubles: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def happens(self, kind: str = "payment.paid", at: datetime = NOON, data: str = "{}") -> str:
        with self.changed:
            number = len(self.events) + 1
            made = {"id": event_id(at, number), "type": kind, "objectId": f"pay_{number:026}"}
            self.events.append({**made, "body": f'{{"id":"{made["id"]}","type":"{kind}","data":{data}}}'})
            self.changed.notify_all()
        return made["id"]

    def answer(self, key: str | None, query: dict[str, str]) -> tuple[int, dict[str, Any]]:
        self.asked.append(query)
        if self.troubles:
            return self.troubles.pop(0)
        if key != KEY:
            return 401, WRONG_KEY
        found = self.events[::-1] if "after" not in query else self._after(query["after"], int(query["wait"]))
        return 200, {"success": True, "data": found[: int(query["pageSize"])]}

    def _after(self, position: str, wait_s: int) -> list[dict[str, Any]]:
        with self.changed:
            self.changed.wait_for(lambda: self._following(position), wait_s)
            return self._following(position)

    def _following(self, position: str) -> list[dict[str, Any]]:
        ids = [event["id"] for event in self.events]
        if position in ids:
            return self.events[ids.index(position) + 1 :]
        return [event for event in self.events if event["id"] > position]


class Run:
    """The file as a developer runs it, where the environment names a proxy that leads nowhere."""

    def __init__(self, arguments: list[str], key: str) -> None:
        environment = {**os.environ, "ONPAY_KEY": key, "http_proxy": "http://127.0.0.1:9", "TZ": "UTC"}
        command, pipe = [sys.executable, str(FILE), *arguments], subprocess.PIPE
        self.process = subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True, encoding="utf-8")
        self.said, self._key = "", key

    def until(self, words: str) -> None:
        assert self.process.stdout
        while words not in self.said:
            line = self.process.stdout.readline()
            assert line, f"It ended before it said {words!r}: {self.said}"
            self.said += line

    def end(self) -> int:
        rest, self.complained = self.process.communicate(timeout=12)
        self.said += rest
        for secret in filter(None, (self._key, "Traceback", "\033")):
            assert secret not in self.said + self.complained
        return self.process.returncode


@dataclass
class Desk:
    """A developer's: a gateway, a receiver, and what runs between them."""

    base: str
    gateway: Gateway
    receiver: Receiver
    runs: list[Run] = field(default_factory=list)

    def listens(self, *arguments: str, key: str = KEY) -> Run:
        self.runs.append(Run(["--base", self.base, "--forward-to", self.receiver.url, *arguments], key))
        return self.runs[-1]

    @property
    def arrived(self) -> list[str]:
        return [one.headers["webhook-id"] for one in self.receiver.received]


@pytest.fixture
def desk() -> Iterator[Desk]:
    gateway = Gateway()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            assert address.path == "/api/v2/events"
            status, content = gateway.answer(self.headers["x-api-key"], dict(parse_qsl(address.query)))
            self.send_response_only(status)
            self.end_headers()
            self.wfile.write(json.dumps(content).encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.block_on_close = True, False
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    with listening() as receiver:
        desk = Desk(f"http://127.0.0.1:{server.server_port}", gateway, receiver)
        yield desk
        for run in desk.runs:
            run.process.kill()
            run.process.communicate()
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def listener() -> ModuleType:
    module = sys.modules["onpay_listen"] = ModuleType("onpay_listen")
    exec(compile(FILE.read_text(encoding="utf-8"), str(FILE), "exec"), module.__dict__)  # leaves no bytecode in static
    return module


@pytest.mark.parametrize(("arguments", "secret"), [([], DERIVED), (["--secret", GIVEN], GIVEN)])
def test_an_event_arrives_byte_for_byte_and_both_signatures_hold(desk: Desk, arguments: list[str], secret: str) -> None:
    event = desk.gateway.happens(data='{"payer":"João Ñandú 日本","amount":150.00}')
    body = f'{{"id":"{event}","type":"payment.paid","data":{{"payer":"João Ñandú 日本","amount":150.00}}}}'.encode()

    run = desk.listens("--once", *arguments)

    assert run.end() == 0
    [arrived] = desk.receiver.received
    assert arrived.body == body
    assert Webhook(secret).verify(arrived.body, arrived.headers)["id"] == event
    assert arrived.headers["x-onpay-signature"] == f"sha256={hmac.digest(secret.encode(), body, 'sha256').hex()}"
    told = {"webhook-id": event, "x-onpay-event": "payment.paid", "x-onpay-attempt": "1"}
    assert arrived.headers.items() >= {**told, **FIXED}.items()
    assert re.fullmatch(r"dlv_[0-9A-HJKMNP-TV-Z]{26}", arrived.headers["x-onpay-delivery"])
    assert f"Your signing secret: {secret}\n" in run.said
    assert re.search(r"\n\d\d:\d\d:\d\d  payment.paid +pay_0{25}1 +200 OK  \d+ ms\n", run.said)


def test_it_signs_exactly_as_the_gateway_does(listener: ModuleType) -> None:
    event = listener.Event(event_id(NOON, 1), "payment.paid", "pay_1", '{"name":"São"}'.encode())
    headers = listener.delivery_headers(event, GIVEN, 2, 1795176000)
    assert headers.items() >= signing.headers(event.id, event.body, [GIVEN], 1795176000).items()


def test_more_than_a_page_of_events_arrives_once_and_in_order(desk: Desk) -> None:
    made = [desk.gateway.happens() for _ in range(103)]
    assert (desk.listens("--once").end(), desk.arrived) == (0, made)


@pytest.mark.parametrize("since", ["2h", "1h30m", "UTC", "OFFSET", "LOCAL", "EVENT"])
def test_it_begins_where_it_is_told_to(desk: Desk, since: str) -> None:
    now = datetime.now(UTC)
    begin = now - timedelta(minutes=80)
    before = desk.gateway.happens(at=now - timedelta(minutes=91 if since == "1h30m" else 121))
    after = desk.gateway.happens(at=now - timedelta(minutes=70))
    local, offset = begin.replace(tzinfo=None), begin.astimezone(timezone(timedelta(hours=-3)))
    stamps = {"UTC": f"{local.isoformat()}Z", "OFFSET": offset.isoformat(), "LOCAL": local.isoformat(), "EVENT": before}
    assert desk.listens("--once", "--since", stamps.get(since, since)).end() == 0
    assert desk.arrived == [after]


@pytest.mark.parametrize("is_first", [True, False])
def test_from_now_on_until_ctrl_c_which_tells_how_to_go_on(desk: Desk, is_first: bool) -> None:
    newest = BEGINNING if is_first else desk.gateway.happens()
    run = desk.listens()
    run.until("Ready")
    event = desk.gateway.happens()
    run.until("200 OK")

    run.process.send_signal(signal.SIGINT)

    assert run.end() == 130
    assert desk.arrived == [event]
    assert desk.gateway.asked[:2] == [{"pageSize": "1"}, {"after": newest, "pageSize": "100", "wait": "20"}]
    assert run.said.endswith(f"\nForwarded 1, failed 0. To go on from here: --since {event}\n")


def test_an_event_of_a_slow_transaction_arrives_though_its_id_is_older(desk: Desk) -> None:
    events = [desk.gateway.happens(at=NOON + timedelta(seconds=late)) for late in (2, 1, 3)]
    assert desk.listens("--once").end() == 0
    assert desk.arrived == events


def test_only_the_wanted_events_arrive(desk: Desk) -> None:
    kinds = ("payment.paid", "payment.failed", "refund.created", "refund.completed", "withdrawal.completed")
    last = [desk.gateway.happens(kind) for kind in kinds][-1]
    run = desk.listens("--once", "--events", "payment.paid, refund.*")
    assert run.end() == 0
    assert desk.receiver.types == ["payment.paid", "refund.created", "refund.completed"]
    assert f"Forwarded 3, failed 0. To go on from here: --since {last}\n" in run.said


def test_a_receiver_that_comes_up_late_gets_the_event(desk: Desk) -> None:
    desk.gateway.happens()
    with socket.socket() as down:
        down.bind(("127.0.0.1", 0))
        run = desk.listens("--once", "--forward-to", f"http://localhost:{down.getsockname()[1]}")
        run.until("connection refused  ")
        down.listen()
        with down.accept()[0] as connection:
            assert connection.recv(65536).startswith(b"POST / HTTP/1.1\r\n")
            connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
    assert run.end() == 0
    assert " 204 No Content  " in run.said


def test_after_four_attempts_it_gives_up_says_so_and_goes_on(desk: Desk) -> None:
    given_up, following = desk.gateway.happens(), desk.gateway.happens()
    desk.receiver.answers = [(302, {"location": desk.receiver.url}), (500, {}), (404, {}), (503, {})]

    run = desk.listens("--once")

    assert run.end() == 1
    assert desk.arrived == [given_up] * 4 + [following]
    assert [one.headers["x-onpay-attempt"] for one in desk.receiver.received] == ["1", "2", "3", "4", "1"]
    assert len({one.headers["x-onpay-delivery"] for one in desk.receiver.received}) == 2
    assert re.findall(r"trying again in (.*)\n", run.said) == ["1 s", "2 s", "4 s"]
    assert re.search(r"302 Found \(redirects are not followed\)(.*\n)+.*given up after 4 attempts\n", run.said)
    assert f"Forwarded 1, failed 1. To go on from here: --since {following}\n" in run.said


def test_a_receiver_that_never_answers_is_a_failure_in_time(listener: ModuleType) -> None:
    event = listener.Event(event_id(NOON, 1), "payment.paid", "pay_1", b"{}")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = urlsplit(f"http://127.0.0.1:{silent.getsockname()[1]}/")
        answer = listener.Receiver(address, GIVEN, timeout_s=0.2).deliver(event, 1)
    assert (answer.is_success, answer.text) == (False, "no answer within 0.2 s")


def test_a_gateway_that_is_away_costs_time_but_no_event(desk: Desk) -> None:
    event = desk.gateway.happens()
    desk.gateway.troubles = [(503, {}), (429, TOO_MANY)]
    run = desk.listens("--once")
    assert run.end() == 0
    assert desk.arrived == [event]
    assert [query["after"] for query in desk.gateway.asked] == [BEGINNING, BEGINNING, BEGINNING, event]
    away = re.findall(r"The gateway is away \((.*)\): trying again in 1 s\n", run.said)
    assert away == ["503 Service Unavailable", "429 Too Many Requests"]


def test_a_wrong_key_ends_it_with_the_sentence_of_the_api(desk: Desk) -> None:
    desk.gateway.happens()
    run = desk.listens(key="onp_sandbox_nobodys")
    assert (run.end(), run.complained) == (1, "The API key is not valid.\n")
    assert desk.arrived == []


@pytest.mark.parametrize(
    ("key", "arguments", "sentence"),
    [
        ("onp_live_abcdefgh", [], "This is a production key: the listener is for the sandbox only."),
        ("", [], "No key: set ONPAY_KEY or give --key."),
        (KEY, [KEY], "There is an argument too much, or one with a wrong name (--help tells more)."),
        (KEY, ["--since", "evt_1"], "--since: an event's id is evt_ and 26 characters."),
        (KEY, ["--forward-to", "localhost:3000"], "--forward-to takes an address like http://localhost:3000/hooks."),
    ],
)
def test_a_wrong_call_gets_one_sentence_and_no_event(desk: Desk, key: str, arguments: list[str], sentence: str) -> None:
    desk.gateway.happens()
    run = desk.listens(*arguments, key=key)
    assert run.end() == 2
    assert (run.said, run.complained) == ("", f"{sentence}\n")
    assert (desk.gateway.asked, desk.arrived) == ([], [])


def test_it_needs_nothing_but_python_3_9() -> None:
    tree = ast.parse(FILE.read_text(encoding="utf-8"), feature_version=(3, 9))
    imported = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    imported += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names
