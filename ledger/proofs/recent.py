"""The proof of what is new: the entries above those that were proved before, and what they are about.

What is below is read again when the whole is proved.
"""

from collections.abc import Iterator
from typing import Any

from django.db import connection
from django.db.models import CharField

from accounts.base.clock import utcnow
from accounts.base.rows import first, table
from accounts.models import Merchant
from ledger.books.models import Balance, Entry, Transfer
from ledger.closings.models import ClosedDay
from ledger.proofs.models import ProvedAccount
from ledger.verify import LOCK, Findings, Part, Violation, sliced, snapshot

AT_ONCE = 50_000
"""Entries in a snapshot when catching up."""
NEWEST = 2_000
"""Rows of each table that are proved although no entry names them: of keys in the order of time."""
TURN_S = 300
"""Each closed day has its turn, so long."""

_NEW = f"""
    SELECT e.id, e.transfer_id, e.account_id, e.sequence, e.balance_after
      FROM {table(Balance)} b
      LEFT JOIN {table(ProvedAccount)} p ON p.account_id = b.account_id
     CROSS JOIN LATERAL (SELECT * FROM {table(Entry)}
                          WHERE account_id = b.account_id AND sequence > coalesce(p.sequence, 0)
                          ORDER BY sequence LIMIT {AT_ONCE}) e
     WHERE b.version > coalesce(p.sequence, 0)
     ORDER BY e.account_id, e.sequence LIMIT {AT_ONCE}
"""
_NAMED = f"SELECT DISTINCT split_part(reference, ':', 1) FROM {table(Transfer)} WHERE id = ANY(%s)"
_MOVE = f"""
    INSERT INTO {table(ProvedAccount)} AS proved (account_id, sequence, balance)
    SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) ORDER BY 1
        ON CONFLICT (account_id) DO UPDATE SET sequence = excluded.sequence, balance = excluded.balance
     WHERE proved.sequence < excluded.sequence
"""
_DAYS = f"""
    SELECT ARRAY(SELECT day FROM (
        (SELECT day FROM {table(ClosedDay)} ORDER BY day DESC LIMIT 1)
         UNION
        (SELECT day FROM {table(ClosedDay)} ORDER BY day LIMIT 1
         OFFSET %s %% greatest((SELECT count(*) FROM {table(ClosedDay)}), 1))) turns)
"""


def verify_recent() -> list[Violation]:
    """Proves all totals, the entries above those that were proved before, their transfers and what those are about, the
    newest rows of every table, the last closed day, and the one whose turn it is.

    What is found is found again until it is right: only then the next proof begins above it. Raises BeingVerified if
    another process is doing it.
    """
    findings, is_first = Findings(), True
    while True:
        with snapshot(LOCK + 1) as cursor:
            cursor.execute(_NEW)
            new = cursor.fetchall()
            findings.check(cursor, _parts(cursor, new, is_first=is_first))
        if findings.violations:
            return findings.violations
        _move({account: (sequence, balance) for _, _, account, sequence, balance in new})
        if len(new) < AT_ONCE:
            return []
        is_first = False


def _parts(cursor: Any, new: list[Any], *, is_first: bool) -> Iterator[Part]:
    transfers = list({transfer for _, transfer, *_ in new})
    cursor.execute(_NAMED, [transfers])
    named = [name for (name,) in cursor.fetchall()]
    about: dict[Any, list[Any]] = {Transfer: transfers, Entry: [entry for entry, *_ in new]}
    if is_first:
        yield Part()
    for model in sliced():
        if model is Merchant:  # all of its sales would be read
            continue
        if model is ClosedDay:
            keys = _days() if is_first else []
        else:
            keys = [*_newest(cursor, model)] if is_first else []
            keys += about.get(model, named if isinstance(model._meta.pk, CharField) else [])
        if keys:
            yield Part(model, f"{model._meta.pk.column} = ANY(%(keys)s)", {"keys": keys})


def _newest(cursor: Any, model: Any) -> Iterator[Any]:
    key = model._meta.pk.column
    cursor.execute(f"SELECT {key} FROM {table(model)} ORDER BY {key} DESC LIMIT {NEWEST}")
    yield from (found for (found,) in cursor.fetchall())


def _days() -> list[Any]:
    row = first(_DAYS, [int(utcnow().timestamp()) // TURN_S])
    assert row is not None
    return list(row[0])


def _move(proved: dict[int, tuple[int, int]]) -> None:
    """What is above is new from now on. Another process may have come further."""
    with connection.cursor() as cursor:
        sequences, balances = zip(*proved.values(), strict=True) if proved else ((), ())
        cursor.execute(_MOVE, [list(proved), list(sequences), list(balances)])
