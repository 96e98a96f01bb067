"""The messages of an XML file, and what all of them share."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from django.utils.translation import gettext_noop as _

from gateway.bank_files.iso20022.tree import Maker, Node, documents
from gateway.bank_files.money import Malformed, plain
from gateway.bank_files.shapes import Party, UnreadableFile

NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:"
_VERSION = re.compile(r"V\d\d$")
"""The first versions repeat it in the name of the element."""
NO_REFERENCE = {"NOTPROVIDED", "NONREF", "NOTAVAILABLE"}
"""What the standard, and banks, write where there is no reference."""


@dataclass(frozen=True, slots=True)
class Message:
    """`name` is that of the schema, for example camt.053.001.08; `body` the element below Document."""

    name: str
    body: Node


def messages(content: bytes, makers: Mapping[str, Maker]) -> Iterator[Message]:
    """Each message of a file. Raises UnreadableFile."""
    for namespace, document in documents(content, makers):
        for body in document.children:
            body.tag = _VERSION.sub("", body.tag)
            yield Message(namespace.removeprefix(NAMESPACE) or body.tag, body)


def text(element: Node | None, path: str) -> str:
    """The text at the path, "" if there is none."""
    found = element.find(path) if element is not None else None
    return found.text.strip() if found is not None else ""


def reference(element: Node, path: str) -> str:
    """As text, and "" for the words that stand for no reference."""
    found = text(element, path)
    return "" if found.upper() in NO_REFERENCE else found


def code(element: Node | None, path: str) -> str:
    """A code, or the bank's own in its place; older versions write it without a choice below it."""
    return text(element, f"{path}/Cd") or text(element, f"{path}/Prtry") or text(element, path)


def money(element: Node | None, path: str = "") -> tuple[Decimal, str]:
    """An amount and its currency. Raises UnreadableFile."""
    found = element.find(path) if element is not None and path else element
    if found is None:
        raise UnreadableFile(_("An amount is missing: %(path)s."), path=path)
    try:
        return plain(found.text), found.currency
    except Malformed:
        raise UnreadableFile(_("An amount is no number.")) from None


def day(element: Node, *paths: str) -> date | None:
    """The first of the paths that is there; of a time, the day as the bank writes it. Raises UnreadableFile."""
    for path in paths:
        found = text(element, path)
        if found:
            try:
                return date.fromisoformat(found[:10])
            except ValueError:
                raise UnreadableFile(_("A date is none: %(path)s."), path=path) from None
    return None


def moment(element: Node, path: str) -> datetime:
    """A time; one without an offset is taken as UTC. Raises UnreadableFile."""
    try:
        found = datetime.fromisoformat(text(element, path))
    except ValueError:
        raise UnreadableFile(_("A time is missing: %(path)s."), path=path) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def account(element: Node | None) -> Party:
    """An account with its holder and its bank, as a statement names it."""
    if element is None:
        return Party("")
    return party(element.find("Ownr"), element, element.find("Svcr"))


def party(holder: Node | None, number: Node | None, agent: Node | None) -> Party:
    """Whose account it is, from the three elements that say so. CLABE and CBU are known by their length."""
    iban = "".join(text(number, "Id/IBAN").split())
    other = text(number, "Id/Othr/Id")
    scheme = code(number, "Id/Othr/SchmeNm").upper()
    is_cbu = len(other) == 22 and other.isdigit()
    is_clabe = not is_cbu and len(other) == 18 and other.isdigit() and scheme in {"", "CLABE", "BBAN"}
    return Party(
        name=_name(holder),
        tax_id=_tax_id(holder),
        bank=text(agent, "FinInstnId/ClrSysMmbId/MmbId"),
        branch=text(agent, "BrnchId/Id"),
        account="" if is_cbu or is_clabe else other,
        iban=iban,
        bic=_bic(agent),
        clabe=other if is_clabe else "",
        cbu=other if is_cbu else "",
        pix_key=text(number, "Prxy/Id"),
    )


def _name(holder: Node | None) -> str:
    """Newer versions nest the party below the choice of a party or a bank."""
    return text(holder, "Nm") or text(holder, "Pty/Nm")


def _tax_id(holder: Node | None) -> str:
    for path in ("Id", "Pty/Id"):
        if holder is None or holder.find(path) is None:
            continue
        for kind in ("OrgId", "PrvtId"):
            if found := text(holder, f"{path}/{kind}/Othr/Id"):
                return found
    return ""


def _bic(agent: Node | None) -> str:
    return text(agent, "FinInstnId/BICFI") or text(agent, "FinInstnId/BIC")
