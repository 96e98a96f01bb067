"""Changes of tables that are written to all the time: nobody waits for them for long."""

import time
from collections.abc import Sequence

from django.db import OperationalError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.errors import DeadlockDetected, LockNotAvailable

LONGEST_WAIT_MS = 50
"""For a lock. Whoever comes meanwhile waits behind it, so it is given up and tried again a little later."""
TRIES, PAUSE_S = 30, 0.5


class Busy(Exception):
    """The table was in use each time, by a long transaction or a dump."""


def briefly(
    on: BaseDatabaseWrapper,
    tables: Sequence[str],
    statements: Sequence[str],
    tries: int = TRIES,
    pause: float = PAUSE_S,
    mode: str = "ACCESS EXCLUSIVE",
) -> None:
    """Carries out all of these statements or none, alone at these tables, or beside those who only read them (`mode`).

    They must take milliseconds. Raises Busy after so many tries.
    """
    for left in reversed(range(tries)):
        try:
            with transaction.atomic(using=on.alias), on.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = {LONGEST_WAIT_MS}")
                for statement in (f"LOCK TABLE {', '.join(tables)} IN {mode} MODE", *statements):
                    cursor.execute(statement)
            return
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
                raise
            if not left:
                raise Busy(", ".join(tables)) from error
        time.sleep(pause)
