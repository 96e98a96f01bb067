"""The ledger's tables, of all its rooms: Django looks only here."""

from ledger.books.models import Account, Balance, Entry, Transfer
from ledger.holds.models import Hold
from ledger.proofs.models import Proof
from ledger.rates.models import Rate
from ledger.receivables.models import Advance, AdvanceItem, Receivable

__all__ = ["Account", "Advance", "AdvanceItem", "Balance", "Entry", "Hold", "Proof", "Rate", "Receivable", "Transfer"]
