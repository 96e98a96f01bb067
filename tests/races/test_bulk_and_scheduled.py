"""Bulk lines, scheduled payouts and reserves against each other and themselves: everything happens once."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db import transaction

from accounts.base import clock
from accounts.models import Merchant
from gateway.bulk import due as bulk_due
from gateway.bulk import services as bulk
from gateway.payout_schedules import due as schedules_due
from gateway.payout_schedules.models import PayoutRun, PayoutSchedule
from gateway.payout_schedules.services import Plan, register
from gateway.refunds.due import FILL
from gateway.refunds.models import Refund
from gateway.withdrawals.models import Withdrawal
from ledger.holds import due as reserves_due
from ledger.holds.models import Hold
from ledger.verify import verify
from tests.support.api import Api
from tests.support.bulk import TO, a_file
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import a_member
from tests.support.refunds import disputed, now, paid, withdraw_all_but
from tests.support.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
PROCESSES = 6


def test_every_line_is_carried_out_once_while_many_sweep_and_one_stops(transactional_db: None, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID", "10000.00")
    file = a_file(acme, *range(10, 40), by=a_member(acme.company))

    at_once(*[bulk_due.run_due] * PROCESSES, lambda: bulk.stop(acme.sandbox, file.pk))
    bulk_due.run_due()

    states = Counter(file.lines.values_list("state", flat=True))
    assert states["DONE"] + states["STOPPED"] == 30
    assert Withdrawal.objects.count() == states["DONE"]
    assert len(set(file.lines.filter(state="DONE").values_list("result_id", flat=True))) == states["DONE"]
    assert [str(one) for one in verify()] == []


def test_a_period_is_paid_once(transactional_db: None, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID", "10000.00")
    plan = Plan("BRL", "PIX", "DAILY", 6, destination=TO, keep=100_00)
    schedule = register(acme.sandbox, plan, by=a_member(acme.company))
    Merchant.objects.filter(pk=acme.sandbox.pk).update(clock_offset=timedelta(days=2))

    at_once(*[schedules_due.run_due] * PROCESSES)

    assert (Withdrawal.objects.count(), PayoutRun.objects.count()) == (1, 1)
    again = PayoutSchedule.objects.get()
    assert again.next_at
    assert again.next_at > clock.now(Merchant.objects.get(pk=schedule.merchant_id))


def test_a_payment_is_paid_while_a_refund_that_waits_for_its_money_is_changed(
    transactional_db: None, acme: Shop, api: Api
) -> None:
    payment = paid(api, amount=1000)
    withdraw_all_but(acme, 0)
    refund = disputed(api, payment)
    Merchant.objects.filter(pk=acme.sandbox.pk).update(reserve_percentage=10, reserve_days=1)
    acme.sandbox.refresh_from_db()

    with transaction.atomic():
        Refund.objects.select_for_update(no_key=True).get(pk=refund["id"])
        at_once(lambda: a_payment(acme.sandbox, "PAID"))
    FILL.sweep()

    assert not Hold.objects.filter(reason="ROLLING_RESERVE").exists()
    assert now(api, refund)["blockedAmount"] == 148.5
    assert [str(one) for one in verify()] == []


def test_reserves_of_payments_at_once_add_up_and_are_released_once(transactional_db: None, acme: Shop) -> None:
    Merchant.objects.filter(pk=acme.sandbox.pk).update(reserve_percentage=10, reserve_days=1)
    acme.sandbox.refresh_from_db()

    at_once(*[lambda: a_payment(acme.sandbox, "PAID")] * PROCESSES)
    assert [hold.amount for hold in Hold.objects.all()] == [1_485] * PROCESSES
    Merchant.objects.filter(pk=acme.sandbox.pk).update(clock_offset=timedelta(days=2))
    at_once(*[reserves_due.run_due] * PROCESSES)

    assert not Hold.objects.filter(ended_at=None).exists()
    assert [str(one) for one in verify()] == []
