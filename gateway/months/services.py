"""Closing months, and who is sent them."""

from collections.abc import Collection
from datetime import date, datetime

from django.db import transaction

from accounts.base import clock
from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from accounts.models import Merchant, User
from gateway.months import books, calendar, selectors
from gateway.months.errors import MonthState
from gateway.months.models import Month, MonthPlan


@transaction.atomic
def close(merchant: Merchant, first: date, *, by: User | None, at: datetime | None = None) -> Month:
    """Begins to close a month that is over (`at`: by then); it is sealed a little later, once the books are proved.

    Months may be closed in any order: what was written late is in the first month that was closed after it. Raises
    ONP409_MONTH_STATE.
    """
    Merchant.objects.select_for_update(no_key=True).get(pk=merchant.pk)
    known, at = dict(selectors.months(merchant, at)), at or clock.now(merchant)
    begins, ends = selectors.bounds(merchant, first)
    closed = Month.objects.filter(merchant=merchant)
    later = closed.filter(begins__gte=ends).order_by("begins").first()
    before = closed.filter(ends=begins).first()
    cut = later.opening_cut if later else books.cut_now()
    if first not in known or known[first] or (at - (utcnow() - cut) < ends and not later):
        raise MonthState
    return Month.objects.create(
        id=new_id("mon"),
        merchant=merchant,
        first=first,
        time_zone=str(calendar.zone(merchant)),
        begins=begins,
        ends=ends,
        cut=cut,
        opening_cut=before.cut if before else cut,
        due_at=at,
        asked_by=by,
        asked_at=at,
    )


@transaction.atomic
def choose_readers(merchant: Merchant, chosen: Collection[int]) -> list[User]:
    """Sends each month from now on to these members, as far as they may read money; without any, to nobody."""
    plan, _ = MonthPlan.objects.select_for_update().get_or_create(merchant=merchant, defaults={"id": new_id("mpl")})
    found = [user for user in selectors.possible_readers(merchant) if user.pk in chosen]
    plan.readers.set(found)
    plan.next_at = calendar.next_closing(merchant, clock.now(merchant)) if found else None
    plan.save(update_fields=["next_at"])
    return found
