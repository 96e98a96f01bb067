"""Rounds: everything is proved again by and by, a few parts in each proof of what is new."""

import time

from accounts.base.clock import utcnow
from accounts.base.rows import table
from ledger.proofs.models import Round
from ledger.verify import LOCK, Findings, rows, snapshot

AT_ONCE = 5_000
"""Rows in a part."""
SHARE_MS = 250
"""For how long a proof goes on with the round."""


def go_on(share_ms: int = SHARE_MS) -> Findings:
    """Proves what comes next in the round, at least one part; a round that ends is not begun again at once.

    A part that is wrong is proved by every further run until it is right: only then the round goes on. Raises
    BeingVerified if another process is proving what is new.
    """
    ends = time.monotonic() + share_ms / 1000
    now = Round.objects.filter(ended_at=None).order_by("pk").first() or Round.objects.create(began_at=utcnow())
    for part in rows(AT_ONCE, (now.table, now.key) if now.table else None):
        assert part.of
        findings = Findings()
        with snapshot(LOCK + 1) as cursor:
            findings.check(cursor, [part])
        if findings.violations or not _went_on(now, table(part.of), part.last) or time.monotonic() > ends:
            return findings
    Round.objects.filter(pk=now.pk, ended_at=None).update(ended_at=utcnow())
    return Findings()


def _went_on(now: Round, name: str, key: str) -> bool:
    """False if another process has come further."""
    before = Round.objects.filter(pk=now.pk, table=now.table, key=now.key)
    now.table, now.key = name, key
    return bool(before.update(table=name, key=key))


def last_round() -> Round | None:
    """The newest that has ended."""
    return Round.objects.filter(ended_at__isnull=False).order_by("-pk").first()
