"""What the fast path leaves to Django, and what fails for one call alone."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from django.conf import settings as configured
from django.db import connection, connections
from pytest_django import Settings
from structlog.testing import capture_logs

from accounts.selectors import find_key
from accounts.services import note_permission, note_use, revoke_key
from gateway.api import throttling
from gateway.api.fast_path.answering import answer_all
from gateway.database.postgresql.base import keep_connection
from gateway.payments.models import Payment
from tests.support.api import another_address
from tests.support.companies import Shop
from tests.support.payments import pix
from tests.support.rsgi import Request, Sent, together

pytestmark = pytest.mark.django_db
CARDS = "cards.example.com"


@pytest.fixture(autouse=True)
def known(acme: Shop) -> None:
    """acme has used its key today."""
    for _ in range(2):
        found = find_key(acme.sandbox_key)
        assert found
        note_use(found)
        note_permission(found, "payments:write")


def create(
    shop: Shop,
    host: str | None = "testserver",
    taxId: str = "52998224725",  # noqa: N803
    address: str = "",
) -> Sent:
    order: dict[str, Any] = pix(payer={"name": "Maria Silva", "taxId": taxId})
    named = [] if host is None else [("host", host)]
    here = address or another_address()
    return Sent(Request(shop.sandbox_key, "POST", body=order, address=here, without=("host",), more=named))


def test_the_origin_that_handles_cards_has_no_api(acme: Shop, settings: Settings) -> None:
    settings.LOCAL = False
    settings.SDK_URL, settings.ALLOWED_HOSTS = f"https://{CARDS}", [CARDS, "testserver"]
    there, here = create(acme, CARDS), create(acme)

    assert together([there, here]) == [False, True]

    assert there.through_django().status == 404
    assert Payment.objects.count() == 1


@pytest.mark.parametrize("host", [None, "", "a b", "[::1"])
def test_whoever_takes_every_host_takes_none_that_is_malformed(
    acme: Shop, settings: Settings, host: str | None
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    sent = create(acme, host)

    assert together([sent]) == [False]

    assert sent.through_django().status == 400
    assert not Payment.objects.exists()


def test_of_a_key_that_is_revoked_no_process_goes_on_counting_payments(acme: Shop) -> None:
    """Who is not known is told what is left for its address, and nothing about payments."""
    found = find_key(acme.sandbox_key)
    assert found
    revoke_key(found)
    address = another_address()

    for _ in range(4):
        sent = create(acme, address=address)
        assert together([sent]) == [False]
        answer = sent.through_django()
        assert (answer.status, answer.headers["ratelimit"].count(";r=")) == (401, 1)

    most = configured.RATE_LIMITS["payments"]
    assert throttling.hit("payments", address).remaining >= most - 2
    assert not Payment.objects.exists()


def test_a_call_that_was_answered_before_its_turn_came_is_not_done(acme: Shop) -> None:
    """Somebody has said that it takes too long: whoever repeats it is to find nothing that is done later."""
    address = another_address()
    late, other = create(acme, address=address), create(acme, taxId="11144477735")
    assert late.client.send(late.client.protocol.response_bytes, 504, [], b"")

    together([late, other])

    assert (late.answer and late.answer.status, other.answer and other.answer.status) == (504, 201)
    assert Payment.objects.count() == 1
    assert throttling.hit("payments", address).remaining == configured.RATE_LIMITS["payments"] - 1


# ── Failures ──────────────────────────────────────────────────────────────────────────────────────────────────────
def hangs_up(sent: Sent) -> None:
    """The connection takes no answer any more."""

    def gone(*answer: Any) -> None:
        raise RuntimeError("nobody is there")

    sent.client.protocol.response_bytes = gone


def test_one_who_has_hung_up_keeps_no_other_from_the_answer(acme: Shop) -> None:
    gone, stays = create(acme), create(acme, taxId="11144477735")
    assert gone.call
    assert stays.call
    hangs_up(gone)

    with capture_logs() as said:
        assert answer_all([gone.call, stays.call]) == [True, True]

    assert stays.answer
    assert stays.answer.status == 201
    assert Payment.objects.count() == 2
    assert [line["status"] for line in said if line["event"] == "request"] == [201, 201]
    assert [line["requests"] for line in said if line["event"] == "fast_path.failed"] == [1]


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_was_closed_meanwhile_is_replaced(acme: Shop) -> None:
    """PostgreSQL was restarted between two batches."""
    with ThreadPoolExecutor(1, initializer=keep_connection) as thread:

        def answered() -> list[bool]:
            return thread.submit(lambda: together([create(acme)])).result(20)

        def of_server() -> int:
            return int(thread.submit(lambda: connection.connection.pgconn.backend_pid).result(20))

        assert answered() == [True]
        before = of_server()
        with psycopg.connect(**connection.get_connection_params(), autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [before])

        with capture_logs() as said:
            assert answered() == [True]

        assert [line["event"] for line in said] == ["request"]
        assert of_server() != before
        thread.submit(connections.close_all).result(20)
