"""Postings of money in suspense. Money of an unknown company has none."""

from gateway.suspense.models import SuspenseItem
from ledger.books.services import Move, Side
from ledger.chart import AccountKind


def held(item: SuspenseItem) -> list[Move]:
    """The provider owes it to us, and it belongs to nobody yet."""
    return [Move(item.amount, debit=_side(AccountKind.CLEARING, item), credit=_side(AccountKind.SUSPENSE, item))]


def let_go(item: SuspenseItem) -> list[Move]:
    """It was returned to the sender, or the posting of its payment follows."""
    return [Move(item.amount, debit=_side(AccountKind.SUSPENSE, item), credit=_side(AccountKind.CLEARING, item))]


def _side(kind: AccountKind, item: SuspenseItem) -> Side:
    return Side(kind, item.method, item.currency)
