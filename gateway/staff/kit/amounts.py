"""Money on staff pages: columns, fields and filters of amounts."""

from collections.abc import Callable
from decimal import Decimal
from operator import attrgetter
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminDecimalFieldWidget

from gateway.staff.kit.columns import EMPTY, Column, Title, exported, titled, unbroken
from ledger.chart import WALLET_METHOD
from ledger.money import MAX_AMOUNT, to_decimal
from ledger.notation import TwoReadings, Unreadable, exact, plain_amount, read, typed


class StaffAmountField(forms.DecimalField):
    """An amount in the currency of the record, stored in minor units. Parses what `in_words` formats."""

    widget = UnfoldAdminDecimalFieldWidget

    def __init__(self, at_least: str, *, decimals: int = 2, **options: Any) -> None:
        options |= {
            "min_value": Decimal(at_least),
            "max_value": min(MAX_AMOUNT, Decimal(9).scaleb(18 - decimals)),
            "decimal_places": decimals,
        }
        super().__init__(show_hidden_initial=True, **options)

    def to_python(self, value: Any) -> Decimal | None:  # type: ignore[override]
        if value in self.empty_values:
            return None
        try:
            return read(str(self.prepare_value(value)))
        except TwoReadings as both:
            raise forms.ValidationError(_in_two_ways(both), code="two_readings") from None
        except Unreadable:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from None

    def prepare_value(self, value: Any) -> Any:
        return f"{value:f}" if isinstance(value, Decimal) else value  # never 0E-8


def _in_two_ways(both: TwoReadings) -> str:
    most, least = both.readings
    values = {"text": both.text, "most": f"{most:,}.00", "least": exact(least, least=2)}
    values |= {"plain_most": str(most), "plain_least": typed(least)}
    return (
        gettext("%(text)s is ambiguous: it could mean %(most)s or %(least)s. Write %(plain_most)s or %(plain_least)s.")
        % values
    )


class CurrencyFilter(admin.SimpleListFilter):
    """Wallet currencies, without querying a big table."""

    title, parameter_name, field = _("currency"), "currency", "currency"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(code, code) for code in WALLET_METHOD]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**{self.field: self.value()}) if self.value() else queryset


def money(name: str, title: Title = "", of: Callable[[Any], str] = attrgetter("currency")) -> Column:
    """A record's amount in the currency `of` the record. Exports have number and currency apart."""

    def shown(row: Any) -> Any:
        minor = getattr(row, name)
        return EMPTY if minor is None else unbroken(plain_amount(minor, of(row)))

    def number(row: Any) -> Decimal | None:
        minor = getattr(row, name)
        return None if minor is None else to_decimal(minor, of(row))

    made: Any = exported(titled(shown, name, title), itself=number, currency=of)
    made.is_money = True
    return made  # type: ignore[no-any-return]
