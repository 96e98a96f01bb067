"""The staff admin: the product's pages, of all its rooms, the timetable, and what the sidebar shows."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.db.models import Model
from django.http import HttpRequest
from django.templatetags.static import static
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

import gateway.api.admin
import gateway.conversions.admin
import gateway.customers.admin
import gateway.methods.admin
import gateway.payments.admin
import gateway.payouts.admin
import gateway.refunds.admin
import gateway.withdrawals.admin  # noqa: F401
import ledger.holds.admin
import ledger.proofs.admin
import ledger.rates.admin
import ledger.receivables.admin  # noqa: F401  (they register themselves)
from accounts.models import (
    ApiKey,
    AuditEntry,
    Company,
    Document,
    Email,
    Heartbeat,
    Invitation,
    Membership,
    Merchant,
    Proposal,
    User,
)
from accounts.staff.columns import address, moment
from accounts.staff.pages import ReadOnlyAdmin
from accounts.staff.queues import PARAMETER
from accounts.staff.related import plural
from gateway.models import (
    ApiRequest,
    Conversion,
    Customer,
    IdempotencyKey,
    MethodRule,
    Payment,
    PayoutRule,
    PriceRule,
    Refund,
    Withdrawal,
)
from gateway.staff.queues import Waiting, waiting
from ledger.models import Account, Advance, Balance, Entry, Hold, Proof, Rate, Receivable, Transfer
from webhooks.models import Attempt, Delivery, Endpoint, Event

SIDEBAR: tuple[tuple[str, tuple[tuple[type[Model], str], ...]], ...] = (
    (
        "Payments",
        (
            (Payment, "payments"),
            (Refund, "undo"),
            (Customer, "person"),
            (IdempotencyKey, "repeat_one"),
            (ApiRequest, "api"),
        ),
    ),
    ("Money out", ((Withdrawal, "north_east"), (Conversion, "currency_exchange"))),
    (
        "Ledger",
        (
            (Account, "account_balance"),
            (Balance, "balance"),
            (Receivable, "calendar_clock"),
            (Advance, "fast_forward"),
            (Hold, "lock"),
            (Transfer, "swap_horiz"),
            (Entry, "list_alt"),
            (Proof, "verified"),
        ),
    ),
    (
        "Webhooks",
        ((Endpoint, "webhook"), (Event, "campaign"), (Delivery, "local_shipping"), (Attempt, "send")),
    ),
    (
        "Companies and people",
        (
            (Company, "domain"),
            (Document, "folder_shared"),
            (Merchant, "storefront"),
            (ApiKey, "key"),
            (Membership, "badge"),
            (Invitation, "mail"),
            (Email, "outgoing_mail"),
            (User, "group"),
            (Group, "shield_person"),
            (Proposal, "group_work"),
            (AuditEntry, "policy"),
            (LogEntry, "history"),
        ),
    ),
    ("Rules", ((MethodRule, "rule"), (PriceRule, "sell"), (PayoutRule, "output"), (Rate, "trending_up"))),
    ("Timetable", ((PeriodicTask, "schedule"), (IntervalSchedule, "timer"), (Heartbeat, "monitor_heart"))),
)


admin.site.index_title = "Support staff"


def stylesheet(request: HttpRequest) -> str:
    return static("css/staff.css")


def icon(request: HttpRequest) -> str:
    return static("img/icon.svg")


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """What waits for this person, and what they may look at, in groups."""
    shown = [("Waiting for staff", [_queue(request, one) for one in waiting(request)])]
    for title, pages in SIDEBAR:
        seen = [page for page in pages if admin.site._registry[page[0]].has_view_permission(request)]
        shown.append((title, [_list(request, *page) for page in seen]))
    return [{"title": title, "separator": True, "items": items} for title, items in shown if items]


def _queue(request: HttpRequest, one: Waiting) -> dict[str, Any]:
    badge = {"badge": one.count, "badge_variant": "warning"} if one.environments else {}
    is_here = request.get_full_path().startswith(one.link)
    return {"title": one.queue.title, "icon": one.queue.icon, "link": one.link, "active": is_here, **badge}


def _list(request: HttpRequest, model: type[Model], icon: str) -> dict[str, Any]:
    where = address(model, "changelist")
    is_here = request.path.startswith(where) and PARAMETER not in request.GET
    return {"title": plural(model), "icon": icon, "link": where, "active": is_here}


class TimetableAdmin(ReadOnlyAdmin):
    """The timetable is in `gateway.celery`; beat keeps it here."""

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return ((None, {"fields": [field.name for field in self.model._meta.concrete_fields]}),)


for unused in (ClockedSchedule, CrontabSchedule, SolarSchedule, PeriodicTask, IntervalSchedule):
    admin.site.unregister(unused)


@admin.register(PeriodicTask)
class PeriodicTaskAdmin(TimetableAdmin):
    words = {"name": str, "task": str}
    search_help_text = "Name or task"
    listed_at = ("interval",)
    list_select_related = ("interval",)
    list_display = ("name", "task", "interval", "enabled", moment("last_run_at"), "total_run_count")
    list_filter = ("enabled",)


@admin.register(IntervalSchedule)
class IntervalScheduleAdmin(TimetableAdmin):
    list_display = ("__str__",)
