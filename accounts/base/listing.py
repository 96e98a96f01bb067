"""Lists, newest first."""

from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

M = TypeVar("M", bound=Model)


def newest(rows: QuerySet[M], created_from: datetime | None = None, created_to: datetime | None = None) -> QuerySet[M]:
    """The rows created in a period, newest first; `created_to` is exclusive, None means no limit."""
    if created_from:
        rows = rows.filter(created_at__gte=created_from)
    if created_to:
        rows = rows.filter(created_at__lt=created_to)
    return rows.order_by("-created_at", "-id")


def narrowed(
    rows: QuerySet[M], *, created_from: datetime | None = None, created_to: datetime | None = None, **equal_to: Any
) -> QuerySet[M]:
    """Newest first, those with these whole values; None is no limit."""
    return newest(rows.filter(**{k: v for k, v in equal_to.items() if v is not None}), created_from, created_to)
