"""Returns of collection in lines of 400 characters: what a bank says of boletos."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from django.utils.translation import gettext_noop as _

from gateway.bank_files.cnab import layouts
from gateway.bank_files.cnab.envelope import misnumbered
from gateway.bank_files.cnab.lines import first_line, lines_of
from gateway.bank_files.cnab.records import Record, codes
from gateway.bank_files.shapes import CollectionReturn, Document, Party, Remark, SlipAnswer, SlipEvent, UnreadableFile

WIDTH = 400
_TO_THE_BANK = "01REMESSA"
_FROM_THE_BANK = "02RETORNO"
_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a bank fills the lines. `every_line` is the event of lines that have no code."""

    bank: str
    header: Record
    detail: Record
    trailer: Record
    events: Mapping[str, SlipEvent]
    line_types: tuple[str, ...]
    other_lines: Mapping[str, Sequence[str]]
    reason_width: int
    every_line: str
    is_paid_less_fee: bool
    trailer_is_numbered: bool


@cache
def dialect_of(bank: str) -> Dialect:
    """A bank that has no table uses what banks have in common."""
    table = layouts.data("collection_400")
    banks: dict[str, dict[str, Any]] = table["banks"]
    same = (own for own in banks.values() if bank in own.get("same_as_banks", ()))
    own = banks.get(bank) or next(same, {})
    events: dict[str, list[str]] = table["codes"] | own.get("codes", {})
    return Dialect(
        bank=bank,
        header=layouts.record(WIDTH, table["header"], own.get("header", {})),
        detail=layouts.record(WIDTH, table["detail"], own.get("detail", {})),
        trailer=layouts.record(WIDTH, table["trailer"], own.get("trailer", {})),
        events={code: SlipEvent(event) for event, found in events.items() for code in found},
        line_types=tuple(own.get("line_types", ("1",))),
        other_lines=own.get("other_lines", {}),
        reason_width=own.get("reason_width", 2),
        every_line=own.get("every_line", ""),
        is_paid_less_fee=own.get("is_paid_less_fee", False),
        trailer_is_numbered=own.get("trailer_is_numbered", True),
    )


def recognises(content: bytes) -> bool:
    return first_line(content).startswith((_FROM_THE_BANK, _TO_THE_BANK))


def read(content: bytes) -> list[Document]:
    lines = lines_of(content, WIDTH)
    if lines[0][1].startswith(_TO_THE_BANK):
        raise UnreadableFile(_("This is a file to the bank, not from it."), 1)
    details = [(number, line) for number, line in lines[1:-1] if line[0] not in "09"]
    dialect = _dialect_of(lines[0][1][76:79], details)
    _check_end(lines)
    header = _header(dialect, lines[0])
    answers = tuple(_answers(dialect, details))
    doubts = tuple(_doubts(dialect, lines, answers))
    first = dialect.detail.read(details[0][1], details[0][0]) if details else {}
    return [
        CollectionReturn(
            format="CNAB 400",
            account=_account(dialect, header | first),
            agreement=header.get("agreement", ""),
            sequence=str(header.get("sequence", "")).lstrip("0"),
            made_on=header["made_on"],
            answers=answers,
            doubts=doubts,
        )
    ]


def _dialect_of(bank: str, details: Sequence[tuple[int, str]]) -> Dialect:
    """The bank's own, or the first for lines of another type that finds a number of the bank in all of them."""
    dialect = dialect_of(bank)
    for kind, others in dialect.other_lines.items():
        lines = [(number, line) for number, line in details if line[0] == kind]
        for other in map(dialect_of, others if lines else ()):
            if all(other.detail.read(line, number)["bank_number"].isdigit() for number, line in lines):
                return other
    return dialect


def _check_end(lines: list[tuple[int, str]]) -> None:
    last, line = lines[-1]
    if line[0] != "9" or len(lines) < 2:
        raise UnreadableFile(_("The file has no trailer: its end is missing."), last)
    for number, line in lines[:-1]:
        if line[0] == "9":
            raise UnreadableFile(_("There are lines behind the trailer."), number)


def _header(dialect: Dialect, first: tuple[int, str]) -> dict[str, Any]:
    """Its date may also be in the form that most banks use."""
    number, line = first
    try:
        header = dialect.header.read(line, number)
    except UnreadableFile:
        common = dialect_of("").header
        header = common.read(line, number)
    if header["made_on"] is None:
        raise UnreadableFile(_("The header has no date."), number)
    return header


def _account(dialect: Dialect, found: Mapping[str, Any]) -> Party:
    return Party(
        name=found["holder"],
        bank=found["bank"],
        branch=found.get("branch", ""),
        branch_digit=found.get("branch_digit", ""),
        account=found.get("account", ""),
        account_digit=found.get("account_digit", ""),
    )


def _answers(dialect: Dialect, details: Iterable[tuple[int, str]]) -> Iterator[SlipAnswer]:
    """Lines of other types tell more of the line before them, and nothing about money."""
    for number, line in details:
        if line[0] in dialect.line_types:
            yield _answer(dialect, dialect.detail.read(line, number), number)


def _answer(dialect: Dialect, found: Mapping[str, Any], line: int) -> SlipAnswer:
    code = found.get("code", "")
    event = SlipEvent(dialect.every_line) if dialect.every_line else dialect.events.get(code, SlipEvent.OTHER)
    fee, received = found.get("fee", _ZERO), found["paid"]
    if event is SlipEvent.PAID and not received:
        event = SlipEvent.OTHER  # nothing was paid
    is_paid = event is SlipEvent.PAID
    return SlipAnswer(
        bank_number=found["bank_number"],
        number=found.get("number") or found.get("control", ""),
        wallet=found.get("wallet", ""),
        event=event,
        code=code,
        amount=found["amount"],
        paid=received + (fee if dialect.is_paid_less_fee else _ZERO) if is_paid else _ZERO,
        credited=received if is_paid else _ZERO,
        fee=fee,
        paid_on=(found.get("happened_on") or found.get("credited_on")) if is_paid else None,
        credited_on=found.get("credited_on") if is_paid else None,
        reasons=codes(found.get("reasons", ""), dialect.reason_width),
        line=line,
    )


def _doubts(dialect: Dialect, lines: list[tuple[int, str]], answers: tuple[SlipAnswer, ...]) -> Iterator[Remark]:
    """The lines are numbered from 1 without a gap. Few trailers have figures of the file: most only tell what the bank
    holds. UnreadableFile if its lines are all there, and their sum is another one.
    """
    before = "000000"
    for number, line in lines if dialect.trailer_is_numbered else lines[:-1]:
        yield from misnumbered(number, before, line[394:400])
        before = line[394:400]
    last, line = lines[-1]
    trailer = dialect.trailer.read(line, last)
    counted, total = trailer.get("lines"), trailer.get("sum")
    found = sum((answer.amount for answer in answers), _ZERO)
    if counted and counted != len(answers):
        facts = {"line": last, "counted": counted, "total": total, "lines": len(answers), "sum": found}
        yield Remark(
            _(
                "Line %(line)s: the trailer counts %(counted)s lines over %(total)s, "
                "the file has %(lines)s over %(sum)s."
            ),
            facts,
        )
    elif total and total != found:
        raise UnreadableFile(
            _("The trailer sums the boletos up to %(total)s, the lines to %(sum)s."), last, total=total, sum=found
        )
