"""A connection works in the cell that is open, whatever happened on it before and whoever had it."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from uuid import uuid4

import psycopg
import pytest
from django.db import DatabaseError, NotSupportedError, ProgrammingError, connection, transaction

from accounts.base import cells
from accounts.base.rows import every, execute
from gateway.database.connections import separate_connection

FIRST, ONE, OTHER, CLOSED, MISSING = cells.FIRST, "cell_41", "cell_42", "cell_43", "cell_44"
ROLE = f"sees_one_cell_{uuid4().hex[:8]}"  # roles are of the server, which others test on
WHERE = "SELECT name FROM seen_from"
OFTEN = 7
"""So often a statement is asked for until it is prepared."""


@pytest.fixture(autouse=True)
def places(transactional_db: None) -> Iterator[None]:
    """A table in each place that says where it is. A role sees `public` and one cell."""
    with cells.opened(FIRST), transaction.atomic(), connection.cursor() as cursor:
        for schema in ("public", ONE, OTHER, CLOSED):
            cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            cursor.execute(f"CREATE TABLE {schema}.seen_from AS SELECT '{schema}' AS name")
        cursor.execute(f"CREATE ROLE {ROLE}")
        cursor.execute(f"GRANT USAGE ON SCHEMA public, {ONE} TO {ROLE}")
        cursor.execute(f"GRANT SELECT ON public.seen_from, {ONE}.seen_from, {CLOSED}.seen_from TO {ROLE}")
    yield
    with cells.opened(FIRST), connection.cursor() as cursor:
        cursor.execute(f"DROP SCHEMA {ONE}, {OTHER}, {CLOSED} CASCADE")
        cursor.execute("DROP TABLE public.seen_from")
        cursor.execute(f"DROP OWNED BY {ROLE}")
        cursor.execute(f"DROP ROLE {ROLE}")


@pytest.fixture
def behind_a_pooler(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if one in transaction mode were in between."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    yield
    monkeypatch.undo()
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]


def seen() -> str:
    ((name,),) = every(WHERE)
    return str(name).removeprefix("public")


def by_cursor() -> str:
    with connection.cursor() as cursor:
        cursor.execute(WHERE)
        return str(cursor.fetchone()[0])


def by_copy() -> str:
    with connection.cursor() as cursor, cursor.copy("COPY seen_from TO STDOUT") as rows:
        return b"".join(rows).decode().strip()


def by_stream() -> str:
    with connection.cursor() as cursor:
        return "".join(name for (name,) in cursor.cursor.stream(WHERE))


def by_server_side_cursor() -> str:
    with connection.chunked_cursor() as cursor:
        cursor.execute(WHERE)
        return str(cursor.fetchone()[0])


def by_function() -> str:
    with connection.cursor() as cursor:
        cursor.callproc("current_schema")
        return str(cursor.fetchone()[0])


@pytest.mark.parametrize("way", [seen, by_cursor, by_copy, by_stream, by_server_side_cursor, by_function])
@pytest.mark.parametrize("in_transaction", [False, True])
def test_every_kind_of_statement_works_in_the_cell_that_is_open(way: Callable[[], str], in_transaction: bool) -> None:
    for cell in (ONE, FIRST, OTHER, ONE, FIRST):
        with cells.opened(cell):
            if in_transaction:
                with transaction.atomic():
                    assert way().removeprefix("public") == cell
            else:
                assert way().removeprefix("public") == cell


def test_a_transaction_moves_with_the_cell_and_leaves_nothing_behind() -> None:
    with cells.opened(ONE):
        assert seen() == ONE
        with transaction.atomic():
            with cells.opened(OTHER):
                assert seen() == OTHER
                with cells.opened(FIRST):
                    assert seen() == FIRST
                assert seen() == OTHER
            assert seen() == ONE
        assert seen() == ONE
    assert seen() == FIRST


def test_nor_does_one_that_fails() -> None:
    for inner in (OTHER, FIRST):
        with cells.opened(ONE):
            with pytest.raises(DatabaseError), transaction.atomic(), cells.opened(inner):
                execute("INSERT INTO seen_from SELECT nothing")
            assert seen() == ONE
            with pytest.raises(DatabaseError):
                execute("SELECT nothing")
            assert seen() == ONE
        assert seen() == FIRST


@pytest.mark.parametrize("known", [False, True])
def test_the_isolation_of_a_transaction_can_be_set_when_it_has_begun_in_a_cell(known: bool) -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    if known:
        with cells.opened(ONE):
            assert seen() == ONE
    with cells.opened(ONE), transaction.atomic():
        execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        assert seen() == ONE
        assert every("SHOW transaction_isolation") == [("repeatable read",)]
    assert seen() == FIRST


def test_back_at_a_savepoint_the_cell_is_the_one_that_is_open() -> None:
    with transaction.atomic(), cells.opened(ONE):
        with pytest.raises(DatabaseError), transaction.atomic(), cells.opened(OTHER):
            execute("SELECT nothing")
        assert seen() == ONE
        early = transaction.savepoint()
        with cells.opened(OTHER):
            late = transaction.savepoint()
            transaction.savepoint_rollback(early)
            assert seen() == OTHER
            late = transaction.savepoint()
        transaction.savepoint_rollback(late)
        assert seen() == ONE
    assert seen() == FIRST


def test_who_gets_a_connection_after_others_works_in_his_own_cell() -> None:
    def one(cell: str) -> tuple[str, str]:
        try:
            with cells.opened(cell):
                return cell, seen()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(one, [ONE, FIRST, OTHER] * 10))
    assert [cell for cell, _ in found] == [seen for _, seen in found]


def test_a_connection_that_was_reset_behind_our_back_is_told_its_cell_again() -> None:
    with cells.opened(ONE):
        for _ in range(OFTEN):
            assert seen() == ONE
        connection.connection.pgconn.exec_(b"DISCARD ALL")
        with pytest.raises(DatabaseError, match="does not exist"):
            seen()
        assert seen() == by_cursor() == ONE
    assert seen() == FIRST


def test_a_connection_beside_the_pool_does_too() -> None:
    with closing(separate_connection()) as own:
        for cell in (ONE, FIRST, OTHER):
            with cells.opened(cell), own.cursor() as cursor:
                cursor.execute(WHERE)
                assert cursor.fetchone()[0].removeprefix("public") == cell


def test_behind_a_pooler_nothing_is_left_on_the_connection(behind_a_pooler: None) -> None:
    for way in (seen, by_cursor):
        with cells.opened(ONE):
            assert way() == ONE
            with pytest.raises(DatabaseError):
                execute("SELECT nothing")
            with transaction.atomic():
                assert way() == ONE
        with cells.opened(FIRST):
            assert every("SHOW search_path") == every("SELECT reset_val FROM pg_settings WHERE name = 'search_path'")


def test_and_what_cannot_have_a_transaction_of_its_own_is_refused(behind_a_pooler: None) -> None:
    with cells.opened(ONE):
        for way in (by_copy, by_stream, by_function):
            with pytest.raises((NotSupportedError, psycopg.NotSupportedError), match="within a transaction"):
                way()
            with transaction.atomic():
                assert way() == ONE


@pytest.mark.parametrize("cell", [CLOSED, MISSING])
def test_a_role_that_may_not_see_a_cell_is_refused_and_shown_nothing_of_public(cell: str) -> None:
    refused = (ProgrammingError, psycopg.ProgrammingError)
    with cells.opened(FIRST):
        execute(f"SET ROLE {ROLE}")
        try:
            with cells.opened(ONE):
                assert seen() == ONE
            for way in (seen, by_cursor, by_copy):
                with cells.opened(cell), pytest.raises(refused, match=f"{cell}, which {ROLE} would see"):
                    way()
                with cells.opened(cell), pytest.raises(refused, match=f"{cell}, which"), transaction.atomic():
                    way()
            with transaction.atomic():
                with pytest.raises(ProgrammingError, match=f"{cell}, which"), transaction.atomic(), cells.opened(cell):
                    seen()
                assert seen() == FIRST
            assert seen() == FIRST
        finally:
            execute("RESET ROLE")


def test_so_is_one_behind_a_pooler(behind_a_pooler: None) -> None:
    with cells.opened(MISSING):
        for way in (seen, by_cursor):
            with pytest.raises(ProgrammingError, match=f"{MISSING}, which"):
                way()
    assert seen() == FIRST
