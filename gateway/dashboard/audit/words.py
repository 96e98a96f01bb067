"""What actions are about: which concern money, links to their objects, and what they changed."""

from typing import Any

from django.urls import NoReverseMatch, reverse

from accounts.models import AuditEntry
from accounts.roles import May
from gateway.dashboard.context import RequestContext
from gateway.dashboard.links import PAGES

MONEY = (
    "advance", "bank_line", "beneficiary", "bulk_file", "conversion", "dispute", "evidence", "hold", "month",
    "payment", "payment_link", "payout_rule", "payout_schedule", "price_rule", "refund", "reserve", "settlement_report",
    "suspense", "withdrawal", "withdrawal_rules", "withdrawals",
)  # fmt: skip
"""Actions that concern money, by type of object: what Finance reads of the audit log."""
_OF_THE_COMPANY = {"cmp": "settings", "doc": "verification", "inv": "team", "key": "keys", "blk": "balance"}


def is_about_money(action: str) -> bool:
    return action.partition(".")[0] in MONEY


def place(here: RequestContext, entry: AuditEntry) -> str | None:
    """The URL of the object's page, in the environment of the action; None if there is none."""
    name, *ids = _page(entry.object_id)
    needs = PAGES[_prefix(entry.object_id)][1] if ids else May.READ_TRAIL
    if not name or not here.may(needs):
        return None
    environment = entry.merchant.environment.lower() if entry.merchant else here.environment
    try:
        return reverse(f"dashboard:{name}", args=(here.company.pk, environment, *ids))
    except NoReverseMatch:
        return None


def _page(object_id: str) -> tuple[str, ...]:
    prefix = _prefix(object_id)
    if prefix in PAGES:
        return PAGES[prefix][0], object_id
    return (_OF_THE_COMPANY.get(prefix) or ("team" if "@" in object_id else ""),)


def _prefix(object_id: str) -> str:
    return object_id.partition("_")[0]


def changes(entry: AuditEntry) -> list[tuple[str, Any, Any]]:
    """Every member with its values before and after; None if it was absent."""
    before, after = entry.before or {}, entry.after or {}
    return [(name, before.get(name), after.get(name)) for name in sorted({*before, *after})]
