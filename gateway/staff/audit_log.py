"""The audit trail for staff: who did what to whom, of all companies and of each record."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext as _
from unfold.contrib.filters.admin import TextFilter
from unfold.decorators import display

from accounts.models import AuditEntry, Company, User
from accounts.tax_ids import compact
from gateway.staff.kit.audit_words import did, meant, meant_first
from gateway.staff.kit.columns import column, exported, link, moment, named, or_empty, pretty, related, titled
from gateway.staff.kit.pages import ReadOnlyAdmin

MOST_FOUND = 200


def who(entry: AuditEntry) -> Any:
    """The person and on which side they stand; without a person a command on the host, or an API key."""
    if entry.actor is None:
        return _("Service or host")
    return format_html("{} ({})", link(entry.actor), _side(entry))


def _side(entry: AuditEntry) -> str:
    return _("staff") if entry.by_staff else _("company")


def done(term: str) -> Q:
    """What was done, as far as it is told, and of which company: changed the withdrawal address Acme.

    Raises ValueError if the first words mean no action.
    """
    actions, company = meant_first(term)
    if not actions:
        raise ValueError(term)
    return Q(action__in=actions) & (about(company) if company else Q())


def about(text: str) -> Q:
    """The company of this name, id or tax id."""
    named = Q(trade_name__icontains=text) | Q(legal_name__icontains=text)
    found = Company.objects.filter(named | Q(pk=text) | Q(tax_id=compact(text))).values_list("pk", flat=True)
    return Q(company__in=[*found[:MOST_FOUND]])


class SideFilter(admin.SimpleListFilter):
    title, parameter_name = "side", "side"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("staff", _("Staff")), ("company", _("Company"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        return queryset.filter(by_staff=self.value() == "staff") if self.value() else queryset


class TypedFilter(TextFilter):
    """A filter by what is typed. A NUL byte matches nothing."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        text = (self.value() or "").strip()
        return queryset.filter(self.meaning(text)) if text and "\0" not in text else queryset

    def meaning(self, text: str) -> Q:
        raise NotImplementedError


class PersonFilter(TypedFilter):
    title, parameter_name = "who (e-mail)", "who"

    def meaning(self, text: str) -> Q:
        return Q(actor__in=[*User.objects.filter(email__icontains=text).values_list("pk", flat=True)[:MOST_FOUND]])


class ActionFilter(TypedFilter):
    title, parameter_name = "what (API key, approved a withdrawal)", "what"

    def meaning(self, text: str) -> Q:
        return Q(action__in=meant(text))


class AboutFilter(TypedFilter):
    """The company, or the record."""

    title, parameter_name = "whom (company or id)", "whom"

    def meaning(self, text: str) -> Q:
        return about(text) | Q(object_id=text)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    ids = {"cmp": "company"}
    words = {"object_id": str, "actor__email": str.lower, "request_id": str}
    readings = (done,)
    search_help_text = (
        "Entry or company id, id of what was changed, request id, e-mail of the person, day, or what was done and the "
        "company: changed the withdrawal address Acme"
    )
    listed_at = ("company", "merchant", "actor")
    list_select_related = ("actor", "company", "merchant__company")
    moments = ("created_at",)
    list_display = (
        moment("created_at", "when"),
        titled(who, "actor", "who"),
        exported(
            column("action", did, "did what"), itself=lambda entry: did(entry.action), code=lambda entry: entry.action
        ),
        named("object_id", "to what"),
        related("company", "to whom"),
        column("note", or_empty),
    )
    list_filter = (SideFilter, PersonFilter, ActionFilter, AboutFilter, "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", ("action", named("object_id", "object")), (related("company"), related("merchant")))}),
        ("Parties", {"fields": ((related("actor"), "side"), ("address", "request_id"), moment("created_at"))}),
        ("What", {"fields": (pretty("before"), pretty("after"), "note")}),
    )

    def in_short(self, row: AuditEntry) -> str:
        person = f"{row.actor} ({_side(row)})" if row.actor else who(row)
        told = (did(row.action), row.company or "", person, f"{row.created_at:%Y-%m-%d %H:%M}Z")
        return ", ".join(filter(None, map(str, told)))

    @display(description="side")
    def side(self, entry: AuditEntry) -> str:
        return _("Staff") if entry.by_staff else _("Company")
