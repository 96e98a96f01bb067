"""What a connection has prepared stays where it can, and is forgotten where it may have failed."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NoReturn

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from accounts.base.cells import current, told_apart
from accounts.base.retryable import is_retryable
from accounts.base.rows import every, execute, first, table
from accounts.models import Company
from gateway.database.connections import separate_connection
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix
from tests.support.people import a_member, signed_in

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


def by_a_statement() -> list[tuple[int]]:
    return every("SELECT n FROM planted")


def by_a_cursor() -> list[tuple[int]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT n FROM planted")
        return cursor.fetchall()


class Refused(Exception):
    """By ourselves."""


@transaction.atomic
def refuse(*done: str) -> NoReturn:
    """In a transaction in which nothing fails, after these statements and some readings."""
    for statement in done:
        execute(statement)
    for _ in range(OFTEN):
        by_a_statement()
    raise Refused


@pytest.mark.parametrize("read", [by_a_statement, by_a_cursor])
def test_outside_a_transaction_it_fails_once_as_well(read: Callable[[], list[tuple[int]]]) -> None:
    execute("CREATE TABLE planted (n int)")
    for _ in range(OFTEN):
        read()
    with closing(separate_connection()) as other, other.cursor() as cursor:
        cursor.execute("ALTER TABLE planted ALTER n TYPE bigint")

    with pytest.raises(DatabaseError, match="must not change result type") as refused:
        read()
    assert is_retryable(refused.value)
    assert read() == []


@pytest.mark.parametrize("read", [by_a_statement, by_a_cursor])
def test_what_is_no_longer_there_is_missed_once(read: Callable[[], list[tuple[int]]]) -> None:
    execute("CREATE TABLE planted (n int)")
    for _ in range(OFTEN):
        read()
    connection.connection.pgconn.exec_(b"DISCARD ALL")

    with pytest.raises(DatabaseError, match="does not exist") as refused:
        read()
    assert is_retryable(refused.value)
    assert [read() for _ in range(OFTEN)] == [[]] * OFTEN
    assert is_prepared("SELECT n FROM planted")


def test_a_change_of_types_that_was_given_up_is_missed_once() -> None:
    execute("CREATE TABLE planted (n int)")
    with pytest.raises(Refused):
        refuse("ALTER TABLE planted ALTER n TYPE bigint")

    with pytest.raises(DatabaseError, match="must not change result type"):
        by_a_statement()
    assert by_a_statement() == []


@pytest.fixture
def wider() -> Iterator[None]:
    """The names of companies get another type, as by a migration, and then the one before."""
    with closing(separate_connection()) as other, other.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table(Company)} ALTER trade_name TYPE text")
        yield
        cursor.execute(f"ALTER TABLE {table(Company)} ALTER trade_name TYPE varchar(120)")


def test_who_meets_a_changed_type_is_told_to_come_again(acme: Shop, request: pytest.FixtureRequest) -> None:
    browser, page = signed_in(a_member(acme.company)), f"/dashboard/{acme.company.pk}/sandbox/payments/"
    browser.raise_request_exception = False
    for _ in range(OFTEN):
        assert browser.get(page).status_code == 200
    request.getfixturevalue("wider")

    refused = browser.get(page)

    assert (refused.status_code, refused["Retry-After"]) == (503, "5")
    assert browser.get(page).status_code == 200


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
