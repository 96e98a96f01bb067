"""The global search of the staff admin."""

from django.contrib import admin
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
            rows = page.get_queryset(request).filter(matching(model, term, page.meanings)).order_by("-pk")
            joined = rows.select_related(*page.list_select_related) if page.list_select_related else rows
            found += [
                SearchResult(str(row), page.in_short(row), address(model, "change", row.pk), "article")
                for row in joined[:FOUND_PER_MODEL]
            ]
    return found
