"""How long the proofs of the books take, and how long the longest of their snapshots keeps vacuum waiting."""

import time
from itertools import pairwise
from typing import Any

from django.db import connection

from accounts.base.clock import utcnow
from accounts.base.rows import table
from accounts.models import Merchant
from gateway.sales.services import sum_up
from ledger.books.models import Balance, Entry, Transfer
from ledger.closings.seals import last_seal
from ledger.closings.services import close_days
from ledger.proofs import blocks
from ledger.proofs.models import Proof, ProvedAccount
from ledger.proofs.rounds import last_round
from ledger.proofs.services import CONNECTIONS, prove
from ledger.verify import Part, verify
from tests.bench import history, stage
from tests.bench.scale import scaled

PAYMENTS = scaled(500_000, 500)
NEW = 300
"""Of so many entries of an account one is new: at 1,000,000 payments about as many as ten payments a second write in
five minutes.
"""
_PROVED = f"""
    INSERT INTO {table(ProvedAccount)} (account_id, sequence, balance)
    SELECT e.account_id, e.sequence, e.balance_after FROM {table(Balance)} b
      JOIN {table(Entry)} e ON e.account_id = b.account_id AND e.sequence = greatest(1, b.version - b.version / {NEW})
     WHERE b.version > 0
"""

_ONE_OF_EACH_BLOCK = f"""
    SELECT min(id) FROM {table(Transfer)} GROUP BY (created_at AT TIME ZONE 'UTC')::date, id >> {blocks.BITS} ORDER BY 1
"""


def measure(busy: Merchant, neighbours: list[Merchant]) -> str:
    """Fails if anything is found. As many payments again are of the neighbours."""
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
    history.fill(busy, neighbours, PAYMENTS)
    sum_up()
    stage.settle()
    with connection.cursor() as cursor:
        cursor.execute(_PROVED)
        cursor.execute(_ONE_OF_EACH_BLOCK)
        for (transfer,) in cursor.fetchall():
            blocks.extend(cursor, [transfer])
        cursor.execute("RESET statement_timeout")
    close_days()
    now, sealed = utcnow(), last_seal()
    assert sealed
    Proof.objects.create(started_at=now, finished_at=now, sealed_day=sealed.day, seal=sealed.digest)
    turns: list[float] = []
    found: list[Any] = []
    while not (last_round() and len(turns) > 1):
        began, proof = time.perf_counter(), prove()
        turns.append(time.perf_counter() - began)
        assert proof
        found += proof.violations
        close_days()
    starts: list[float] = []
    found += verify(lambda part: _begun(starts, part), connections=CONNECTIONS)
    starts.append(time.perf_counter())
    assert not found, [str(one)[:500] for one in found]
    longest = max(later - earlier for earlier, later in pairwise(starts))
    return (
        f"proofs of {2 * PAYMENTS:,} payments: with 1 of {NEW} entries new {turns[0]:.2f} s; "
        f"a round over everything old is {len(turns)} turns of at most {max(turns):.2f} s; "
        f"everything at once in {starts[-1] - starts[0]:.1f} s, {len(starts) - 1} snapshots of at most {longest:.1f} s"
    )


def _begun(starts: list[float], part: Part) -> None:
    starts.append(time.perf_counter())
