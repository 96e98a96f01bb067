"""The menu, and who sees which item."""

from collections import Counter
from typing import NamedTuple

from django.db.models import Value
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.notifications.services import told
from accounts.roles import May
from gateway.dashboard.context import RequestContext
from gateway.refunds.inbox import Tab, listed
from gateway.withdrawals import selectors as withdrawals


class MenuItem(NamedTuple):
    """A page of the menu; `name` is its URL name, `area` its URL prefix."""

    name: str
    title: str | Promise
    icon: str
    needs: May
    area: str
    sandbox_only: bool = False


MENU: tuple[tuple[str | Promise, tuple[MenuItem, ...]], ...] = (
    (
        _("Sell"),
        (
            MenuItem("home", _("Home"), "home", May.READ_PAYMENTS, ""),
            MenuItem("sales", _("Sales"), "chart-bar", May.READ_PAYMENTS, "sales/"),
            MenuItem("payments", _("Payments"), "credit-card", May.READ_PAYMENTS, "payments/"),
            MenuItem("payment_links", _("Payment links"), "external-link", May.READ_PAYMENTS, "payment-links/"),
            MenuItem("refunds", _("Refunds and disputes"), "receipt-refund", May.READ_PAYMENTS, "refunds/"),
            MenuItem("customers", _("Customers"), "users", May.READ_PAYMENTS, "customers/"),
        ),
    ),
    (
        _("Money"),
        (
            MenuItem("balance", _("Balance"), "scale", May.READ_MONEY, "balance/"),
            MenuItem("statement", _("Statement"), "list-details", May.READ_MONEY, "statement/"),
            MenuItem("months", _("Months"), "calendar-dollar", May.READ_MONEY, "months/"),
            MenuItem("receivables", _("Receivables"), "calendar-dollar", May.READ_MONEY, "receivables/"),
            MenuItem("withdrawals", _("Withdrawals"), "arrow-up-right", May.READ_MONEY, "withdrawals/"),
            MenuItem("bulk_files", _("Bulk files"), "file-text", May.REFUND, "bulk/"),
            MenuItem("beneficiaries", _("Beneficiaries"), "users", May.READ_MONEY, "beneficiaries/"),
            MenuItem("conversions", _("Conversions"), "arrows-exchange", May.READ_MONEY, "conversions/"),
        ),
    ),
    (
        _("Developers"),
        (
            MenuItem("keys", _("API keys"), "key", May.READ_TECHNICAL, "keys/"),
            MenuItem("webhooks", _("Webhooks"), "webhook", May.READ_TECHNICAL, "webhooks/"),
            MenuItem("events", _("Events"), "bell", May.READ_TECHNICAL, "events/"),
            MenuItem("requests", _("Requests"), "code", May.READ_TECHNICAL, "requests/"),
            MenuItem("lab", _("Sandbox lab"), "flask", May.SIMULATE, "lab/", sandbox_only=True),
        ),
    ),
    (
        _("Company"),
        (
            MenuItem("team", _("Team"), "user-plus", May.READ_PAYMENTS, "team/"),
            MenuItem("settings", _("Settings"), "settings", May.READ_PAYMENTS, "settings/"),
            MenuItem("verification", _("Verification"), "shield-check", May.MANAGE, "verification/"),
            MenuItem("go_live", _("Going live"), "check", May.READ_PAYMENTS, "go-live"),
            MenuItem("audit", _("Audit log"), "history", May.READ_TRAIL, "audit/"),
        ),
    ),
)


class MenuEntry(NamedTuple):
    """A menu item as this person sees it on this page."""

    title: str | Promise
    icon: str
    address: str
    is_current: bool
    waiting: str = ""
    """How many items await the company."""


class Menu(NamedTuple):
    """What leads from every page to others."""

    groups: list[tuple[str | Promise, list[MenuEntry]]]
    """The items this person may open; empty groups are left out."""
    unread: str
    """The number of unread notifications, empty if there are none."""


def menu(here: RequestContext) -> Menu:
    """The menu as this person sees it on this page, with one query for all of its numbers."""
    inside = here.request.path.removeprefix(here.to("home"))
    waiting = _waiting(here)
    found = []
    for title, items in MENU:
        entries = [
            MenuEntry(item.title, item.icon, here.to(item.name), _is_current(item, inside), waiting.get(item.name, ""))
            for item in items
            if here.may(item.needs) and (here.is_sandbox or not item.sandbox_only)
        ]
        if entries:
            found.append((title, entries))
    return Menu(found, waiting.get("notifications", ""))


MOST = 99


def _waiting(here: RequestContext) -> dict[str, str]:
    """Refunds awaiting an answer, withdrawals awaiting approval, and notifications that this person has not read, each
    counted to a hundred, in one query.
    """
    refunds = listed(here.merchant, Tab.WAITING).order_by().annotate(item=Value("refunds"))
    approvals = withdrawals.waiting(here.merchant).order_by().annotate(item=Value("withdrawals"))
    unread = told(here.membership, here.merchant, unread=True).order_by().annotate(item=Value("notifications"))
    first, *others = (rows.values_list("item", flat=True)[: MOST + 1] for rows in (refunds, approvals, unread))
    counted = Counter(first.union(*others, all=True))
    return {item: f"{MOST}+" if count > MOST else str(count) for item, count in counted.items()}


def _is_current(item: MenuItem, inside: str) -> bool:
    return inside.startswith(item.area) if item.area else not inside
