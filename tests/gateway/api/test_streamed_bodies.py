"""A body that comes in chunks is the body, whatever it asks for; one that breaks off is none."""

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import Company
from gateway.api.openapi.document import operations
from gateway.refunds.models import Refund
from tests.support.api import V2
from tests.support.companies import Shop
from tests.support.operations import BODIES, UNKNOWN
from tests.support.payments import a_payment
from tests.support.serving import Served, served
from webhooks import services as webhooks

pytestmark = pytest.mark.django_db(transaction=True)
WRITING = sorted(
    (method.upper(), path.removeprefix(V2)) for path, method, *_ in operations() if method in ("post", "patch")
)


@pytest.fixture(scope="module")
def service(django_db_setup: None, django_db_blocker: Any) -> Iterator[Served]:
    with django_db_blocker.unblock(), served() as running:
        yield running


class Backend:
    """acme's, which may withdraw from where the tests are."""

    def __init__(self, service: Served, acme: Shop) -> None:
        Company.objects.filter(pk=acme.company.pk).update(withdrawal_ip="127.0.0.1")
        self.service, self.acme = service, acme
        endpoint, _ = webhooks.register(acme.sandbox, "http://127.0.0.1:9/hooks", ["payment.paid"], None)
        self.ids = UNKNOWN | {"companyId": acme.company.id, "webhookId": endpoint.id}

    def call(self, method: str, path: str, content: bytes, **how: Any) -> tuple[int, dict[str, Any]]:
        payment = a_payment(self.acme.sandbox, "PAID" if "refund" in path else "PENDING")
        address = V2 + path.format(paymentId=payment.id, **self.ids)
        status, headers, answered = self.service.call(method, address, self.acme.sandbox_key, content, **how)
        answer = json.loads(answered)
        assert headers["requestid"]
        return status, answer

    def body_of(self, path: str) -> bytes:
        body = BODIES.get(path, {})
        return json.dumps(body | {"companyId": self.acme.company.id} if "companyId" in body else body).encode()


@pytest.fixture
def backend(service: Served, acme: Shop) -> Backend:
    return Backend(service, acme)


def outcome(status: int, answer: dict[str, Any]) -> tuple[Any, ...]:
    """What was done, without ids and times."""
    data = answer.get("data") or {}
    return status, answer["onpayCode"], answer.get("error", {}).get("field"), data.get("amount"), data.get("type")


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(("method", "path"), WRITING, ids=lambda part: part)
def test_a_chunked_body_does_what_the_plain_one_does(backend: Backend, method: str, path: str) -> None:
    content = backend.body_of(path)
    plain = outcome(*backend.call(method, path, content))
    for chunks in (1, 5):
        unused = content.replace(b"order-of-this-test", b"order-in-%d" % chunks)
        unused = unused.replace(b"ana@example.com", b"ana%d@example.com" % chunks)
        assert outcome(*backend.call(method, path, unused, chunks=chunks)) == plain


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(("method", "path"), WRITING, ids=lambda part: part)
def test_a_chunked_body_has_the_same_limits(backend: Backend, method: str, path: str) -> None:
    largest = 15 * 1024 * 1024 if path.endswith("/responses") else 256 * 1024
    too_large = b'{"a":"' + b"a" * largest + b'"}'

    assert outcome(*backend.call(method, path, too_large, chunks=3))[:2] == (413, "ONP413")
    no_object = outcome(*backend.call(method, path, b"[1,2]", chunks=2))
    assert no_object[:2] == (400, "ONP400_MALFORMED_JSON")


def test_a_chunked_refund_gives_back_what_it_says(backend: Backend) -> None:
    status, answer = backend.call("POST", "/payments/{paymentId}/refunds", b'{"amount":10.00}', chunks=2)

    assert (status, answer["data"]["amount"], answer["data"]["type"]) == (201, 10, "PARTIAL")


@pytest.mark.parametrize("length", ["Content-Length: 16", "Transfer-Encoding: chunked"])
@pytest.mark.parametrize("arrived", [b"", b"{"])
def test_a_connection_that_breaks_refunds_nothing(backend: Backend, length: str, arrived: bytes) -> None:
    payment = a_payment(backend.acme.sandbox, "PAID")
    head = (
        f"POST {V2}/payments/{payment.id}/refunds HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"x-api-key: {backend.acme.sandbox_key}\r\nidempotency-key: 7f3b1c52-8a50-4f2d-9d2b-0d9a6f6c3e11\r\n"
        f"{length}\r\n\r\n"
    )
    with backend.service.connected() as peer:
        peer.sendall(head.encode() + (b"1\r\n{\r\n" if arrived and "chunked" in length else arrived))
        time.sleep(0.2)
    time.sleep(0.5)

    assert not Refund.objects.exists()


@pytest.mark.parametrize(
    "lengths",
    [
        ("Content-Length: 0", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 0"),
        ("Content-Length: 0", "Content-Length: 12"),
        ("Content-Length: 0", "Transfer-Encoding: identity, chunked"),
        ("Transfer-Encoding: gzip",),
    ],
    ids=" and ".join,
)
def test_two_lengths_never_make_a_part_the_whole(backend: Backend, lengths: tuple[str, ...]) -> None:
    payment = a_payment(backend.acme.sandbox, "PAID")
    told = "\r\n".join(lengths)
    head = (
        f"POST {V2}/payments/{payment.id}/refunds HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"x-api-key: {backend.acme.sandbox_key}\r\nidempotency-key: 7f3b1c52-8a50-4f2d-9d2b-0d9a6f6c3e11\r\n"
        f"{told}\r\nConnection: close\r\n\r\n"
    )
    with backend.service.connected() as peer:
        peer.sendall(head.encode() + b'c\r\n{"amount":5}\r\n0\r\n\r\n')
        answer = peer.recv(12)

    assert answer in (b"HTTP/1.1 201", b"HTTP/1.1 400", b"HTTP/1.1 501", b"")
    assert set(Refund.objects.values_list("amount", flat=True)) <= {500}


def test_a_chunked_card_is_read_by_the_calls_of_the_sdk(backend: Backend) -> None:
    head = "POST /sdk/v1/tokens HTTP/1.1\nHost: 127.0.0.1:{}\nContent-Type: application/json\nConnection: close\n"
    answers = [
        backend.service.send(head.format(backend.service.port) + length, sent)[0]
        for length, sent in (
            ("Content-Length: 2\n", b"{}"),
            ("Transfer-Encoding: chunked\n", b"2\r\n{}\r\n0\r\n\r\n"),
        )
    ]

    assert answers == [401, 401]


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
@pytest.mark.parametrize("path", ["/accounts/login/", "/checkout/nobodys", "/admin/login/", "/dashboard/refunds"])
def test_a_chunked_form_is_read_or_refused(service: Served, path: str, kind: str) -> None:
    head = f"POST {path} HTTP/1.1\nHost: localhost\nContent-Type: {kind}\nConnection: close\n"

    plain, _, _ = service.send(f"{head}Content-Length: 10\n", b"choice=pay")
    streamed, _, _ = service.send(f"{head}Transfer-Encoding: chunked\n", b"a\r\nchoice=pay\r\n0\r\n\r\n")

    assert streamed in (plain, 411)


def test_a_form_that_breaks_off_is_refused(service: Served) -> None:
    head = "POST /accounts/login/ HTTP/1.1\nHost: localhost\nContent-Type: application/x-www-form-urlencoded\n"
    with service.connected() as peer:
        peer.sendall(f"{head}Content-Length: 11\n\n".replace("\n", "\r\n").encode() + b"amount=10")
        peer.shutdown(socket.SHUT_WR)
        answer = peer.recv(12)

    assert answer in (b"HTTP/1.1 400", b"")  # a server may hang up on half a connection
