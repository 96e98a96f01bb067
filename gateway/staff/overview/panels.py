"""Panels of the start page: title, state, and tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from accounts.models import Environment
from gateway.staff.kit.columns import Title, unbroken
from ledger.money import to_decimal
from ledger.notation import plain_amount

GOOD, WATCH, BAD = "success", "warning", "danger"
ENVIRONMENTS = (Environment.PRODUCTION, Environment.SANDBOX)
NONE = "-"


@dataclass(frozen=True)
class PanelTable:
    """Rows of cells with headers; a title if there are several tables."""

    headers: Sequence[Title]
    rows: list[list[Any]]
    title: str = ""


@dataclass(frozen=True)
class Picture:
    """A chart with a title; `summary` is its text alternative."""

    title: str
    summary: str
    drawn: SafeString


@dataclass(frozen=True)
class Panel:
    """`label` summarizes the state in a word or two, in the color of `state`; `leads` is a title and a URL."""

    title: str
    tables: tuple[PanelTable, ...] = ()
    label: str = ""
    state: str = GOOD
    note: str = ""
    pictures: tuple[Picture, ...] = ()
    leads: tuple[str, str] | None = None
    asks: tuple[str, str] | None = None
    """A button: its title, and its URL."""


def rows_of(sql: str, params: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())


def amount(minor: int, currency: str) -> Any:
    return unbroken(plain_amount(minor, currency)) if minor else NONE


def number(minor: int, currency: str) -> Any:
    """An amount without its currency."""
    return f"{to_decimal(minor, currency):,f}" if minor else NONE


def lines(cells: Iterable[Any]) -> Any:
    """Several lines in one cell."""
    shown = format_html_join("", "<span>{}</span>", ((cell,) for cell in cells))
    return format_html('<span class="staff-lines">{}</span>', shown) if shown else NONE


def instant(moment: datetime | None) -> Any:
    return unbroken(f"{moment:%Y-%m-%d %H:%M:%S}Z") if moment else NONE


def ago(seconds: float) -> str:
    """`3 s`, `12 min`, `5 h`, `9 days`: rounded to the largest unit."""
    if (days := int(seconds // 86_400)) >= 2:
        return ngettext("%(n)s day", "%(n)s days", days) % {"n": days}
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}"
    return f"{int(seconds)} s"
