"""Each path takes a body of its own size at most; a larger one is neither read nor written to the disk."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from gateway.api.inputs.refunds import LARGEST_ANSWER
from gateway.serving.bodies import MOST_IN_MEMORY
from tests.support import wire
from tests.support.companies import Shop
from tests.support.network import free_port
from tests.support.web_server import Server, received, serving

pytestmark = [pytest.mark.a_third_a_day, pytest.mark.django_db(transaction=True)]
MEGABYTE = 1024 * 1024
ANSWERS = "/refunds/ref_x/responses"
UPLOAD = (
    f"Cookie: csrftoken={'a' * 32}",
    f"Origin: http://{wire.HOST}",
    "Content-Type: multipart/form-data; boundary=x",
)
PART = b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\n\r\n'


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, scratch: Path, django_db_setup: None) -> Iterator[Server]:
    log = tmp_path_factory.mktemp("web") / "web.log"
    with serving(log, free_port(), TMPDIR=str(scratch)) as running:
        yield running


@pytest.mark.parametrize("path", ["/health/", "/docs", "/", "/accounts/login/", "/checkout/x", "/sdk/v1/tokens"])
def test_a_large_upload_is_refused_by_its_length(server: Server, scratch: Path, path: str) -> None:
    answer = server.ask(wire.head("POST", path, *UPLOAD, f"Content-Length: {300 * MEGABYTE}") + PART)

    assert wire.status(answer) == 413
    assert not any(scratch.iterdir())


@pytest.mark.parametrize("path", ["/health/", "/accounts/login/"])
def test_a_large_upload_in_chunks_is_refused_when_it_is_too_much(server: Server, scratch: Path, path: str) -> None:
    with closing(server.connect()) as client:
        client.sendall(wire.head("POST", path, *UPLOAD, "Transfer-Encoding: chunked"))
        sent = 0
        with suppress(OSError):  # it hangs up in the middle
            for _ in range(300):
                client.sendall(wire.chunks(PART + bytes(MEGABYTE))[:-5])
                sent += 1
        assert wire.status(received(client)) in (0, 413)

    assert sent < 20
    assert not any(scratch.iterdir())


def test_the_api_refuses_in_its_envelope(server: Server, acme: Shop) -> None:
    large = b" " * (256 * 1024 + 1)
    plain = server.ask(wire.post(acme.sandbox_key, large))
    chunked = server.ask(wire.api(acme.sandbox_key, "/payments", "Transfer-Encoding: chunked") + wire.chunks(large))

    for answer in (plain, chunked):
        assert wire.status(answer) == 413
        assert wire.told(answer)["onpayCode"] == "ONP413"
        assert wire.told(answer)["error"]["requestId"] == wire.headers(answer)["requestid"]


def test_an_address_that_is_too_long_is_refused_in_the_envelope(server: Server, acme: Shop) -> None:
    answer = server.ask(wire.api(acme.sandbox_key, f"/payments?reference={'a' * 9000}", method="GET"))

    assert (wire.status(answer), wire.told(answer)["onpayCode"]) == (414, "ONP414")


def test_a_key_in_another_spelling_is_no_key(server: Server, acme: Shop) -> None:
    answer = server.ask(wire.api(None, "/payments", f"X_Api_Key: {acme.sandbox_key}", method="GET"))

    assert wire.status(answer) == 401


def test_nobody_is_told_what_serves(server: Server) -> None:
    answer = server.ask(wire.head("GET", "/docs"))

    assert wire.status(answer) == 200
    assert wire.headers(answer)["server"] == ""


def test_small_bodies_are_read_while_large_ones_hold_all_the_memory(
    acme: Shop, tmp_path: Path, django_db_setup: None
) -> None:
    """Anybody can begin large bodies and leave them unfinished: no key that is valid is needed for that."""
    key, missing = "onp_sandbox_nobody", 1
    with ExitStack() as stack:
        one_process = stack.enter_context(serving(tmp_path / "web.log", free_port(), ONPAY_WEB_WORKERS="1"))
        left = MOST_IN_MEMORY
        while left:
            size = min(LARGEST_ANSWER - missing, left)
            client = stack.enter_context(closing(one_process.connect(f"127.0.8.{left % 200 + 1}")))
            client.sendall(wire.api(key, ANSWERS, f"Content-Length: {LARGEST_ANSWER}") + bytes(size))
            left -= size
        time.sleep(1)

        large = bytes(256 * 1024)
        refused = one_process.ask(wire.post(key, large, ANSWERS))
        in_chunks = wire.api(acme.sandbox_key, "/payments", "Transfer-Encoding: chunked") + wire.chunks(wire.order())
        served = [one_process.ask(sent) for sent in (in_chunks, wire.post(acme.sandbox_key, wire.order()))]

    assert wire.status(refused) == 503
    assert [wire.status(answer) for answer in served] == [201, 201]
