"""Segments T and U of a file of 240 characters: what a bank says of boletos."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

from django.utils.translation import gettext_noop as _

from gateway.bank_files.cnab import layouts
from gateway.bank_files.cnab.envelope import WIDTH, Envelope, Line, Lot
from gateway.bank_files.cnab.records import Record, codes
from gateway.bank_files.shapes import CollectionReturn, SlipAnswer, SlipEvent, UnreadableFile

_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Dialect:
    t: Record
    u: Record
    events: Mapping[str, SlipEvent]


@cache
def dialect_of(bank: str) -> Dialect:
    """A bank that has no table uses FEBRABAN's layout."""
    table = layouts.data("collection_240")
    banks: dict[str, dict[str, Any]] = table["banks"]
    same = (own for own in banks.values() if bank in own.get("same_as_banks", ()))
    own = banks.get(bank) or next(same, {})
    events: dict[str, list[str]] = table["codes"] | own.get("codes", {})
    return Dialect(
        t=layouts.record(WIDTH, table["t"], own.get("t", {})),
        u=layouts.record(WIDTH, table["u"], own.get("u", {})),
        events={code: SlipEvent(event) for event, found in events.items() for code in found},
    )


def collection_return(file: Envelope, lots: list[Lot]) -> CollectionReturn:
    dialect = dialect_of(file.bank)
    layout = layouts.record(WIDTH, layouts.data("collection_240")["lot_header"])
    header = layout.read(lots[0].header.text, lots[0].header.number)
    answers = tuple(answer for lot in lots for answer in _answers(dialect, lot))
    return CollectionReturn(
        format="CNAB 240",
        account=file.account,
        agreement=header["agreement"],
        sequence=file.sequence,
        made_on=file.made_on or header["made_on"] or _last_day(answers),
        answers=answers,
        doubts=tuple(file.doubts),
    )


def _last_day(answers: Sequence[SlipAnswer]) -> date:
    """Where no header has a date: that of the last payment."""
    days = [answer.paid_on for answer in answers if answer.paid_on]
    if not days:
        raise UnreadableFile(_("The header has no date."), 1)
    return max(days)


def _answers(dialect: Dialect, lot: Lot) -> Iterator[SlipAnswer]:
    """Each T with the U behind it; other segments tell nothing about money."""
    waiting: Line | None = None
    for line in lot.details:
        if line.segment not in "TU":
            continue
        if (line.segment == "T") is (waiting is not None):
            raise UnreadableFile(_("A segment T has no U, or a U no T."), line.number)
        if waiting is not None:
            yield _answer(dialect, waiting, line)
            waiting = None
        else:
            waiting = line
    if waiting is not None:
        raise UnreadableFile(_("The last segment T has no U."), waiting.number)


def _answer(dialect: Dialect, t_line: Line, u_line: Line) -> SlipAnswer:
    title = dialect.t.read(t_line.text, t_line.number)
    money = dialect.u.read(u_line.text, u_line.number)
    if u_line.text[15:17] != t_line.text[15:17] and (money["paid"] or money["credited"]):
        raise UnreadableFile(_("A segment U with money has another code than its T."), u_line.number)
    event = dialect.events.get(title["code"], SlipEvent.OTHER)
    if event is SlipEvent.PAID and not money["paid"]:
        event = SlipEvent.OTHER  # nothing was paid
    is_paid = event is SlipEvent.PAID
    return SlipAnswer(
        bank_number=title["bank_number"],
        number=title["number"] or title["control"],
        wallet=title.get("wallet", ""),
        event=event,
        code=title["code"],
        amount=title["amount"],
        paid=money["paid"] if is_paid else _ZERO,
        credited=money["credited"] if is_paid else _ZERO,
        fee=title["fee"],
        paid_on=(money["happened_on"] or money["credited_on"]) if is_paid else None,
        credited_on=money["credited_on"] if is_paid else None,
        reasons=codes(title["reasons"], 2),
        line=t_line.number,
    )
