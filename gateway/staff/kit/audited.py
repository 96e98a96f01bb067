"""Every change by staff requires a fresh second factor and is audited: all of them
go through here.
"""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import BigIntegerField, BinaryField, Field, ForeignKey, Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from unfold.admin import ModelAdmin

from accounts import audit, second_factor
from accounts.models import Company, Membership, Merchant
from gateway.staff.kit.actions import in_words

EXCLUDED = frozenset({"password", "note", "created_at", "updated_at"})
"""Excluded from the audit: secrets, staff-only fields, and what the audit has itself."""


class Audited(ModelAdmin):
    def facts(self, record: Any) -> dict[str, Any]:
        """The audited fields of a record. Companies read them: no secrets, no staff data, no numbers whose unit is
        stored elsewhere.
        """
        own = {field.name: _plain(field, record) for field in record._meta.concrete_fields if _is_audited(field)}
        many = {field.name: sorted(map(str, getattr(record, field.name).all())) for field in record._meta.many_to_many}
        return own | many

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        _require_uninvolved(request, [obj])
        title = (_("Change %(name)s") if change else _("Add %(name)s")) % {"name": self.opts.verbose_name}
        second_factor.require(request, lambda: in_words(self, request, title, obj if change else None, form))
        if change:
            self.remember(request, obj)
        self.save(request, obj, form, change)

    def save(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Saves the form."""
        obj.save()

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        _require_uninvolved(request, [obj])
        title = _("Delete %(name)s") % {"name": self.opts.verbose_name}
        second_factor.require(request, lambda: in_words(self, request, title, obj))
        self.remove(request, obj)

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        _require_uninvolved(request, queryset)
        title = _("Delete %(name)s") % {"name": self.opts.verbose_name_plural}
        second_factor.require(request, lambda: in_words(self, request, title))
        for record in queryset:
            self.remove(request, record)

    def remove(self, request: HttpRequest, obj: Any) -> None:
        """Deletes the selected records."""
        obj.delete()

    def remember(self, request: HttpRequest, record: Model) -> None:
        """Remembers the record before its change."""
        before = type(record)._base_manager.get(pk=record.pk)
        request.before = self.facts(before)  # type: ignore[attr-defined]

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        self.write_down(request, obj, "added", None, self.facts(_fresh(obj)), message)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        was, now = self._changed(request, obj)
        if was or message:
            note = message if isinstance(message, str) or not was else ""
            self.write_down(request, obj, "changed", was, now, note)
        return super().log_change(request, obj, message)

    def log_action(self, request: HttpRequest, record: Any, audit_action: str, message: str, note: str = "") -> None:
        """Writes the history, and an audit entry with the action `audit_action`; "" if the service has written it.

        The entry tells the action in the language of whoever reads it: its note is what the person wrote.
        """
        if audit_action:
            self.write_down(request, record, audit_action, *self._changed(request, record), note)
        super().log_change(request, record, message)

    def _changed(self, request: HttpRequest, record: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The facts that have changed since `remember`: as they were, and as they are."""
        before: dict[str, Any] = getattr(request, "before", {})
        after = self.facts(_fresh(record))
        changed = sorted(name for name in before if before[name] != after[name])
        return {name: before[name] for name in changed}, {name: after[name] for name in changed}

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for record in queryset:
            self.write_down(request, record, "deleted", self.facts(record), None)
        return super().log_deletions(request, queryset)

    def write_down(
        self,
        request: HttpRequest,
        record: Model,
        audit_action: str,
        before: dict[str, Any] | None,
        after: dict[str, Any] | None,
        message: Any = "",
    ) -> None:
        """Writes one audit entry for a record. The message is the note, visible to staff only."""
        audit.record(
            request,
            f"{name_of(type(record))}.{audit_action}",
            company=record if isinstance(record, Company) else getattr(record, "company", None),
            merchant=record if isinstance(record, Merchant) else getattr(record, "merchant", None),
            object_id=str(record.pk),
            before=before or None,
            after=after or None,
            note=_written(message)[:500],
            by_staff=True,
        )


def company_ids_of(record: Any) -> set[str]:
    """The company of a record, or none."""
    if isinstance(record, Company):
        return {record.pk}
    merchant = getattr(record, "merchant", None) or getattr(getattr(record, "endpoint", None), "merchant", None)
    found = getattr(record, "company_id", None) or (merchant.company_id if merchant else None)
    return {found} if found else set()


def is_own_company(request: HttpRequest, record: Any) -> bool:
    """Whether the record's company has this person as a member, in any role."""
    mine = Membership.objects.filter(user=request.user, company__in=company_ids_of(record))  # type: ignore[misc]
    return mine.exists()


def _require_uninvolved(request: HttpRequest, records: Iterable[Any]) -> None:
    if any(is_own_company(request, record) for record in records):
        raise PermissionDenied


def name_of(model: type[Model]) -> str:
    """`api_key`, `price_rule`: prefixes of audit actions."""
    return model._meta.verbose_name_raw.lower().replace(" ", "_")


def _written(message: Any) -> str:
    """The person's note, or the changed fields of the form."""
    if isinstance(message, str):
        return message
    changes = [part["changed"] for part in message or () if "changed" in part]
    return ", ".join(field for change in changes for field in change.get("fields", ()))


def _fresh(record: Any) -> Any:
    return type(record)._base_manager.get(pk=record.pk)


def _is_audited(field: "Field[Any, Any]") -> bool:
    is_amount = isinstance(field, BigIntegerField)
    is_person = isinstance(field, ForeignKey) and field.name.endswith("_by")
    sealed = isinstance(field, BinaryField)
    return not (field.primary_key or is_amount or is_person or sealed or field.name in EXCLUDED)


def _plain(field: "Field[Any, Any]", record: Model) -> Any:
    """The value as a JSON type."""
    value = getattr(record, field.attname)
    return value if value is None or isinstance(value, bool | int | list | dict) else str(value)
