"""Postings of settlement lines (+ credit, - debit). They move no wallet."""

from gateway.settlements.models import SettlementLine
from ledger.books.services import Move, Side
from ledger.chart import AccountKind


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
