"""What is always true between blocks and the books."""

from ledger.verify import invariant

invariant(
    "I7",
    "BLOCKED of a wallet is the sum of its open holds",
    """
    SELECT coalesce(b.merchant_id, h.merchant_id), coalesce(b.currency, h.currency), b.amount, h.amount
      FROM (SELECT a.merchant_id, a.currency, b.amount FROM ledger_account a
              JOIN ledger_balance b ON b.account_id = a.id WHERE a.kind = 'BLOCKED') b
      FULL JOIN (SELECT merchant_id, currency, sum(amount) AS amount FROM ledger_hold
                  WHERE ended_at IS NULL GROUP BY 1, 2) h
        ON (h.merchant_id, h.currency) = (b.merchant_id, b.currency)
     WHERE coalesce(b.amount, 0) <> coalesce(h.amount, 0)
    """,
)
