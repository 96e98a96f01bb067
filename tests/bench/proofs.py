"""How long the proofs of the books take, and how long the longest of their snapshots keeps vacuum waiting."""

import time
from itertools import pairwise

from django.db import connection

from accounts.models import Merchant
from gateway.sales.services import sum_up
from ledger.closings.services import close_days
from ledger.proofs.recent import AT_ONCE, verify_recent
from ledger.verify import Part, verify
from tests.bench import history
from tests.bench.scale import scaled

PAYMENTS = scaled(500_000, 500)


def measure(busy: Merchant, neighbours: list[Merchant]) -> str:
    """Fails if anything is found. As many payments again are of the neighbours."""
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
    history.fill(busy, neighbours, PAYMENTS)
    sum_up()
    close_days()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("RESET statement_timeout")
    began = time.perf_counter()
    recent = verify_recent()
    ended = time.perf_counter()
    starts: list[float] = []
    whole = verify(lambda part: _begun(starts, part))
    starts.append(time.perf_counter())
    assert not (recent or whole), [str(one)[:500] for one in (*recent, *whole)]
    longest = max(later - earlier for earlier, later in pairwise(starts))
    return (
        f"proofs of {2 * PAYMENTS:,} payments: totals and up to {AT_ONCE:,} new entries in {ended - began:.1f} s, "
        f"everything in {starts[-1] - starts[0]:.1f} s, {len(starts) - 1} snapshots of at most {longest:.1f} s"
    )


def _begun(starts: list[float], part: Part) -> None:
    starts.append(time.perf_counter())
