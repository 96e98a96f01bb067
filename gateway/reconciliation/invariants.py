"""Invariants between statements of bank accounts and the books.

Statements are in `public` and books in cells: each cell proves what the lines are in its own books. That the lines are
the statements is proved without a book, and once, with the first cell.
"""

from accounts.base.rows import quoted, table
from accounts.cells import IS_FIRST, LIVING_HERE
from gateway.reconciliation.models import BankAccount, BankLine, BankStatement, LineKind, LinePart
from gateway.settlements.models import SettlementLine
from gateway.suspense.models import OPEN, SuspenseItem
from gateway.withdrawals.models import Status, Withdrawal
from ledger.books.models import Account, Balance
from ledger.chart import AccountKind
from ledger.verify import invariant

_LIVE = f"SELECT * FROM {table(LinePart)} WHERE undone_by = ''"
_WAITING = quoted(BankLine.State.WAITING, BankLine.State.UNNAMED)
_HELD = f"SELECT * FROM {table(SuspenseItem)} WHERE line_id <> '' AND state IN ({quoted(*OPEN)})"
_OF_HERE = f"merchant_id IN {LIVING_HERE}"

invariant(
    "I40",
    "a statement begins where the one before it ended, and its lines lead from one of its balances to the other",
    over={
        BankStatement: f"""
    SELECT s.id, s.opening, s.closing, before.closing, coalesce(l.total, 0), coalesce(l.number, 0)
      FROM part s
      LEFT JOIN {table(BankStatement)} before ON before.account_id = s.account_id AND before.position = s.position - 1
      LEFT JOIN (SELECT statement_id, sum(amount) AS total, count(*) AS number FROM {table(BankLine)}
                  WHERE statement_id IN (SELECT id FROM part) GROUP BY 1) l
        ON l.statement_id = s.id
     WHERE {IS_FIRST} AND (s.opening + coalesce(l.total, 0) <> s.closing OR coalesce(l.number, 0) <> s.lines
        OR (s.position > 1 AND before.closing IS DISTINCT FROM s.opening))
    """
    },
)
invariant(
    "I41",
    "the closing balance of an account's last statement is what its lines are in all books, once all are matched",
    f"""
    SELECT a.code, last.closing, coalesce(b.amount, 0), coalesce(w.waiting, 0)
      FROM {table(BankAccount)} a
      JOIN LATERAL (SELECT closing FROM {table(BankStatement)} WHERE account_id = a.id
                     ORDER BY position DESC LIMIT 1) last ON true
      LEFT JOIN (SELECT code, currency, sum(amount) AS amount
                   FROM (SELECT p_account.code, p.currency, p.amount FROM ({_LIVE}) p
                           JOIN {table(BankAccount)} p_account ON p_account.id = p.account_id
                          UNION ALL
                         SELECT bank_account, currency, amount FROM ({_HELD}) held) told
                  GROUP BY 1, 2) b
        ON (b.code, b.currency) = (a.code, a.currency)
      LEFT JOIN (SELECT account_id, sum(amount) AS waiting FROM {table(BankLine)}
                  WHERE state IN ({_WAITING}) GROUP BY 1) w ON w.account_id = a.id
     WHERE {IS_FIRST} AND last.closing - coalesce(w.waiting, 0) <> coalesce(b.amount, 0)
    """,
)
invariant(
    "I42",
    "a line is explained by parts of exactly its amount, or in suspense with it, or cancelled by its reversal",
    over={
        BankLine: f"""
    SELECT l.id, l.state, l.amount, p.total, h.total FROM part l
      LEFT JOIN (SELECT line_id, sum(amount) AS total FROM ({_LIVE}) live
                  WHERE line_id IN (SELECT id FROM part) GROUP BY 1) p ON p.line_id = l.id
      LEFT JOIN (SELECT line_id, sum(amount) AS total FROM ({_HELD}) held
                  WHERE line_id IN (SELECT id FROM part) GROUP BY 1) h ON h.line_id = l.id
      LEFT JOIN {table(BankLine)} o ON o.id = l.reverses_id OR o.reverses_id = l.id
     WHERE {IS_FIRST}
       AND CASE WHEN l.state IN ({_WAITING}) THEN p.total IS NOT NULL OR h.total IS NOT NULL
                WHEN l.state = '{BankLine.State.REVERSED}' THEN p.total IS NOT NULL OR h.total IS NOT NULL
                             OR o.amount IS DISTINCT FROM -l.amount OR o.state <> l.state
                WHEN l.state = '{BankLine.State.SUSPENSE}' THEN h.total IS DISTINCT FROM l.amount OR p.total IS NOT NULL
                ELSE p.total IS DISTINCT FROM l.amount OR h.total IS NOT NULL END
    """
    },
)
invariant(
    "I43",
    "BANK of an account in a book is the sum of what its lines are there",
    f"""
    SELECT b.merchant_id, b.method, b.currency, b.amount, t.amount
      FROM (SELECT a.merchant_id, a.method, a.currency, -sum(b.amount) AS amount FROM {table(Account)} a
              JOIN {table(Balance)} b ON b.account_id = a.id
             WHERE a.kind = '{AccountKind.BANK}' AND a.method <> '' GROUP BY 1, 2, 3) b
      FULL JOIN (SELECT merchant_id, code AS method, currency, sum(amount) AS amount
                   FROM (SELECT p.merchant_id, a.code, p.currency, p.amount FROM ({_LIVE}) p
                           JOIN {table(BankAccount)} a ON a.id = p.account_id
                          UNION ALL
                         SELECT merchant_id, bank_account, currency, amount FROM ({_HELD}) held) told
                  WHERE {_OF_HERE} GROUP BY 1, 2, 3) t
        ON (t.merchant_id, t.method, t.currency) = (b.merchant_id, b.method, b.currency)
     WHERE coalesce(b.amount, 0) <> coalesce(t.amount, 0)
    """,
)
invariant(
    "I44",
    "what acquirers paid out to a book is BANK without a code, or in a statement",
    f"""
    SELECT coalesce(b.merchant_id, t.merchant_id), coalesce(b.currency, t.currency), b.amount, t.amount
      FROM (SELECT a.merchant_id, a.currency, -sum(b.amount) AS amount FROM {table(Account)} a
              JOIN {table(Balance)} b ON b.account_id = a.id
             WHERE a.kind = '{AccountKind.BANK}' AND a.method = '' GROUP BY 1, 2) b
      FULL JOIN (SELECT merchant_id, currency, sum(amount) AS amount
                   FROM (SELECT merchant_id, currency, net AS amount FROM {table(SettlementLine)}
                          WHERE booked_at IS NOT NULL AND paid_out_at IS NOT NULL
                          UNION ALL
                         SELECT merchant_id, currency, -amount FROM ({_LIVE}) live
                          WHERE kind = '{LineKind.ACQUIRER}') told
                  WHERE {_OF_HERE} GROUP BY 1, 2) t
        ON (t.merchant_id, t.currency) = (b.merchant_id, b.currency)
     WHERE coalesce(b.amount, 0) <> coalesce(t.amount, 0)
    """,
)
invariant(
    "I22",
    "PAYOUT of a book is the sum of the withdrawals that arrived, less what of them is in a statement",
    f"""
    SELECT coalesce(p.merchant_id, w.merchant_id), coalesce(p.currency, w.currency), p.amount, w.amount
      FROM (SELECT a.merchant_id, a.method, a.currency, b.amount FROM {table(Account)} a
              JOIN {table(Balance)} b ON b.account_id = a.id WHERE a.kind = '{AccountKind.PAYOUT}' AND a.method <> '') p
      FULL JOIN (SELECT merchant_id, rail, currency, sum(amount) AS amount
                   FROM (SELECT merchant_id, rail, payout_currency AS currency, payout_amount AS amount
                           FROM {table(Withdrawal)} WHERE status = '{Status.COMPLETED}'
                          UNION ALL
                         SELECT merchant_id, other_method, currency, amount FROM ({_LIVE}) live
                          WHERE kind IN ({quoted(LineKind.WITHDRAWAL, LineKind.WITHDRAWAL_BACK)})
                            AND {_OF_HERE}) told
                  GROUP BY 1, 2, 3) w
        ON (w.merchant_id, w.rail, w.currency) = (p.merchant_id, p.method, p.currency)
     WHERE coalesce(p.amount, 0) <> coalesce(w.amount, 0)
    """,
)
