"""Shared by the pages of all rules: amounts in major units, and immutable keys."""

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.functional import cached_property
from simple_history.template_utils import HistoricalRecordContextHelper

from accounts.audit import Actor
from accounts.base.errors import Fault, Refusal
from gateway.methods import changes
from gateway.staff.kit import refusals
from gateway.staff.kit.amounts import StaffAmountField, money
from gateway.staff.kit.columns import Column, address
from gateway.staff.kit.recorded import RecordedAdmin
from gateway.staff.kit.search import SearchWords
from ledger.money import to_decimal, to_minor
from ledger.notation import plain_amount


class RuleForm(forms.ModelForm):
    """A rule with amounts in major units. The service's `faults` are shown at the fields."""

    amounts: ClassVar[tuple[str, ...]]
    faults: ClassVar[Callable[[Any], list[Fault]]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.currency:
            for name in self.amounts:
                self.initial[name] = to_decimal(getattr(self.instance, name), self.instance.currency)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        currency = cleaned.get("currency") or self.instance.currency
        for name in set(self.amounts) & set(cleaned) if currency else ():
            try:
                cleaned[name] = to_minor(cleaned[name], currency)
            except ValueError as refused:
                self.add_error(name, f"{refused}.")
        return cleaned

    def validate_unique(self) -> None:
        """Shows the service's faults instead of database constraints, which name no field."""
        super().validate_unique()
        faults = [] if set(self.errors) - {NON_FIELD_ERRORS} else type(self).faults(self.instance)
        if faults:
            self.errors.pop(NON_FIELD_ERRORS, None)
        for fault in faults:
            self.add_error(fault.field if fault.field in self.fields else None, fault.in_words())


class LimitsForm(RuleForm):
    """A rule with a range of amounts."""

    amounts: ClassVar[tuple[str, ...]] = ("minimum", "maximum")
    minimum = StaffAmountField("0.01")
    maximum = StaffAmountField("0.01")


class Past(HistoricalRecordContextHelper):
    """History of a rule, with amounts in major units."""

    amounts: tuple[str, ...] = ()

    def prepare_delta_change_value(self, change: Any, value: Any) -> Any:
        if change.field in self.amounts:
            return plain_amount(value, self.record.currency)
        return super().prepare_delta_change_value(change, value)


class RuleAdmin(RecordedAdmin):
    """The subject of a rule never changes: another one is another rule."""

    ids = {"cmp": "merchant__company"}
    words: ClassVar[SearchWords] = {"merchant__company__trade_name__icontains": str}
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    autocomplete_fields = ("merchant",)
    decided_once: ClassVar[tuple[str, ...]]
    set_rule: ClassVar[Callable[[Actor, Any], Any]]
    remove_rule: ClassVar[Callable[[Actor, Any], None]]

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return self._or_refused(request, super().changeform_view, *args, **kwargs)

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return self._or_refused(request, super().delete_view, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return self._or_refused(request, super().changelist_view, *args, **kwargs)

    def _or_refused(self, request: HttpRequest, view: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """A concurrent change can make the service refuse what the page accepted."""
        try:
            return view(request, *args, **kwargs)
        except Refusal as refusal:
            self.message_user(request, refusals.in_words(refusal), messages.ERROR)
            return HttpResponseRedirect(address(self.model, "changelist"))

    def save(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        changes.hold(obj)  # before its row, as everywhere
        type(self).set_rule(Actor.of(request), self.merged(obj, form) if change else obj)

    def remove(self, request: HttpRequest, obj: Any) -> None:
        type(self).remove_rule(Actor.of(request), obj)

    def write_down(self, *args: Any, **kwargs: Any) -> None:
        """The services have written the audit."""

    @cached_property
    def read(self) -> dict[str, Column]:
        return {name: money(name) for name in self.form.amounts}

    def facts(self, record: Any) -> dict[str, Any]:
        amounts = {name: plain_amount(getattr(record, name), record.currency) for name in self.form.amounts}
        return super().facts(record) | amounts

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Read-only amounts are shown with their currency."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return fieldsets
        return [
            (title, {**options, "fields": [_replaced(names, self.read) for names in options["fields"]]})
            for title, options in fieldsets
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return (*fields, *self.decided_once) if obj else fields

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A merchant's own rule can be deleted: the general one applies then. The general one cannot."""
        return bool(super().has_delete_permission(request, obj)) and (obj is None or obj.merchant_id is not None)

    def get_historical_record_context_helper(self, request: HttpRequest, historical_record: Any) -> "Past":
        past = Past(self.model, historical_record)
        past.amounts = self.form.amounts
        return past


def _replaced(names: Any, by: dict[str, Any]) -> Any:
    return tuple(by.get(name, name) for name in names) if isinstance(names, tuple) else by.get(names, names)
