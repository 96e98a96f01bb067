"""OFX, the statement that banks of Brazil, Mexico and the United States offer for download: 1.x (SGML) and 2.x (XML).

One scanner reads both. It knows tags, of which closing ones may be missing, and characters, but no entities of a file's
own. There is a balance at the end only, and amounts may have either decimal mark.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from html import unescape

from django.utils.translation import gettext_noop as _

from gateway.bank_files.checks import checked
from gateway.bank_files.money import Malformed, with_some_mark
from gateway.bank_files.shapes import Document, Party, Statement, StatementLine, UnreadableFile
from gateway.bank_files.texts import decoded, joined

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9._]*)\s*/?>([^<]*)")
_DAY = re.compile(r"(\d{4})([-/]?)(\d{2})\2(\d{2})", re.ASCII)
_STATEMENTS = {"STMTRS", "CCSTMTRS"}
_OF_STATEMENT = {"BANKACCTFROM", "CCACCTFROM", "BANKTRANLIST", "LEDGERBAL", "AVAILBAL", "BALLIST", "BAL"}
_OF_TRANSACTION = {"BANKACCTTO", "CCACCTTO", "CURRENCY", "ORIGCURRENCY", "PAYEE"}
_ENDS = {"OFX", "STMTRS", "CCSTMTRS"}
_OPENING = re.compile(r"saldo (anterior|inicial)")
_BALANCE = re.compile(
    r"s ?a ?l ?d ?o( (anterior|inicial|final|atual|total|em conta corrente|bloqueado anterior|bloq\.? ?anterior))?"
    r"|saldo( total)?( disponivel)?( do)? dia|saldo( total)? disponivel"
)
"""Brazilian banks write balances between the transactions, in these words and no others."""
_OUT = {"DEBIT", "PAYMENT", "CHECK", "ATM", "POS", "FEE", "SRVCHG", "DIRECTDEBIT", "CASH", "REPEATPMT"}

_Written = tuple[int, dict[str, str]]
"""A transaction with its line in the file."""


@dataclass(slots=True)
class _Found:
    """One statement as it is written. Members of a section have its name in front, as in LEDGERBAL.BALAMT."""

    members: dict[str, str] = field(default_factory=dict)
    transactions: list[_Written] = field(default_factory=list)
    is_whole: bool = False


def recognises(content: bytes) -> bool:
    start = content[:4096].replace(b"\0", b"").upper()
    return b"OFXHEADER" in start or b"<OFX>" in start


def read(content: bytes) -> list[Document]:
    """The statement of each account in it. Raises UnreadableFile."""
    text = decoded(content)
    text = _between(text, "<!--", "-->", lambda inside: "\n" * inside.count("\n"))
    text = _between(text, "<![CDATA[", "]]>", lambda inside: inside.replace("&", "&amp;").replace("<", "&lt;"))
    found: list[Document] = [_statement(one) for one in _scanned(text)]
    if not found:
        raise UnreadableFile(_("The file holds no statement of an account."))
    return found


def _between(text: str, begin: str, end: str, change: Callable[[str], str]) -> str:
    """The text with each part between two marks, and them, changed."""
    first, *others = text.split(begin)
    parts = [first]
    for other in others:
        inside, closed, after = other.partition(end)
        parts.append(change(inside) + after if closed else begin + other)
    return "".join(parts)


class _Scanner:
    """Takes tags one after the other."""

    def __init__(self) -> None:
        self.found: list[_Found] = []
        self._members: dict[str, str] = {}
        self._section = ""

    def open(self, tag: str, value: str, line: Callable[[], int]) -> None:
        if tag in _STATEMENTS:
            self.found.append(_Found())
            self._members, self._section = self.found[-1].members, ""
        elif not self.found:
            return
        elif tag == "STMTTRN":
            self._members, self._section = {}, ""
            self.found[-1].transactions.append((line(), self._members))
        elif tag in _OF_STATEMENT:
            self._members, self._section = self.found[-1].members, f"{tag}."
        elif tag in _OF_TRANSACTION:
            self._section = f"{tag}."
        elif value:
            self._members.setdefault(self._section + tag, unescape(value) if "&" in value else value)

    def close(self, tag: str) -> None:
        if tag in _OF_TRANSACTION or tag in _OF_STATEMENT:
            self._section = ""
        if self.found and tag in {"STMTTRN", "BANKTRANLIST"}:
            self._members = self.found[-1].members
        if self.found and tag in _ENDS:
            self.found[-1].is_whole = True


def _scanned(text: str) -> list[_Found]:
    scanner = _Scanner()
    line, counted_to = 1, 0

    def line_here() -> int:
        nonlocal line, counted_to
        line, counted_to = line + text.count("\n", counted_to, match.start()), match.start()
        return line

    for match in _TAG.finditer(text):
        if match[1]:
            scanner.close(match[2].upper())
        else:
            scanner.open(match[2].upper(), match[3].strip(), line_here)
    return scanner.found


def _statement(found: _Found) -> Statement:
    members = found.members
    if not found.is_whole and "LEDGERBAL.BALAMT" not in members:
        raise UnreadableFile(_("The file is cut off."), found.transactions[-1][0] if found.transactions else 0)
    currency = members.get("CURDEF", "").upper()
    is_unsigned = _is_unsigned(found)
    balances: list[_Written] = []
    movements: list[_Written] = []
    for one in found.transactions:
        (balances if _BALANCE.fullmatch(_plain(_text(one[1]))) else movements).append(one)
    lines = [_line(number, one, currency, is_unsigned=is_unsigned) for number, one in movements]
    as_of = _day(members.get("LEDGERBAL.DTASOF", ""))
    days = [line.booked_on for line in lines]
    opened_on = _day(members.get("BANKTRANLIST.DTSTART", "")) or min(days, default=as_of)
    closed_on = _day(members.get("BANKTRANLIST.DTEND", "")) or max(days, default=as_of)
    if opened_on is None or closed_on is None:
        raise UnreadableFile(_("The statement names no day."))
    closed_on = max([closed_on, *days])
    # A balance of another day says nothing about these movements.
    has_balance = "LEDGERBAL.BALAMT" in members and as_of in {closed_on, None}
    return checked(
        Statement(
            format="OFX",
            account=_account(members),
            currency=currency,
            opened_on=min([opened_on, *days]),
            closed_on=closed_on,
            lines=lines,
            opening=_opening(balances),
            closing=_amount(members["LEDGERBAL.BALAMT"], 0) if has_balance else None,
        )
    )


def _opening(balances: Sequence[_Written]) -> Decimal | None:
    """That of the first day, if it is among them."""
    openings = [one for one in balances if _OPENING.fullmatch(_plain(_text(one[1])))]
    if not openings:
        return None
    line, members = min(openings, key=lambda one: one[1].get("DTPOSTED", "")[:8])
    return _amount(members.get("TRNAMT", ""), line)


def _plain(text: str) -> str:
    """In small letters without accents."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _is_unsigned(found: _Found) -> bool:
    """Whether only the type says which way the money went: money out is there, and no amount has a minus."""
    kinds = {members.get("TRNTYPE", "").upper() for _, members in found.transactions}
    return bool(kinds & _OUT) and not any("-" in members.get("TRNAMT", "") for _, members in found.transactions)


def _text(members: dict[str, str]) -> str:
    return joined(members.get("NAME", ""), members.get("PAYEE.NAME", ""), members.get("MEMO", ""))


def _line(number: int, members: dict[str, str], currency: str, *, is_unsigned: bool) -> StatementLine:
    booked_on = _day(members.get("DTPOSTED", "")) or _day(members.get("DTUSER", ""))
    if booked_on is None:
        raise UnreadableFile(_("A transaction has no date."), number)
    if members.get("CURRENCY.CURSYM", currency).upper() != currency:
        raise UnreadableFile(_("A transaction is in another currency than the statement."), number)
    kind = members.get("TRNTYPE", "").upper()
    amount = _amount(members.get("TRNAMT", ""), number)
    return StatementLine(
        amount=-amount if is_unsigned and kind in _OUT else amount,
        booked_on=booked_on,
        reference=members.get("FITID", ""),
        code=kind,
        text=joined(_text(members), *(members.get(name, "") for name in ("CHECKNUM", "REFNUM"))),
        counterparty=_counterparty(members),
    )


def _amount(written: str, line: int) -> Decimal:
    try:
        return with_some_mark("".join(written.split()))
    except Malformed:
        raise UnreadableFile(
            _("An amount is no number, or could be two: %(written)s."), line, written=repr(written[:30])
        ) from None


def _day(written: str) -> date | None:
    """The day as the bank writes it, in the bank's time. Zeros stand for no day."""
    found = _DAY.match(written)
    if not found or not int(found[1] + found[3] + found[4]):
        return None
    try:
        return date(int(found[1]), int(found[3]), int(found[4]))
    except ValueError:
        return None


def _account(members: dict[str, str]) -> Party:
    written = members.get("BANKACCTFROM.ACCTID") or members.get("CCACCTFROM.ACCTID", "")
    branch, slash, number = written.partition("/")
    if not slash or members.get("BANKACCTFROM.BRANCHID"):
        branch, number = members.get("BANKACCTFROM.BRANCHID", ""), written
    branch, branch_digit = _with_digit(branch)
    account, account_digit = _with_digit(number)
    kind = members.get("BANKACCTFROM.ACCTTYPE", "").upper()
    return Party(
        name="",
        bank=members.get("BANKACCTFROM.BANKID", ""),
        branch=branch,
        branch_digit=branch_digit,
        account=account,
        account_digit=account_digit,
        account_type=kind if kind in {"CHECKING", "SAVINGS"} else "",
        clabe=number if len(number) == 18 and number.isdigit() else "",
    )


def _with_digit(number: str) -> tuple[str, str]:
    """A number and the check digit that stands behind a hyphen."""
    bare, hyphen, digit = number.rpartition("-")
    return (bare, digit) if hyphen and len(digit) == 1 else (number, "")


def _counterparty(members: dict[str, str]) -> Party | None:
    name = members.get("NAME") or members.get("PAYEE.NAME", "")
    number = members.get("BANKACCTTO.ACCTID") or members.get("CCACCTTO.ACCTID", "")
    if not name and not number:
        return None
    return Party(name=name, bank=members.get("BANKACCTTO.BANKID", ""), account=number)
