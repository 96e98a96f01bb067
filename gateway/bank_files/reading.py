"""Any file of a bank, read. Formats are recognised by what they contain, never by a name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_noop as _

from gateway.bank_files import csv_statement, mt940, ofx
from gateway.bank_files.cnab import cnab240, cnab400
from gateway.bank_files.csv_statement import CsvMapping
from gateway.bank_files.iso20022 import reading as iso20022
from gateway.bank_files.shapes import Document, UnreadableFile

MAX_BYTES = 50 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Format:
    """`recognises` looks at the beginning only; `read` raises UnreadableFile where the file cannot be trusted."""

    recognises: Callable[[bytes], bool]
    read: Callable[[bytes], list[Document]]


FORMATS: Sequence[Format] = (
    Format(cnab400.recognises, cnab400.read),
    Format(cnab240.recognises, cnab240.read),
    Format(ofx.recognises, ofx.read),
    Format(iso20022.recognises, iso20022.read),
    Format(mt940.recognises, mt940.read),
)
"""Asked in this order."""


def read(content: bytes, mapping: CsvMapping | None = None) -> list[Document]:
    """What the file says, at least one document. UnreadableFile if it is damaged, does not add up or is unknown.

    With a mapping, a file of no known format is read as CSV.
    """
    if len(content) > MAX_BYTES:
        raise UnreadableFile(_("The file is larger than %(megabytes)s MB."), megabytes=MAX_BYTES // 1024**2)
    if not content.strip():
        raise UnreadableFile(_("The file is empty."))
    found = next((form for form in FORMATS if form.recognises(content)), None)
    if found is not None:
        return found.read(content)
    if mapping is None:
        raise UnreadableFile(_("The format of the file is not known."))
    return [*csv_statement.read(content, mapping)]
