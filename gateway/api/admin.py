"""What was answered under which idempotency key, without the answer."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.contrib import admin
from django.db.models import Q

from accounts.ids import CROCKFORD
from accounts.staff.columns import moment, related
from accounts.staff.pages import ReadOnlyAdmin
from gateway.api.models import IdempotencyKey

ANSWERED_WITHIN = timedelta(minutes=5)


def _of_request(request_id: str) -> Q:
    """By request id, which has no index: but its ULID tells the time, and that has one."""
    try:
        began = datetime.fromtimestamp(_milliseconds(request_id[len("req_") :]) / 1000, UTC)
    except (ValueError, OverflowError):
        return Q(pk__in=[])
    return Q(request_id=request_id, created_at__range=(began - ANSWERED_WITHIN, began + ANSWERED_WITHIN))


def _milliseconds(ulid: str) -> int:
    milliseconds = 0
    for digit in ulid[:10]:
        milliseconds = milliseconds * len(CROCKFORD) + CROCKFORD.index(digit)
    return milliseconds


@admin.register(IdempotencyKey)
class IdempotencyKeyAdmin(ReadOnlyAdmin):
    """The answer stays sealed: it may hold what only the merchant was to see."""

    ids = {"cmp": "merchant__company", "req": _of_request}
    words = {"key": UUID}
    search_help_text = "Idempotency key, request id or company id"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    list_display = ("key", "method", "path", "status", related("merchant"), moment("created_at"))
    list_filter = ("merchant__environment",)
    fieldsets = (
        (None, {"fields": ("key", related("merchant"), "request_id")}),
        ("Request", {"fields": (("method", "path"),)}),
        ("Answer", {"fields": ("status", moment("created_at"))}),
    )
