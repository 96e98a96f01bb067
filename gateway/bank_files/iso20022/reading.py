"""A file of ISO 20022 messages, read."""

from collections.abc import Callable, Iterator, Mapping

from django.utils.translation import gettext_noop as _

from gateway.bank_files.iso20022 import answers, camt
from gateway.bank_files.iso20022.messages import Message, messages
from gateway.bank_files.shapes import Document, UnreadableFile

_READERS: Mapping[str, Callable[[Message], Iterator[Document]]] = {
    "BkToCstmrStmt": camt.read,
    "BkToCstmrAcctRpt": camt.read,
    "BkToCstmrDbtCdtNtfctn": camt.read,
    "CstmrPmtStsRpt": answers.status_report,
    "PmtRtr": answers.payment_return,
}


def recognises(content: bytes) -> bool:
    """Whether it is XML."""
    start = content[:4096].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    return start.startswith(b"<")


def read(content: bytes) -> list[Document]:
    """All that its messages say. Raises UnreadableFile."""
    found: list[Document] = []
    for message in messages(content, {"Ntry": camt.entry}):
        reader = _READERS.get(message.body.tag)
        if reader is None:
            raise UnreadableFile(
                _("Messages of the type %(name)s are not read."), name=message.name or message.body.tag
            )
        found.extend(reader(message))
    if not found:
        raise UnreadableFile(_("The file holds no message of a bank."))
    return found
