"""What a connection has prepared stays where it can, and is forgotten where it may have failed."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from accounts.base.cells import current, told_apart
from accounts.base.rows import every, execute, first
from gateway.database.connections import separate_connection
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.payments import pix

pytestmark = pytest.mark.django_db(transaction=True)

OFTEN = 7
"""So often a statement is asked for until it is prepared."""


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """On a connection that has prepared nothing."""
    connection.ensure_connection()
    connection.connection._prepared.clear()
    execute("DEALLOCATE ALL")
    yield
    execute("DROP TABLE IF EXISTS planted")


def prepared() -> set[str]:
    return {statement for (statement,) in every("SELECT statement FROM pg_prepared_statements")}


def is_prepared(words: str) -> bool:
    return any(words in statement for statement in prepared())


def test_a_refusal_forgets_nothing(api: Api) -> None:
    for _ in range(OFTEN):
        paid = api.post("/payments", pix()).json()["data"]["id"]
        assert api.post(f"/simulations/payments/{paid}", {"status": "PAID"}).status_code == 200
    before = prepared()
    assert is_prepared("INSERT INTO gateway_idempotencykey") and len(before) > 5

    assert api.post(f"/simulations/payments/{paid}", {"status": "PAID"}).status_code == 409

    assert before <= prepared()
    assert Payment.objects.filter(status="PAID").count() == OFTEN


def test_a_transaction_that_postgres_has_refused_forgets_all() -> None:
    execute("CREATE TABLE planted (n int PRIMARY KEY)")
    for n in range(OFTEN):
        execute("INSERT INTO planted VALUES (%s)", [n])
    assert is_prepared("INSERT INTO planted")

    with pytest.raises(IntegrityError), transaction.atomic():
        execute("INSERT INTO planted VALUES (%s)", [0])

    assert not is_prepared("INSERT INTO planted")
    assert first("SELECT count(*) FROM planted") == (OFTEN,)


def test_a_plan_that_a_migration_has_made_wrong_fails_once() -> None:
    execute("CREATE TABLE planted (n int)")

    def read() -> list[tuple[int]]:
        with transaction.atomic():
            return every("SELECT n FROM planted")

    for _ in range(OFTEN):
        read()
    with closing(separate_connection()) as other, other.cursor() as cursor:
        cursor.execute("ALTER TABLE planted ALTER n TYPE bigint")

    with pytest.raises(DatabaseError, match="must not change result type"):
        read()
    assert read() == []


def test_a_statement_that_fails_when_it_is_prepared_is_prepared_once() -> None:
    execute("CREATE TABLE planted (n int PRIMARY KEY)")
    for n in range(OFTEN - 2):
        execute("INSERT INTO planted VALUES (%s)", [n])
    assert not is_prepared("INSERT INTO planted")

    for _ in range(3):
        with pytest.raises(IntegrityError):
            execute("INSERT INTO planted VALUES (%s)", [0])

    [(times,)] = every("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO planted%%'")
    assert times == 1


def test_what_four_cells_ask_for_by_turns_stays_prepared() -> None:
    asked = [f"SELECT {n} AS planted" for n in range(4 * 60)]
    for _ in range(OFTEN):
        for statement in asked:
            first(statement)

    assert {told_apart(statement, current()) for statement in asked} <= prepared()
