"""The HTTP client for institutions: what it trusts, what it leaves behind, and when it gives up."""

import socket
import ssl
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from gateway.providers.client import Answer, Call, Client, Identity
from gateway.providers.errors import NotSent, Unclear
from gateway.providers.observing import observing
from tests.support.bacen_pix.bank import Papers, authority, server_context


@pytest.fixture
def script() -> None:
    """Replaces that of the folder, which needs a database."""


@pytest.fixture(scope="session")
def identity() -> Identity:
    papers = Papers.of("onpay.test")
    return Identity(papers.certificate, papers.private_key, authority().cert_pem.bytes().decode())


@contextmanager
def answering(
    answer: Callable[[socket.socket], None],
    context: ssl.SSLContext | None = None,
    *,
    tls: bool = True,
    received: list[bytes] | None = None,
) -> Iterator[str]:
    """A server that reads one request on each connection and answers as it likes."""
    listener = socket.create_server(("127.0.0.1", 0))
    if tls:
        listener = (context or server_context()).wrap_socket(listener, server_side=True, do_handshake_on_connect=False)

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                try:
                    request = connection.recv(65536)
                    if received is not None:
                        received.append(request)
                    answer(connection)
                except OSError:
                    pass  # the caller hung up

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"https://localhost:{listener.getsockname()[1]}"
    finally:
        listener.close()


def says(text: str) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(text.encode())


OK = says("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")


def test_an_answer_is_its_status_and_its_object(identity: Identity) -> None:
    body = '{"a": 1.10}'
    ok = says(f"HTTP/1.1 404 No\r\ncontent-type: application/problem+json\r\ncontent-length: {len(body)}\r\n\r\n{body}")
    with answering(ok) as url:
        answer = Client("test", identity, 10).send(Call("GET", url))
    assert (answer.status, str(answer.body["a"])) == (404, "1.10")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "nonsense\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]",
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\n{}",
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n{"a":1,"a":22}',
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n",
        "HTTP/1.1 301 No\r\nlocation: https://localhost/\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 304 No\r\n\r\n",
        "HTTP/1.1 502 No\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
        "HTTP/1.1 999 No\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\n" + "x: y\r\n" * 30_000 + "\r\n",
    ],
)
def test_an_answer_that_cannot_be_used_is_unclear(identity: Identity, answer: str) -> None:
    with answering(says(answer)) as url, pytest.raises(Unclear):
        Client("test", identity, 10).send(Call("GET", url))


JSON, PAGE = "content-type: application/json", "content-type: text/html"


@pytest.mark.parametrize(
    ("status", "kind", "seen"),
    [
        ("200 OK", JSON, ""),
        ("400 Bad Request", JSON, ""),
        ("403 Forbidden", JSON, ""),
        ("401 Unauthorized", JSON, "HTTP 401"),
        ("429 Too Many Requests", JSON, "HTTP 429"),
        ("503 Service Unavailable", PAGE, "HTTP 503"),
        ("403 Forbidden", PAGE, None),
        ("200 OK", PAGE, None),
    ],
)
def test_whether_the_institution_serves_does_not_depend_on_the_request(
    identity: Identity, status: str, kind: str, seen: str | None
) -> None:
    answer = says(f"HTTP/1.1 {status}\r\n{kind}\r\ncontent-length: 2\r\n\r\n{{}}")
    with answering(answer) as url, observing() as observation, suppress(Unclear):
        Client("test", identity, 10).send(Call("POST", url))
    assert observation.failure == seen


def test_an_institution_that_is_not_reached_does_not_serve(identity: Identity) -> None:
    with answering(OK, tls=False) as url, observing() as observation, suppress(NotSent):
        Client("test", identity, 10).send(Call("POST", url))
    assert (observation.failure or "").startswith("no connection")


@pytest.mark.parametrize("head", ["content-length: 1048578", "connection: close"])
def test_a_body_of_more_than_a_megabyte_is_not_read(identity: Identity, head: str) -> None:
    body = '{"a":"' + "x" * (1024 * 1024 - 6) + '"}'
    answer = says(f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{head}\r\n\r\n{body}")
    with answering(answer) as url, pytest.raises(Unclear, match="more than 1 MB"):
        Client("test", identity, 10).send(Call("GET", url))


def test_a_packed_body_is_not_unpacked(identity: Identity) -> None:
    head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\n"
    packed = head.encode() + b"\x1f\x8b\x08\x00"
    with (
        answering(lambda connection: connection.sendall(packed)) as url,
        pytest.raises(Unclear, match="without a JSON object"),
    ):
        Client("test", identity, 10).send(Call("GET", url))


@pytest.mark.parametrize("piece", ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\n" + "x: y\r\n" * 99])
def test_a_head_that_never_ends_is_given_up_in_time(identity: Identity, piece: str) -> None:
    def trickle(connection: socket.socket) -> None:
        for character in piece * 50:
            connection.sendall(character.encode())
            time.sleep(0.02)

    started = time.monotonic()
    with answering(trickle) as url, pytest.raises(Unclear, match=r"within 0\.5 s"):
        Client("test", identity, 0.5).send(Call("GET", url))
    assert time.monotonic() - started < 3


def test_a_server_that_never_shakes_hands_is_sent_nothing(identity: Identity) -> None:
    started = time.monotonic()
    with answering(lambda _: time.sleep(5), tls=False) as url, pytest.raises(NotSent, match="no connection"):
        Client("test", identity, 0.5).send(Call("GET", url))
    assert time.monotonic() - started < 3


@pytest.mark.parametrize("answer", ["", "HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_a_server_without_tls_is_sent_nothing(identity: Identity, answer: str) -> None:
    with answering(says(answer), tls=False) as url, pytest.raises(NotSent, match="no connection"):
        Client("test", identity, 10).send(Call("GET", url))


def test_an_expired_server_is_sent_nothing(identity: Identity) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    expired = {"not_before": datetime(2020, 1, 1), "not_after": datetime(2021, 1, 1)}
    authority().issue_cert("localhost", **expired).configure_cert(context)
    with answering(OK, context) as url, pytest.raises(NotSent, match="certificate has expired"):
        Client("test", identity, 10).send(Call("GET", url))


def test_the_environment_sets_no_proxy(identity: Identity, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with answering(OK) as url:
        assert Client("test", identity, 10).send(Call("GET", url)) == Answer(200)


def test_a_private_key_stays_in_no_file(identity: Identity, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with answering(OK) as url:
        client = Client("test", identity, 10)
        assert [client.send(Call("GET", url)).status for _ in range(2)] == [200, 200]
    assert list(tmp_path.iterdir()) == []
    assert "PRIVATE" not in repr(identity)


def test_a_key_with_a_passphrase_is_refused_and_nobody_is_prompted(identity: Identity) -> None:
    key = load_pem_private_key((identity.private_key or "").encode(), None)
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")).decode()
    with pytest.raises(NotSent, match="cannot be used"):
        Client("test", Identity(identity.certificate, locked, identity.ca), 10).send(Call("GET", "https://localhost:1"))


def test_what_fills_the_address_cannot_change_it(identity: Identity) -> None:
    received: list[bytes] = []
    with answering(OK, received=received) as url:
        call = Call("GET", url + "/cob/{txid}", {"txid": "../a?b=c#d\r\n"}, query={"x": "&y=\r\n"})
        Client("test", identity, 10).send(call)
    assert received[0].startswith(b"GET /cob/..%2Fa%3Fb%3Dc%23d%0D%0A?x=%26y%3D%0D%0A HTTP/1.1\r\n")
