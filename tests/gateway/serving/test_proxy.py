"""The proxy as it is shipped, run by Debian's nginx before the web server: TLS, limits, and whose request it is."""

import json
import os
import shutil
import socket
import ssl
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings

import gateway.api.errors  # noqa: F401, its refusals belong to the catalogue
from accounts.base.errors import catalogue
from gateway.payments.models import Payment
from gateway.providers.models import ProviderMessage
from gateway.withdrawals.models import Withdrawal
from tests.support import scripted_provider, wire
from tests.support.callbacks import about
from tests.support.companies import Shop
from tests.support.network import free_port
from tests.support.providers import active
from tests.support.web_server import ROOT, Server, received, serving
from tests.support.withdrawals import register

pytestmark = pytest.mark.django_db(transaction=True)
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
CALLBACKS = f"callbacks.{wire.HOST}"
REGISTERED, ELSEWHERE, PROXY = "127.0.0.77", "127.0.0.66", "127.0.0.1"
BEHIND = {
    "ONPAY_LOCAL": "0",
    "ONPAY_BASE_URL": f"https://{wire.HOST}",
    "ONPAY_SANDBOX_BASE_URL": f"https://{wire.HOST}",
    "ONPAY_TRUSTED_PROXIES": PROXY,
    "ONPAY_CLIENT_ADDRESS_HEADER": "Onpay-Client-Address",
    "ONPAY_ALLOWED_HOSTS": f"{wire.HOST},{CALLBACKS}",
    "ONPAY_PROVIDER_MODULES": scripted_provider.MODULE,
}
"""What compose.yaml sets, and the names of a service of our own."""


class Proxy:
    """nginx with the shipped configuration; where it listens, where it leads to and what it waits for are ours."""

    def __init__(
        self, folder: Path, upstream: int, *, sandbox: int | None = None, stopped: Sequence[int] = (), **changed: str
    ) -> None:
        assert NGINX
        shutil.copytree(ROOT / "deploy/nginx", folder)
        _certify(folder / "certificates")
        self.port = free_port()
        scratch = "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in KINDS)
        beside = "".join(f" max_fails=0; server 127.0.0.1:{port} max_fails=0" for port in stopped)
        places = (folder / "upstream.conf").read_text().replace("web:8000", f"127.0.0.1:{upstream}{beside}")
        places = places.replace("sandbox:8000", f"127.0.0.1:{sandbox or upstream}{beside}")
        (folder / "upstream.conf").write_text(scratch + places)
        text = (folder / "nginx.conf").read_text()
        replaced = {"listen 8443": f"listen {PROXY}:{self.port}", "listen 8080": f"listen {PROXY}:{free_port()}"}
        for old, new in (replaced | {"/dev/stdout": f"{folder}/access.log"} | changed).items():
            assert old in text
            text = text.replace(old, new)
        (folder / "nginx.conf").write_text(text)
        us = "user root; " if os.geteuid() == 0 else ""
        command = [NGINX, "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
        self.process = subprocess.Popen([*command, "-g", f"{us}daemon off; pid {folder}/nginx.pid;"])
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with suppress(OSError), closing(socket.create_connection((PROXY, self.port), timeout=1)):
                return
            time.sleep(0.05)
        raise AssertionError((folder / "error.log").read_text())

    def connect(self, source: str = PROXY, name: str = wire.HOST, certified: Path | None = None) -> ssl.SSLSocket:
        """A connection to this name; `certified`: the folder of a client certificate that is shown."""
        plain = socket.create_connection((PROXY, self.port), timeout=20, source_address=(source, 0))
        anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
        if certified:
            anybody.load_cert_chain(certified / "certificate.pem", certified / "key.pem")
        return anybody.wrap_socket(plain, server_hostname=name)

    def ask(self, request: bytes, source: str = PROXY, **connection: Any) -> bytes:
        with closing(self.connect(source, **connection)) as client:
            with suppress(OSError):
                client.sendall(request)
            return received(client)


KINDS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def _certify(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, wire.HOST)])
    now = datetime.now(UTC)
    built = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    signed = built.not_valid_before(now).not_valid_after(now + timedelta(days=1)).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    (folder / "certificate.pem").write_bytes(signed.public_bytes(pem))
    private = (pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(key.private_bytes(*private))


@contextmanager
def proxying(
    folder: Path, upstream: int, *, sandbox: int | None = None, stopped: Sequence[int] = (), **changed: str
) -> Iterator[Proxy]:
    if NGINX is None:
        missing = "no nginx found: apt-get install nginx-light"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    proxy = Proxy(folder, upstream, sandbox=sandbox, stopped=stopped, **changed)
    try:
        yield proxy
    finally:
        proxy.process.terminate()
        proxy.process.wait(10)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[Server]:
    if NGINX is None:
        pytest.skip("no nginx found: apt-get install nginx-light")
    own = {
        "ONPAY_SECRET_KEY": settings.SECRET_KEY,
        "ONPAY_ENCRYPTION_KEYS": ",".join(settings.ENCRYPTION_KEYS),
        "ONPAY_SDK_URL": "https://cards.onpay.internal",
        "ONPAY_EMAIL_URL": "smtp+tls://mail.onpay.internal:587",
        "ONPAY_EMAIL_FROM": "Onpay Gateway <no-reply@onpay.internal>",
    }
    with serving(tmp_path_factory.mktemp("web") / "web.log", free_port(), **BEHIND, **own) as running:
        yield running


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Iterator[Proxy]:
    with proxying(tmp_path_factory.mktemp("nginx") / "gateway", server.port) as running:
        yield running


@pytest.fixture
def rich(acme: Shop, proxy: Proxy) -> Shop:
    """acme with money in its wallet and one address from which it may leave."""
    register(acme, REGISTERED)
    order = json.dumps({**wire.PIX, "amount": 500, "reference": "funds"}).encode()
    payment = wire.told(proxy.ask(wire.post(acme.sandbox_key, order)))["data"]["id"]
    paid = wire.post(acme.sandbox_key, b'{"status":"PAID"}', f"/simulations/payments/{payment}")
    assert wire.status(proxy.ask(paid)) == 200
    return acme


def test_every_process_is_asked_before_a_request_is_refused(server: Server, acme: Shop, tmp_path: Path) -> None:
    """Two hosts with two processes each, of which one host is stopped and of the other one process."""
    stopped = [free_port() for _ in range(3)]
    with proxying(tmp_path / "gateway", server.port, stopped=stopped) as proxy:
        orders = [json.dumps({**wire.PIX, "reference": f"two-hosts-{number}"}).encode() for number in range(12)]
        answers = [wire.status(proxy.ask(wire.post(acme.sandbox_key, order))) for order in orders]
    assert answers == [201] * 12
    assert Payment.objects.filter(merchant=acme.sandbox).count() == 12


def withdrawal(shop: Shop, *headers: str) -> bytes:
    body = {
        "companyId": shop.company.id, "amount": 1.01, "currency": "BRL", "pixKey": "52998224725", "pixKeyType": "CPF",
        "reference": f"wd-{time.monotonic_ns()}",
    }  # fmt: skip
    return wire.post(shop.sandbox_key, json.dumps(body).encode(), "/withdrawals/pix", *headers)


@contextmanager
def telling(word: str) -> Iterator[int]:
    """The port of a server that answers every request with this word."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-length", str(len(word)))
            self.end_headers()
            self.wfile.write(word.encode())

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()


def test_the_host_name_says_which_environment_answers(tmp_path: Path) -> None:
    told = {}
    with (
        telling("production") as production,
        telling("sandbox") as sandbox,
        proxying(tmp_path / "gateway", production, sandbox=sandbox) as proxy,
    ):
        for host in ("api", "sdk", "callbacks", "sandbox", "sandbox-sdk", "SANDBOX", "sandboxes", "my-sandbox"):
            asked = f"GET /callbacks/1 HTTP/1.1\r\nHost: {host}.onpay.internal\r\nConnection: close\r\n\r\n"
            told[host] = proxy.ask(asked.encode(), name=f"{host}.onpay.internal").rpartition(b"\r\n\r\n")[2].decode()

    assert {host for host, word in told.items() if word == "sandbox"} == {"sandbox", "sandbox-sdk", "SANDBOX"}
    assert set(told.values()) == {"sandbox", "production"}


NAMES = [
    "Onpay-Client-Address", "onpay-client-address", "Onpay_Client_Address", "ONPAY_CLIENT-ADDRESS", "X-Forwarded-For",
    "X_Forwarded_For", "Forwarded", "X-Real-IP", "X_Real_Ip", "Client-IP", "True-Client-IP", "CF-Connecting-IP",
]  # fmt: skip


def test_no_spelling_of_a_header_brings_anybody_past_the_registered_address(proxy: Proxy, rich: Shop) -> None:
    forged = [[f"{name}: {'for=' if name == 'Forwarded' else ''}{REGISTERED}"] for name in NAMES]
    forged += [[*forged[0], *forged[0]], [*forged[0], *forged[2]], [f"{NAMES[0]}: {REGISTERED}, {ELSEWHERE}"]]
    forged += [[line for lines in forged[:3] for line in lines], [f"Connection: {NAMES[0]}"]]

    for headers in forged:
        answer = proxy.ask(withdrawal(rich, *headers), ELSEWHERE)
        assert (wire.status(answer), wire.told(answer)["onpayCode"]) == (403, "ONP403_IP"), headers

    assert Withdrawal.objects.count() == 0
    assert wire.status(proxy.ask(withdrawal(rich, f"{NAMES[0]}: {ELSEWHERE}"), REGISTERED)) == 201


def test_who_is_not_the_proxy_is_not_believed(server: Server, rich: Shop) -> None:
    told = [f"Onpay-Client-Address: {REGISTERED}", "X-Forwarded-Proto: https"]

    past_the_proxy = server.ask(withdrawal(rich, *told), ELSEWHERE)
    twice = server.ask(withdrawal(rich, *told, f"onpay-client-address: {ELSEWHERE}"), PROXY)
    with_an_underscore = server.ask(withdrawal(rich, f"onpay_client_address: {REGISTERED}", told[1]), PROXY)

    assert wire.status(past_the_proxy) == 301  # no https: nothing is done
    assert (wire.status(twice), wire.told(twice)["onpayCode"]) == (400, "ONP400_HEADER_REPEATED")
    assert (wire.status(with_an_underscore), wire.told(with_an_underscore)["onpayCode"]) == (403, "ONP403_IP")
    assert Withdrawal.objects.count() == 0
    assert "client_address.missing" in server.log.read_text()


def test_beside_64_slow_clients_everybody_is_served(proxy: Proxy, acme: Shop) -> None:
    took = []
    with ExitStack() as stack:
        for _ in range(64):
            slow = stack.enter_context(closing(proxy.connect(ELSEWHERE)))
            slow.sendall(wire.api(acme.sandbox_key, "/payments", "Content-Length: 4000") + b"{")
        for _ in range(40):
            began = time.perf_counter()
            assert wire.status(proxy.ask(wire.post(acme.sandbox_key, wire.order()))) == 201
            took.append(time.perf_counter() - began)

    assert statistics.quantiles(took, n=20)[-1] < 1


def in_our_words(answer: bytes, status: int) -> None:
    """The answer is the envelope, with the words of the catalogue."""
    assert wire.status(answer) == status
    told, known = wire.told(answer), {refusal.code: refusal for refusal in catalogue()}
    refusal, error = known[told["onpayCode"]], told["error"]
    assert (told["success"], error["code"], refusal.code[3:6]) == (False, told["onpayCode"], str(status))
    assert (told["onpayDescription"], error["message"]) == (refusal.message, refusal.message)
    assert error["retryable"] == refusal.retryable
    assert wire.headers(answer)["requestid"] == error["requestId"]
    assert len(error["requestId"]) == 30 and error["requestId"].startswith("req_")
    assert wire.headers(answer).get("retry-after") == (str(error["retryAfter"]) if "retryAfter" in error else None)
    assert error["docUrl"].endswith(f"/docs/errors#{refusal.code}")


def test_the_client_certificate_of_a_callback_is_passed_on_and_no_other(proxy: Proxy, tmp_path: Path) -> None:
    for name in ("own", "foreign"):
        (tmp_path / name).mkdir()
        _certify(tmp_path / name)
    own, foreign = tmp_path / "own", tmp_path / "foreign"
    fingerprint = x509.load_pem_x509_certificate((own / "certificate.pem").read_bytes()).fingerprint(hashes.SHA256())
    account = active(callback_certificate=fingerprint.hex())

    def told(name: str, certified: Path | None = None, *headers: str, path: str = "/pix") -> int:
        body = about("tst_1")
        sent = wire.head("POST", f"/callbacks/{account.pk}{path}", f"Content-Length: {len(body)}", *headers) + body
        named = sent.replace(f"Host: {wire.HOST}".encode(), f"Host: {name}".encode())
        return wire.status(proxy.ask(named, name=name, certified=certified))

    forged = f"Onpay-Client-Certificate: {fingerprint.hex()}"
    assert told(CALLBACKS) == told(CALLBACKS, None, forged) == told(CALLBACKS, foreign, forged) == 401
    assert told(wire.HOST, own) == told(wire.HOST, own, forged) == 401
    assert not ProviderMessage.objects.exists()
    assert told(CALLBACKS, own) == 200
    assert ProviderMessage.objects.get().certificate == fingerprint.hex()
    assert wire.status(proxy.ask(wire.head("GET", "/docs").replace(wire.HOST.encode(), CALLBACKS.encode()))) == 404


def test_what_the_proxy_refuses_is_said_in_the_envelope(proxy: Proxy, acme: Shop) -> None:
    in_our_words(proxy.ask(wire.post(acme.sandbox_key, bytes(1024 * 1024 + 1))), 413)
    in_our_words(proxy.ask(wire.api(acme.sandbox_key, f"/payments?reference={'a' * 70_000}", method="GET")), 414)
    in_our_words(proxy.ask(wire.head("GET", "/api/v2/payments", "Host: another")), 400)
    in_our_words(proxy.ask(b"NONSENSE\r\n\r\n"), 400)
    in_our_words(proxy.ask(wire.head("TRACE", "/api/v2/payments")), 405)
    in_our_words(proxy.ask(wire.api(acme.sandbox_key, "/payments", "Transfer-Encoding: gzip, chunked")), 400)
    odd_host = wire.head("GET", f"/{'a' * 70_000}").replace(f"Host: {wire.HOST}".encode(), b'Host: a","b":"c')
    in_our_words(proxy.ask(odd_host), 414)
    in_our_words(proxy.ask(wire.head("GET", "/api/v2/payments", *[f"X-{n}: {'a' * 15_000}" for n in range(5)])), 400)


def test_a_service_that_is_away_or_silent_is_said_in_the_envelope(proxy: Proxy, acme: Shop, tmp_path: Path) -> None:
    with proxying(tmp_path / "away", free_port()) as away:
        in_our_words(away.ask(wire.post(acme.sandbox_key, wire.order())), 502)
        statuses = {wire.status(away.ask(wire.head("GET", "/docs"))) for _ in range(3)}
        assert statuses == {502}
    with socket.create_server((PROXY, 0)) as silent:
        port = silent.getsockname()[1]
        with proxying(tmp_path / "silent", port, **{"proxy_read_timeout 60s": "proxy_read_timeout 1s"}) as waiting:
            in_our_words(waiting.ask(wire.post(acme.sandbox_key, wire.order())), 504)
    few = {"rate=100r/s": "rate=1r/s", "burst=400": "burst=1"}
    with proxying(tmp_path / "few", free_port(), **few) as strict:
        answers = [strict.ask(wire.post(acme.sandbox_key, wire.order())) for _ in range(5)]
        in_our_words(next(answer for answer in answers if wire.status(answer) == 429), 429)


def test_a_client_that_falls_silent_is_hung_up_on(acme: Shop, server: Server, tmp_path: Path) -> None:
    quick = {"client_body_timeout 10s": "client_body_timeout 1s"}
    with proxying(tmp_path / "quick", server.port, **quick) as proxy, closing(proxy.connect()) as client:
        client.sendall(wire.api(acme.sandbox_key, "/payments", "Content-Length: 4000") + b"{")
        with suppress(OSError):
            assert received(client) == b""
