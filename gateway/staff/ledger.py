"""The books for staff: only `ledger_post` writes here."""

from operator import attrgetter

from django.contrib import admin
from unfold.decorators import display

from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import Column, column, moment, named, related
from gateway.staff.kit.pages import ReadOnlyAdmin
from ledger.models import Account, Balance, Entry, Transfer
from ledger.notation import plain_amount


def account_money(name: str, title: str = "") -> Column:
    """A balance in its account's currency."""
    return money(name, title, attrgetter("account.currency"))


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    ids = {"cmp": "merchant__company"}
    words = {"pk": int}
    search_help_text = "Company id or ledger account number"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company", "balance")
    list_display = ("__str__", related("merchant"), "kind", "currency", "held")
    list_filter = ("kind", "currency", "merchant__environment")
    fieldsets = ((None, {"fields": ("id", related("merchant"), "kind", ("method", "currency"), "held")}),)

    @display(description="balance")
    def held(self, account: Account) -> str:
        return plain_amount(account.balance.amount, account.currency)


@admin.register(Balance)
class BalanceAdmin(ReadOnlyAdmin):
    ids = {"cmp": "account__merchant__company"}
    words = {"pk": int}
    search_help_text = "Company id or ledger account number"
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
                    (column("version", str, "entries"), moment("updated_at")),
                )
            },
        ),
    )


@admin.register(Transfer)
class TransferAdmin(ReadOnlyAdmin):
    ids = {"cmp": "merchant__company"}
    words = {"reference": str, "pk": int}
    search_help_text = "Id of the posted record, company id, or transfer number"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    list_display = ("id", "kind", named("reference"), related("merchant"), "entry_count", moment("posted_at"))
    list_filter = ("merchant__environment",)
    fieldsets = (
        (None, {"fields": ("id", "kind", named("reference"), related("merchant"), "entry_count")}),
        ("Timestamps", {"fields": ((moment("posted_at", "posted at (merchant's clock)"), moment("created_at")),)}),
    )


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    words = {"transfer__reference": str, "pk": int}
    search_help_text = "Id of the posted record, or entry number"
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
        ("Money", {"fields": ((money("amount", "amount (+ credit, - debit)"), money("balance_after")),)}),
    )
