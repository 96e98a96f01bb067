"""The ledger's tables, of all its rooms: Django looks only here."""

from ledger.books.models import Account, Balance, Entry, Transfer

__all__ = ["Account", "Balance", "Entry", "Transfer"]
