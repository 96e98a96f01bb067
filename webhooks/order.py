"""Whom followers of events wait for: each transaction that was begun before, and may still write some."""

from accounts.base.rows import first

# Hashes and numbers of other advisory locks are no negative numbers of transactions that are running.
_OF_ITS_OWN = "SELECT pg_advisory_xact_lock(-pg_current_xact_id()::text::bigint)"
COMPLETE_BELOW = """
    SELECT coalesce((SELECT min(running) FROM pg_snapshot_xip(seen) running
                      WHERE pg_try_advisory_xact_lock_shared(-running::text::bigint)),
                    CASE WHEN EXISTS (SELECT FROM pg_snapshot_xip(seen)) THEN pg_snapshot_xmax(seen)
                         ELSE pg_snapshot_xmin(seen) END)
      FROM pg_current_snapshot() seen
"""
"""In SQL, the number of the oldest transaction that may still write events: nothing below it is added to any more. A
standby does not tell who is running, only since when.
"""


def write_no_events() -> None:
    """The transaction that is open writes no new events from here on, so that nobody who follows them waits for it.
    Events that it moves keep their places in the order.
    """
    first(_OF_ITS_OWN)
