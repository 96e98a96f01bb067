"""Invariants between money in suspense, payments and the books."""

from accounts.base.rows import quoted, table
from accounts.cells import LIVING_HERE
from gateway.payments.models import Payment, Status
from gateway.suspense.models import OPEN, State, SuspenseItem
from ledger.books.models import Account, Balance
from ledger.chart import AccountKind
from ledger.verify import invariant

invariant(
    "I27",
    "SUSPENSE of a book is the sum of its open items",
    f"""
    SELECT coalesce(b.merchant_id, s.merchant_id), coalesce(b.method, s.method), coalesce(b.currency, s.currency),
           b.amount, s.amount
      FROM (SELECT a.merchant_id, a.method, a.currency, b.amount FROM {table(Account)} a
              JOIN {table(Balance)} b ON b.account_id = a.id WHERE a.kind = '{AccountKind.SUSPENSE}') b
      FULL JOIN (SELECT merchant_id, coalesce(nullif(bank_account, ''), method) AS method, currency,
                         sum(amount) AS amount FROM {table(SuspenseItem)}
                  WHERE state IN ({quoted(*OPEN)}) AND merchant_id IN {LIVING_HERE} GROUP BY 1, 2, 3) s
        ON (s.merchant_id, s.method, s.currency) = (b.merchant_id, b.method, b.currency)
     WHERE coalesce(b.amount, 0) <> coalesce(s.amount, 0)
    """,
)
invariant(
    "I28",
    "assigned money paid one payment, of the same merchant and with exactly its amount",
    f"""
    SELECT s.id, s.payment_id, p.status, p.amount, s.amount FROM {table(SuspenseItem)} s
      JOIN {table(Payment)} p ON p.id = s.payment_id
     WHERE s.merchant_id IS DISTINCT FROM p.merchant_id
        OR (s.state = '{State.ASSIGNED}'
            AND (p.status NOT IN ({quoted(Status.PAID, Status.REFUNDED)}) OR s.amount <> p.amount
                 OR s.currency <> p.currency OR s.method <> p.method))
    UNION ALL
    SELECT min(id), payment_id, 'twice', sum(amount), NULL FROM {table(SuspenseItem)}
     WHERE state = '{State.ASSIGNED}' GROUP BY payment_id HAVING count(*) > 1
    """,
)
invariant(
    "I29",
    "money of one reference pays a payment, or is in suspense, never both",
    f"""
    SELECT s.id, s.state, p.id, p.status FROM {table(SuspenseItem)} s
      JOIN {table(Payment)} p ON p.account_id = s.account_id AND p.rail_reference = s.reference
     WHERE p.paid_at IS NOT NULL AND (s.state <> '{State.ASSIGNED}' OR s.payment_id <> p.id)
    """,
)
