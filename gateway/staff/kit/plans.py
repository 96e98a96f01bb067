"""How PostgreSQL plans what staff read."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


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
