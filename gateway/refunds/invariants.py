"""Invariants between refunds, payments and holds."""

from accounts.base.rows import quoted, table
from gateway.payments.models import Payment
from gateway.payments.models import Status as PaymentStatus
from gateway.refunds.models import Refund, Status
from ledger.books.models import Account, Balance
from ledger.chart import AccountKind
from ledger.holds.models import Hold
from ledger.receivables.models import Receivable, Taking
from ledger.verify import invariant

_HELD = quoted(Status.AWAITING_RESPONSE, Status.UNDER_REVIEW, Status.PROCESSING)
_GIVEN_UP = quoted(Status.FAILED, Status.REJECTED, Status.CANCELED)

invariant(
    "I9",
    "what was refunded of a payment is the sum of its completed refunds; REFUNDED is all of it",
    over={
        Payment: f"""
    SELECT p.id, p.status, p.amount, p.refunded_amount, sum(r.amount) FILTER (WHERE r.status = '{Status.COMPLETED}')
      FROM part p LEFT JOIN {table(Refund)} r ON r.payment_id = p.id
     GROUP BY p.id, p.status, p.amount, p.refunded_amount
    HAVING p.refunded_amount <> coalesce(sum(r.amount) FILTER (WHERE r.status = '{Status.COMPLETED}'), 0)
        OR coalesce(sum(r.amount) FILTER (WHERE r.status NOT IN ({_GIVEN_UP})), 0) > p.amount
        OR (p.status = '{PaymentStatus.REFUNDED}') <> (p.refunded_amount = p.amount)
    """
    },
)
invariant(
    "I19",
    "an open refund is blocked exactly as far as it says, and its block lacks the rest; after COMPLETED, the debt",
    over={
        Refund: f"""
    SELECT r.id, r.status, r.from_releasing + r.from_available AS blocked, h.amount, h.missing FROM part r
      LEFT JOIN (SELECT refund_id, sum(amount) AS amount, sum(missing) AS missing FROM {table(Hold)}
                  WHERE ended_at IS NULL GROUP BY 1) h ON h.refund_id = r.id
     WHERE coalesce(h.amount, 0) <> CASE WHEN r.status IN ({_HELD})
                                         THEN r.from_releasing + r.from_available ELSE 0 END
        OR coalesce(h.missing, 0) <> CASE WHEN r.status IN ({_HELD})
                                          OR r.status = '{Status.COMPLETED}'
                                          THEN r.wallet_amount - r.from_releasing - r.from_available ELSE 0 END
    """
    },
)
invariant(
    "I26",
    "what a refund took out of receivables of other payments is part of what it took, and of what they lost",
    f"""
    SELECT r.id, r.from_releasing, t.amount FROM {table(Refund)} r
      JOIN (SELECT refund_id, sum(amount) AS amount FROM {table(Taking)} GROUP BY 1) t ON t.refund_id = r.id
     WHERE t.amount > r.from_releasing OR r.status IN ({_GIVEN_UP})
    UNION ALL
    SELECT v.id, v.refunded_amount, t.amount FROM {table(Receivable)} v
      JOIN (SELECT receivable_id, sum(amount) AS amount FROM {table(Taking)} GROUP BY 1) t ON t.receivable_id = v.id
     WHERE t.amount > v.refunded_amount
    """,
)
invariant(
    "I30",
    "DEBT of a wallet is what completed refunds took back and the wallet has not covered",
    f"""
    SELECT coalesce(b.merchant_id, r.merchant_id), coalesce(b.currency, r.currency), b.amount, r.owed
      FROM (SELECT a.merchant_id, a.currency, b.amount FROM {table(Account)} a
              JOIN {table(Balance)} b ON b.account_id = a.id WHERE a.kind = '{AccountKind.DEBT}') b
      FULL JOIN (SELECT merchant_id, wallet_currency AS currency,
                        sum(wallet_amount - from_releasing - from_available) AS owed
                   FROM {table(Refund)}
                  WHERE status = '{Status.COMPLETED}' AND wallet_amount > from_releasing + from_available
                  GROUP BY 1, 2) r
        ON (r.merchant_id, r.currency) = (b.merchant_id, b.currency)
     WHERE coalesce(b.amount, 0) <> -coalesce(r.owed, 0)
    """,
)
