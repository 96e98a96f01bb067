"""A cell rests while its node does not answer: its merchants are told to come again, and nobody else notices."""

from collections.abc import Iterator

import pytest
from django.db import OperationalError, connection
from django.test import Client
from structlog.testing import capture_logs

from accounts.base import cells
from accounts.base.rows import every, execute, table
from accounts.cells import all_cells
from gateway.local import processes
from gateway.payments.models import Payment
from gateway.requests.log import BATCH, RequestLog
from gateway.requests.models import ApiRequest
from tests.support.lives import ACMES, Lives, resting, rows
from tests.support.payments import pix
from tests.support.requests import logged, unmade_request

KEY = "6f1f3d0e-6a4c-4a52-9d0e-111111111111"


def test_its_merchants_are_told_to_come_again_and_then_served(lives: Lives) -> None:
    with resting(ACMES):
        refused = lives.api(lives.acme).post("/payments", pix(), key=KEY)
        others = [lives.api(shop).post("/payments", pix()).status_code for shop in (lives.early, lives.globex)]

    assert (refused.status_code, refused.json()["onpayCode"]) == (503, "ONP503")
    assert refused.json()["error"]["retryable"]
    assert others == [201, 201]
    assert rows("gateway_payment") == [1, 0, 1]
    assert lives.api(lives.acme).post("/payments", pix(), key=KEY).status_code == 201
    assert rows("gateway_payment") == [1, 1, 1]


def test_a_page_of_a_payer_is_found_in_the_other_cells(lives: Lives) -> None:
    wanted = {"description": "Blue shoes", "amount": 10.00, "currency": "BRL"}
    shops = (lives.early, lives.acme, lives.globex)
    paths = [lives.api(shop).post("/payment-links", wanted).json()["data"]["url"] for shop in shops]
    pages = ["/pay/" + path.rpartition("/")[2] for path in paths]
    payer = Client(raise_request_exception=False)

    with resting(ACMES):
        assert [payer.get(page).status_code for page in pages] == [200, 503, 200]
        assert payer.get("/pay/nobodys").status_code == 503, "it may be in the cell that rests"
    assert [payer.get(page).status_code for page in pages] == [200, 200, 200]
    assert payer.get("/pay/nobodys").status_code == 404


def test_what_is_in_all_cells_is_refused_and_what_is_in_public_is_not(lives: Lives) -> None:
    with resting(ACMES), all_cells():
        with pytest.raises(OperationalError, match=ACMES):
            Payment.objects.count()
        with pytest.raises(OperationalError, match=ACMES):
            every("SELECT id FROM gateway_payment")
        assert every("SELECT count(*) FROM accounts_company") == [(3,)]
        with pytest.raises(OperationalError, match=ACMES):
            execute("UPDATE accounts_merchant SET clock_offset = interval '1 day'")
    assert every("SELECT count(*) FROM accounts_merchant WHERE clock_offset > interval '0'") == [(0,)]


def test_a_transaction_goes_on_elsewhere_after_it_was_refused(lives: Lives) -> None:
    with resting(ACMES):
        with pytest.raises(OperationalError, match=ACMES), cells.opened(ACMES):
            raise AssertionError("it rests")
        assert connection.in_atomic_block
        assert every("SELECT current_schema()") == [("public",)]


@pytest.fixture
def logged_there(transactional_db: None) -> Iterator[str]:
    """A cell with a request log, which is all that it has: other connections see it."""
    name, log = "cell_51", table(ApiRequest)
    with cells.opened(cells.FIRST):
        execute(f"CREATE SCHEMA {name}")
        execute(f"CREATE TABLE {name}.{log} (LIKE public.{log} INCLUDING ALL)")
    yield name
    with cells.opened(cells.FIRST):
        execute(f"DROP SCHEMA {name} CASCADE")


def test_its_requests_wait_for_their_place_in_the_log_and_those_of_others_do_not(logged_there: str) -> None:
    queue = RequestLog()
    theirs = [unmade_request(cell=logged_there) for _ in range(BATCH + 1)]
    others = [unmade_request(cell=cells.FIRST) for _ in range(2)]

    with resting(logged_there):
        for one in (*theirs, *others):
            queue.add(one)
        assert queue.flush()
        assert logged(cells.FIRST) == [one.id for one in others]
    assert processes.wait_until(lambda: len(logged(logged_there)) == len(theirs), 10)
    assert logged(logged_there) == [one.id for one in theirs]
    assert logged(cells.FIRST) == [one.id for one in others]
    queue.close()


def test_what_still_waits_for_it_when_a_process_ends_is_given_up_and_counted(logged_there: str) -> None:
    queue, others = RequestLog(), [unmade_request(cell=cells.FIRST) for _ in range(2)]

    with resting(logged_there), capture_logs() as said:
        for one in (*(unmade_request(cell=logged_there) for _ in range(3)), *others):
            queue.add(one)
        queue.close()
    queue.close()

    assert [(line["event"], line["requests"]) for line in said] == [("request_log.given_up", 3)]
    assert logged(cells.FIRST) == [one.id for one in others]
    assert logged(logged_there) == []
