"""What becomes of the documents in files of banks. The room of each kind of document registers a handler at startup."""

from enum import StrEnum
from typing import Any, Protocol

from django.utils.translation import gettext_noop as _

from gateway.bank_files.shapes import CollectionReturn, Document, PaymentReturn, Remark, Statement
from gateway.reconciliation.models import BankAccount, ImportedFile


class RefusalCause(StrEnum):
    """Why a file takes no effect."""

    UNREADABLE = "UNREADABLE"  # damaged, or of no known format
    OTHER_ACCOUNT = "OTHER_ACCOUNT"
    OTHER_CURRENCY = "OTHER_CURRENCY"
    KNOWN = "KNOWN"  # the same was imported before
    ALTERED = "ALTERED"  # the same number as one before, with other content
    OLD = "OLD"  # of a time that is already booked
    GAP = "GAP"  # a file before it is missing
    NO_BALANCE = "NO_BALANCE"  # the first statement says no balance
    NOTHING_TO_DO = "NOTHING_TO_DO"  # nothing in it concerns us
    INCOMPLETE = "INCOMPLETE"  # lines seem to be missing: people decide


class DocumentRefused(Exception):
    """A document that cannot take effect, and so neither can its file. The remarks are for people."""

    def __init__(self, cause: RefusalCause, *remarks: Remark, line: int = 0) -> None:
        super().__init__(*remarks)
        self.cause, self.remarks, self.line = cause, remarks, line


class Handler(Protocol):
    """Lets documents of one kind take effect. The account of each is the file's: that was checked.

    All documents of a file are applied in one transaction that holds the bank account: a handler that raises lets
    nothing of the file happen. What takes long is stored there, and done by due work afterwards.
    """

    def check(self, account: BankAccount, documents: list[Any]) -> None:
        """Raises DocumentRefused if these, all of the kind in a file, cannot take effect now. Changes nothing."""

    def lines(self, account: BankAccount, documents: list[Any]) -> list[tuple[str, str]]:
        """What they say and will change, each with its label, for the person who confirms."""

    def apply(self, file: ImportedFile, documents: list[Any]) -> None:
        """Lets them take effect, after `check`, in the same transaction."""


_handlers: dict[type[Document], Handler] = {}
KINDS = (Statement, PaymentReturn, CollectionReturn)


def register(kind: type[Document], handler: Handler) -> None:
    """Makes `handler` that of all documents of this kind."""
    assert kind in KINDS and kind not in _handlers
    _handlers[kind] = handler


def handled(documents: list[Document]) -> list[tuple[Handler, list[Any]]]:
    """The documents of a file by their handlers: answers before statements, which they explain.

    Raises DocumentRefused for one that nobody handles.
    """
    found = []
    for kind in (PaymentReturn, CollectionReturn, Statement):
        same = [one for one in documents if isinstance(one, kind)]
        if same and kind not in _handlers:
            raise DocumentRefused(
                RefusalCause.NOTHING_TO_DO, Remark(_("Files with a %(kind)s are not applied."), {"kind": kind.__name__})
            )
        if same:
            found.append((_handlers[kind], same))
    return found
