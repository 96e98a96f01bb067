"""The global search of the staff admin."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.dataclasses import SearchResult

from gateway.staff.kit.columns import address
from gateway.staff.kit.pages import StaffAdmin
from gateway.staff.kit.search import matching

FOUND_PER_MODEL = 5


def find(request: HttpRequest, term: str) -> list[SearchResult]:
    """Every record with this id, reference, name or amount: the newest of each list."""
    term = request.GET.get("s", term).strip()  # the search box lowercases its input, and references are case-sensitive
    found: list[SearchResult] = []
    for model, page in admin.site._registry.items():
        if term and isinstance(page, StaffAdmin) and page.has_view_permission(request):
            rows = page.get_queryset(request).order_by("-pk")
            matches = rows.filter(matching(model, term, page.meanings)).values_list("pk", flat=True)
            if newest := list(matches[:FOUND_PER_MODEL]):  # most lists have nothing: only ids are asked for first
                found += [_shown(page, row) for row in _joined(page, rows.filter(pk__in=newest))]
    return found


def _joined(page: StaffAdmin, rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.select_related(*page.list_select_related) if page.list_select_related else rows


def _shown(page: StaffAdmin, row: Any) -> SearchResult:
    return SearchResult(str(row), page.in_short(row), address(type(row), "change", row.pk), "article")
