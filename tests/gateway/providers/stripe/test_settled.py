"""What Stripe settles, through the gateway: payments, refunds, disputes lost and won, fees and payouts, to the cent."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from accounts.audit import Actor
from gateway.payments.models import Payment
from gateway.providers.accounts import close
from gateway.providers.models import ProviderAccount, ProviderRoute
from gateway.refunds import due as due_refunds
from gateway.refunds.models import Refund
from gateway.settlements import margins
from gateway.settlements.models import SettlementDifference, SettlementLine, SettlementReport
from tests.support.cards import opened
from tests.support.companies import Shop
from tests.support.production import api_of, live
from tests.support.providers import NOTE, connected, enters
from tests.support.settlements import a_day_later, held, open_days, read_again
from tests.support.stripe.events import delivered, event
from tests.support.stripe.stand_in import StandIn

pytestmark = pytest.mark.django_db(transaction=True)
GROSS, FEE, DISPUTE_FEE = 20_000, 838, 5_500


@pytest.fixture
def account(acme: Shop, stand_in: StandIn) -> ProviderAccount:
    live(acme, method="CREDIT_CARD")
    return connected("stripe", stand_in.credentials(), "CREDIT_CARD", "DEBIT_CARD")


def paid(shop: Shop, stand_in: StandIn) -> Payment:
    """200 reais by card, here and in the balance at Stripe."""
    session = opened(api_of(shop))
    stand_in.confirm(Payment.objects.get(pk=session.id).details["intent"])
    session.call("confirm", {})
    payment = Payment.objects.get(pk=session.id)
    assert payment.status == "PAID"
    stand_in.balance.add("charge", GROSS, FEE, **charge(payment))
    return payment


def charge(payment: Payment) -> dict[str, Any]:
    return {"id": payment.rail_reference, "metadata": {"onpay_payment": payment.pk}}


def refunded(shop: Shop, stand_in: StandIn, payment: Payment) -> Refund:
    assert api_of(shop).post(f"/payments/{payment.pk}/refunds", {"amount": 75.00}).status_code == 201
    Refund.objects.update(ask_at=F("ask_at") - timedelta(minutes=2))
    due_refunds.run_due()
    refund = Refund.objects.get(payment=payment)
    assert refund.status == "COMPLETED"
    about = {"id": refund.end_to_end_id, "charge": payment.rail_reference, "metadata": {"onpay_refund": refund.pk}}
    stand_in.balance.add("refund", -7_500, **about)
    return refund


def disputed(stand_in: StandIn, account: ProviderAccount, payment: Payment, ends: str) -> None:
    """The card's bank takes the money, and Stripe a fee; a dispute that is won brings both back."""
    number = f"dp_{ends}"
    dispute = stand_in.disputes.open(payment.rail_reference or "", GROSS, id=number)
    about = {"id": number, "charge": payment.rail_reference}
    stand_in.balance.add("dispute", -GROSS, DISPUTE_FEE, **about)
    if ends == "won":
        stand_in.balance.add("dispute_reversal", GROSS, -DISPUTE_FEE, **about)
    for status in ("needs_response", ends):
        dispute["status"] = status
        assert delivered(account, event("charge.dispute.updated", dispute)) == 200


def today() -> str:
    return SettlementReport.objects.order_by("-name")[0].name


def test_clearing_is_what_stripe_owes_to_the_cent(acme: Shop, account: ProviderAccount, stand_in: StandIn) -> None:
    first, lost, won = (paid(acme, stand_in) for _ in range(3))
    refunded(acme, stand_in, first)
    open_days()
    assert held("CLEARING") == -stand_in.balance.amount
    assert held("ACQUIRER_FEES") == -3 * FEE

    disputed(stand_in, account, lost, "lost")
    disputed(stand_in, account, won, "won")
    stand_in.balance.pay_out()
    last = paid(acme, stand_in)
    for _ in range(2):
        read_again(account, today())

    assert SettlementLine.objects.exclude(state="MATCHED").count() == 0
    assert held("CLEARING") == -stand_in.balance.amount == -(GROSS - FEE)
    assert held("ACQUIRER_FEES") == -(4 * FEE + DISPUTE_FEE)
    paid_out = sum(-one["net"] for one in stand_in.balance.transactions if one["reporting_category"] == "payout")
    assert held("BANK") == -paid_out
    assert not SettlementDifference.objects.exists()
    told = {payment.pk: margins.of_payment(payment) for payment in (first, lost, won, last)}
    assert [margin and margin.acquirer_fee for margin in told.values()] == [FEE, FEE + DISPUTE_FEE, FEE, FEE]


def test_a_manual_payout_and_a_fee_of_the_month_touch_no_company(
    acme: Shop, account: ProviderAccount, stand_in: StandIn
) -> None:
    paid(acme, stand_in)
    stand_in.balance.add("fee", -990)
    stand_in.balance.pay_out(automatic=False)
    open_days()
    a_day_later()

    assert list(SettlementDifference.objects.values_list("cause", flat=True)) == ["PAYOUT"]
    assert (held("BANK"), held("ACQUIRER_FEES"), held("CLEARING")) == (0, -FEE, -(GROSS - FEE))
    assert SettlementLine.objects.get(kind="FEE").merchant is None


def test_a_day_is_read_again_until_it_is_closed(acme: Shop, account: ProviderAccount, stand_in: StandIn) -> None:
    open_days()
    report = SettlementReport.objects.get(name=today())
    assert report.due_at is not None
    earlier = report.created_at - timedelta(days=9)
    SettlementReport.objects.filter(pk=report.pk).update(name=f"{earlier:%Y-%m-%d}", due_at=earlier)
    stand_in.calls.clear()

    open_days()

    names = SettlementReport.objects.order_by("name").values_list("name", flat=True)
    assert (len(names), names[0]) == (10, f"{earlier:%Y-%m-%d}")
    assert SettlementReport.objects.filter(due_at=None, state="READ").count() == 6


def test_a_day_that_could_not_be_read_is_read_again(account: ProviderAccount, stand_in: StandIn) -> None:
    """Nobody can upload it, so a correction there or here must be enough."""
    wrong = stand_in.balance.add("charge", 9900, 100, currency="jpy")
    open_days()
    report = SettlementReport.objects.get()
    assert (report.state, report.due_at is None) == ("UNREADABLE", False)

    wrong.update(currency="brl", source=None)
    read_again(account, report.name)

    report.refresh_from_db()
    assert (report.state, report.failure, report.lines) == ("READ", "", 1)


def test_what_is_paid_out_after_the_account_was_closed_is_booked(
    acme: Shop, account: ProviderAccount, stand_in: StandIn
) -> None:
    paid(acme, stand_in)
    ProviderRoute.objects.all().delete()
    close(Actor(enters()), account.pk, NOTE)
    stand_in.balance.pay_out()
    open_days()
    assert (held("CLEARING"), held("BANK")) == (0, -(GROSS - FEE))

    ProviderAccount.objects.update(updated_at=F("updated_at") - timedelta(days=31))
    SettlementReport.objects.update(name="2026-11-01", due_at=None)
    open_days()
    assert SettlementReport.objects.count() == 1
