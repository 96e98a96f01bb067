"""Payments disputed at Adyen, through the gateway: its signed webhooks are believed, in any order, and answered."""

import base64
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db.models import F

from accounts.base.clock import utcnow
from accounts.cells import all_cells
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.refunds import due as due_refunds
from gateway.refunds.disputes import due
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.models import Refund
from tests.support.adyen.account import entered
from tests.support.adyen.acquirer import Acquirer
from tests.support.adyen.books import Change
from tests.support.adyen.webhooks import delivered, disputed, item, message, told
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live
from tests.support.providers import routed
from tests.support.refunds import PDF
from tests.support.suspense import balances

pytestmark = pytest.mark.django_db(transaction=True)
THIRD = 5_000
ENDS = (utcnow() + timedelta(days=20)).replace(microsecond=0)
FACTS = {"chargebackReasonCode": " 13.1", "defensePeriodEndsAt": ENDS.isoformat(), "defendable": "true"}
FILE = {
    "type": "FILE", "fileName": "proof.pdf", "contentType": "application/pdf",
    "content": base64.b64encode(PDF).decode(),
}  # fmt: skip


@pytest.fixture
def account(acme: Shop, acquirer: Acquirer) -> ProviderAccount:
    live(acme)
    account = entered(acquirer)
    routed(account)
    return account


@pytest.fixture
def dispute(acme: Shop, account: ProviderAccount, acquirer: Acquirer) -> Change:
    """Of 150 reais, which were paid by PIX."""
    assert api_of(acme).post("/payments", PIX).status_code == 201
    paid = acquirer.books.newest()
    told(account, "AUTHORISATION", paid)
    assert Payment.objects.get().status == "PAID"
    return disputed(paid)


def statuses() -> list[str]:
    return list(Refund.objects.order_by("id").values_list("status", flat=True))


def a_third(dispute: Change) -> Change:
    """Another dispute, of 50 of the 150 reais."""
    assert dispute.payment
    return disputed(dispute.payment, amount={"value": THIRD, "currency": "BRL"})


def answer(shop: Shop, given: str, **more: Any) -> Any:
    said = {"message": "Delivered, and signed for."} if given == "CONTEST" else {}
    refund = Refund.objects.order_by("-id")[0]
    answered = api_of(shop).post(f"/refunds/{refund.pk}/responses", {"answer": given} | said | more)
    Dispute.objects.filter(ask_at__isnull=False).update(ask_at=F("ask_at") - timedelta(minutes=1))
    due.run_due()
    return answered


def test_it_is_defended_with_documents_and_won_and_lost_in_the_second_round(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer, dispute: Change
) -> None:
    before = balances(acme)
    told(account, "NOTIFICATION_OF_CHARGEBACK", dispute, additionalData=FACTS)
    asked = Refund.objects.get()
    assert (asked.dispute_kind, asked.reason_code, asked.status) == ("CHARGEBACK", "NOT_RECEIVED", "AWAITING_RESPONSE")
    assert asked.response_due_at == ENDS - timedelta(hours=24)

    assert answer(acme, "CONTEST", evidence=[FILE]).status_code == 201

    calls = dict(acquirer.books.defended)
    assert list(calls) == ["retrieveApplicableDefenseReasons", "supplyDefenseDocument", "defendDispute"]
    documents = calls["supplyDefenseDocument"]["defenseDocuments"]
    assert [one["defenseDocumentTypeCode"] for one in documents] == ["DefenseMaterial", "TIDorInvoice"]
    assert base64.b64decode(documents[0]["content"]).startswith(b"%PDF-")
    assert base64.b64decode(documents[1]["content"]) == PDF
    assert calls["defendDispute"]["defenseReasonCode"] == "GoodsOrServicesProvided"
    told(account, "CHARGEBACK", dispute, additionalData=FACTS)
    assert statuses() == ["UNDER_REVIEW"]
    told(account, "CHARGEBACK_REVERSED", dispute)
    assert (statuses(), balances(acme)) == (["REJECTED"], before)
    told(account, "SECOND_CHARGEBACK", dispute)
    assert (statuses(), Payment.objects.get().status) == (["REJECTED", "COMPLETED"], "REFUNDED")


FIRST, BACK, AGAIN = "NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK"


def test_in_any_order_and_repeated_it_ends_lost_once(acme: Shop, account: ProviderAccount, dispute: Change) -> None:
    for order in ((FIRST, BACK, AGAIN), (BACK, FIRST, AGAIN), (AGAIN, BACK, FIRST)):
        one = a_third(dispute)
        body = message(*(item(event, one, additionalData=FACTS) for event in (*order, *order)))
        assert (delivered(account, body), delivered(account, body)) == (200, 200)

    lost = Refund.objects.filter(status="COMPLETED")
    assert [one.amount for one in lost] == [THIRD] * 3
    assert set(Dispute.objects.values_list("state", flat=True)) == {"lost"}
    assert balances(acme) == {"FEE_INCOME": 150, "DEBT": -150}


def test_what_is_told_of_an_inquiry_ends_no_chargeback(acme: Shop, account: ProviderAccount, dispute: Change) -> None:
    answered, lapsed, late = (a_third(dispute) for _ in range(3))
    for event in ("REQUEST_FOR_INFORMATION", "CHARGEBACK", "INFORMATION_SUPPLIED"):
        told(account, event, answered)
    for event in ("REQUEST_FOR_INFORMATION", "DISPUTE_DEFENSE_PERIOD_ENDED", "CHARGEBACK"):
        told(account, event, lapsed)
    told(account, "CHARGEBACK", late, additionalData={"defendable": "false"})
    told(account, "REQUEST_FOR_INFORMATION", late)

    assert statuses() == ["CANCELED", "AWAITING_RESPONSE"] * 2 + ["UNDER_REVIEW"]


def test_an_inquiry_that_is_being_refunded_is_refunded_whatever_is_told_of_it(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer, dispute: Change
) -> None:
    inquiry = a_third(dispute)
    told(account, "REQUEST_FOR_INFORMATION", inquiry)
    answer(acme, "ACCEPT")
    Refund.objects.update(ask_at=F("ask_at") - timedelta(minutes=2))
    due_refunds.run_due()
    before = balances(acme)

    for event in (BACK, AGAIN):
        told(account, event, inquiry)

    assert (statuses(), balances(acme)) == (["PROCESSING"], before)
    assert Dispute.objects.get().problem == "A refund of the same money is on its way."


def test_a_period_that_ended_costs_the_money_unless_it_was_an_inquiry_and_some_cannot_be_defended(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer, dispute: Change
) -> None:
    told(account, "NOTIFICATION_OF_FRAUD", dispute)
    assert statuses() == []
    for first in ("REQUEST_FOR_INFORMATION", "CHARGEBACK"):
        one = a_third(dispute)
        told(account, first, one, additionalData=FACTS)
        told(account, "DISPUTE_DEFENSE_PERIOD_ENDED", one)

    assert statuses() == ["UNDER_REVIEW", "COMPLETED"]
    told(account, "CHARGEBACK", a_third(dispute), additionalData=FACTS | {"defendable": "false"})
    assert (statuses()[2:], answer(acme, "CONTEST").status_code) == (["UNDER_REVIEW"], 409)
    assert acquirer.books.defended == []


def test_one_of_another_merchant_account_forged_or_of_an_unknown_payment_moves_nothing(
    acme: Shop, account: ProviderAccount, dispute: Change
) -> None:
    before = balances(acme)
    assert delivered(account, message(item("CHARGEBACK", dispute), key="00" * 32)) == 401
    assert delivered(account, message(item("CHARGEBACK", dispute, account="SomebodyElse"))) == 200
    told(account, "CHARGEBACK", dispute, merchantReference="pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF")

    assert (statuses(), balances(acme)) == ([], before)
    with all_cells():  # that of an unknown payment is in the first one
        assert Dispute.objects.get().problem == "The disputed payment is none of this account."


def test_without_a_deadline_a_week_is_left_a_png_is_refused_and_a_company_that_accepts_tells_adyen_and_pays(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer, dispute: Change
) -> None:
    told(account, "CHARGEBACK", dispute, additionalData={"defensePeriodEndsAt": "soon"})
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 20).decode()

    refused = answer(acme, "CONTEST", evidence=[FILE | {"contentType": "image/png", "content": png}])

    assert (refused.status_code, refused.json()["onpayCode"]) == (400, "ONP400_EVIDENCE")
    assert (statuses(), Dispute.objects.get().answer) == (["AWAITING_RESPONSE"], None)
    due_at = Refund.objects.get().response_due_at
    assert isinstance(due_at, datetime) and timedelta(days=6) < due_at - utcnow() < timedelta(days=8)
    assert answer(acme, "ACCEPT").status_code == 201
    assert ([call for call, _ in acquirer.books.defended], statuses()) == (["acceptDispute"], ["COMPLETED"])
    told(account, "DISPUTE_DEFENSE_PERIOD_ENDED", dispute)
    assert statuses() == ["COMPLETED"]
