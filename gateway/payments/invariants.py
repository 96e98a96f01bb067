"""Invariants between payments, the books and events."""

from accounts.base.rows import table
from accounts.models import Merchant
from gateway.customers.models import Customer
from gateway.payments.models import Payment, Status
from ledger.books.models import Account, Entry, Transfer
from ledger.chart import AccountKind
from ledger.verify import invariant
from webhooks.models import Event

_IS_PAID = f"p.status IN ('{Status.PAID}', '{Status.REFUNDED}')"

invariant(
    "I8",
    "a payment was posted exactly when it was paid, once, with its amount and fee",
    over={
        Payment: f"""
    SELECT p.id, p.status, t.id FROM part p
      LEFT JOIN {table(Transfer)} t
        ON (t.merchant_id, t.kind, t.reference) = (p.merchant_id, 'payment.paid', p.id COLLATE "default")
     WHERE {_IS_PAID} IS DISTINCT FROM (t.id IS NOT NULL)
    """,
        Transfer: f"""
    SELECT t.reference, p.status, t.id, t.gross, t.fee
      FROM (SELECT t.id, t.merchant_id, t.reference,
                   -sum(e.amount) FILTER (WHERE a.kind = '{AccountKind.CLEARING}') AS gross,
                   coalesce(sum(e.amount) FILTER (WHERE a.kind = '{AccountKind.FEE_INCOME}'), 0) AS fee
              FROM part t
              LEFT JOIN {table(Entry)} e ON e.transfer_id = t.id
              LEFT JOIN {table(Account)} a ON a.id = e.account_id
             WHERE t.kind = 'payment.paid' GROUP BY t.id, t.merchant_id, t.reference) t
      LEFT JOIN {table(Payment)} p ON p.id = t.reference COLLATE "C" AND p.merchant_id = t.merchant_id
     WHERE {_IS_PAID} IS NOT TRUE OR p.amount IS DISTINCT FROM coalesce(t.gross, p.amount)
        OR p.fee IS DISTINCT FROM t.fee
    """,
    },
)
# LATERAL: events and customers are looked up, however few of them there are.
invariant(
    "I10",
    "every payment that ended has announced it exactly once",
    over={
        Payment: f"""
    SELECT p.id, p.status, told.count FROM part p
      JOIN {table(Merchant)} m ON m.id = p.merchant_id
     CROSS JOIN LATERAL (
           SELECT count(*) FROM {table(Event)}
            WHERE object_id = p.id COLLATE "default"
              AND type = CASE p.status
                         WHEN '{Status.PAID}' THEN 'payment.paid' WHEN '{Status.FAILED}' THEN 'payment.failed'
                         WHEN '{Status.EXPIRED}' THEN 'payment.expired' ELSE 'payment.refunded' END) told
     WHERE p.status IN ('{Status.PAID}', '{Status.FAILED}', '{Status.EXPIRED}', '{Status.REFUNDED}')
       AND p.updated_at - m.clock_offset > now() - interval '29 days' AND told.count <> 1
    """
    },
)
invariant(
    "I13",
    "what hangs on a payment is of the same merchant",
    over={
        Payment: f"""
    SELECT p.id, p.merchant_id, c.merchant_id FROM part p
     CROSS JOIN LATERAL (SELECT merchant_id FROM {table(Customer)} WHERE id = p.customer_id OFFSET 0) c
     WHERE c.merchant_id <> p.merchant_id
    """
    },
)
