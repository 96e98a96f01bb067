"""The available balance of the coming days, against what the books say once the days are over."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from accounts.models import Merchant
from accounts.roles import Role
from gateway.forecasts.available import Cause, Forecast, forecast
from gateway.forecasts.uncertain import Outcome, uncertain
from gateway.payout_schedules import services as payout_schedules
from gateway.payout_schedules.services import Plan
from gateway.refunds import services as refunds
from gateway.simulations.services import advance as advance_clock
from gateway.withdrawals.models import Withdrawal
from ledger.receivables import advances
from ledger.wallets.selectors import holdings
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import a_member, a_person
from tests.support.receivables import a_receivable
from tests.support.refunds import later, withdraw_all_but
from tests.support.withdrawals import PIX, price

pytestmark = pytest.mark.django_db
ZONE = ZoneInfo("America/Sao_Paulo")
DESTINATION = {"pixKeyType": "EMAIL", "pixKey": "caixa@acme.com.br"}


def reserve(shop: Shop, percentage: int, days: int) -> None:
    Merchant.objects.filter(pk=shop.sandbox.pk).update(reserve_percentage=percentage, reserve_days=days)
    shop.sandbox.refresh_from_db()


def booked(shop: Shop, found: Forecast) -> dict[str, int]:
    """What the books say at the end of each day on which something was expected, and of the last one."""
    said = {}
    for day in found.days:
        if day.changes or day is found.days[-1]:
            midnight = datetime.combine(day.day + timedelta(days=1), datetime.min.time(), ZONE)
            advance_clock(shop.sandbox, to=midnight - timedelta(seconds=1))
            said[str(day.day)] = holdings(shop.sandbox, found.currency).currencies[found.currency].available
    return said


def expected(found: Forecast) -> dict[str, int]:
    return {str(day.day): day.available for day in found.days if day.changes or day is found.days[-1]}


def test_releases_reserves_and_payouts_come_as_they_were_told(acme: Shop) -> None:
    price(PIX, fee_fixed=150)
    reserve(acme, 10, 5)
    a_payment(acme.sandbox, "PAID", "800.00")
    a_receivable(acme.sandbox)
    for _ in range(2):
        later(acme, days=3, hours=5)
        a_receivable(acme.sandbox, "333.33")
    reserve(acme, 7, 9)
    a_payment(acme.sandbox, "PAID", "99.99")
    plan = Plan("BRL", "PIX", "WEEKLY", 6, destination=DESTINATION, weekday=2, keep=50_00)
    payout_schedules.register(acme.sandbox, plan, by=a_member(acme.company, Role.OWNER))

    found = forecast(acme.sandbox, "BRL", ZONE)

    assert found.total(Cause.RELEASES) and found.total(Cause.RESERVE) and found.total(Cause.RESERVE_ENDS)
    assert sum(day.counts.get(Cause.PAYOUTS, 0) for day in found.days) >= 2
    assert expected(found) == booked(acme, found)
    assert {payout.created_at.weekday() for payout in Withdrawal.objects.all()} == {2}


def test_what_lacks_is_taken_from_what_comes_in(acme: Shop) -> None:
    reserve(acme, 20, 10)
    payment = a_payment(acme.sandbox, "PAID", "500.00")
    withdraw_all_but(acme, 0)
    refund = refunds.dispute(acme.sandbox, payment.pk)

    found = forecast(acme.sandbox, "BRL", ZONE)

    [dispute] = [one for one in uncertain(acme.sandbox, "BRL") if one.outcome == Outcome.DISPUTE]
    assert (dispute.object_id, dispute.amount, dispute.until) == (refund.pk, 0, refund.response_due_at)
    assert dispute.missing == refund.wallet_amount > -found.total(Cause.OWED) == found.total(Cause.RESERVE_ENDS) > 0
    assert found.closing == 0
    assert expected(found) == booked(acme, found)


def test_an_advance_brings_its_releases_forward_for_its_fee(acme: Shop) -> None:
    reserve(acme, 10, 5)
    for _ in range(3):
        a_receivable(acme.sandbox)
        later(acme, days=2)
    quote = advances.quote_amount(acme.sandbox, "BRL", 200_00)
    assert len(quote.items) == 2

    plain, found = forecast(acme.sandbox, "BRL", ZONE), forecast(acme.sandbox, "BRL", ZONE, quote)

    assert found.days[0].available == quote.net - found.days[0].changes[Cause.RESERVE] * -1
    assert plain.total(Cause.RELEASES) - found.total(Cause.RELEASES) == quote.gross
    asked = advances.request(acme.sandbox, [item.receivable.pk for item in quote.items], None)
    assert [one.outcome for one in uncertain(acme.sandbox, "BRL")] == [Outcome.ADVANCE]
    advances.approve(asked.pk, a_person("staff@onpay.example"))
    assert expected(found) == booked(acme, found)
