"""Scheduled payouts: registered by an owner, paid once a period, skipped with a reason."""

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.base import clock
from accounts.models import Company, Email, Membership, Merchant
from accounts.roles import Role
from gateway.payout_schedules import due
from gateway.payout_schedules.models import PayoutRun, PayoutSchedule
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.people import a_member, signed_in_twice
from tests.support.rows import rows
from tests.support.withdrawals import PIX, change, fund, nothing_moves, price, wallet

ACCOUNT = {"pix_key_type": "EMAIL", "pix_key": "caixa@acme.com.br"}
DAILY = {"frequency": "DAILY", "hour": "6"}


@pytest.fixture
def boss(acme: Shop) -> Client:
    return signed_in_twice(a_member(acme.company, Role.OWNER))


def registered(client: Client, page: Page, **plan: Any) -> HttpResponse:
    where = page("new_payout_schedule", "pix")
    once = client.get(where).context["plan"]["once"].value()
    return client.post(where, {"once": once, **ACCOUNT, **DAILY, **plan}, follow=True)


def later(shop: Shop, **time: float) -> None:
    """The clock of the sandbox goes on."""
    merchant = Merchant.objects.get(pk=shop.sandbox.pk)
    Merchant.objects.filter(pk=merchant.pk).update(clock_offset=merchant.clock_offset + timedelta(**time))


def reach(schedule: PayoutSchedule) -> None:
    """The clock goes on to the next run."""
    schedule.refresh_from_db()
    assert schedule.next_at
    merchant = Merchant.objects.get(pk=schedule.merchant_id)
    offset = merchant.clock_offset + (schedule.next_at - clock.now(merchant)) + timedelta(seconds=1)
    Merchant.objects.filter(pk=merchant.pk).update(clock_offset=offset)


def test_what_is_available_is_paid_once_a_day_after_the_cooling_off(
    api: Api, acme: Shop, boss: Client, page: Page
) -> None:
    fund(api, amount=1000)
    price(PIX, fee_fixed=150, fee_percentage=1)
    registered(boss, page, keep="100,00")
    schedule = PayoutSchedule.objects.get()
    assert schedule.next_at is not None
    assert schedule.next_at >= schedule.created_at + timedelta(hours=24)
    assert schedule.next_at.astimezone(clock.utcnow().tzinfo).hour == 9  # six o'clock in São Paulo
    later(acme, hours=20)
    assert due.run_due() == 0

    reach(schedule)
    assert due.run_due() == 1
    assert due.run_due() == 0

    [paid] = Withdrawal.objects.all()
    assert (paid.destination, wallet(api, acme, "BRL")[0]) == ({"pixKey": "c***@acme.com.br"}, 100)
    assert PayoutRun.objects.get().withdrawal_id == paid.pk

    reach(schedule)
    due.run_due()
    assert PayoutRun.objects.order_by("-period").first().code == "NOTHING_AVAILABLE"  # type: ignore[union-attr]
    assert Withdrawal.objects.count() == 1
    assert b"R$" in boss.get(page("payout_schedules")).content


def test_above_an_amount_it_is_paid_as_soon_as_it_is_there(api: Api, acme: Shop, boss: Client, page: Page) -> None:
    fund(api, amount=400)
    registered(boss, page, frequency="ABOVE", above="500")
    schedule = PayoutSchedule.objects.get()
    reach(schedule)
    due.run_due()
    assert not PayoutRun.objects.exists()

    fund(api, amount=400)
    reach(schedule)
    due.run_due()
    fund(api, amount=900)
    reach(schedule)
    due.run_due()

    assert len({run.period for run in PayoutRun.objects.all()}) == 2
    assert Withdrawal.objects.count() == 2


def test_every_week_on_its_day(acme: Shop, boss: Client, page: Page) -> None:
    registered(boss, page, frequency="WEEKLY", weekday="2")

    schedule = PayoutSchedule.objects.get()
    reach(schedule)
    due.run_due()

    first, second = PayoutRun.objects.get().period, PayoutSchedule.objects.get().next_at
    assert second is not None
    assert (first.weekday(), second.date() - first) == (2, timedelta(days=7))


def test_what_cannot_be_paid_is_skipped_with_its_reason_and_the_next_day_is_tried(
    api: Api, acme: Shop, boss: Client, page: Page
) -> None:
    fund(api, amount=1000)
    registered(boss, page)
    schedule = PayoutSchedule.objects.get()
    change(acme, withdrawal_enabled=False)
    reach(schedule)
    with nothing_moves(acme):
        due.run_due()
    assert PayoutRun.objects.get().code == "ONP403_WITHDRAWAL_DISABLED"

    change(acme, withdrawal_enabled=True)
    Company.objects.filter(pk=acme.company.pk).update(status="SUSPENDED")
    reach(schedule)
    with nothing_moves(acme):
        due.run_due()
    assert PayoutRun.objects.filter(code="ONP403_COMPANY_STATUS").exists()

    Company.objects.filter(pk=acme.company.pk).update(status="ACTIVE")
    reach(schedule)
    due.run_due()
    assert Withdrawal.objects.count() == 1


def test_a_schedule_of_an_owner_who_was_removed_in_time_pays_nothing(
    api: Api, acme: Shop, boss: Client, page: Page, settings: Any
) -> None:
    settings.SANDBOX_NOTICES = True
    fund(api, amount=1000)
    registered(boss, page)
    schedule = PayoutSchedule.objects.get()
    Membership.objects.filter(user=schedule.created_by).delete()
    reach(schedule)

    with nothing_moves(acme):
        assert due.run_due() == 1
    schedule.refresh_from_db()
    assert schedule.ended_at and not PayoutRun.objects.exists()
    assert "no longer an owner" in Email.objects.latest("id").text


def test_a_wallet_has_one_schedule_that_an_owner_registers_and_ends(
    acme: Shop, boss: Client, finance: Client, viewer: Client, stranger: Client, page: Page
) -> None:
    registered(boss, page)
    assert b"already has a schedule" in registered(boss, page, hour="7").content
    schedule = PayoutSchedule.objects.get()

    for client, status in ((finance, 403), (viewer, 403), (stranger, 404)):
        assert client.post(page("new_payout_schedule", "spei"), DAILY).status_code == status
        assert client.post(page("end_payout_schedule", schedule.pk)).status_code == status
    boss.post(page("end_payout_schedule", schedule.pk))
    later(acme, days=3)

    assert due.run_due() == 0
    assert PayoutSchedule.objects.get().ended_at is not None
    registered(boss, page)
    assert PayoutSchedule.objects.filter(ended_at=None).count() == 1


@rows(
    ("fields", "wrong"),
    [({"frequency": "WEEKLY"}, "weekday"), ({"frequency": "ABOVE"}, "above"), ({"keep": "x"}, "keep")],
)
def test_a_plan_is_whole(boss: Client, page: Page, fields: dict[str, str], wrong: str) -> None:
    assert list(registered(boss, page, **fields).context["plan"].errors) == [wrong]
    assert not PayoutSchedule.objects.exists()
