"""Statements (camt.053), reports of the day (camt.052) and notices of single movements (camt.054), .02 to .13."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from django.utils.translation import gettext_noop as _

from gateway.bank_files.checks import checked
from gateway.bank_files.iso20022 import entries
from gateway.bank_files.iso20022.messages import Message, account, code, day, money, text
from gateway.bank_files.iso20022.tree import Node
from gateway.bank_files.shapes import Statement, StatementLine, UnreadableFile

PARTS = {"BkToCstmrStmt": "Stmt", "BkToCstmrAcctRpt": "Rpt", "BkToCstmrDbtCdtNtfctn": "Ntfctn"}
"""What each message calls the part of one account."""
_OPENINGS = ("OPBD", "PRCD")
_CLOSING, _INTERIM = "CLBD", "ITBD"


@dataclass(frozen=True, slots=True)
class _Balance:
    kind: str
    amount: Decimal
    on: date | None


def read(message: Message) -> Iterator[Statement]:
    """Each account's part of the message. Only a camt.053 is a statement of all that was booked; the others are
    notices. Raises UnreadableFile.
    """
    for part in message.body.all(PARTS[message.body.tag]):
        yield checked(_statement(message, part))


def entry(part: Node, found: Node) -> list[StatementLine]:
    """The movements of an entry of this part, which has named its currency before. Raises UnreadableFile."""
    if not entries.is_booked(found):
        return []
    part.currency = part.currency or _currency(part, found)
    return entries.lines(found, part.currency, day(part, "CreDtTm"))


def _statement(message: Message, part: Node) -> Statement:
    currency = part.currency or _currency(part)
    balances = [_balance(element, currency) for element in part.all("Bal")]
    opening, closing = _opening(balances), _closing(balances)
    lines = [line for of_entry in part.made for line in of_entry]
    is_notice = message.body.tag != "BkToCstmrStmt"
    if not is_notice and (opening is None or closing is None):
        raise UnreadableFile(_("The statement lacks a booked opening or closing balance."))
    opened_on, closed_on = _period(part, lines, opening, closing)
    return Statement(
        format=message.name,
        account=account(part.find("Acct")),
        currency=currency,
        opened_on=opened_on,
        closed_on=closed_on,
        lines=lines,
        number=text(part, "ElctrncSeqNb") or text(part, "LglSeqNb") or text(part, "Id"),
        opening=None if is_notice or opening is None else opening.amount,
        closing=None if is_notice or closing is None else closing.amount,
        is_notice=is_notice,
    )


def _currency(part: Node, first: Node | None = None) -> str:
    """The account's, or that of its balances, or else of an entry."""
    if named := text(part, "Acct/Ccy"):
        return named
    amount = part.find("Bal/Amt") or (first.find("Amt") if first is not None else None)
    return amount.currency if amount is not None else ""


def _balance(element: Node, currency: str) -> _Balance:
    """Without a credit line that the bank counts as ours."""
    amount = entries.signed(element, currency)
    for line in element.all("CdtLine"):
        if text(line, "Incl") in {"true", "1"} and line.find("Amt") is not None:
            amount -= money(line, "Amt")[0]
    return _Balance(code(element, "Tp/CdOrPrtry"), amount, day(element, "Dt/Dt", "Dt/DtTm"))


def _opening(balances: list[_Balance]) -> _Balance | None:
    """The booked one, or on a further page of a statement the interim one that it begins with."""
    named = [one for kind in _OPENINGS for one in balances if one.kind == kind]
    interim = [one for one in balances if one.kind == _INTERIM]
    if not named and len(interim) + any(one.kind == _CLOSING for one in balances) > 1:
        named = interim
    return named[0] if named else None


def _closing(balances: list[_Balance]) -> _Balance | None:
    named = [one for one in balances if one.kind == _CLOSING] or [one for one in balances if one.kind == _INTERIM]
    return named[-1] if named else None


def _period(
    part: Node, lines: list[StatementLine], opening: _Balance | None, closing: _Balance | None
) -> tuple[date, date]:
    days = [line.booked_on for line in lines]
    opened = opening.on if opening and opening.kind != "PRCD" else None
    first = day(part, "FrToDt/FrDtTm", "FrToDt/FrDt") or opened or min(days, default=None)
    last = (closing.on if closing else None) or day(part, "FrToDt/ToDtTm", "FrToDt/ToDt") or max(days, default=None)
    made = day(part, "CreDtTm")
    first, last = first or last or made, last or first or made
    if first is None or last is None:
        raise UnreadableFile(_("The statement names no day."))
    return min(first, last), max(first, last)
