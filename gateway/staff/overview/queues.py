"""The number of items in every queue that a person may see."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import F, Model, Value
from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.models import Environment
from gateway.staff.kit.columns import anchor
from gateway.staff.kit.queues import Queue
from gateway.staff.overview.kept import limited
from gateway.staff.overview.panels import GOOD, WATCH, Panel, PanelTable, instant

COUNTED = 100
"""Counts are capped at this number."""


@dataclass(frozen=True)
class QueueCount:
    """A queue with counts by environment, capped at a hundred and one, and the earliest time."""

    model: type[Model]
    queue: Queue
    environments: tuple[str, ...]
    first: datetime | None

    @property
    def link(self) -> str:
        return self.queue.address(self.model)

    @property
    def count(self) -> str:
        return counted(len(self.environments))


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
    with limited():
        found = list(_found(seen))
    return [_waiting(model, queue, [row for row in found if row[0] == n]) for n, (model, queue) in enumerate(seen)]


def _found(seen: list[tuple[type[Model], Queue]]) -> Iterable[tuple[int, str, datetime]]:
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
    found: Iterable[tuple[int, str, datetime]] = parts[0].union(*parts[1:], all=True) if len(parts) > 1 else parts[0]
    return found


def _waiting(model: type[Model], queue: Queue, rows: list[tuple[int, str, datetime]]) -> QueueCount:
    return QueueCount(model, queue, tuple(row[1] for row in rows), min((row[2] for row in rows), default=None))


def panel(found: list[QueueCount]) -> Panel:
    """Open items for staff, with production and sandbox apart; queues that are empty come last."""
    rows = [_row(one) for one in sorted(found, key=lambda one: not one.environments)]
    is_something = any(one.environments for one in found)
    table = PanelTable([_("Queue"), _("Production"), _("Sandbox"), _("Oldest")], rows)
    return Panel(
        _("Waiting for staff"), (table,), _("Open") if is_something else _("None"), WATCH if is_something else GOOD
    )


def _row(one: QueueCount) -> list[Any]:
    here = [counted(one.environments.count(environment)) for environment in ("PRODUCTION", "SANDBOX")]
    first = instant(one.first)
    if one.first:
        first = f"{_('until') if one.queue.deadline else _('since')} {one.first:%Y-%m-%d %H:%M:%S}Z"
    return [anchor(one.link, one.queue.title), *here, first]
