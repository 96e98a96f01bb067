"""Request log and idempotency keys for staff."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from accounts.base.ids import made_at
from gateway.requests.models import ApiRequest, IdempotencyKey
from gateway.staff.kit.columns import EMPTY, OF_MERCHANT, block, column, moment, named, pretty_json, related, unbroken
from gateway.staff.kit.pages import ReadOnlyAdmin

ANSWERED_WITHIN = timedelta(minutes=5)


def _of_request(request_id: str) -> Q:
    """By request id, which has no index: its ULID contains the time, which has one."""
    try:
        began = made_at(request_id)
    except (ValueError, OverflowError):
        return Q(pk__in=[])
    return Q(request_id=request_id, created_at__range=(began - ANSWERED_WITHIN, began + ANSWERED_WITHIN))


@admin.register(IdempotencyKey)
class IdempotencyKeyAdmin(ReadOnlyAdmin):
    """The response stays sealed: it may contain what only the merchant may see."""

    ids = {"cmp": "merchant__company", "req": _of_request}
    words = {"key": UUID}
    search_help_text = "Idempotency key, request id or company id"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    list_display = ("key", "method", "path", "status", *OF_MERCHANT, moment("created_at"))
    list_filter = ("merchant__environment",)
    fieldsets = (
        (None, {"fields": ("key", related("merchant"), named("request_id", "request"))}),
        ("Request", {"fields": (("method", "path"),)}),
        ("Response", {"fields": ("status", moment("created_at"))}),
    )


class StatusClassFilter(admin.SimpleListFilter):
    """By the first digit of the status, without querying the table."""

    title = _("status")
    parameter_name = "status_class"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("2", "2xx"), ("4", "4xx"), ("5", "5xx")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ApiRequest]) -> QuerySet[ApiRequest]:
        if self.value() not in ("2", "4", "5"):
            return queryset
        lowest = int(self.value() or 0) * 100
        return queryset.filter(status__gte=lowest, status__lt=lowest + 100)


def _mentioning(object_id: str) -> Q:
    return Q(objects_named__contains=[object_id])


@admin.register(ApiRequest)
class ApiRequestAdmin(ReadOnlyAdmin):
    """Redacted before storage: staff see what the company sees."""

    ids = {
        "cmp": "merchant__company",
        "key": "api_key",
        **dict.fromkeys(["pay", "ref", "wdr", "cnv", "cus", "whk", "evt", "dlv"], _mentioning),
    }
    search_help_text = "Request, company or API key id, or id of an object it created or named"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    list_display = (
        "id",
        "method",
        "path",
        "status",
        "code",
        column("elapsed_ms", lambda elapsed: unbroken(f"{elapsed:,.1f}"), "ms"),
        *OF_MERCHANT,
        moment("created_at"),
    )
    list_filter = (StatusClassFilter, "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", ("method", "path"), "query", ("status", "code"), "about")}),
        ("Parties", {"fields": ((related("merchant"), related("api_key", "API key")), ("origin", "user_agent"))}),
        ("Idempotency", {"fields": (("idempotency_key", "is_replay"),)}),
        ("Time", {"fields": ((moment("created_at", "received at"), "elapsed_ms"),)}),
        ("Request (redacted)", {"fields": ("shown_request",)}),
        ("Response (redacted)", {"fields": ("shown_response",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiRequest]:
        rows: QuerySet[ApiRequest] = super().get_queryset(request)
        return rows.defer("request_body", "response_body")

    @display(description="object")
    def about(self, record: ApiRequest) -> Any:
        return named("object_id")(record)

    @display(description="body")
    def shown_request(self, record: ApiRequest) -> Any:
        return _body(record.request_body)

    @display(description="body")
    def shown_response(self, record: ApiRequest) -> Any:
        return _body(record.response_body)


def _body(text: str | None) -> Any:
    """Indented, unless it was truncated."""
    if text is None:
        return EMPTY
    try:
        return pretty_json(text.encode())
    except ValueError:
        return block(text)
