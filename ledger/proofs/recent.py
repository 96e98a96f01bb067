"""The proof of what is new: the entries above those that were proved before, and what they are about.

What is below is proved again in rounds.
"""

from collections.abc import Iterator
from typing import Any

from django.db import connection
from django.db.models import CharField

from accounts.base.rows import table
from accounts.models import Merchant
from ledger.books.models import Balance, Entry, Transfer
from ledger.closings.models import ClosedDay
from ledger.proofs import blocks
from ledger.proofs.models import Proof, ProvedAccount, ProvedBlock
from ledger.proofs.rounds import SHARE_MS, go_on
from ledger.verify import LOCK, Findings, Part, Violation, sliced, snapshot, stands_for_many

AT_ONCE = 4
"""Blocks whose transfers are proved in one snapshot when catching up."""
NEWEST = 2_000
"""Rows of each table that are proved although no entry names them: of keys in the order of time."""

_UNPROVED = f"""
    {table(Balance)} b LEFT JOIN {table(ProvedAccount)} p ON p.account_id = b.account_id
     CROSS JOIN LATERAL (SELECT coalesce(p.sequence, 0) AS sequence) proved
"""
_FIRST = f"""
    SELECT min(e.transfer_id) FROM {_UNPROVED}
     CROSS JOIN LATERAL (SELECT transfer_id FROM {table(Entry)}
                          WHERE account_id = b.account_id AND sequence > proved.sequence ORDER BY sequence LIMIT 1) e
     WHERE b.version > proved.sequence
"""
# Of each account up to its first entry of a later transfer. One that was committed late has later ones before it.
_NEW = f"""
    SELECT e.id, e.transfer_id, e.account_id, e.sequence, e.balance_after FROM {_UNPROVED}
      LEFT JOIN LATERAL (SELECT sequence FROM {table(Entry)}
                          WHERE account_id = b.account_id AND sequence > proved.sequence AND transfer_id >= %(until)s
                          ORDER BY sequence LIMIT 1) later ON true
     CROSS JOIN LATERAL (SELECT * FROM {table(Entry)}
                          WHERE account_id = b.account_id AND sequence > proved.sequence
                            AND sequence < coalesce(later.sequence, b.version + 1)) e
     WHERE b.version > proved.sequence
     ORDER BY e.account_id, e.sequence
"""
_NAMED = f"SELECT DISTINCT split_part(reference, ':', 1) FROM {table(Transfer)} WHERE id = ANY(%s)"
# The last closed day, and all that no proof which held can have read: it names the last one that was sealed before it
# began. So a day that is wrong is proved until it is right.
_NEW_DAYS = f"""
    WHERE day = (SELECT max(day) FROM {table(ClosedDay)}) OR day > coalesce((
          SELECT sealed_day FROM {table(Proof)}
           WHERE finished_at IS NOT NULL AND violations = '[]' ORDER BY id DESC LIMIT 1), '-infinity')
"""
_MOVE = f"""
    INSERT INTO {table(ProvedAccount)} (account_id, sequence, balance)
    SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) ORDER BY 1
        ON CONFLICT (account_id) DO UPDATE SET sequence = excluded.sequence, balance = excluded.balance
"""


def verify_recent(share_ms: int = SHARE_MS) -> list[Violation]:
    """Proves all totals, the entries above those that were proved before, their transfers and what those are about, the
    newest rows of every table, the days that were closed since the last proof that held, the last one again, and for so
    long what comes next in the round over everything.

    What is found is found again until it is right: only then the next proof begins above it. Raises BeingVerified if
    another process is doing it.
    """
    findings, is_first = Findings(), True
    while _prove_new(findings, is_first=is_first):
        is_first = False
    findings.add(go_on(share_ms))
    return findings.violations


def _prove_new(findings: Findings, *, is_first: bool) -> bool:
    """Proves what is new in the next blocks; returns whether there was anything, and all of it is right.

    In one transaction: up to where it was proved is stored with the digests of the same entries, or not at all.
    """
    with snapshot(LOCK + 1, is_written=True) as cursor:
        new = _next(cursor)
        transfers = list({transfer for _, transfer, *_ in new})
        findings.check(cursor, _parts(cursor, [entry for entry, *_ in new], transfers, is_first=is_first))
        if findings.violations or not new:
            return False
        _move(cursor, {account: (sequence, balance) for _, _, account, sequence, balance in new})
        blocks.extend(cursor, transfers)
        return True


def _next(cursor: Any) -> list[Any]:
    """New entries in the order of their accounts and numbers."""
    cursor.execute(_FIRST)
    first: int | None = cursor.fetchone()[0]
    if first is None:
        return []
    cursor.execute(_NEW, {"until": ((first >> blocks.BITS) + AT_ONCE) << blocks.BITS})
    return list(cursor.fetchall())


def _parts(cursor: Any, entries: list[int], transfers: list[int], *, is_first: bool) -> Iterator[Part]:
    cursor.execute(_NAMED, [transfers])
    named = [name for (name,) in cursor.fetchall()]
    about: dict[Any, list[Any]] = {
        Transfer: transfers,
        Entry: entries,
        ProvedBlock: blocks.known(cursor, transfers),
    }
    if is_first:
        yield Part()
    for model in sliced():
        if model is Merchant:  # all of its sales would be read
            continue
        keys = [*_newest(cursor, model)] if is_first else []
        keys += about.get(model, named if isinstance(model._meta.pk, CharField) else [])
        if keys:
            key = model._meta.pk
            yield Part(model, f"{key.column} = ANY(%(keys)s::{key.db_type(connection)}[])", {"keys": _array(keys)})


def _newest(cursor: Any, model: Any) -> Iterator[Any]:
    key = model._meta.pk.column
    newest = f"ORDER BY {key} DESC LIMIT {1 if stands_for_many(model) else NEWEST}"
    cursor.execute(f"SELECT {key} FROM {table(model)} {_NEW_DAYS if model is ClosedDay else newest}")
    yield from (found for (found,) in cursor.fetchall())


def _array(keys: list[Any]) -> str:
    """As PostgreSQL writes it: made once, and not by the driver for each query."""
    return "{" + ",".join('"' + str(key).replace("\\", "\\\\").replace('"', '\\"') + '"' for key in keys) + "}"


def _move(cursor: Any, proved: dict[int, tuple[int, int]]) -> None:
    """What is above is new from now on."""
    sequences, balances = zip(*proved.values(), strict=True)
    cursor.execute(_MOVE, [list(proved), list(sequences), list(balances)])
