"""Batches that make themselves at the cut-offs of a bank, by its clock."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import AuditEntry
from gateway.bank_files.shapes import Party
from gateway.payout_batches import cut_offs, files, services
from gateway.payout_batches.errors import BatchChanged
from gateway.payout_batches.models import BatchOrder, PayoutBatch
from gateway.providers.order_list import OrderList
from gateway.withdrawals.models import Withdrawal
from tests.support.batches import BY_CNAB, bank_account, handed_over, release
from tests.support.companies import Shop
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.providers import NOTE, confirms, paid_out_by
from tests.support.scripted_provider import rewritten

pytestmark = pytest.mark.django_db(transaction=True)
SAO_PAULO = ZoneInfo("America/Sao_Paulo")


def monday(hour: int, minute: int = 0) -> datetime:
    """On a Monday that lies ahead."""
    ahead = date.today() + timedelta(days=14)
    day = ahead - timedelta(days=ahead.weekday())
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=SAO_PAULO)


def test_what_was_queued_before_a_cut_off_is_gathered_then_and_waits_for_people(acme: Shop, address: str) -> None:
    rewritten()
    api = with_real_money(acme, address)
    account = bank_account(BY_CNAB, gathered_at="15:30 10:00")
    paid_out_by(account)
    early, late = (swept(accepted(api, acme, amount=amount).pk) for amount in (10, 20))
    Withdrawal.objects.filter(pk=late.pk).update(queued_at=monday(10, 1))

    for before in (monday(9, 59), monday(10) - timedelta(days=1), monday(23) - timedelta(days=2)):
        assert cut_offs.gather(before) == 0
    assert cut_offs.gather(monday(12)) == 1
    assert cut_offs.gather(monday(12, 1)) == 0
    first = PayoutBatch.objects.get()
    assert (first.state, first.pay_on, first.total) == ("OPEN", monday(10).date(), 1000)
    assert BatchOrder.objects.get().withdrawal_id == early.pk
    assert AuditEntry.objects.get(object_id=first.pk).note == "At the cut-off of 10:00 (America/Sao_Paulo)"

    services.cancel(Actor(confirms()), first.pk, NOTE)
    PayoutBatch.objects.update(canceled_at=monday(12, 2))
    assert cut_offs.gather(monday(12, 3)) == 0, "people took it out"
    assert cut_offs.gather(monday(22)) == 1, "UTC is a day ahead"
    second = PayoutBatch.objects.get(state="OPEN")
    assert (second.count, second.total, second.pay_on) == (2, 3000, monday(22).date())
    assert set(Withdrawal.objects.values_list("sent_at", flat=True)) == {None}

    way = files.way_of(account)
    assert way is not None
    today = way.day(utcnow())
    PayoutBatch.objects.update(pay_on=today - timedelta(days=1))
    with pytest.raises(BatchChanged):
        release(second)
    PayoutBatch.objects.update(pay_on=today)
    release(second)
    PayoutBatch.objects.update(pay_on=today - timedelta(days=1))
    with pytest.raises(BatchChanged):
        handed_over(second)
    assert PayoutBatch.objects.get(pk=second.pk).downloads == 0


def test_by_default_a_file_gathered_by_hand_is_paid_on_a_day_on_which_banks_work() -> None:
    way = OrderList(Party("Onpay"), SAO_PAULO)
    days = [way.next_working_day(monday(22) + timedelta(days=number)) - monday(22).date() for number in range(7)]

    assert [day.days for day in days] == [0, 1, 2, 3, 4, 7, 7], "UTC is a day ahead"
