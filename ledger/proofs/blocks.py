"""Digests of what was proved: no proved entry, nor its transfer, can be changed and stay unnoticed.

Each is of the proved entries of up to 4,096 transfers that were written on one day. It grows with what is proved;
before that, and in every round, it is compared with the entries.
"""

from collections.abc import Sequence
from typing import Any

from accounts.base.rows import table
from ledger.books.models import Entry, Transfer
from ledger.proofs.models import ProvedAccount, ProvedBlock

BITS = 12
"""A block has the transfers whose ids differ only in so many of their last bits."""

_DAY = "(created_at AT TIME ZONE 'UTC')::date"
# One line per transfer and one per entry. OFFSET 0 makes the planner read the entries of a block as one range.
CONTENT = f"""
    SELECT b.day, b.number, coalesce(read.transfers, 0) AS transfers, coalesce(read.entries, 0) AS entries,
           encode(sha256(convert_to(coalesce(read.told, ''), 'UTF8')), 'hex') AS digest
      FROM {{blocks}} b
     CROSS JOIN LATERAL (
           SELECT count(*) AS transfers, sum(entries) AS entries, string_agg(told, '' ORDER BY id) AS told
             FROM (SELECT t.id, count(*) AS entries,
                          concat_ws('|', t.id, t.merchant_id, t.kind, t.reference, t.entry_count,
                                    extract(epoch FROM t.posted_at), extract(epoch FROM t.created_at)) || E'\\n' ||
                          string_agg(concat_ws('|', e.id, e.line, e.merchant_id, e.account_id, e.currency, e.amount,
                                               e.balance_after, e.sequence) || E'\\n', '' ORDER BY e.line) AS told
                     FROM (SELECT * FROM {table(Transfer)}
                            WHERE id >= b.number << {BITS} AND id < (b.number + 1) << {BITS}
                              AND created_at >= b.day::timestamp AT TIME ZONE 'UTC'
                              AND created_at < (b.day + 1)::timestamp AT TIME ZONE 'UTC' OFFSET 0) t
                    JOIN (SELECT * FROM {table(Entry)} WHERE transfer_id >= b.number << {BITS}
                             AND transfer_id < (b.number + 1) << {BITS} OFFSET 0) e ON e.transfer_id = t.id
                    CROSS JOIN LATERAL (SELECT sequence FROM {table(ProvedAccount)}
                                         WHERE account_id = e.account_id OFFSET 0) p
                    WHERE p.sequence >= e.sequence
                    GROUP BY t.id, t.merchant_id, t.kind, t.reference, t.entry_count, t.posted_at, t.created_at) lines
           ) read
"""
_OF = f"SELECT DISTINCT {_DAY} AS day, id >> {BITS} AS number FROM {table(Transfer)} WHERE id = ANY(%s)"
_KNOWN = f"SELECT id FROM {table(ProvedBlock)} JOIN ({_OF}) touched USING (day, number)"
EXTEND = f"""
    INSERT INTO {table(ProvedBlock)} (day, number, transfers, entries, digest)
    SELECT day, number, transfers, entries, digest FROM ({CONTENT}) read ORDER BY day, number
        ON CONFLICT (day, number) DO UPDATE
           SET transfers = excluded.transfers, entries = excluded.entries, digest = excluded.digest
"""
_EXTEND = EXTEND.format(blocks=f"({_OF})")


def known(cursor: Any, transfers: Sequence[int]) -> list[int]:
    """The blocks that already have a digest, of those with these transfers."""
    cursor.execute(_KNOWN, [transfers])
    return [block for (block,) in cursor.fetchall()]


def extend(cursor: Any, transfers: Sequence[int]) -> None:
    """Gives the blocks of these transfers the digest of what is proved of them now."""
    cursor.execute(_EXTEND, [transfers])
