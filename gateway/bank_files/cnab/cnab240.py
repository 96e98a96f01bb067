"""Files from a bank in lines of 240 characters. A file may hold lots about several things."""

from collections.abc import Sequence

from django.utils.translation import gettext_noop as _

from gateway.bank_files.cnab.collection_returns import collection_return
from gateway.bank_files.cnab.envelope import Lot, opened
from gateway.bank_files.cnab.lines import first_line
from gateway.bank_files.cnab.payment_returns import payment_return
from gateway.bank_files.cnab.statements import statement
from gateway.bank_files.shapes import Document, UnreadableFile

_FROM_THE_BANK = "2"
_COLLECTION, _PAYMENTS, _STATEMENT = frozenset("T"), frozenset("AJNO"), frozenset("E")


def recognises(content: bytes) -> bool:
    """Three digits of the bank, lot 0000, type 0; and the line is no line of 400 characters."""
    line = first_line(content)
    return line[:3].isdigit() and line[3:8] == "00000" and len(line) > 142


def read(content: bytes) -> list[Document]:
    file = opened(content)
    is_from_the_bank = file.header["direction"] == _FROM_THE_BANK
    there = [lot for lot in file.lots if lot.details or is_from_the_bank]
    documents: list[Document] = []
    if lots := _with(there, _COLLECTION):
        documents.append(collection_return(file, lots))
    if (lots := _with(there, _PAYMENTS)) and is_from_the_bank:
        documents.append(payment_return(file, lots))
    documents += [statement(file, lot) for lot in _with(there, _STATEMENT)]
    if not documents and not is_from_the_bank:
        raise UnreadableFile(_("This is a file to the bank, not from it."), 1)
    if not documents:
        raise UnreadableFile(_("The file holds nothing that can be read here: no segment that is known."))
    return documents


def _with(lots: Sequence[Lot], segments: frozenset[str]) -> list[Lot]:
    return [lot for lot in lots if lot.segments & segments]
