"""The books, as staff read them: whoever they are, only `ledger_post` writes here."""

from collections.abc import Callable
from decimal import Decimal
from operator import attrgetter
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display
from unfold.widgets import UnfoldAdminDecimalFieldWidget

import ledger.wallets.closing  # noqa: F401  (registers itself)
from accounts.staff.columns import EMPTY, Column, column, exported, moment, named, related, titled, unbroken
from accounts.staff.pages import ReadOnlyAdmin
from ledger.chart import WALLET_METHOD
from ledger.models import Account, Balance, Entry, Transfer
from ledger.money import MAX_AMOUNT, to_decimal
from ledger.notation import TwoReadings, Unreadable, exact, read, typed


class AmountField(forms.DecimalField):
    """Money in the currency of the record, which keeps it in minor units. It reads what `in_words` writes."""

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
    return f"{both.text} can be read as {most:,}.00 or {exact(least, least=2)}: write {most} or {typed(least)}."


class CurrencyFilter(admin.SimpleListFilter):
    """Of the wallets, without asking a big table which it holds."""

    title = parameter_name = field = "currency"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(code, code) for code in WALLET_METHOD]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**{self.field: self.value()}) if self.value() else queryset


def in_words(minor: int, currency: str) -> str:
    """`1,234.50 BRL`."""
    return f"{to_decimal(minor, currency):,f} {currency}"


def money(name: str, title: str = "", of: Callable[[Any], str] = attrgetter("currency")) -> Column:
    """An amount of a record, in the currency `of` the record. In files number and currency stand apart."""

    def shown(row: Any) -> Any:
        minor = getattr(row, name)
        return EMPTY if minor is None else unbroken(in_words(minor, of(row)))

    def number(row: Any) -> Decimal | None:
        minor = getattr(row, name)
        return None if minor is None else to_decimal(minor, of(row))

    return exported(titled(shown, name, title), itself=number, currency=of)


def account_money(name: str, title: str = "") -> Column:
    """An amount of a balance, whose currency is its account's."""
    return money(name, title, attrgetter("account.currency"))


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    ids = {"cmp": "merchant__company"}
    words = {"pk": int}
    search_help_text = "Company id, or number of the account"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company", "balance")
    list_display = ("__str__", related("merchant"), "kind", "currency", "held")
    list_filter = ("kind", "currency", "merchant__environment")
    fieldsets = ((None, {"fields": ("id", related("merchant"), "kind", ("method", "currency"), "held")}),)

    @display(description="balance")
    def held(self, account: Account) -> str:
        return in_words(account.balance.amount, account.currency)


@admin.register(Balance)
class BalanceAdmin(ReadOnlyAdmin):
    ids = {"cmp": "account__merchant__company"}
    words = {"pk": int}
    search_help_text = "Company id, or number of the account"
    listed_at = ("account",)
    list_select_related = ("account__merchant__company",)
    list_display = ("account", account_money("amount"), account_money("floor"), "version", moment("updated_at"))
    list_filter = ("account__kind", "account__currency", "account__merchant__environment")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    related("account"),
                    (account_money("amount"), account_money("floor")),
                    (column("version", str, "entries so far"), moment("updated_at")),
                )
            },
        ),
    )


@admin.register(Transfer)
class TransferAdmin(ReadOnlyAdmin):
    ids = {"cmp": "merchant__company"}
    words = {"reference": str, "pk": int}
    search_help_text = "Id of what was posted, company id, or number of the transfer"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    list_display = ("id", "kind", named("reference"), related("merchant"), "entry_count", moment("posted_at"))
    list_filter = ("merchant__environment",)
    fieldsets = (
        (None, {"fields": ("id", "kind", named("reference"), related("merchant"), "entry_count")}),
        ("Times", {"fields": ((moment("posted_at", "posted at, by the merchant's clock"), moment("created_at")),)}),
    )


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    words = {"transfer__reference": str, "pk": int}
    search_help_text = "Id of what was posted, or number of the entry"
    listed_at = ("transfer", "account")
    list_select_related = ("transfer", "account")
    list_display = (
        "id",
        related("transfer"),
        related("account"),
        money("amount"),
        money("balance_after"),
        "sequence",
    )
    list_filter = ("account__kind", "account__currency")
    fieldsets = (
        (None, {"fields": ("id", (related("transfer"), "line"), (related("account"), "sequence"))}),
        ("Money", {"fields": ((money("amount", "amount: + is credit, - is debit"), money("balance_after")),)}),
    )
