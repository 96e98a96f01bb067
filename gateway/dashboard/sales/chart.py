"""The bars of the sales page: drawn by the server, so that they need no script."""

from dataclasses import dataclass
from datetime import date

from django.utils import formats
from django.utils.translation import get_language

from gateway.dashboard.sales.lists import Lists
from gateway.dashboard.sales.tables import steps
from gateway.sales.selectors import Sales, Total

HEIGHT = 100
_GAP = 0.15
_LABELS = 6


@dataclass(frozen=True, slots=True)
class Piece:
    """What one method is of a bar. Per cent of the picture's height."""

    method: str
    y: str
    height: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A day or month. Per cent of the picture's width; `columns` are its sums by method; `label` may lack room."""

    title: str
    label: str
    x: str
    width: str
    total: Total
    pieces: list[Piece]
    columns: list[Total]
    address: str


@dataclass(frozen=True, slots=True)
class Chart:
    currency: str
    methods: list[str]
    bars: list[Bar]
    most: int
    """The amount of the highest bar, in minor units."""


def chart(found: Sales, lists: Lists, currency: str, methods: list[str]) -> Chart:
    """The sales in one currency, stacked by method in the given order."""
    sold = list(steps(found, currency))
    totals = [sum(by.values(), Total()) for _, by in sold]
    most = max((total.amount for total in totals), default=0)
    slot = 100 / len(sold)
    every = -(-len(sold) // _LABELS)
    bars = [
        Bar(
            title=title_of(found.steps[step]),
            label=_label(found.steps[step]) if step % every == 0 else "",
            x=_number(slot * (step + _GAP / 2)),
            width=_number(slot * (1 - _GAP)),
            total=totals[step],
            pieces=_pieces(by, methods, most),
            columns=[by.get(method, Total()) for method in methods],
            address=lists.paid(currency, days=found.steps[step]),
        )
        for step, by in sold
    ]
    return Chart(currency, methods, bars, most)


def _pieces(by: dict[str, Total], methods: list[str], most: int) -> list[Piece]:
    pieces, below = [], 0.0
    for method in methods:
        if method in by and most:
            height = HEIGHT * by[method].amount / most
            below += height
            pieces.append(Piece(method, _number(HEIGHT - below), _number(height)))
    return pieces


def _number(value: float) -> str:
    return f"{value:.3f}"


def title_of(step: tuple[date, date]) -> str:
    """The day, or the first and the last one."""
    first, last = step
    day = formats.date_format(first, "SHORT_DATE_FORMAT")
    return day if first == last else f"{day} – {formats.date_format(last, 'SHORT_DATE_FORMAT')}"


def _label(step: tuple[date, date]) -> str:
    month = "M" if get_language() == "en" else "b"  # Portuguese and Spanish write months in lower case
    return formats.date_format(step[0], f"j {month}" if step[0] == step[1] else f"{month} Y")
