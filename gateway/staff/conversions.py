"""Conversions for staff: both legs, and our spread."""

from collections.abc import Iterable
from decimal import Decimal
from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from gateway.conversions.models import Conversion
from gateway.staff.kit.amounts import CurrencyFilter, money
from gateway.staff.kit.columns import OF_MERCHANT, Column, column, moment, related, titled, unbroken
from gateway.staff.kit.pages import ReadOnlyAdmin
from gateway.staff.kit.readings import amount
from gateway.staff.kit.related import Related
from gateway.staff.kit.search import announced_by
from ledger.models import Entry, Transfer
from ledger.notation import plain_amount
from webhooks.models import Delivery, Event


class SourceFilter(CurrencyFilter):
    title = _("from")
    parameter_name, field = "source_currency", "source_currency"


class DestinationFilter(CurrencyFilter):
    title = _("to")
    parameter_name, field = "destination_currency", "destination_currency"


def end_money(name: str, end: str, title: str) -> Column:
    """The amount in the currency of one leg."""
    return money(name, title, attrgetter(f"{end}_currency"))


def rate(name: str, title: str) -> Column:
    """The value of one source unit in the destination currency."""

    def shown(conversion: Conversion) -> Any:
        value: Decimal = getattr(conversion, name)
        worth = f"{value.normalize():f} {conversion.destination_currency}"
        return unbroken(f"1 {conversion.source_currency} = {worth}")

    return titled(shown, name, title)


def _spread(conversion: Conversion) -> Any:
    minor = conversion.market_amount - conversion.destination_amount
    return unbroken(plain_amount(minor, conversion.destination_currency))


@admin.register(Conversion)
class ConversionAdmin(ReadOnlyAdmin):
    ids = {
        "cmp": "merchant__company",
        "evt": lambda event_id: announced_by(Event.objects.filter(pk=event_id)),
        "dlv": lambda delivery_id: announced_by(Event.objects.filter(deliveries=delivery_id)),
    }
    readings = (amount("source_amount", "source_currency"), amount("destination_amount", "destination_currency"))
    amounts = ("source_amount", "destination_amount")
    moments = ("created_at",)
    search_help_text = "Amount, day, or conversion, company, event or delivery id"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    list_display = (
        "id",
        end_money("source_amount", "source", "from"),
        end_money("destination_amount", "destination", "to"),
        rate("applied_rate", "rate"),
        titled(_spread, "market_amount", "spread"),
        *OF_MERCHANT,
        moment("created_at"),
    )
    list_filter = (SourceFilter, DestinationFilter, "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", related("merchant"))}),
        (
            "Money",
            {
                "fields": (
                    (end_money("source_amount", "source", "from"), "source_method"),
                    (end_money("destination_amount", "destination", "to"), "destination_method"),
                )
            },
        ),
        (
            "Price",
            {
                "fields": (
                    (rate("market_rate", "market rate"), rate("applied_rate", "applied rate")),
                    end_money("market_amount", "destination", "at market rate"),
                    (
                        titled(_spread, "spread", "spread"),
                        column("spread_percentage", lambda share: f"{share.normalize():f}%", "spread percentage"),
                    ),
                )
            },
        ),
        (
            "Timestamps (merchant's clock)",
            {"fields": (("quote_id", moment("quoted_at")), moment("created_at", "converted at"))},
        ),
    )

    def related_to(self, record: Conversion) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(
            record,
            Transfer.objects.filter(reference=record.pk),
            Entry.objects.filter(transfer__reference=record.pk),
            Event.objects.filter(object_id=record.pk),
            Delivery.objects.filter(event__object_id=record.pk),
        )
