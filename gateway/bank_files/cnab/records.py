"""One line of a file: fields at fixed positions, read and written by a layout."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from gateway.bank_files.shapes import UnreadableFile

_CENTS = Decimal("0.01")
_UNPRINTABLE = re.compile(r"[^ -~]")


class Unwritable(Exception):
    """A value that its field cannot hold: the file is not written."""


@dataclass(frozen=True, slots=True)
class Field:
    """Positions `start` to `end`, both included and counted from 1. `kind` is one of KINDS."""

    name: str
    start: int
    end: int
    kind: str
    default: str = ""

    @property
    def width(self) -> int:
        return self.end - self.start + 1

    def read(self, line: str, number: int) -> Any:
        text = line[self.start - 1 : self.end]
        try:
            return _READ[self.kind](text)
        except ValueError:
            raise UnreadableFile(
                _("Positions %(start)s to %(end)s are no %(kind)s (%(name)s)."),
                number,
                start=self.start,
                end=self.end,
                kind=self.kind,
                name=self.name,
            ) from None

    def write(self, value: Any) -> str:
        """Exactly as wide as the field. A text for people is cut to fit; anything else that is too long is refused."""
        text = _WRITTEN[self.kind](self.default if value is None else value)
        if self.kind == "text":
            return text[: self.width].ljust(self.width)
        if len(text) > self.width or not _ALLOWED[self.kind].fullmatch(text):
            facts = {"name": self.name, "width": self.width, "kind": self.kind}
            raise Unwritable(gettext("The %(name)s does not fit in %(width)s characters of the kind %(kind)s.") % facts)
        if self.kind == "exact":
            return text.ljust(self.width)
        return text.rjust(self.width, " " if self.kind == "right" else "0")


@dataclass(frozen=True, slots=True)
class Record:
    """A kind of line."""

    width: int
    fields: tuple[Field, ...]

    def read(self, line: str, number: int) -> dict[str, Any]:
        return {field.name: field.read(line, number) for field in self.fields}

    def write(self, values: Mapping[str, Any]) -> str:
        """Positions that no field covers are blank; values that the bank has no field for are left out."""
        line = [" "] * self.width
        for field in self.fields:
            line[field.start - 1 : field.end] = field.write(values.get(field.name))
        return "".join(line)


def codes(text: str, width: int, *, keep_zeros: bool = False) -> tuple[str, ...]:
    """The codes that stand one behind the other in a field, without blanks; zeros are none, unless they are kept."""
    parts = (text[start : start + width].strip() for start in range(0, len(text), width))
    return tuple(part for part in parts if part and (keep_zeros or part.strip("0")))


def plain(text: str) -> str:
    """As banks take it: capitals of ASCII, no line breaks."""
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _UNPRINTABLE.sub(" ", letters).upper()


def _number(text: str) -> int:
    text = text.strip() or "0"
    if not (text.isascii() and text.isdigit()):
        raise ValueError
    return int(text)


def _money(text: str) -> Decimal:
    return Decimal(_number(text)) / 100


def _date(form: str) -> Callable[[str], date | None]:
    def read(text: str) -> date | None:
        """None where the field is blank or zero."""
        if not text.strip(" 0"):
            return None
        return datetime.strptime(text, form).date()  # noqa: DTZ007

    return read


def _loose_date(text: str) -> date | None:
    """None also where it is no date: nothing depends on it."""
    try:
        return _date("%d%m%Y")(text)
    except ValueError:
        return None


def _cents(value: Decimal | str) -> str:
    amount = Decimal(value or 0)
    if amount < 0 or amount != amount.quantize(_CENTS):
        raise Unwritable(gettext("An amount has no cents like that."))
    return str(int(amount * 100))


_READ: dict[str, Callable[[str], Any]] = {
    "text": str.strip,
    "exact": str.strip,
    "right": str.strip,
    "digits": str.strip,
    "code": str.strip,
    "number": _number,
    "money": _money,
    "date": _date("%d%m%Y"),
    "iso_date": _date("%Y%m%d"),
    "short_date": _date("%d%m%y"),
    "loose_date": _loose_date,
    "time": str.strip,
}
"""Digits and codes stay as they are, with their zeros: some have letters."""
_WRITTEN: dict[str, Callable[[Any], str]] = {
    "text": lambda value: plain(str(value)),
    "exact": str,
    "right": str,
    "digits": lambda value: str(value) or "0",
    "code": lambda value: str(value) or "0",
    "number": lambda value: str(value or 0),
    "money": _cents,
    "date": lambda value: f"{value:%d%m%Y}" if value else "0",
    "loose_date": lambda value: f"{value:%d%m%Y}" if value else "0",
    "time": lambda value: f"{value:%H%M%S}" if value else "0",
}
_ALLOWED = {kind: re.compile("[0-9]+") for kind in _WRITTEN} | {
    "exact": re.compile("[ -~]*"),
    "right": re.compile("[ -~]*"),
    "code": re.compile("[0-9A-Z]+"),
}
KINDS = frozenset(_READ)
