"""Waiting for those who are writing transfers."""

import time
from datetime import timedelta

from django.db import connection

from accounts.base.rows import table
from ledger.books.models import Transfer

LOOKED_AGAIN_AFTER = timedelta(milliseconds=50)
PATIENCE_S = 10

# Of any role: every transaction keeps the lock of a table that it writes to until its end, and has it before it reads
# the clock for `created_at`. A transaction has its number (xid) only afterwards.
_WRITERS = f"""
    SELECT virtualtransaction FROM pg_locks
     WHERE locktype = 'relation' AND relation = '{table(Transfer)}'::regclass AND mode = 'RowExclusiveLock'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND pid IS DISTINCT FROM pg_backend_pid()
"""


def writers_end(patience_s: int = PATIENCE_S) -> bool:
    """Whether all who are now writing transfers have ended, in time: what is written later has a later `created_at`."""
    ends, writing = time.monotonic() + patience_s, _writers()
    while writing and time.monotonic() < ends:
        time.sleep(LOOKED_AGAIN_AFTER.total_seconds())
        writing &= _writers()
    return not writing


def _writers() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(_WRITERS)
        return {transaction_id for (transaction_id,) in cursor.fetchall()}
