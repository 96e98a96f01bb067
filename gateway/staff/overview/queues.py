"""The number of items in every queue that a person may see."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import F, Model, QuerySet, Value
from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.base.clock import utcnow
from accounts.models import Environment
from gateway.database.reading import limited
from gateway.staff.kit.columns import anchor
from gateway.staff.kit.queues import Queue
from gateway.staff.overview.kept import LONGEST_MS
from gateway.staff.overview.panels import GOOD, WATCH, Panel, PanelTable, instant

Listed = tuple[type[Model], Queue]
COUNTED = 100
"""Counts are capped at this number."""


@dataclass(frozen=True)
class QueueCount:
    """A queue with counts by environment, together a hundred and one at most, and the earliest time."""

    model: type[Model]
    queue: Queue
    counts: dict[str, int]
    first: datetime | None

    @property
    def link(self) -> str:
        return self.queue.address(self.model)

    @property
    def count(self) -> str:
        return counted(sum(self.counts.values()))


def counted(number: int) -> str:
    return f"{COUNTED}+" if number > COUNTED else str(number)


def waiting(request: HttpRequest) -> list[QueueCount]:
    """Every queue of this person, in one statement for the sidebar and the panel."""
    known: list[QueueCount] | None = getattr(request, "waiting_queues", None)
    if known is None:
        known = _waiting_for(request)
        request.waiting_queues = known  # type: ignore[attr-defined]
    return known


def _waiting_for(request: HttpRequest) -> list[QueueCount]:
    seen = [
        (model, queue)
        for model, page in admin.site._registry.items()
        if getattr(page, "queues", ()) and page.has_view_permission(request)
        for queue in page.queues  # type: ignore[attr-defined]
    ]
    if not seen:
        return []
    counts: list[dict[str, int]] = [{} for _ in seen]
    firsts: list[list[datetime]] = [[] for _ in seen]
    with limited(LONGEST_MS):
        for n, environment, count, first in _found(seen):
            counts[n][environment] = count
            firsts[n].append(first)
    return [QueueCount(*one, counts[n], min(firsts[n], default=None)) for n, one in enumerate(seen)]


def _found(seen: list[Listed]) -> Iterator[tuple[int, str, int, datetime]]:
    """Of each queue and environment the number of rows and the earliest time, of the first `COUNTED` + 1 rows."""
    statement = _statement(tuple(seen), tuple(settings.PROVIDER_MODULES))
    if statement is None:
        return
    sql, values = statement
    now = utcnow()
    with connection.cursor() as cursor:
        cursor.execute(sql, [now + value if isinstance(value, timedelta) else value for value in values])
        yield from cursor.fetchall()


@lru_cache(100)
def _statement(seen: tuple[Listed, ...], _providers: tuple[str, ...]) -> tuple[str, list[Any]] | None:
    """The statement and its values, with moments as so long from now: writing it takes a third of a page."""
    now = utcnow()
    united = _united(seen)
    by = "queue_number, queue_environment"
    try:
        sql, values = united.query.sql_with_params()
    except EmptyResultSet:
        return None
    counted = f"SELECT {by}, count(*), min(queue_since) FROM ({sql}) listed GROUP BY {by}"
    return counted, [value - now if isinstance(value, datetime) else value for value in values]


def _united(seen: tuple[Listed, ...]) -> QuerySet[Any]:
    parts = [
        queue.rows(model)
        .annotate(
            queue_number=Value(n),
            queue_environment=F(queue.environment) if queue.environment else Value(Environment.PRODUCTION.value),
            queue_since=F(queue.since),
        )
        .values_list("queue_number", "queue_environment", "queue_since")[: COUNTED + 1]
        for n, (model, queue) in enumerate(seen)
    ]
    united: QuerySet[Any] = parts[0].union(*parts[1:], all=True) if len(parts) > 1 else parts[0]
    return united


def panel(found: list[QueueCount]) -> Panel:
    """Open items for staff, with production and sandbox apart; queues that are empty come last."""
    rows = [_row(one) for one in sorted(found, key=lambda one: not one.counts)]
    is_something = any(one.counts for one in found)
    table = PanelTable([_("Queue"), _("Production"), _("Sandbox"), _("Oldest")], rows)
    return Panel(
        _("Waiting for staff"), (table,), _("Open") if is_something else _("None"), WATCH if is_something else GOOD
    )


def _row(one: QueueCount) -> list[Any]:
    here = [counted(one.counts.get(environment, 0)) for environment in ("PRODUCTION", "SANDBOX")]
    first = instant(one.first)
    if one.first:
        first = f"{_('until') if one.queue.deadline else _('since')} {one.first:%Y-%m-%d %H:%M:%S}Z"
    return [anchor(one.link, one.queue.title), *here, first]
