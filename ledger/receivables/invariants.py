"""Invariants between receivables and the books."""

from accounts.base.rows import table
from ledger.books.models import Account, Balance, Transfer
from ledger.chart import AccountKind
from ledger.receivables.models import Receivable, State
from ledger.verify import invariant

invariant(
    "I6",
    "RELEASING of a wallet is the sum of its open receivables",
    f"""
    SELECT coalesce(b.merchant_id, r.merchant_id), coalesce(b.currency, r.currency), b.amount, r.amount
      FROM (SELECT a.merchant_id, a.currency, b.amount FROM {table(Account)} a
              JOIN {table(Balance)} b ON b.account_id = a.id WHERE a.kind = '{AccountKind.RELEASING}') b
      FULL JOIN (SELECT merchant_id, currency, sum(amount) AS amount FROM {table(Receivable)}
                  WHERE state IN ('{State.SCHEDULED}', '{State.RESERVED_FOR_ADVANCE}') GROUP BY 1, 2) r
        ON (r.merchant_id, r.currency) = (b.merchant_id, b.currency)
     WHERE coalesce(b.amount, 0) <> coalesce(r.amount, 0)
    """,
)
invariant(
    "I18",
    "a receivable is released or advanced, never both, and never released before its day",
    over={
        Receivable: f"""
    SELECT r.id, r.state, r.release_at, string_agg(t.kind, ', ') FROM part r
      LEFT JOIN {table(Transfer)} t ON t.reference = r.id COLLATE "default" AND t.merchant_id = r.merchant_id
     GROUP BY r.id, r.state, r.release_at
    HAVING count(t.id) <> CASE WHEN r.state IN ('{State.RELEASED}', '{State.ADVANCED}') THEN 1 ELSE 0 END
        OR bool_or(t.kind = 'receivable.released') IS DISTINCT FROM
           CASE r.state WHEN '{State.RELEASED}' THEN true WHEN '{State.ADVANCED}' THEN false END
        OR bool_or(t.kind = 'receivable.released' AND t.posted_at < r.release_at)
    """
    },
)
