"""Invariants of the books (numbered as in the design of the ledger)."""

from accounts.base.rows import quoted, table
from ledger.books.models import Account, Balance, Entry, Transfer
from ledger.chart import BUCKETS
from ledger.verify import invariant

invariant(
    "I1",
    "every transfer sums to zero in each currency and has exactly its entries",
    f"""
    SELECT t.id, t.kind, t.reference, e.currency, sum(e.amount) FROM {table(Transfer)} t
      JOIN {table(Entry)} e ON e.transfer_id = t.id GROUP BY t.id, e.currency HAVING sum(e.amount) <> 0
    UNION ALL
    SELECT t.id, t.kind, t.reference, 'entries', count(e.id) FROM {table(Transfer)} t
      LEFT JOIN {table(Entry)} e ON e.transfer_id = t.id GROUP BY t.id HAVING count(e.id) <> t.entry_count
    """,
)
invariant(
    "I2",
    "a balance is the sum of its entries, and its version their number",
    f"""
    SELECT a.id, b.amount, b.version, coalesce(sum(e.amount), 0), count(e.id), coalesce(max(e.sequence), 0)
      FROM {table(Account)} a LEFT JOIN {table(Balance)} b ON b.account_id = a.id
      LEFT JOIN {table(Entry)} e ON e.account_id = a.id GROUP BY a.id, b.account_id
    HAVING b.amount IS DISTINCT FROM coalesce(sum(e.amount), 0) OR b.version <> count(e.id)
        OR b.version <> coalesce(max(e.sequence), 0)
    """,
)
invariant(
    "I3",
    "the balance after each entry is the running sum",
    f"""
    SELECT * FROM (
        SELECT id, account_id, balance_after,
               sum(amount) OVER (PARTITION BY account_id ORDER BY sequence) AS running
          FROM {table(Entry)}) statement
     WHERE balance_after <> running
    """,
)
invariant(
    "I4",
    "no bucket of a wallet is below zero, and every bucket has its floor",
    f"""
    SELECT a.id, a.kind, b.amount, b.floor FROM {table(Balance)} b JOIN {table(Account)} a ON a.id = b.account_id
     WHERE b.amount < b.floor OR (a.kind IN ({quoted(*BUCKETS)}) AND b.floor IS DISTINCT FROM 0)
    """,
)
invariant(
    "I5",
    "each merchant's book sums to zero in each currency",
    f"""
    SELECT a.merchant_id, a.currency, sum(b.amount) FROM {table(Balance)} b
      JOIN {table(Account)} a ON a.id = b.account_id GROUP BY 1, 2 HAVING sum(b.amount) <> 0
    """,
)
