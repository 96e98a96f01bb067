"""Segment E of a file of 240 characters: what happened on an account, between two balances."""

from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_noop as _

from gateway.bank_files.cnab import layouts
from gateway.bank_files.cnab.envelope import WIDTH, Envelope, Line, Lot
from gateway.bank_files.shapes import Party, Statement, StatementLine, UnreadableFile

_CREDIT, _DEBIT = "C", "D"
_ZERO = Decimal(0)


def statement(file: Envelope, lot: Lot) -> Statement:
    """UnreadableFile unless the movements lead from the opening balance to the closing one."""
    assert lot.trailer is not None
    header, trailer = _read("lot_header", lot.header), _read("lot_trailer", lot.trailer)
    if header["opened_on"] is None or trailer["closed_on"] is None:
        raise UnreadableFile(_("A balance has no date."), lot.header.number)
    found = Statement(
        format="CNAB 240",
        account=_account(file, header),
        currency=header["currency"] or "BRL",
        opened_on=header["opened_on"],
        closed_on=trailer["closed_on"],
        lines=tuple(_line(line) for line in lot.details if line.segment == "E"),
        number=header["number"].lstrip("0"),
        opening=_signed(header["opening"], header["opening_side"], lot.header),
        closing=_signed(trailer["closing"], trailer["closing_side"], lot.trailer),
    )
    _check(found, trailer, lot.trailer)
    return found


def _read(kind: str, line: Line) -> dict[str, Any]:
    return layouts.record(WIDTH, layouts.data("statement_240")[kind]).read(line.text, line.number)


def _account(file: Envelope, header: dict[str, Any]) -> Party:
    return Party(
        name=header["holder"],
        tax_id=header["tax_id"],
        bank=file.bank,
        branch=header["branch"],
        branch_digit=header["branch_digit"],
        account=header["account"],
        account_digit=header["account_digit"] or header["both_digit"],
    )


def _line(line: Line) -> StatementLine:
    found = _read("e", line)
    if found["booked_on"] is None:
        raise UnreadableFile(_("A movement has no date."), line.number)
    return StatementLine(
        amount=_signed(found["amount"], found["side"], line),
        booked_on=found["booked_on"],
        reference=found["document"],
        code=found["code"] or found["category"],
        text=" ".join(part for part in (found["text"], found["document"]) if part),
    )


def _signed(amount: Decimal, side: str, line: Line) -> Decimal:
    if side not in (_CREDIT, _DEBIT) and amount:
        raise UnreadableFile(_("An amount is neither credit nor debit, but %(side)s."), line.number, side=repr(side))
    return -amount if side == _DEBIT else amount


def _check(found: Statement, trailer: dict[str, Any], line: Line) -> None:
    total = sum((movement.amount for movement in found.lines), _ZERO)
    assert found.opening is not None
    if found.opening + total != found.closing:
        raise UnreadableFile(
            _("From %(opening)s the movements lead to %(sum)s, not to %(closing)s."),
            line.number,
            opening=found.opening,
            sum=found.opening + total,
            closing=found.closing,
        )
    debits = -sum((movement.amount for movement in found.lines if movement.amount < 0), _ZERO)
    if trailer["debits"] and trailer["debits"] != debits:
        wrong = _("The trailer sums the debits up to %(total)s, its lines to %(sum)s.")
        raise UnreadableFile(wrong, line.number, total=trailer["debits"], sum=debits)
    credits = sum((movement.amount for movement in found.lines if movement.amount > 0), _ZERO)
    if trailer["credits"] and trailer["credits"] != credits:
        wrong = _("The trailer sums the credits up to %(total)s, its lines to %(sum)s.")
        raise UnreadableFile(wrong, line.number, total=trailer["credits"], sum=credits)
