"""Who has deliveries in hand: what a dead process had claimed is free after six seconds, not only after its lease.

A process renews its hold every second, in one statement. The others mark a hold that was not renewed for three seconds,
and two seconds later it is lost unless its process has come back. After an outage of the database all holds are old but
none is marked, so nobody takes the work of the living.
"""

import time
from uuid import UUID, uuid4

from accounts.base.rows import execute, table
from webhooks.models import Hold

BEAT_EVERY_S = 1.0
SILENT_AFTER_S = 3
LOST_AFTER_S = 2
"""Seconds without a renewal until a hold is marked, and from the mark until it is lost."""
FORGOTTEN_AFTER_S = 300
"""Longer than any lease taken under it."""

LOST = f"""
    SELECT id FROM {table(Hold)}
     WHERE silent_since <= statement_timestamp() - interval '{LOST_AFTER_S} seconds'
"""
_OTHERS = f"SELECT id FROM {table(Hold)} WHERE id <> %(id)s"
_WATCH = f"""
    WITH marked AS (
        UPDATE {table(Hold)} SET silent_since = statement_timestamp() WHERE id IN (
            {_OTHERS} AND silent_since IS NULL
               AND beat_at <= statement_timestamp() - interval '{SILENT_AFTER_S} seconds' FOR UPDATE SKIP LOCKED)
    ), forgotten AS (
        DELETE FROM {table(Hold)} WHERE id IN (
            {_OTHERS} AND silent_since IS NOT NULL
               AND beat_at <= statement_timestamp() - interval '{FORGOTTEN_AFTER_S} seconds' FOR UPDATE SKIP LOCKED)
    )
"""
_RENEW = f"""
    {_WATCH}
    INSERT INTO {table(Hold)} AS mine (id, beat_at) VALUES (%(id)s, statement_timestamp())
    ON CONFLICT (id) DO UPDATE SET beat_at = statement_timestamp(), silent_since = NULL
     WHERE mine.silent_since IS NULL
        OR mine.silent_since > statement_timestamp() - interval '{LOST_AFTER_S} seconds'
"""


class Holder:
    """One process's hold. It may be renewed in one thread while others ask whether it lasts."""

    def __init__(self) -> None:
        self.id = uuid4()
        self._lasts_until = 0.0

    def renew(self) -> None:
        """Begins or renews the hold; after a loss a new one begins, which covers nothing claimed before."""
        asked_at = time.monotonic()
        if not execute(_RENEW, {"id": self.id}):
            self.id = uuid4()
            execute(_RENEW, {"id": self.id})
        self._lasts_until = asked_at + SILENT_AFTER_S + LOST_AFTER_S

    def covers(self, lease: UUID) -> bool:
        """Whether nobody else can have claimed what was claimed under this lease."""
        return lease == self.id and time.monotonic() < self._lasts_until

    @property
    def lasts(self) -> bool:
        return self.covers(self.id)

    def end(self) -> None:
        """Ends it; what was not recorded stays leased by time."""
        if self._lasts_until:
            execute(f"DELETE FROM {table(Hold)} WHERE id = %s", [self.id])


def watch() -> None:
    """Marks the holds of silent processes, for a process that holds nothing itself."""
    execute(f"{_WATCH} SELECT", {"id": uuid4()})
