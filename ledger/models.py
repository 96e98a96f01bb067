"""The models of all rooms of the ledger: Django finds them only here."""

from ledger.books.models import Account, Balance, Entry, Transfer
from ledger.closings.models import ClosedBalance, ClosedDay, Closing, ReplacedSeal, Resealing, Seal
from ledger.holds.models import Hold
from ledger.proofs.models import Proof, ProvedAccount, ProvedBlock, Round
from ledger.rates.models import Rate
from ledger.receivables.models import Advance, AdvanceItem, Receivable, Taking

__all__ = [
    "Account",
    "Advance",
    "AdvanceItem",
    "Balance",
    "ClosedBalance",
    "ClosedDay",
    "Closing",
    "Entry",
    "Hold",
    "Proof",
    "ProvedAccount",
    "ProvedBlock",
    "Rate",
    "Receivable",
    "ReplacedSeal",
    "Resealing",
    "Round",
    "Seal",
    "Taking",
    "Transfer",
]
