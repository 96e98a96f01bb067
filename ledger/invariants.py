"""Invariants of the books (numbered as in the design of the ledger)."""

from accounts.base.rows import quoted, table
from ledger.books.models import Account, Balance, Entry, Transfer
from ledger.chart import BUCKETS
from ledger.verify import invariant

invariant(
    "I1",
    "every transfer sums to zero in each currency and has exactly its entries",
    over={
        Transfer: f"""
    SELECT id, kind, reference, entry_count, sum(entries), max(abs(amount))
      FROM (SELECT t.id, t.kind, t.reference, t.entry_count, e.currency, count(e.id) AS entries, sum(e.amount) AS amount
              FROM part t LEFT JOIN {table(Entry)} e ON e.transfer_id = t.id
             GROUP BY t.id, t.kind, t.reference, t.entry_count, e.currency) sums
     GROUP BY id, kind, reference, entry_count HAVING sum(entries) <> entry_count OR max(abs(amount)) <> 0
    """
    },
)

# With I3: the last entry ends with the sum of all, and is the only one that has its number.
invariant(
    "I2",
    "a balance is the sum of its entries, and its version their number",
    f"""
    SELECT a.id, b.amount, b.version, e.balance_after, further.sequence
      FROM {table(Account)} a LEFT JOIN {table(Balance)} b ON b.account_id = a.id
      LEFT JOIN {table(Entry)} e ON (e.account_id, e.sequence) = (a.id, b.version)
      LEFT JOIN LATERAL (SELECT sequence FROM {table(Entry)} WHERE account_id = a.id
                          ORDER BY sequence DESC LIMIT 1) further ON true
     WHERE b.amount IS DISTINCT FROM coalesce(e.balance_after, 0)
        OR b.version IS DISTINCT FROM coalesce(further.sequence, 0)
    """,
)

# The entry before is in the same part, or looked up. With one before each but the first of an account, none is missing.
invariant(
    "I3",
    "the balance after each entry is the running sum",
    over={
        Entry: f"""
    SELECT id, account_id, sequence, balance_after, amount FROM (
        SELECT id, account_id, sequence, amount, balance_after,
               lag(sequence) OVER statement AS sequence_before, lag(balance_after) OVER statement AS balance_before
          FROM (SELECT * FROM part OFFSET 0) part
        WINDOW statement AS (PARTITION BY account_id ORDER BY sequence)) entries
     WHERE balance_after - amount IS DISTINCT FROM
           CASE WHEN sequence = 1 THEN 0 WHEN sequence_before = sequence - 1 THEN balance_before
                ELSE (SELECT before.balance_after FROM {table(Entry)} before
                       WHERE (before.account_id, before.sequence) = (entries.account_id, entries.sequence - 1)) END
    """
    },
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
