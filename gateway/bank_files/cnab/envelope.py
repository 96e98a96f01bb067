"""A file of 240 characters taken apart: its header, its lots with their lines, its trailers, and whether they agree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

from django.utils.translation import gettext_noop as _

from gateway.bank_files.cnab import layouts
from gateway.bank_files.cnab.lines import lines_of
from gateway.bank_files.shapes import Party, Remark, UnreadableFile

WIDTH = 240
FILE_HEADER, LOT_HEADER, DETAIL, LOT_TRAILER, FILE_TRAILER = "0", "1", "3", "5", "9"
_INITIAL, _FINAL = "2", "4"
"""Lines that some lots have behind the header and before the trailer; nothing that we read has them."""
_SEGMENTS = {"01": {"T"}, "04": {"E"}, "20": {"A"}, "22": {"O"}, "30": {"A"}, "98": {"A"}}
"""What lots are about by their service: collection, statements, payments to suppliers, taxes, wages and others."""
_FIRST_YEAR, _LAST_YEAR = 1994, 2099
"""Of the real."""


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    text: str

    @property
    def type(self) -> str:
        return self.text[7]

    @property
    def lot(self) -> str:
        return self.text[3:7]

    @property
    def sequence(self) -> str:
        return self.text[8:13]

    @property
    def segment(self) -> str:
        return self.text[13]


@dataclass(slots=True)
class Lot:
    """`trailer` is set once the lot is whole."""

    header: Line
    details: list[Line] = field(default_factory=list)
    trailer: Line | None = None

    @property
    def number(self) -> str:
        """Some banks give it in the details only."""
        is_there = self.header.lot.strip(" 0")
        return self.details[0].lot if self.details and not is_there else self.header.lot

    @property
    def segments(self) -> set[str]:
        """Those of a lot without lines are the ones that its service has."""
        return {line.segment for line in self.details} or _SEGMENTS.get(self.header.text[9:11], set())

    @property
    def is_statement(self) -> bool:
        return "E" in self.segments


@dataclass(frozen=True, slots=True)
class Envelope:
    """A file whose structure is right. `doubts`: where it numbers or counts its lines otherwise than they are."""

    bank: str
    header: dict[str, Any]
    lots: Sequence[Lot]
    doubts: Sequence[Remark] = ()

    @property
    def account(self) -> Party:
        header = self.header
        return Party(
            name=header["holder"],
            tax_id=header["tax_id"],
            bank=self.bank,
            branch=header["branch"],
            branch_digit=header["branch_digit"],
            account=header["account"],
            account_digit=header["account_digit"] or header["both_digit"],
        )

    @property
    def made_on(self) -> date | None:
        """None where the header has no date that can be."""
        made: date | None = self.header["made_on"]
        return made if made and _FIRST_YEAR <= made.year <= _LAST_YEAR else None

    @property
    def made_at(self) -> datetime:
        """By the bank's clock, without a time zone; midnight if it gives no time."""
        if self.made_on is None:
            raise UnreadableFile(_("The header has no date."), 1)
        digits: str = self.header["made_at"]
        try:
            at = time(int(digits[:2]), int(digits[2:4]), int(digits[4:6]))
        except ValueError:
            at = time()
        return datetime.combine(self.made_on, at)

    @property
    def sequence(self) -> str:
        digits: str = self.header["sequence"]
        return digits.lstrip("0")


def opened(content: bytes) -> Envelope:
    """UnreadableFile where its end is missing, or lines are out of place or of another file."""
    lines = [Line(number, text) for number, text in lines_of(content, WIDTH)]
    first, last = lines[0], lines[-1]
    if first.type != FILE_HEADER:
        raise UnreadableFile(_("The file does not begin with its header."), first.number)
    if last.type != FILE_TRAILER or len(lines) < 2:
        raise UnreadableFile(_("The file has no trailer: its end is missing."), last.number)
    for line in lines:
        if line.text[:3] != first.text[:3]:
            raise UnreadableFile(_("The line is of another bank than the header."), line.number)
    lots = list(_lots(lines[1:-1]))
    doubts = [doubt for lot in lots for doubt in _doubts_of(lot)]
    doubts += _doubts_of_file(last, len(lines), lots)
    return Envelope(bank=first.text[:3], header=_header(first), lots=lots, doubts=doubts)


def _header(first: Line) -> dict[str, Any]:
    return layouts.record(WIDTH, layouts.data("file_240")["file_header"]).read(first.text, first.number)


def _lots(lines: Sequence[Line]) -> Iterator[Lot]:
    lot: Lot | None = None
    for line in lines:
        if line.type == LOT_HEADER and lot is None:
            lot = Lot(line)
        elif line.type in (DETAIL, _INITIAL, _FINAL) and lot is not None:
            if line.type == DETAIL:
                _check_detail(lot, line)
                lot.details.append(line)
        elif line.type == LOT_TRAILER and lot is not None:
            lot.trailer = line
            _check_lot_trailer(lot)
            yield lot
            lot = None
        else:
            raise UnreadableFile(_("A line of type %(type)s is out of place."), line.number, type=repr(line.type))
    if lot is not None:
        raise UnreadableFile(_("The last lot has no trailer."), lot.header.number)


def _check_detail(lot: Lot, line: Line) -> None:
    """Details carry the number of their lot."""
    is_known = lot.details or lot.header.lot.strip(" 0")
    if is_known and line.lot != lot.number:
        raise UnreadableFile(
            _("The line is of lot %(lot)s, in lot %(number)s."), line.number, lot=line.lot, number=lot.number
        )


def _check_lot_trailer(lot: Lot) -> None:
    trailer = lot.trailer
    assert trailer is not None
    if trailer.lot not in (lot.header.lot, lot.number):
        raise UnreadableFile(
            _("The trailer is of lot %(lot)s, not %(number)s."), trailer.number, lot=trailer.lot, number=lot.number
        )


def _doubts_of(lot: Lot) -> Iterator[Remark]:
    """Details are numbered from 1 without a gap. Banks count all lines of the lot, or those between header and trailer,
    or what the lines are about.
    """
    before = "00000"
    for line in lot.details:
        yield from misnumbered(line.number, before, line.sequence)
        before = line.sequence
    trailer, details = lot.trailer, len(lot.details)
    assert trailer is not None
    if lot.is_statement:
        return  # its trailer has the account there; its balances prove that nothing is missing
    found = layouts.record(WIDTH, layouts.data("file_240")["lot_trailer"]).read(trailer.text, trailer.number)["lines"]
    if found > details // 2 and found not in (details, details + 2):
        facts = {"line": trailer.number, "counted": found, "lines": details + 2}
        yield Remark(_("Line %(line)s: the trailer counts %(counted)s lines, the lot has %(lines)s."), facts)


def _doubts_of_file(last: Line, lines: int, lots: Sequence[Lot]) -> Iterator[Remark]:
    found = layouts.record(WIDTH, layouts.data("file_240")["file_trailer"]).read(last.text, last.number)
    if found["lots"] not in (0, len(lots)):
        facts = {"line": last.number, "counted": found["lots"], "lots": len(lots)}
        yield Remark(_("Line %(line)s: the trailer counts %(counted)s lots, the file has %(lots)s."), facts)
    if found["lines"] > len(lots) and found["lines"] not in (lines, lines - 2):
        facts = {"line": last.number, "counted": found["lines"], "lines": lines}
        yield Remark(_("Line %(line)s: the trailer counts %(counted)s lines, the file has %(lines)s."), facts)


def misnumbered(line: int, before: str, found: str) -> Iterator[Remark]:
    """The doubt about a line that does not bear the number after that of the line before it."""
    expected = f"{int(before) + 1 if before.isdecimal() else 1:0{len(found)}d}"[-len(found) :]
    if before.isdecimal() and found != expected:
        facts = {"line": line, "found": repr(found), "expected": expected}
        yield Remark(_("Line %(line)s is numbered %(found)s, and should be %(expected)s."), facts)
