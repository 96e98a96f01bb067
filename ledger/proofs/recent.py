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
from ledger.proofs.models import ProvedAccount
from ledger.proofs.rounds import SHARE_S, go_on
from ledger.verify import LOCK, Findings, Part, Violation, sliced, snapshot

AT_ONCE = 50_000
"""Entries in a snapshot when catching up."""
NEWEST = 2_000
"""Rows of each table that are proved although no entry names them: of keys in the order of time."""

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


def verify_recent(share_s: int = SHARE_S) -> list[Violation]:
    """Proves all totals, the entries above those that were proved before, their transfers and what those are about, the
    newest rows of every table, and for so long what comes next in the round over everything.

    What is found is found again until it is right: only then the next proof begins above it. Raises BeingVerified if
    another process is doing it.
    """
    findings = _prove_new()
    findings.add(go_on(share_s))
    return findings.violations


def _prove_new() -> Findings:
    findings, is_first = Findings(), True
    while True:
        with snapshot(LOCK + 1) as cursor:
            cursor.execute(_NEW)
            new = cursor.fetchall()
            findings.check(cursor, _parts(cursor, new, is_first=is_first))
        if findings.violations:
            return findings
        _move({account: (sequence, balance) for _, _, account, sequence, balance in new})
        if len(new) < AT_ONCE:
            return findings
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
        keys = [*_newest(cursor, model)] if is_first else []
        keys += about.get(model, named if isinstance(model._meta.pk, CharField) else [])
        if keys:
            yield Part(model, f"{model._meta.pk.column} = ANY(%(keys)s)", {"keys": keys})


def _newest(cursor: Any, model: Any) -> Iterator[Any]:
    key, most = model._meta.pk.column, 1 if model is ClosedDay else NEWEST
    cursor.execute(f"SELECT {key} FROM {table(model)} ORDER BY {key} DESC LIMIT {most}")
    yield from (found for (found,) in cursor.fetchall())


def _move(proved: dict[int, tuple[int, int]]) -> None:
    """What is above is new from now on. Another process may have come further."""
    with connection.cursor() as cursor:
        sequences, balances = zip(*proved.values(), strict=True) if proved else ((), ())
        cursor.execute(_MOVE, [list(proved), list(sequences), list(balances)])
