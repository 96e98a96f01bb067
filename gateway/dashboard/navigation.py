"""The menu: what there is, and who sees it."""

from typing import TYPE_CHECKING, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.roles import May
from gateway.refunds.inbox import Tab, listed

if TYPE_CHECKING:
    from gateway.dashboard.access import Here


class Item(NamedTuple):
    """A page of the menu; `name` is that of its address, and `area` what the address begins with."""

    name: str
    title: str | Promise
    icon: str
    needs: May
    area: str
    sandbox_only: bool = False


MENU: tuple[tuple[str | Promise, tuple[Item, ...]], ...] = (
    (
        _("Sell"),
        (
            Item("home", _("Home"), "home", May.READ_PAYMENTS, ""),
            Item("payments", _("Payments"), "credit-card", May.READ_PAYMENTS, "payments/"),
            Item("refunds", _("Refunds and disputes"), "receipt-refund", May.READ_PAYMENTS, "refunds/"),
            Item("customers", _("Customers"), "users", May.READ_PAYMENTS, "customers/"),
        ),
    ),
    (
        _("Money"),
        (
            Item("balance", _("Balance"), "scale", May.READ_MONEY, "balance/"),
            Item("statement", _("Statement"), "list-details", May.READ_MONEY, "statement/"),
            Item("receivables", _("Receivables"), "calendar-dollar", May.READ_MONEY, "receivables/"),
            Item("withdrawals", _("Withdrawals"), "arrow-up-right", May.READ_MONEY, "withdrawals/"),
            Item("conversions", _("Conversions"), "arrows-exchange", May.READ_MONEY, "conversions/"),
        ),
    ),
    (
        _("Developers"),
        (
            Item("keys", _("API keys"), "key", May.READ_TECHNICAL, "keys/"),
            Item("webhooks", _("Webhooks"), "webhook", May.READ_TECHNICAL, "webhooks/"),
            Item("events", _("Events"), "bell", May.READ_TECHNICAL, "events/"),
            Item("requests", _("Requests"), "code", May.READ_TECHNICAL, "requests/"),
            Item("lab", _("Sandbox lab"), "flask", May.SIMULATE, "lab/", sandbox_only=True),
        ),
    ),
    (
        _("Company"),
        (
            Item("team", _("Team"), "user-plus", May.READ_PAYMENTS, "team/"),
            Item("settings", _("Settings"), "settings", May.READ_PAYMENTS, "settings/"),
            Item("verification", _("Verification"), "shield-check", May.MANAGE, "verification/"),
            Item("audit", _("Audit log"), "history", May.READ_AUDIT, "audit/"),
        ),
    ),
)


class Entry(NamedTuple):
    """An item as this person sees it on this page."""

    title: str | Promise
    icon: str
    address: str
    is_current: bool
    waiting: str = ""
    """How much of it waits for the company."""


def menu(here: "Here") -> list[tuple[str | Promise, list[Entry]]]:
    """What this person may open, in groups; empty groups are left out."""
    inside = here.request.path.removeprefix(here.to("home"))
    found = []
    for title, items in MENU:
        entries = [
            Entry(item.title, item.icon, here.to(item.name), _is_current(item, inside), _waiting(here, item))
            for item in items
            if here.may(item.needs) and (here.is_sandbox or not item.sandbox_only)
        ]
        if entries:
            found.append((title, entries))
    return found


MOST = 99


def _waiting(here: "Here", item: Item) -> str:
    """Refunds that wait for an answer, counted to a hundred."""
    if item.name != "refunds":
        return ""
    count = listed(here.merchant, Tab.WAITING).order_by().values("pk")[: MOST + 1].count()
    return f"{MOST}+" if count > MOST else str(count or "")


def _is_current(item: Item, inside: str) -> bool:
    return inside.startswith(item.area) if item.area else not inside
