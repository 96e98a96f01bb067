"""The staff admin site: its pages and sidebar."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django_celery_beat.models import IntervalSchedule, PeriodicTask

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
    StuckWork,
    User,
)
from gateway.boletos.models import RegistrationFile
from gateway.conversions.models import Conversion
from gateway.customers.models import Customer
from gateway.methods.models import MethodRule, PriceRule
from gateway.payment_links.models import PaymentLink
from gateway.payments.models import Payment
from gateway.payout_batches.models import BatchAnswer, BatchOrder, PayoutBatch
from gateway.payouts.models import PayoutRule
from gateway.providers.models import ProviderAccount, ProviderMessage, ProviderRoute
from gateway.reconciliation.models import BankAccount, BankLine, BankStatement, ImportedFile, LinePart
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.models import Refund
from gateway.requests.models import ApiRequest, IdempotencyKey
from gateway.settlements.models import SettlementDay, SettlementDifference, SettlementLine, SettlementReport
from gateway.staff import (  # noqa: F401  (they register themselves)
    audit_log,
    bank_accounts,
    bank_files,
    bank_statements,
    companies,
    conversions,
    customers,
    disputes,
    emails,
    holds,
    ledger,
    methods,
    payment_links,
    payments,
    payout_answers,
    payout_batches,
    payouts,
    people,
    proofs,
    proposals,
    provider_messages,
    provider_routes,
    providers,
    rates,
    receivables,
    refunds,
    registration_files,
    requests,
    settlement_differences,
    settlements,
    stuck_work,
    suspense,
    timetable,
    webhooks,
    withdrawals,
)
from gateway.staff.kit.columns import address
from gateway.staff.kit.queues import PARAMETER
from gateway.staff.kit.related import plural
from gateway.staff.overview.queues import QueueCount, waiting
from gateway.suspense.models import SuspenseItem
from gateway.withdrawals.models import Withdrawal
from ledger.models import Account, Advance, Balance, Entry, Hold, Proof, Rate, Receivable, Transfer
from webhooks.models import Attempt, Delivery, Endpoint, Event

SIDEBAR: tuple[tuple[Promise, tuple[tuple[type[Model], str], ...]], ...] = (
    (
        _("Payments"),
        (
            (Payment, "payments"),
            (PaymentLink, "link"),
            (Customer, "person"),
            (Receivable, "calendar_clock"),
            (Advance, "fast_forward"),
        ),
    ),
    (_("Refunds and disputes"), ((Refund, "undo"), (Dispute, "gpp_maybe"))),
    (
        _("Money out"),
        (
            (Withdrawal, "north_east"),
            (PayoutBatch, "outbox"),
            (BatchOrder, "format_list_numbered"),
            (BatchAnswer, "move_to_inbox"),
            (Conversion, "currency_exchange"),
        ),
    ),
    (_("Companies"), ((Company, "domain"), (Document, "folder_shared"), (Merchant, "storefront"), (Hold, "lock"))),
    (_("Webhooks"), ((Endpoint, "webhook"), (Event, "campaign"), (Delivery, "local_shipping"), (Attempt, "send"))),
    (_("API"), ((ApiRequest, "api"), (IdempotencyKey, "repeat_one"), (ApiKey, "key"))),
    (_("People"), ((User, "group"), (Membership, "badge"), (Invitation, "mail"), (Email, "outgoing_mail"))),
    (_("Staff"), ((AuditEntry, "policy"), (Proposal, "group_work"), (Group, "shield_person"))),
    (
        _("Providers"),
        ((ProviderAccount, "account_balance_wallet"), (ProviderRoute, "alt_route"), (ProviderMessage, "forum")),
    ),
    (
        _("Settlements"),
        (
            (SettlementDay, "calendar_month"),
            (SettlementReport, "summarize"),
            (SettlementLine, "receipt_long"),
            (SettlementDifference, "difference"),
        ),
    ),
    (
        _("Banks"),
        (
            (BankAccount, "account_balance"),
            (ImportedFile, "upload_file"),
            (BankStatement, "request_quote"),
            (BankLine, "format_list_bulleted"),
            (LinePart, "account_tree"),
            (RegistrationFile, "receipt_long"),
            (SuspenseItem, "pending"),
        ),
    ),
    (
        _("Prices and limits"),
        ((MethodRule, "rule"), (PriceRule, "sell"), (PayoutRule, "output"), (Rate, "trending_up")),
    ),
    (
        _("Books"),
        (
            (Proof, "verified"),
            (Account, "account_balance"),
            (Balance, "balance"),
            (Transfer, "swap_horiz"),
            (Entry, "list_alt"),
        ),
    ),
    (
        _("Service"),
        (
            (PeriodicTask, "schedule"),
            (IntervalSchedule, "timer"),
            (StuckWork, "report"),
            (Heartbeat, "monitor_heart"),
        ),
    ),
)
WAITING = _("Waiting for staff")


def stylesheet(request: HttpRequest) -> str:
    return static("css/staff.css")


def script(request: HttpRequest) -> str:
    return static("js/staff.js")


def icon(request: HttpRequest) -> str:
    return static("img/icon.svg")


def account(request: HttpRequest) -> list[dict[str, Any]]:
    """What people set for themselves is on the same pages for everybody."""
    return [
        {"title": _("Language and time"), "link": reverse("dashboard:me")},
        {"title": _("Second factor"), "link": reverse("mfa_index")},
        {"title": _("Sessions"), "link": reverse("usersessions_list")},
        {"title": _("Password"), "link": reverse("account_change_password")},
    ]


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Queues and pages this person may see, in groups."""
    shown: list[tuple[Promise, Any]] = [(WAITING, [_queue(request, one) for one in waiting(request)])]
    for title, pages in SIDEBAR:
        seen = [page for page in pages if admin.site._registry[page[0]].has_view_permission(request)]
        shown.append((title, [_list(request, *page) for page in seen]))
    return [
        {"title": title, "separator": True, "collapsible": title is not WAITING, "items": items}
        for title, items in shown
        if items
    ]


def _queue(request: HttpRequest, one: QueueCount) -> dict[str, Any]:
    badge = {"badge": one.count, "badge_variant": "warning"} if one.counts else {}
    is_here = request.get_full_path().startswith(one.link)
    return {"title": one.queue.title, "icon": one.queue.icon, "link": one.link, "active": is_here, **badge}


def _list(request: HttpRequest, model: type[Model], icon: str) -> dict[str, Any]:
    where = address(model, "changelist")
    is_here = request.path.startswith(where) and PARAMETER not in request.GET
    return {"title": plural(model), "icon": icon, "link": where, "active": is_here}
