"""Queues: lists of what awaits staff."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from gateway.staff.kit.columns import Title, address
from gateway.staff.kit.names import translated

PARAMETER = "queue"


@dataclass(frozen=True, eq=False)
class Queue:
    """Records of one list that await a decision. `name` appears in URLs.

    `since` is the start of the wait, or its end if it is a `deadline`: the earliest comes first.
    """

    name: str
    title: Title
    icon: str
    waiting: Callable[[], Q]
    since: str
    deadline: bool = False
    environment: str = "merchant__environment"

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", translated(self.title))

    def rows(self, model: type[Model]) -> QuerySet[Any]:
        return model._default_manager.filter(self.waiting()).order_by(self.since, "pk")

    def address(self, model: type[Model]) -> str:
        return f"{address(model, 'changelist')}?{PARAMETER}={self.name}"


class QueueFilter(admin.SimpleListFilter):
    """Filters a list by one of its queues."""

    title = _("waiting")
    parameter_name = PARAMETER

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(queue.name, queue.title) for queue in model_admin.queues]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        queue = selected_queue(request, admin.site._registry[queryset.model])
        return queryset.filter(queue.waiting()) if queue else queryset


def selected_queue(request: HttpRequest, page: Any) -> Queue | None:
    """The queue selected in the URL."""
    return next((queue for queue in page.queues if queue.name == request.GET.get(PARAMETER)), None)
