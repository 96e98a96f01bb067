"""Reads of months."""

import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from accounts.base import clock
from accounts.models import Membership, Merchant, User
from accounts.roles import GRANTS, May, Role
from gateway.database.replica import elsewhere
from gateway.months import calendar
from gateway.months.models import Month, MonthFile, MonthPlan
from gateway.sales.currencies import in_order
from ledger.books.models import Transfer
from ledger.chart import BUCKETS
from ledger.wallets.explain import Explanation, explain_each
from ledger.wallets.selectors import holdings

_INSTANT = timedelta(milliseconds=1)
MOST = 60


def months(merchant: Merchant, at: datetime | None = None) -> list[tuple[date, Month | None]]:
    """The months since the first posting, newest first and at most five years of them, with what was closed."""
    begun = Transfer.objects.filter(merchant=merchant).order_by("created_at").first()
    if begun is None:
        return []
    earliest = calendar.first_day(merchant, begun.posted_at)
    known = {one.first: one for one in Month.objects.filter(merchant=merchant).defer("manifest")}
    first = calendar.first_day(merchant, at or clock.now(merchant))
    found: list[tuple[date, Month | None]] = []
    while first >= earliest and len(found) < MOST:
        found.append((first, known.get(first)))
        first = calendar.preceding(first)
    return found


def get(merchant: Merchant, first: date) -> Month | None:
    return Month.objects.filter(merchant=merchant, first=first).first()


def bounds(merchant: Merchant, first: date) -> tuple[datetime, datetime]:
    """Where the month begins and ends, exclusive: at midnight of the company's country, or where a closed month beside
    it ends or begins. So no transfer is in none or in two, even if the country has changed in between.
    """
    closed = {one.first: one for one in Month.objects.filter(merchant=merchant).only("first", "begins", "ends")}
    before, after = closed.get(calendar.preceding(first)), closed.get(calendar.following(first))
    begins = before.ends if before else calendar.begin(merchant, first)
    return begins, after.begins if after else calendar.begin(merchant, calendar.following(first))


def so_far(merchant: Merchant, first: date) -> dict[str, Explanation]:
    """What the books say of a month that is not closed, by currency: quick, by the closed days."""
    begins, ends = bounds(merchant, first)
    at = min(ends - _INSTANT, clock.now(merchant))
    return explain_each(merchant, in_order(merchant, holdings(merchant).used), BUCKETS, at, begins - _INSTANT)


def sealed(month: Month) -> dict[str, Any]:
    """The manifest of a sealed month."""
    return json.loads(month.manifest)  # type: ignore[no-any-return]


def content(file: MonthFile) -> Iterator[bytes]:
    """The file, a part at a time, each of which a replica may answer: it never changes."""
    for part in file.parts.order_by("number").values_list("pk", flat=True):
        yield elsewhere(partial(_part, file, part))


def _part(file: MonthFile, part: int) -> bytes:
    return bytes(file.parts.values_list("content", flat=True).get(pk=part))


def possible_readers(merchant: Merchant) -> list[User]:
    """Members who may read money."""
    roles = [role for role in Role if May.READ_MONEY in GRANTS[role]]
    found = Membership.objects.filter(company=merchant.company_id, role__in=roles, user__is_active=True)
    return [one.user for one in found.select_related("user").order_by("user__email")]


def readers(merchant: Merchant) -> list[User]:
    """Whom months are sent to: those who were chosen and may still read money."""
    plan = MonthPlan.objects.filter(merchant=merchant).first()
    chosen = set(plan.readers.values_list("pk", flat=True)) if plan else set()
    return [user for user in possible_readers(merchant) if user.pk in chosen]
