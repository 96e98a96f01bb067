"""One process at a time takes a month in hand."""

from datetime import timedelta
from threading import Event

import pytest
from django.db import transaction

from accounts.base import clock
from accounts.base.rows import first
from accounts.models import Merchant
from gateway.months import calendar, closing, due, services
from gateway.months.models import Month
from ledger.proofs.services import prove
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.threads import at_once, wait_for_waiters

pytestmark = pytest.mark.django_db(transaction=True)


def a_month_to_close(shop: Shop) -> Month:
    a_payment(shop.sandbox, "PAID", "100.00")
    month = calendar.first_day(shop.sandbox, clock.now(shop.sandbox))
    ends = calendar.begin(shop.sandbox, calendar.following(month))
    offset = ends - clock.utcnow() + timedelta(hours=12)
    Merchant.objects.filter(pk=shop.sandbox.pk).update(clock_offset=offset)
    shop.sandbox.refresh_from_db()
    return services.close(shop.sandbox, month, by=None)


def test_who_asks_at_the_same_moment_leaves_the_other_months(acme: Shop, globex: Shop) -> None:
    one, other = a_month_to_close(acme), a_month_to_close(globex)
    prove()

    taken = Event()

    def take_in_hand() -> None:
        with transaction.atomic():
            first("SELECT pg_advisory_xact_lock(%s)", [due.LOCK])
            Month.objects.filter(pk=one.pk).update(due_at=clock.now(acme.sandbox) + closing.LEASE)
            taken.set()
            wait_for_waiters()  # the other one has seen that no month is in hand

    at_once(take_in_hand, lambda: taken.wait(20) and due.run_due())

    other.refresh_from_db()
    assert (other.state, other.progress, other.waits_for) == ("CLOSING", None, "")
    Month.objects.filter(pk=one.pk).update(due_at=clock.now(acme.sandbox))
    assert due.run_due() == 2
    assert set(Month.objects.values_list("state", flat=True)) == {"SEALED"}
