"""How PostgreSQL plans and limits reads over all companies."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def planned_for_values() -> Iterator[None]:
    """Statements are planned for their values, as they are not prepared. A prepared one is planned for any value after
    some runs: no partial index serves it, and it does not know that a state or an environment is rare.
    """
    connection.ensure_connection()
    session = connection.connection
    usual, session.prepare_threshold = session.prepare_threshold, None
    try:
        yield
    finally:
        session.prepare_threshold = usual


@contextmanager
def limited(longest_ms: int) -> Iterator[None]:
    """A transaction in which each statement is canceled after this time."""
    with planned_for_values(), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {longest_ms}")
        yield
