"""Who sends slowly takes nothing from anybody else."""

import statistics
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import pytest

from gateway.payments.models import Payment
from tests.support import wire
from tests.support.companies import Shop
from tests.support.web_server import Server, received

pytestmark = pytest.mark.django_db(transaction=True)
SLOW = 64
CALLS = 40


def beginnings(key: str) -> list[bytes]:
    """Bodies of which only the first byte comes: of a call, of a call in chunks, of an anonymous form."""
    form = wire.head(
        "POST", "/accounts/login/", f"Cookie: csrftoken={'a' * 32}", f"Origin: http://{wire.HOST}",
        "Content-Type: application/x-www-form-urlencoded", "Content-Length: 5000",
    )  # fmt: skip
    return [
        wire.api(key, "/payments", "Content-Length: 4000") + b"{",
        wire.api(key, "/payments", "Transfer-Encoding: chunked") + b"1\r\n{\r\n",
        form + b"c",
    ]


@contextmanager
def slow_clients(server: Server, key: str, addresses: list[str]) -> Iterator[list[bytes]]:
    """So many that send one byte and wait; afterwards, what each of them was told."""
    answers: list[bytes] = []
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(server.connect(addresses[n % len(addresses)]))) for n in range(SLOW)]
        for n, client in enumerate(clients):
            client.sendall(beginnings(key)[n % 3])
        time.sleep(0.5)
        yield answers
        answers += [received(client) for client in clients]


@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], [f"127.0.7.{n}" for n in range(1, 65)]], ids=["of one address", "of many addresses"]
)
def test_beside_64_slow_bodies_everybody_is_served(server: Server, acme: Shop, addresses: list[str]) -> None:
    took = []
    with slow_clients(server, acme.sandbox_key, addresses) as answers:
        for _ in range(CALLS):
            began = time.perf_counter()
            assert wire.status(server.ask(wire.post(acme.sandbox_key, wire.order()))) == 201
            took.append(time.perf_counter() - began)

    assert statistics.quantiles(took, n=20)[-1] < 1
    told = Counter(map(wire.status, answers))
    if len(addresses) == 1:  # four in each of the two processes, or in one if it took all connections
        assert 4 <= told[408] <= 8
        assert told[429] == SLOW - told[408]
    else:
        assert told == {408: SLOW}
    assert Payment.objects.count() == CALLS
    for answer in answers:
        assert wire.headers(answer)["requestid"].startswith("req_")
    of_the_api = next(answer for answer in answers if wire.status(answer) == 408 and b"application/json" in answer)
    assert wire.told(of_the_api)["onpayCode"] == "ONP408"


def test_a_body_that_breaks_off_does_nothing(server: Server, acme: Shop) -> None:
    whole = wire.order()
    with_a_trailer = wire.chunks(whole)[:-2] + b"X-Trailer: 1\r\n\r\n"
    for headers, sent in (
        ([f"Content-Length: {len(whole) + 1}"], whole),
        (["Transfer-Encoding: chunked"], wire.chunks(whole)[:-5]),
        (["Transfer-Encoding: chunked"], wire.chunks(whole)[:-5] + b"zz\r\n"),
        (["Transfer-Encoding: chunked"], with_a_trailer),
    ):
        with closing(server.connect()) as client:
            client.sendall(wire.api(acme.sandbox_key, "/payments", *headers) + sent)
            client.shutdown(1)
            assert wire.status(received(client)) in (0, 400)

    assert Payment.objects.count() == 0


def test_a_body_in_chunks_is_the_same_body(server: Server, acme: Shop) -> None:
    whole = wire.order()
    in_two = wire.chunks(whole[:20], whole[20:])

    answer = server.ask(wire.api(acme.sandbox_key, "/payments", "Transfer-Encoding: chunked") + in_two)

    assert wire.status(answer) == 201
    assert Payment.objects.get().amount == 150


@pytest.mark.parametrize("length", ["Content-Length: 4000", "Transfer-Encoding: chunked", "Content-Length: 300000000"])
def test_what_would_be_refused_anyway_is_refused_before_its_body_comes(server: Server, acme: Shop, length: str) -> None:
    for path, key, expected in (
        ("/payments", None, 401),
        ("/payments", "k", 401),
        ("/nothing", acme.sandbox_key, 404),
        ("/payment-methods", acme.sandbox_key, 405),
    ):
        began = time.perf_counter()
        answer = server.ask(wire.api(key, path, length))
        assert wire.status(answer) == expected
        assert wire.told(answer)["error"]["requestId"] == wire.headers(answer)["requestid"]
        assert time.perf_counter() - began < 5


def test_calls_that_wait_for_events_leave_the_threads_to_others(server: Server, acme: Shop) -> None:
    newest = f"/events?after=evt_{'7' + 'Z' * 25}&wait=20"
    with ExitStack() as stack:
        for _ in range(24):
            waiting = stack.enter_context(closing(server.connect()))
            waiting.sendall(wire.api(acme.sandbox_key, newest, method="GET"))
        time.sleep(1)
        began = time.perf_counter()
        for _ in range(20):
            assert wire.status(server.ask(wire.post(acme.sandbox_key, wire.order()))) == 201
        assert time.perf_counter() - began < 15
