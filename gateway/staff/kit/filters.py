"""Filters of big lists: ranges of amounts and days, and the company."""

from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import RangeNumericListFilter, TextFilter
from unfold.widgets import INPUT_CLASSES

from accounts.models import Environment, Merchant
from accounts.tax_ids import compact
from gateway.staff.kit.names import translated
from gateway.staff.kit.readings import Span
from ledger.money import MAX_AMOUNT

MOST_MERCHANTS = 200


class AmountRange(RangeNumericListFilter):
    """A range of amounts in minor units, of currencies with two decimals; both ends are included."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        ends = {"gte": self._end("from"), "lte": self._end("to")}
        wanted = {f"{self.parameter_name}__{end}": minor for end, minor in ends.items() if minor is not None}
        return queryset.filter(**wanted)

    def _end(self, end: str) -> int | None:
        try:
            value = Decimal(str(self.used_parameters.get(f"{self.parameter_name}_{end}") or "").replace(",", "."))
            return int(value * 100) if abs(value) <= MAX_AMOUNT else None
        except InvalidOperation:  # also NaN, which has no order
            return None


def amount_range(name: str) -> type[admin.SimpleListFilter]:
    """The filter by this amount."""
    made = type("AmountRange", (AmountRange,), {"parameter_name": name, "title": translated(name.replace("_", " "))})
    return cast(type[admin.SimpleListFilter], made)


class DaysForm(forms.Form):
    def __init__(self, name: str, data: dict[str, Any]) -> None:
        super().__init__(data)
        for end, label in (("from", _("From")), ("to", _("To"))):
            picker = forms.DateInput({"type": "date", "class": " ".join(INPUT_CLASSES), "aria-label": label})
            self.fields[f"{name}_{end}"] = forms.CharField(label="", required=False, widget=picker)


class DayRange(admin.SimpleListFilter):
    """A range of days in UTC; both days are included."""

    template = "unfold/filters/filters_date_range.html"
    parameter_name: str

    def __init__(self, request: HttpRequest, params: dict[str, Any], *args: Any) -> None:
        super().__init__(request, params, *args)
        for parameter in self.expected_parameters():
            if parameter in params:
                sent = params.pop(parameter)
                self.used_parameters[parameter] = sent[-1] if isinstance(sent, list) else sent

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("", "")]

    def expected_parameters(self) -> list[str]:  # type: ignore[override]
        return [f"{self.parameter_name}_from", f"{self.parameter_name}_to"]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        first, last = (_day(self.used_parameters.get(parameter)) for parameter in self.expected_parameters())
        narrowed = Q()
        if first:
            narrowed &= Q(**{f"{self.parameter_name}__gte": Span.of_days(first, first).start})
        if last:
            narrowed &= Q(**{f"{self.parameter_name}__lt": Span.of_days(last, last).end})
        return queryset.filter(narrowed)

    def choices(self, changelist: Any) -> Iterator[Any]:
        sent = {name: self.used_parameters.get(name) for name in self.expected_parameters()}
        yield {"form": DaysForm(self.parameter_name, sent)}


def day_range(name: str) -> type[admin.SimpleListFilter]:
    """The filter by this time."""
    name_of_time = translated(name.removesuffix("_at").replace("_", " "))
    title = format_lazy("{} (UTC)", name_of_time)
    return type("DayRange", (DayRange,), {"parameter_name": name, "title": title})


def _day(text: Any) -> date | None:
    try:
        found = date.fromisoformat(str(text))
    except ValueError:
        return None
    return found if 1 < found.year < 9999 else None


def selected_moment(request: HttpRequest, moments: Iterable[str]) -> str | None:
    """The time by whose range the list is filtered: its order is that of the index."""
    return next((one for one in moments if request.GET.get(f"{one}_from") or request.GET.get(f"{one}_to")), None)


class CompanyFilter(TextFilter):
    """By company: id, tax id, or a part of the name. Its merchants are looked up first, so that an index is used."""

    title, parameter_name = _("company"), "company"
    field = "merchant"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        text = (self.value() or "").strip()
        if not text or "\0" in text:
            return queryset
        named = Q(company__trade_name__icontains=text) | Q(company__legal_name__icontains=text)
        meant = named | Q(company=text) | Q(company__tax_id=compact(text))
        found = Merchant.objects.filter(meant).values_list("pk", flat=True)[:MOST_MERCHANTS]
        return queryset.filter(**{f"{self.field}__in": [*found]})


class EnvironmentFilter(admin.ChoicesFieldListFilter):
    """By environment. Where its merchants are few, they are looked up first, so that an index is used."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = [*filter(Environment.values.__contains__, self.lookup_val or ())]
        of_it = Merchant.objects.filter(environment__in=wanted).values_list("pk", flat=True)
        found = [*of_it[: MOST_MERCHANTS + 1]] if wanted else []
        if not 0 < len(found) <= MOST_MERCHANTS:
            return cast(QuerySet[Any], super().queryset(request, queryset))
        return queryset.filter(merchant__in=found)


def company_of(model: type[Model]) -> list[type[admin.SimpleListFilter]]:
    """The company filter of records that have a merchant."""
    has_merchant = any(field.name == "merchant" for field in model._meta.concrete_fields)
    return [cast(type[admin.SimpleListFilter], CompanyFilter)] if has_merchant else []
