"""Where methods are on, within which limits and at what price: rows that staff change, with history."""

from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.functional import cached_property
from simple_history.template_utils import HistoricalRecordContextHelper
from unfold.widgets import UnfoldAdminDecimalFieldWidget

from accounts.staff.columns import Column
from accounts.staff.pages import RecordedAdmin
from gateway.methods.models import MethodRule, PriceRule
from ledger.admin import in_words, money
from ledger.money import MAX_AMOUNT, to_decimal, to_minor


class AmountField(forms.DecimalField):
    """Money in the currency of the rule, which keeps it in minor units."""

    widget = UnfoldAdminDecimalFieldWidget

    def __init__(self, at_least: str) -> None:
        super().__init__(min_value=Decimal(at_least), max_value=MAX_AMOUNT, decimal_places=2, show_hidden_initial=True)


class RuleForm(forms.ModelForm):
    """A rule whose amounts are typed as money."""

    amounts: ClassVar[tuple[str, ...]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.currency:
            for name in self.amounts:
                self.initial[name] = to_decimal(getattr(self.instance, name), self.instance.currency)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        currency = cleaned.get("currency") or self.instance.currency
        for name in set(self.amounts) & set(cleaned) if currency else ():
            cleaned[name] = to_minor(cleaned[name], currency)
        return cleaned


class PriceRuleForm(RuleForm):
    amounts = ("fixed",)
    fixed = AmountField("0")


class MethodRuleForm(RuleForm):
    amounts = ("minimum", "maximum")
    minimum = AmountField("0.01")
    maximum = AmountField("0.01")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if {"minimum", "maximum"} <= set(cleaned) and cleaned["maximum"] < cleaned["minimum"]:
            self.add_error("maximum", "The maximum is below the minimum.")
        merchant, environment = cleaned.get("merchant"), cleaned.get("environment")
        if merchant and environment and merchant.environment != environment:
            self.add_error("environment", f"{merchant} is not in {environment}.")
        self._check_times(cleaned)
        return cleaned

    def _check_times(self, cleaned: dict[str, Any]) -> None:
        shortest, usual, longest = (
            cleaned.get(name) for name in ("expires_in_min_s", "expires_in_s", "expires_in_max_s")
        )
        if (shortest is None) != (longest is None):
            self.add_error("expires_in_max_s", "Give both the shortest and the longest time, or neither.")
        in_order = [1, *(seconds for seconds in (shortest, usual, longest) if seconds is not None)]
        if in_order != sorted(in_order):
            self.add_error("expires_in_s", "In order, please: at least 1, the shortest, this one, the longest.")


class Past(HistoricalRecordContextHelper):
    """What changed in a rule, with its amounts as money."""

    amounts: tuple[str, ...] = ()

    def prepare_delta_change_value(self, change: Any, value: Any) -> Any:
        if change.field in self.amounts:
            return in_words(value, self.record.currency)
        return super().prepare_delta_change_value(change, value)


class RuleAdmin(RecordedAdmin):
    """Which merchant, method and currency a rule is for never changes: another one is another rule."""

    ids = {"cmp": "merchant__company"}
    words = {"merchant__company__trade_name__icontains": str, "method__iexact": str}
    search_help_text = "Company id or name, or method"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    autocomplete_fields = ("merchant",)
    decided_once: ClassVar[tuple[str, ...]]

    @cached_property
    def read(self) -> dict[str, Column]:
        return {name: money(name) for name in self.form.amounts}

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Amounts that are only read are shown with their currency."""
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
        """A merchant's own rule can go: everybody's holds then. Everybody's cannot."""
        return bool(super().has_delete_permission(request, obj)) and (obj is None or obj.merchant_id is not None)

    def get_historical_record_context_helper(self, request: HttpRequest, historical_record: Any) -> "Past":
        past = Past(self.model, historical_record)
        past.amounts = self.form.amounts
        return past


def _replaced(names: Any, by: dict[str, Any]) -> Any:
    return tuple(by.get(name, name) for name in names) if isinstance(names, tuple) else by.get(names, names)


@admin.register(MethodRule)
class MethodRuleAdmin(RuleAdmin):
    form = MethodRuleForm
    decided_once = ("merchant", "environment", "method", "currency")
    list_display = ("__str__", "enabled", money("minimum"), money("maximum"), "expires_in_s", "refund_window_days")
    list_filter = ("enabled", "environment", "method", "currency")
    fieldsets = (
        ("For", {"fields": (("merchant", "environment"), ("method", "currency"))}),
        ("Offered", {"fields": ("enabled", ("minimum", "maximum"))}),
        ("Times", {"fields": (("expires_in_min_s", "expires_in_max_s"), ("expires_in_s", "refund_window_days"))}),
    )


@admin.register(PriceRule)
class PriceRuleAdmin(RuleAdmin):
    form = PriceRuleForm
    decided_once = ("merchant", "method", "currency")
    list_display = ("__str__", "percentage", money("fixed"), "settlement_days")
    list_filter = ("method", "currency", "merchant__environment")
    fieldsets = (
        ("For", {"fields": ("merchant", ("method", "currency"))}),
        ("Price of a payment", {"fields": (("percentage", "fixed"), "settlement_days")}),
    )
