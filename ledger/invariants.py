"""What is always true of the books (numbers as in the invariants of the ledger's design)."""

from ledger.verify import invariant

invariant(
    "I1",
    "every transfer sums to zero in each currency and has exactly its entries",
    """
    SELECT t.id, t.kind, t.reference, e.currency, sum(e.amount) FROM ledger_transfer t
      JOIN ledger_entry e ON e.transfer_id = t.id GROUP BY t.id, e.currency HAVING sum(e.amount) <> 0
    UNION ALL
    SELECT t.id, t.kind, t.reference, 'entries', count(e.id) FROM ledger_transfer t
      LEFT JOIN ledger_entry e ON e.transfer_id = t.id GROUP BY t.id HAVING count(e.id) <> t.entry_count
    """,
)
invariant(
    "I2",
    "a balance is the sum of its entries, and its version their number",
    """
    SELECT a.id, b.amount, b.version, coalesce(sum(e.amount), 0), count(e.id), coalesce(max(e.sequence), 0)
      FROM ledger_account a LEFT JOIN ledger_balance b ON b.account_id = a.id
      LEFT JOIN ledger_entry e ON e.account_id = a.id GROUP BY a.id, b.account_id
    HAVING b.amount IS DISTINCT FROM coalesce(sum(e.amount), 0) OR b.version <> count(e.id)
        OR b.version <> coalesce(max(e.sequence), 0)
    """,
)
invariant(
    "I3",
    "the balance after each entry is the running sum",
    """
    SELECT * FROM (
        SELECT id, account_id, balance_after,
               sum(amount) OVER (PARTITION BY account_id ORDER BY sequence) AS running
          FROM ledger_entry) statement
     WHERE balance_after <> running
    """,
)
invariant(
    "I4",
    "no bucket of a wallet is below zero, and every bucket has its floor",
    """
    SELECT a.id, a.kind, b.amount, b.floor FROM ledger_balance b JOIN ledger_account a ON a.id = b.account_id
     WHERE b.amount < b.floor OR (a.kind IN ('AVAILABLE', 'RELEASING', 'BLOCKED') AND b.floor IS DISTINCT FROM 0)
    """,
)
invariant(
    "I5",
    "each merchant's book sums to zero in each currency",
    """
    SELECT a.merchant_id, a.currency, sum(b.amount) FROM ledger_balance b
      JOIN ledger_account a ON a.id = b.account_id GROUP BY 1, 2 HAVING sum(b.amount) <> 0
    """,
)
