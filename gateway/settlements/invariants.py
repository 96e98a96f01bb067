"""Invariants between settlement lines and the books."""

from accounts.base.rows import table
from gateway.settlements.models import SettlementLine
from ledger.books.models import Account, Balance
from ledger.chart import AccountKind
from ledger.verify import invariant

_LINES = f"""
    SELECT merchant_id, currency, sum(fee) AS fee, coalesce(sum(net) FILTER (WHERE paid_out_at IS NOT NULL), 0) AS net
      FROM {table(SettlementLine)} WHERE booked_at IS NOT NULL GROUP BY 1, 2
"""
_BALANCES = f"""
    SELECT a.merchant_id, a.currency,
           -coalesce(sum(b.amount) FILTER (WHERE a.kind = '{AccountKind.ACQUIRER_FEES}'), 0) AS fee,
           -coalesce(sum(b.amount) FILTER (WHERE a.kind = '{AccountKind.BANK}'), 0) AS net
      FROM {table(Account)} a JOIN {table(Balance)} b ON b.account_id = a.id
     WHERE a.kind IN ('{AccountKind.ACQUIRER_FEES}', '{AccountKind.BANK}') GROUP BY 1, 2
"""
invariant(
    "I31",
    "ACQUIRER_FEES of a book is the sum of the fees of its settlement lines, and BANK that of the nets paid out",
    f"""
    SELECT coalesce(b.merchant_id, l.merchant_id), coalesce(b.currency, l.currency), b.fee, l.fee, b.net, l.net
      FROM ({_BALANCES}) b FULL JOIN ({_LINES}) l ON (l.merchant_id, l.currency) = (b.merchant_id, b.currency)
     WHERE coalesce(b.fee, 0) <> coalesce(l.fee, 0) OR coalesce(b.net, 0) <> coalesce(l.net, 0)
    """,
)
