"""Locks of tables that others use all the time.

Whoever asks for a table after one who changes it waits behind them, also while the change itself still waits. So it
gives up soon, and tries again.
"""

import time
from collections.abc import Callable
from typing import Any

from django.db import OperationalError, connection, transaction
from psycopg.errors import LockNotAvailable

TURN_MS = 25
"""How long a change waits for a lock. What changes several tables waits for each of them."""
PAUSE_S = 0.1
TRIES = 3000
"""At least five minutes: an autovacuum of a large table may take that long."""


def in_turn(change: Callable[[Any], object]) -> None:
    """Makes the change, which is given a cursor, in a transaction of its own.

    Raises OperationalError if a table that it needs was in use all the time.
    """
    for left in reversed(range(TRIES)):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = {TURN_MS}")
                change(cursor)
            return
        except OperationalError as error:
            if not left or not isinstance(error.__cause__, LockNotAvailable):
                raise
        time.sleep(PAUSE_S)
