"""A merchant is moved to another cell while it sells: nothing is lost, nothing happens twice, ids stay."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from accounts.base import cells
from accounts.base.clock import utcnow
from accounts.base.retryable import is_refused_by_move, is_retryable
from accounts.base.rows import every, execute
from accounts.models import Merchant
from accounts.operator import operator
from gateway.cells.gates import STAY_FOR, open_old
from gateway.cells.leading import leads
from gateway.payments.models import Payment
from gateway.requests.models import IdempotencyKey
from gateway.sales.models import SalesChange
from ledger.verify import verify
from tests.support.lives import ACMES, FIRST, GLOBEXES, Lives, moved, rows
from tests.support.payments import pix
from tests.support.receiver import listening
from webhooks import queue, recording
from webhooks.client import AttemptResponse
from webhooks.dispatch import deliver_due
from webhooks.models import Delivery

pytestmark = pytest.mark.a_third_a_day

_INDEXED = """
    SELECT relname, attname FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
      JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
     WHERE relnamespace = 'public'::regnamespace AND indpred IS NULL
"""


SMALL = {"gateway_acquirertoken", "gateway_payoutschedule", "gateway_savedcard", "ledger_taking"}
"""Tables that are read as a whole."""


def test_every_table_leads_to_its_merchant_by_an_index(db: None) -> None:
    indexed = set(every(_INDEXED))
    wanted = {(lead.model._meta.db_table, lead.column) for lead in leads()}
    assert {name for name, _ in wanted - indexed} == SMALL


def test_everything_of_a_merchant_moves_and_it_goes_on(lives: Lives, capsys: Any) -> None:
    api = lives.api(lives.acme)
    with listening() as receiver:
        api.post("/webhooks", {"url": receiver.url, "events": ["payment.paid"]})
        made = api.post("/payments", pix()).json()["data"]["id"]
        assert api.post(f"/simulations/payments/{made}", {"status": "PAID"}).status_code == 200
        deliver_due()

        moved(lives.acme, GLOBEXES)

        assert rows("gateway_payment") == [0, 0, 1]
        assert api.get(f"/payments/{made}").json()["data"]["status"] == "PAID"
        again = api.post("/payments", pix(reference="after")).json()["data"]["id"]
        assert api.post(f"/simulations/payments/{again}", {"status": "PAID"}).status_code == 200
        deliver_due()
        assert len(receiver.received) == 2
    assert "moved from cell_11 to cell_12" in capsys.readouterr().out
    for name in (FIRST, ACMES, GLOBEXES):
        with cells.opened(name):
            assert verify() == []


def test_who_still_believes_the_old_cell_can_write_nothing(lives: Lives) -> None:
    api = lives.api(lives.acme)
    made = api.post("/payments", pix()).json()["data"]["id"]
    moved(lives.acme, GLOBEXES)
    with cells.opened(ACMES), pytest.raises(DatabaseError) as refused, transaction.atomic():
        execute(
            "INSERT INTO ledger_account (merchant_id, kind, method, currency) VALUES (%s, 'CLEARING', 'PIX', 'BRL')",
            [lives.acme.sandbox.pk],
        )
    assert is_refused_by_move(refused.value) and is_retryable(refused.value)
    assert rows("gateway_payment") == [0, 0, 1] and rows("ledger_account") == [0, 0, 0]
    with cells.opened(GLOBEXES):
        assert Payment.objects.get().id == made


def test_a_request_that_meets_the_move_is_done_once_more_where_the_merchant_lives(lives: Lives) -> None:
    api = lives.api(lives.acme)
    made = api.post("/payments", pix()).json()["data"]["id"]
    Merchant.objects.filter(pk=lives.acme.sandbox.pk).update(moving_since=utcnow())
    with moving_at("gateway_payment", lives, GLOBEXES):
        assert api.get(f"/payments/{made}").json()["data"]["id"] == made
    with moving_at("gateway_payment", lives, ACMES):
        assert [one["id"] for one in api.get("/payments").json()["data"]] == [made]


def test_the_result_of_an_attempt_is_recorded_where_the_merchant_lives_by_then(lives: Lives) -> None:
    api = lives.api(lives.acme)
    with listening() as receiver:
        api.post("/webhooks", {"url": receiver.url, "events": ["payment.paid"]})
        made = api.post("/payments", pix()).json()["data"]["id"]
        api.post(f"/simulations/payments/{made}", {"status": "PAID"})
        with cells.opened(ACMES):
            claimed = queue.claim(10)
        moved(lives.acme, GLOBEXES)
        answer = AttemptResponse(status=200, error=None, retry_after=None, excerpt="", elapsed_ms=1)
        recording.record([queue.Tried(one, utcnow(), answer) for one in claimed])
        assert deliver_due() == 0 and receiver.received == []
    with cells.opened(GLOBEXES):
        assert Delivery.objects.get().status == "DELIVERED"
    assert rows("webhooks_attempt") == [0, 0, 1]


@pytest.mark.parametrize(("cell", "reason"), [(ACMES, "already"), ("cell_77", "no cell_77"), ("nowhere", "no nowhere")])
def test_what_cannot_be_moved_stays(lives: Lives, cell: str, reason: str) -> None:
    lives.api(lives.acme).post("/payments", pix())
    with pytest.raises(CommandError, match=f"{reason}.*Nothing was changed"):
        moved(lives.acme, cell)
    assert rows("gateway_payment") == [0, 1, 0] and not Merchant.objects.filter(moving_since__isnull=False).exists()


def test_the_operators_own_book_stays(lives: Lives) -> None:
    own = operator()
    before = own.cell_id
    with pytest.raises(CommandError, match="operator's own book"):
        call_command("move_cell", own.company_id, ACMES, settles=0)
    own.refresh_from_db()
    assert own.cell_id == before


def test_a_move_that_takes_too_long_changes_nothing(lives: Lives) -> None:
    lives.api(lives.acme).post("/payments", pix())
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("move_cell", lives.acme.company.pk, GLOBEXES, settles=0, longest_pause=0.0005)
    assert rows("gateway_payment") == [0, 1, 0] and rows("gateway_idempotencykey") == [0, 1, 0]
    lives.acme.sandbox.refresh_from_db()
    assert lives.acme.sandbox.cell_id == ACMES


def test_rows_deleted_added_and_changed_between_copy_and_end_are_as_they_were_left(lives: Lives) -> None:
    """As by sellers, just before nobody may write any more."""
    api = lives.api(lives.acme)
    for number in range(3):
        made = api.post("/payments", pix(reference=f"order-{number}")).json()["data"]["id"]
        assert api.post(f"/simulations/payments/{made}", {"status": "PAID"}).status_code == 200
    with cells.opened(ACMES):
        (keys, changes) = (IdempotencyKey.objects.count(), SalesChange.objects.count())
    assert (keys, changes) == (6, 6)
    meanwhile = [
        f"DELETE FROM {ACMES}.gateway_saleschange",
        f"DELETE FROM {ACMES}.gateway_idempotencykey WHERE status = 200",
        f"UPDATE {ACMES}.gateway_customer SET name = 'Changed'",
        f"""INSERT INTO {ACMES}.gateway_idempotencykey
                   (merchant_id, key, fingerprint, members, method, path, request_id, created_at)
            VALUES ({lives.acme.sandbox.pk}, gen_random_uuid(), '', '{{}}', 'POST', '/', '', now())""",
    ]

    def before_the_end(execute: Any, sql: str, *given: Any) -> Any:
        if "pg_advisory_xact_lock('" in sql:
            while meanwhile:
                connection.connection.execute(meanwhile.pop())
        return execute(sql, *given)

    with connection.execute_wrapper(before_the_end):
        moved(lives.acme, GLOBEXES)

    assert not meanwhile
    assert rows("gateway_saleschange") == [0, 0, 0]
    assert rows("gateway_idempotencykey") == [0, 0, 4]
    assert rows("gateway_customer WHERE name = 'Changed'") == rows("gateway_customer") == [0, 0, 1]


def test_gates_are_opened_after_an_hour(lives: Lives) -> None:
    moved(lives.acme, GLOBEXES)
    assert open_old() == 0
    Merchant.objects.update(moving_since=utcnow() - STAY_FOR - STAY_FOR)
    assert open_old() > 0 and open_old() == 0


@contextmanager
def moving_at(name: str, lives: Lives, cell: str) -> Iterator[None]:
    """The company is moved just before the first statement about this table."""
    left = [cell]

    def first_move(execute: Any, sql: str, *given: Any) -> Any:
        if left and name in sql and sql.lstrip().startswith("SELECT"):
            target = left.pop()
            moved(lives.acme, target)
        return execute(sql, *given)

    with connection.execute_wrapper(first_move):
        yield
    assert not left
