"""Where methods are on, within which limits and at what price: rows that staff change, with history."""

from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.db.models import Case, Exists, F, OuterRef, Q, Value, When
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.functional import cached_property
from simple_history.template_utils import HistoricalRecordContextHelper
from unfold.decorators import action, display

from accounts.clock import wall
from accounts.staff.columns import Column, address, colored, moment, unbroken
from accounts.staff.pages import RecordedAdmin
from gateway.methods.models import MethodRule, PriceRule
from ledger.admin import AmountField, in_words, money
from ledger.money import to_decimal, to_minor


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
    """A version of a price: what has held is never changed, so a version begins now or later."""

    amounts = ("fixed", "advance_minimum")
    fixed = AmountField("0")
    advance_minimum = AmountField("0", help_text="Of an advance", initial=0, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "effective_from" in self.fields:
            self.fields["effective_from"].required = False
            self.fields["effective_from"].help_text = "UTC. Empty: at once. Payments created before keep their price."
        if self.instance.pk is None:
            self.initial["effective_from"] = None

    def clean_advance_minimum(self) -> Decimal:
        return self.cleaned_data["advance_minimum"] or Decimal(0)

    def clean_effective_from(self) -> datetime:
        now = wall()
        begins: datetime = self.cleaned_data["effective_from"] or now
        if begins < now:
            raise forms.ValidationError("That is over: payments have been created at the price of then.")
        return begins

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        row = self.instance
        merchant, method, currency = (
            cleaned.get(name, getattr(row, name)) for name in ("merchant", "method", "currency")
        )
        others = PriceRule.objects.filter(merchant=merchant, method=method, currency=currency).exclude(pk=row.pk)
        if "effective_from" in cleaned and others.filter(effective_from=cleaned["effective_from"]).exists():
            self.add_error("effective_from", "Another version begins at this time.")
        return cleaned


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


IN_FORCE, LATER, OVER = "in force", "later", "over"


def _in_force() -> Case:
    """Whether a version holds by the real clock: it has begun, and no later one has."""
    begun = {"effective_from__lte": wall()}
    same = {"method": OuterRef("method"), "currency": OuterRef("currency")}
    newer = PriceRule.objects.filter(**same, **begun, effective_from__gt=OuterRef("effective_from"))
    of_merchant, of_all = newer.filter(merchant=OuterRef("merchant")), newer.filter(merchant=None)
    return Case(
        When(~Q(**begun), then=Value(LATER)),
        When(Q(Exists(of_merchant)) | Q(Q(merchant=None), Exists(of_all)), then=Value(OVER)),
        default=Value(IN_FORCE),
    )


@admin.register(PriceRule)
class PriceRuleAdmin(RuleAdmin):
    """Versions: what has begun to hold is only read, and another price is another version."""

    form = PriceRuleForm
    decided_once = ("merchant", "method", "currency")
    ordering = ("method", "currency", F("merchant").asc(nulls_first=True), "-effective_from")
    list_display = (
        "__str__",
        colored("state", **{IN_FORCE: "success", LATER: "info"}),
        moment("effective_from"),
        "percentage",
        money("fixed"),
        "settlement_days",
        "advance",
    )
    list_filter = ("method", "currency", "merchant__environment")
    fieldsets = (
        ("For", {"fields": ("merchant", ("method", "currency"), "effective_from")}),
        ("Price of a payment", {"fields": (("percentage", "fixed"), "settlement_days")}),
        ("Advances", {"fields": ("advance_enabled", ("advance_monthly_rate", "advance_minimum"))}),
    )
    actions_detail = ("new_version",)

    @cached_property
    def read(self) -> dict[str, Column]:
        return {**super().read, "effective_from": moment("effective_from")}

    @display(description="advance")
    def advance(self, price: PriceRule) -> str | None:
        if not price.advance_enabled:
            return None
        least = in_words(price.advance_minimum, price.currency)
        return unbroken(f"{price.advance_monthly_rate.normalize():f}% a month, from {least}")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).annotate(state=_in_force())

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(super().has_change_permission(request, obj)) and _is_open(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Also of the versions for everybody: the one before goes on holding."""
        return bool(RecordedAdmin.has_delete_permission(self, request, obj)) and _is_open(obj)

    def has_version_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return bool(self.has_add_permission(request))

    @action(description="New version", permissions=["version"], icon="add")
    def new_version(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The page of a new one, filled with what this one says."""
        price = self.record(request, object_id)
        said = {name: getattr(price, name) for name in ("method", "currency", "percentage", "settlement_days")}
        said |= {name: getattr(price, name) for name in ("advance_enabled", "advance_monthly_rate")}
        said |= {name: to_decimal(getattr(price, name), price.currency) for name in self.form.amounts}
        said |= {"merchant": price.merchant_id} if price.merchant_id else {}
        if not price.advance_enabled:
            del said["advance_enabled"]
        return HttpResponseRedirect(f"{address(PriceRule, 'add')}?{urlencode(said)}")


def _is_open(price: PriceRule | None) -> bool:
    return price is None or price.effective_from > wall()
