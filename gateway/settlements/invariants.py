"""Invariants between settlement lines and the books."""

from accounts.base.rows import table
from accounts.cells import LIVING_HERE
from gateway.settlements.models import SettlementLine
from ledger.books.models import Account, Balance
from ledger.chart import AccountKind
from ledger.verify import invariant

invariant(
    "I31",
    "ACQUIRER_FEES of a book is the sum of the fees of its settlement lines",
    f"""
    SELECT coalesce(b.merchant_id, l.merchant_id), coalesce(b.currency, l.currency), b.fee, l.fee
      FROM (SELECT a.merchant_id, a.currency, -sum(b.amount) AS fee
              FROM {table(Account)} a JOIN {table(Balance)} b ON b.account_id = a.id
             WHERE a.kind = '{AccountKind.ACQUIRER_FEES}' GROUP BY 1, 2) b
      FULL JOIN (SELECT merchant_id, currency, sum(fee) AS fee FROM {table(SettlementLine)}
                  WHERE booked_at IS NOT NULL AND merchant_id IN {LIVING_HERE} GROUP BY 1, 2) l
        ON (l.merchant_id, l.currency) = (b.merchant_id, b.currency)
     WHERE coalesce(b.fee, 0) <> coalesce(l.fee, 0)
    """,
)
