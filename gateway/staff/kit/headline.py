"""What a record's page says first: how much, in which state, whose, and what it waits for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext as _

from accounts.models import Environment, Merchant
from gateway.staff.kit.columns import ENVIRONMENT_COLORS, link


def when(moment: datetime | None) -> str:
    """A time in a sentence."""
    return f"{moment:%Y-%m-%d %H:%M:%S}Z" if moment else "?"


@dataclass(frozen=True)
class Step:
    """Something that happened to a record, or will. `at` is in UTC, by the clock that the record goes by."""

    at: str
    what: Any
    detail: Any = ""


@dataclass(frozen=True)
class Headline:
    """`labels` are texts with their colors. `waits` says why nothing moves, `impossible` why an action is missing."""

    amount: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    company: Any = ""
    waits: tuple[Any, ...] = ()
    impossible: tuple[tuple[str, str], ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def table(self) -> dict[str, Any] | None:
        """The steps as a table."""
        rows = [[one.at, one.what, one.detail] for one in self.steps]
        return {"headers": [_("Time (UTC)"), _("What"), _("Details")], "rows": rows} if rows else None


def headline(page: Any, record: Model) -> Headline:
    """From the columns of its list: the first amount, and every colored state."""
    merchant = getattr(record, "merchant", None)
    return Headline(
        amount=next(_amounts(page, record), ""),
        labels=(*_labels(page, record), *_environment(merchant)),
        company=link(merchant.company) if merchant else "",
    )


def _labels(page: Any, record: Model) -> Iterable[tuple[str, str]]:
    for name in page.list_display:
        colors = getattr(name, "label", None)
        if isinstance(colors, dict) and name.shows != "merchant" and (value := name(record)):
            code, in_words = value if isinstance(value, tuple) else (value, str(value))
            yield in_words, colors.get(code, "")


def _environment(merchant: Merchant | None) -> Iterable[tuple[str, str]]:
    if merchant is not None:
        yield merchant.get_environment_display(), ENVIRONMENT_COLORS[Environment(merchant.environment)]


def _amounts(page: Any, record: Model) -> Iterator[str]:
    return (str(name(record)) for name in page.list_display if getattr(name, "is_money", False))
