"""Postings of settlement lines (+ credit, - debit). They move no wallet."""

from gateway.settlements.models import SettlementLine
from ledger.books.services import Move, Side, fx
from ledger.chart import AccountKind


def exchanged(line: SettlementLine) -> list[Move]:
    """The acquirer owes us an amount of the currency that it settles in, no longer that of the payment."""
    if line.gross_currency == line.currency or not line.gross:
        return []
    owed, owes = (Side(AccountKind.CLEARING, line.method, code) for code in (line.gross_currency, line.currency))
    sold, bought = (fx(AccountKind.FX_POSITION, code) for code in (line.gross_currency, line.currency))
    if line.gross > 0:
        return [Move(line.gross, debit=sold, credit=owed), Move(line.received, debit=owes, credit=bought)]
    return [Move(-line.gross, debit=owed, credit=sold), Move(-line.received, debit=bought, credit=owes)]


def fee(line: SettlementLine) -> list[Move]:
    """The acquirer owes us less by its fee; one that it gives back, more."""
    return _moved(line, line.fee, AccountKind.ACQUIRER_FEES)


def paid_out(line: SettlementLine) -> list[Move]:
    """The acquirer has paid the net to our bank account, or kept it."""
    return _moved(line, line.net, AccountKind.BANK)


def _moved(line: SettlementLine, minor: int, kind: AccountKind) -> list[Move]:
    clearing = Side(AccountKind.CLEARING, line.method, line.currency)
    other = Side(kind, "", line.currency)
    if not minor:
        return []
    if minor > 0:
        return [Move(minor, debit=other, credit=clearing)]
    return [Move(-minor, debit=clearing, credit=other)]
