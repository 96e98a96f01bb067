"""Groups of statements in one round trip: each gets its own answers, and after a failure the connection goes on."""

import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext

import psycopg
import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from psycopg.pq import PipelineStatus, TransactionStatus

from accounts.base import cells
from accounts.base.rows import first, first_of_groups
from accounts.base.statements import MOST_PREPARED, run_in_groups

pytestmark = pytest.mark.django_db(transaction=True)
ONE = "SELECT %s::int + 1"
DIVIDES = "SELECT 10 / %s::int"
ECHO = "SELECT %s::text"
SLEEPS = "SELECT pg_sleep(%s)::text"


@pytest.fixture(autouse=True)
def prepared() -> Iterator[None]:
    for _ in range(7):
        first(ONE, [1])
        first(DIVIDES, [1])
        first(SLEEPS, [0.0])
    yield
    connection.close()


def is_well() -> bool:
    server = connection.connection.pgconn
    return (
        server.pipeline_status == PipelineStatus.OFF
        and server.transaction_status == TransactionStatus.IDLE
        and first(ONE, [41]) == (42,)
    )


def test_each_group_gets_its_own_answers() -> None:
    groups = [[(ONE, [n]), (DIVIDES, [n])] for n in range(1, 17)]
    assert run_in_groups(groups) is not None, "they were not asked together"

    assert first_of_groups(groups) == [[(n + 1,), (10 // n,)] for n in range(1, 17)]
    assert is_well()


def test_more_than_the_socket_takes_at_once_is_sent() -> None:
    """PostgreSQL answers nothing before it has all: who waits for its answer has to send meanwhile."""
    size = 1_000_000
    for _ in range(7):
        first(ECHO, [""])
    groups = [[(ECHO, [f"{n}" * size])] for n in range(10)]
    guard = threading.Timer(20, connection.connection.lose)
    guard.start()
    try:
        answers = run_in_groups(groups)
    finally:
        guard.cancel()

    assert answers is not None, "they were not asked together"
    assert [group and group[0].first() for group in answers] == [(f"{n}" * size,) for n in range(10)]
    assert is_well()


def test_what_is_asked_in_groups_stays_prepared_beside_many_others() -> None:
    """As a statement that is run alone does: what was not used for longest is forgotten."""
    groups = [[(DIVIDES, [n])] for n in (1, 2)]
    for number in range(MOST_PREPARED + 20):
        for _ in range(6):
            first(f"SELECT {number} + %s::int", [1])
        if number % 20 == 0:
            run_in_groups(groups)

    assert run_in_groups(groups) is not None


def test_behind_a_lock_nobody_waits_longer_than_one_would_alone() -> None:
    """As where a migration has locked a table: sixteen requests would wait for sixteen times as long."""
    wait_s = 0.4
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE locked (n int)")
    try:
        for _ in range(7):
            first("SELECT n FROM locked WHERE n = %s", [1])
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {int(wait_s * 1000)}")
        with psycopg.connect(**connection.get_connection_params()) as other:
            other.execute(f"LOCK TABLE {cells.current() or 'public'}.locked")
            began = time.monotonic()
            found = first_of_groups([[(ONE, [n]), ("SELECT n FROM locked WHERE n = %s", [n])] for n in range(16)])
            took = time.monotonic() - began
        assert found == [None] * 16
        assert took < 3 * wait_s
        assert is_well()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout; DROP TABLE locked")


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("together", [True, False])
def test_what_was_answered_before_a_refusal_holds(place: int, together: bool) -> None:
    wrong = [(ONE, [1]), (ONE, [2])]
    wrong[place] = (DIVIDES, [0])
    groups = [[(ONE, [1])], [(ONE, [5]), (DIVIDES, [5])], wrong, [(ONE, [7])]]
    with nullcontext() if together else CaptureQueriesContext(connection):
        assert (run_in_groups(groups) is not None) == together
        assert first_of_groups(groups) == [[(2,)], [(6,), (2,)], None, None]
    assert is_well()


def test_a_statement_that_takes_too_long_is_given_up() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 200")

    found = first_of_groups([[(ONE, [1])], [(SLEEPS, [5.0])], [(ONE, [2])]])

    with connection.cursor() as cursor:
        cursor.execute("RESET statement_timeout")
    assert found == [[(2,)], None, None]
    assert is_well()


def test_a_plan_that_a_migration_has_changed_is_made_again() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE changes (n int); INSERT INTO changes VALUES (1)")
    try:
        for _ in range(7):
            first("SELECT * FROM changes WHERE n = %s", [1])
        asked = [[(ONE, [1])], [("SELECT * FROM changes WHERE n = %s", [1])]]
        assert first_of_groups(asked) == [[(2,)], [(1,)]]
        with psycopg.connect(**connection.get_connection_params()) as other:
            other.execute(f"ALTER TABLE {cells.current() or 'public'}.changes ADD m int DEFAULT 7")

        assert first_of_groups(asked) == [[(2,)], None]
        for _ in range(9):
            assert first_of_groups(asked) == [[(2,)], [(1, 7)]]
        assert is_well()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE changes")


def test_what_the_server_has_forgotten_is_prepared_again() -> None:
    connection.connection.pgconn.exec_(b"DEALLOCATE ALL")  # psycopg would notice it through its cursor

    assert first_of_groups([[(ONE, [1])], [(ONE, [2])]]) == [None, None]
    for _ in range(9):
        assert first_of_groups([[(ONE, [1])], [(ONE, [2])]]) == [[(2,)], [(3,)]]
    assert is_well()


def test_a_connection_that_ends_in_the_middle_is_given_up_and_another_taken() -> None:
    pid = connection.connection.pgconn.backend_pid

    def end() -> None:
        time.sleep(0.3)
        with psycopg.connect(**connection.get_connection_params(), autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [pid])

    ending = threading.Thread(target=end)
    ending.start()
    with pytest.raises(OperationalError):
        first_of_groups([[(ONE, [1])], [(SLEEPS, [5.0])], [(ONE, [2])]])
    ending.join()

    connection.close_if_unusable_or_obsolete()
    assert first_of_groups([[(ONE, [1])]]) == [[(2,)]]
    assert connection.connection.pgconn.backend_pid != pid


def test_a_socket_that_is_shut_ends_the_wait() -> None:
    """As the watch over nodes does it."""
    mine = connection.connection
    threading.Timer(0.3, mine.lose).start()
    began = time.monotonic()

    with pytest.raises(OperationalError):
        first_of_groups([[(ONE, [1])], [(SLEEPS, [5.0])], [(ONE, [2])]])

    assert time.monotonic() - began < 3
    connection.close_if_unusable_or_obsolete()
    assert first(ONE, [1]) == (2,)
    assert connection.connection is not mine


def test_many_large_answers_are_all_read() -> None:
    large = "SELECT repeat(%s::text, 300000)"
    for _ in range(7):
        first(large, ["x"])

    groups = [[(large, [letter * 3]), (ONE, [1])] for letter in "abcdefghijklmnop"]
    found = first_of_groups(groups)

    assert [rows and rows[0] and rows[0][0][:1] for rows in found] == [*"abcdefghijklmnop"]
    assert [rows and rows[0] and len(rows[0][0]) for rows in found] == [900_000] * 16
    assert is_well()
