"""Endpoints, events, deliveries and attempts for staff."""

from typing import Any

from django.contrib import admin
from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from gateway.staff.kit.columns import OF_MERCHANT, block, colored, moment, named, pretty_json, related
from gateway.staff.kit.pages import ReadOnlyAdmin
from gateway.staff.webhook_help import EndpointHelp, SendsAgain
from webhooks.kinds import KINDS
from webhooks.models import Attempt, Delivery, Endpoint, Event


class KindFilter(SimpleListFilter):
    """Filters by event type: the known ones, without querying the table."""

    title = _("type")
    parameter_name = "type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(kind, kind) for kind in KINDS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Event]) -> QuerySet[Event]:
        return queryset.filter(type=self.value()) if self.value() else queryset


@admin.register(Endpoint)
class EndpointAdmin(EndpointHelp):
    permissions_used = ("view", "change")
    ids = {"cmp": "merchant__company", "dlv": "deliveries", "evt": "deliveries__event"}
    words = {"url__icontains": str}
    search_help_text = "Endpoint, company, delivery or event id, or URL"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    list_display = (
        "id",
        "url",
        *OF_MERCHANT,
        colored("status", ACTIVE="success", DISABLED="danger"),
        moment("last_success_at"),
    )
    list_filter = ("status", "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", related("merchant"), "url", "description", "status", "disabled_reason")}),
        ("Subscribed events", {"fields": ("events",)}),
        (
            "Failures",
            {
                "fields": (
                    "failures",
                    (moment("failing_since"), moment("open_until", "paused until")),
                    moment("warned_at"),
                )
            },
        ),
        (
            "Timestamps",
            {
                "fields": (
                    (moment("created_at"), moment("updated_at")),
                    (moment("last_delivery_at"), moment("last_success_at")),
                    (moment("previous_secret_expires_at"), moment("deleted_at")),
                )
            },
        ),
    )


@admin.register(Event)
class EventAdmin(SendsAgain):
    ids = {"cmp": "merchant__company", "dlv": "deliveries", "whk": "deliveries__endpoint"}
    words = {"object_id": str}
    search_help_text = "Event, object, company, delivery or endpoint id"
    listed_at = ("merchant",)
    list_display = ("id", "type", named("object_id", "object"), moment("occurred_at"))
    list_filter = (KindFilter, "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", "type", (named("object_id", "object"), "sequence"), related("merchant"))}),
        (
            "Timestamps",
            {"fields": ((moment("occurred_at", "occurred at (merchant's clock)"), moment("created_at")),)},
        ),
        ("Body, as sent", {"fields": ("shown_body",)}),
    )

    @display(description="body")
    def shown_body(self, event: Event) -> Any:
        return pretty_json(bytes(event.body))


@admin.register(Delivery)
class DeliveryAdmin(SendsAgain):
    ids = {"evt": "event", "whk": "endpoint", "cmp": "endpoint__merchant__company"}
    words = {"event__object_id": str}
    search_help_text = "Delivery, event, endpoint, company or object id"
    listed_at = ("event", "endpoint")
    list_select_related = ("event", "endpoint")
    list_display = (
        "id",
        colored("status", DELIVERED="success", PENDING="info", FAILED="danger"),
        related("event"),
        related("endpoint"),
        "attempts",
        "http_status",
    )
    list_filter = ("status",)
    fieldsets = (
        (None, {"fields": ("id", related("event"), related("endpoint"), "status")}),
        ("Last attempt", {"fields": ("attempts", ("http_status", "error"))}),
        (
            "Timestamps",
            {
                "fields": (
                    (moment("created_at"), moment("delivered_at")),
                    (moment("next_attempt_at"), moment("leased_until")),
                )
            },
        ),
    )


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    ids = {"dlv": "delivery", "evt": "delivery__event", "whk": "delivery__endpoint"}
    search_help_text = "Delivery, event or endpoint id"
    listed_at = ("delivery",)
    list_display = (
        "id",
        named("delivery_id", "delivery"),
        "number",
        "http_status",
        "error",
        "elapsed_ms",
        moment("started_at"),
    )
    fieldsets = (
        (None, {"fields": (named("delivery_id", "delivery"), "number", ("http_status", "error"))}),
        ("Timestamps", {"fields": ((moment("started_at"), "elapsed_ms"),)}),
        ("Response", {"fields": ("shown_excerpt",)}),
    )

    @display(description="first 4 KiB")
    def shown_excerpt(self, attempt: Attempt) -> Any:
        return block(attempt.excerpt)
