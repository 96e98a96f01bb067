"""Support tries stuck work again as soon as its cause is gone; nobody else does, and nothing is tried twice."""

from datetime import timedelta

import pytest
from django.test import Client

from accounts.base.clock import utcnow
from accounts.models import AuditEntry, StuckWork
from gateway.payments.due import EXPIRY
from gateway.payments.models import Payment
from gateway.staff.kit.columns import address as page_of
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import browser_of
from tests.support.refunds import later
from tests.support.staff import do, support
from tests.support.staff_overview import panels
from tests.support.sweeps import broken, repaired


@pytest.fixture
def stuck(acme: Shop) -> StuckWork:
    """A payment that waits for an hour more, and whose cause is gone."""
    payment = a_payment(acme.sandbox).pk
    broken("gateway_payment", [payment])
    later(acme, days=2)
    assert EXPIRY.sweep() == 0
    repaired("gateway_payment")
    StuckWork.objects.update(times=9, until=utcnow() + timedelta(hours=1))
    return StuckWork.objects.get()


def test_it_is_tried_at_once_and_the_audit_says_who_wanted_it(staff: Client, stuck: StuckWork) -> None:
    [table] = [table for table in panels(staff)["Due work"].tables if table.title == "Stuck"]
    assert page_of(StuckWork, "change", stuck.pk) in str(table.rows[0])
    assert "payment.expired" in staff.get(do(stuck, "try_again")).content.decode()

    assert staff.post(do(stuck, "try_again")).status_code == 302

    assert AuditEntry.objects.get().action == "stuck_work.tried_again"
    assert EXPIRY.sweep() == 1
    assert Payment.objects.get(pk=stuck.object_id).status == "EXPIRED"
    assert not StuckWork.objects.exists()
    assert staff.post(do(stuck, "try_again")).status_code == 404


def test_what_is_tried_already_is_not_written_down_again(staff: Client, stuck: StuckWork) -> None:
    for _ in range(2):
        staff.post(do(stuck, "try_again"))
    assert AuditEntry.objects.count() == 1


def test_who_may_only_read_it_tries_nothing(stuck: StuckWork) -> None:
    reader = browser_of(support("view_stuckwork"))
    assert reader.get(page_of(StuckWork, "change", stuck.pk)).status_code == 200

    assert reader.post(do(stuck, "try_again")).status_code == 403

    stuck.refresh_from_db()
    assert stuck.until > utcnow()
    assert not AuditEntry.objects.exists()
