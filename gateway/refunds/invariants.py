"""What is always true between refunds, payments and blocks."""

from ledger.verify import invariant

invariant(
    "I9",
    "what was refunded of a payment is the sum of its completed refunds; REFUNDED is all of it",
    """
    SELECT p.id, p.status, p.amount, p.refunded_amount, coalesce(r.completed, 0) FROM gateway_payment p
      LEFT JOIN (SELECT payment_id, sum(amount) FILTER (WHERE status = 'COMPLETED') AS completed,
                        sum(amount) FILTER (WHERE status NOT IN ('FAILED', 'REJECTED', 'CANCELED')) AS promised
                   FROM gateway_refund GROUP BY payment_id) r ON r.payment_id = p.id
     WHERE p.refunded_amount <> coalesce(r.completed, 0) OR coalesce(r.promised, 0) > p.amount
        OR (p.status = 'REFUNDED') <> (p.refunded_amount = p.amount)
    """,
)
invariant(
    "I19",
    "an open refund is blocked exactly as far as it says, and its block lacks the rest",
    """
    SELECT r.id, r.status, r.from_releasing + r.from_available AS blocked, h.amount, h.missing FROM gateway_refund r
      LEFT JOIN (SELECT refund_id, sum(amount) AS amount, sum(missing) AS missing FROM ledger_hold
                  WHERE ended_at IS NULL GROUP BY 1) h ON h.refund_id = r.id
     WHERE coalesce(h.amount, 0) <> CASE WHEN r.status IN ('AWAITING_RESPONSE', 'UNDER_REVIEW', 'PROCESSING')
                                         THEN r.from_releasing + r.from_available ELSE 0 END
        OR coalesce(h.missing, 0) <> CASE WHEN r.status IN ('AWAITING_RESPONSE', 'UNDER_REVIEW', 'PROCESSING')
                                          THEN r.wallet_amount - r.from_releasing - r.from_available ELSE 0 END
    """,
)
invariant(
    "I26",
    "what a refund took out of receivables of other payments is part of what it took, and of what they lost",
    """
    SELECT r.id, r.from_releasing, t.amount FROM gateway_refund r
      JOIN (SELECT refund_id, sum(amount) AS amount FROM ledger_taking GROUP BY 1) t ON t.refund_id = r.id
     WHERE t.amount > r.from_releasing OR r.status IN ('FAILED', 'REJECTED', 'CANCELED')
    UNION ALL
    SELECT v.id, v.refunded_amount, t.amount FROM ledger_receivable v
      JOIN (SELECT receivable_id, sum(amount) AS amount FROM ledger_taking GROUP BY 1) t ON t.receivable_id = v.id
     WHERE t.amount > v.refunded_amount
    """,
)
