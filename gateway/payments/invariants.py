"""What is always true between payments and the books, and between payments and their events."""

from ledger.verify import invariant

invariant(
    "I8",
    "a payment was posted exactly when it was paid, once, with its amount and fee",
    """
    SELECT p.id, p.status, t.id AS transfer, t.posted_gross
      FROM gateway_payment p
      FULL JOIN (SELECT t.id, t.merchant_id, t.reference,
                        -sum(e.amount) FILTER (WHERE a.kind = 'CLEARING') AS posted_gross,
                        coalesce(sum(e.amount) FILTER (WHERE a.kind = 'FEE_INCOME'), 0) AS posted_fee
                   FROM ledger_transfer t
                   LEFT JOIN ledger_entry e ON e.transfer_id = t.id
                   LEFT JOIN ledger_account a ON a.id = e.account_id
                  WHERE t.kind = 'payment.paid' GROUP BY t.id) t
        ON t.reference = p.id AND t.merchant_id = p.merchant_id
     WHERE (p.status IN ('PAID', 'REFUNDED')) IS DISTINCT FROM (t.id IS NOT NULL)
        OR p.amount IS DISTINCT FROM coalesce(t.posted_gross, p.amount)
        OR p.fee IS DISTINCT FROM coalesce(t.posted_fee, p.fee)
    """,
)
invariant(
    "I10",
    "every payment that ended has announced it exactly once",
    """
    SELECT p.id, p.status, count(e.id) FROM gateway_payment p
      JOIN accounts_merchant m ON m.id = p.merchant_id
      LEFT JOIN webhooks_event e ON e.object_id = p.id
       AND e.type = CASE p.status WHEN 'PAID' THEN 'payment.paid' WHEN 'FAILED' THEN 'payment.failed'
                                  WHEN 'EXPIRED' THEN 'payment.expired' ELSE 'payment.refunded' END
     WHERE p.status IN ('PAID', 'FAILED', 'EXPIRED', 'REFUNDED')
       AND p.updated_at - m.clock_offset > now() - interval '29 days'
     GROUP BY p.id HAVING count(e.id) <> 1
    """,
)
invariant(
    "I13",
    "what hangs on a payment is of the same merchant",
    """
    SELECT p.id, p.merchant_id, c.merchant_id FROM gateway_payment p
      JOIN gateway_customer c ON c.id = p.customer_id WHERE c.merchant_id <> p.merchant_id
    """,
)
