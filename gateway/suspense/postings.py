"""Postings of money in suspense. Money of an unknown company has none."""

from gateway.suspense.models import SuspenseItem
from ledger.books.services import Move, Side
from ledger.chart import AccountKind


def held(item: SuspenseItem) -> list[Move]:
    """The provider owes it to us or the bank has it, and it belongs to nobody yet; or it left our bank account."""
    return [_move(item, item.amount)]


def let_go(item: SuspenseItem) -> list[Move]:
    """It was returned to the sender, or the posting of what it is follows."""
    return [_move(item, -item.amount)]


def _move(item: SuspenseItem, minor: int) -> Move:
    """Into suspense, or if negative out of it."""
    source = _side(AccountKind.BANK if item.is_line else AccountKind.CLEARING, item)
    suspense = _side(AccountKind.SUSPENSE, item)
    return Move(minor, debit=source, credit=suspense) if minor > 0 else Move(-minor, debit=suspense, credit=source)


def _side(kind: AccountKind, item: SuspenseItem) -> Side:
    return Side(kind, item.bank_account or item.method, item.currency)
