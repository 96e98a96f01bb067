"""Cards disputed at Stripe, through the gateway: asked, answered with evidence, won, lost, and told in any order."""

import base64
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F
from structlog.testing import capture_logs

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.cells import all_cells
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.refunds import due as due_refunds
from gateway.refunds import services as refunds
from gateway.refunds.disputes import callbacks, due
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.disputes.services import look_again
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import Refund
from gateway.refunds.proposals import may_be
from gateway.staff.disputes import to_look_up
from ledger.rates import services as rates
from tests.support.cards import opened
from tests.support.companies import Shop
from tests.support.people import a_member, signed_in_twice
from tests.support.production import api_of, live
from tests.support.providers import connected, enters
from tests.support.refunds import PDF
from tests.support.stripe.events import delivered, event
from tests.support.stripe.stand_in import StandIn
from tests.support.suspense import balances

pytestmark = pytest.mark.django_db(transaction=True)
TAKEN = 20_000
PROOF = {
    "type": "FILE", "fileName": "proof.pdf", "contentType": "application/pdf",
    "content": base64.b64encode(PDF).decode(), "description": "Proof of delivery",
}  # fmt: skip


@pytest.fixture
def account(acme: Shop, stand_in: StandIn) -> ProviderAccount:
    live(acme, method="CREDIT_CARD")
    return connected("stripe", stand_in.credentials(), "CREDIT_CARD", "DEBIT_CARD")


@pytest.fixture
def payment(acme: Shop, account: ProviderAccount, stand_in: StandIn) -> Payment:
    """200 reais, paid by card."""
    session = opened(api_of(acme))
    stand_in.confirm(Payment.objects.get().details["intent"])
    session.call("confirm", {})
    paid = Payment.objects.get()
    assert paid.status == "PAID"
    return paid


def told(account: ProviderAccount, dispute: dict[str, Any], **now: Any) -> None:
    """Stripe changes it, and says so."""
    dispute |= now
    assert delivered(account, event("charge.dispute.updated", dispute)) == 200


def opened_at(stand_in: StandIn, account: ProviderAccount, payment: Payment, **other: Any) -> dict[str, Any]:
    dispute = stand_in.disputes.open(payment.rail_reference or "", other.pop("amount", TAKEN), **other)
    told(account, dispute)
    return dispute


def answer(shop: Shop, given: str, **more: Any) -> Any:
    said = {"message": "Signed by the payer."} if given == "CONTEST" else {}
    answered = api_of(shop).post(f"/refunds/{refund().pk}/responses", {"answer": given} | said | more)
    Dispute.objects.filter(ask_at__isnull=False).update(ask_at=F("ask_at") - timedelta(minutes=1))
    due.run_due()
    return answered


def refund() -> Refund:
    return Refund.objects.order_by("-id")[0]


def statuses() -> list[str]:
    return list(Refund.objects.order_by("id").values_list("status", flat=True))


def test_it_is_contested_with_evidence_and_won(
    acme: Shop, account: ProviderAccount, stand_in: StandIn, payment: Payment
) -> None:
    before = balances(acme)
    dispute = opened_at(stand_in, account, payment)
    asked = refund()
    assert (asked.origin, asked.status, asked.dispute_kind) == ("PAYER", "AWAITING_RESPONSE", "CHARGEBACK")
    assert (asked.amount, asked.blocked, asked.reason_code) == (TAKEN, 19_202, "NOT_RECEIVED")
    assert asked.response_due_at and asked.response_due_at.timestamp() == dispute["evidence_details"]["due_by"] - 86_400

    link = {"type": "URL", "url": "https://shop.example/track/1", "description": "Tracking"}
    assert answer(acme, "CONTEST", evidence=[PROOF, link]).status_code == 201

    assert stand_in.disputes.files == [("proof.pdf", PDF)]
    text = "Signed by the payer.\nTracking: https://shop.example/track/1"
    assert stand_in.disputes.evidence == [
        {"uncategorized_text": text, "uncategorized_file": "file_1Pgag2B7WZ01zgkWITx3dI01"}
    ]
    assert (statuses(), Dispute.objects.get().state) == (["UNDER_REVIEW"], "deciding")
    told(account, dispute, status="won")
    told(account, dispute)
    assert statuses() == ["REJECTED"]
    assert balances(acme) == before


def test_accepted_or_not_answered_it_is_lost_and_what_comes_back_later_is_the_companys(
    acme: Shop, account: ProviderAccount, stand_in: StandIn, payment: Payment
) -> None:
    accepted = opened_at(stand_in, account, payment, amount=5_000, id="dp_1")
    assert answer(acme, "ACCEPT").status_code == 201
    dispute = opened_at(stand_in, account, payment, amount=15_000)
    Refund.objects.update(response_due_at=F("response_due_at") - timedelta(days=8))
    due_refunds.run_due()
    due.run_due()

    assert (accepted["status"], dispute["status"], statuses()) == ("lost", "lost", ["COMPLETED"] * 2)
    assert api_of(acme).get(f"/refunds/{refund().pk}").json()["data"]["responses"][0]["answeredBy"] == "SYSTEM"
    assert not any("/refunds" in call for call in stand_in.calls)
    owed = {"DEBT": -798, "FEE_INCOME": 798}
    assert balances(acme) == owed
    told(account, dispute)
    assert (balances(acme), Payment.objects.get().status) == (owed, "REFUNDED")
    told(account, dispute, status="won")
    told(account, dispute)
    shown = api_of(acme).get(f"/refunds/{refund().pk}").json()["data"]
    assert (shown["status"], "reversedAt" in shown) == ("COMPLETED", True)
    assert balances(acme) == {"CLEARING": -15_000, "AVAILABLE": 14_202, "FEE_INCOME": 798}


def test_its_end_is_told_before_its_beginning_and_one_that_cannot_be_read_holds_up_no_other_of_the_list(
    acme: Shop, account: ProviderAccount, stand_in: StandIn, payment: Payment
) -> None:
    before = balances(acme)
    for kind in ("won", "prevented"):
        told(account, opened_at(stand_in, account, payment, amount=5_000, status=kind, id=f"dp_{kind}"))
    assert (statuses(), balances(acme)) == ([], before)
    gone = [{"amount": -5_000, "object": "balance_transaction"}]
    opened_at(stand_in, account, payment, amount=5_000, status="prevented", id="dp_gone", balance_transactions=gone)
    opened_at(stand_in, account, payment, amount=15_000, status="lost", id="dp_lost")
    after = balances(acme)
    assert after == {"DEBT": -798, "FEE_INCOME": 798}
    stand_in.disputes.disputes.clear()
    for number, wrong in enumerate(({"currency": "jpy"}, {"status": "in_orbit"}, {"amount": 0})):
        stand_in.disputes.open(**{"charge": "ch_1", "amount": TAKEN, "id": f"dp_{number}"} | wrong)
    won_back = {"status": "won", "id": "dp_lost"}
    stand_in.disputes.open(payment.rail_reference or "", 15_000, **won_back)

    for written in (True, False):
        before_it = set(Dispute.objects.values_list("updated_at", flat=True))
        with capture_logs() as logs:
            callbacks.recover()
        assert [one["reference"] for one in logs if one["event"] == "dispute.not_readable"] == ["dp_0", "dp_1", "dp_2"]
        assert (statuses(), balances(acme)["AVAILABLE"]) == (["COMPLETED"] * 2, 14_202)
        assert (before_it != set(Dispute.objects.values_list("updated_at", flat=True))) == written


def test_an_inquiry_takes_no_money_until_it_becomes_a_chargeback(
    acme: Shop, account: ProviderAccount, stand_in: StandIn, payment: Payment
) -> None:
    dispute = opened_at(stand_in, account, payment, status="warning_needs_response")
    assert (refund().dispute_kind, refund().status) == (None, "AWAITING_RESPONSE")
    assert answer(acme, "CONTEST").status_code == 201
    told(account, dispute)
    assert (dispute["status"], statuses()) == ("warning_under_review", ["UNDER_REVIEW"])

    told(account, dispute, status="needs_response")

    assert (statuses(), refund().dispute_kind) == (["CANCELED", "AWAITING_RESPONSE"], "CHARGEBACK")
    assert answer(acme, "CONTEST", evidence=[PROOF]).status_code == 201
    told(account, dispute, status="lost")
    assert (statuses(), len(stand_in.disputes.evidence)) == (["CANCELED", "COMPLETED"], 2)


def test_an_inquiry_that_is_accepted_is_refunded_and_one_that_is_closed_is_over(
    acme: Shop, account: ProviderAccount, stand_in: StandIn, payment: Payment
) -> None:
    first = opened_at(stand_in, account, payment, amount=5_000, status="warning_needs_response")
    told(account, first, status="warning_closed")
    second = opened_at(stand_in, account, payment, amount=5_000, status="warning_needs_response", id="dp_2")
    assert answer(acme, "ACCEPT").status_code == 201
    Refund.objects.update(ask_at=F("ask_at") - timedelta(minutes=2))
    due_refunds.run_due()

    assert (statuses(), second["status"]) == (["CANCELED", "COMPLETED"], "warning_needs_response")
    assert stand_in.calls[-1] == "POST /refunds"
    told(account, second, status="warning_closed")
    assert statuses() == ["CANCELED", "COMPLETED"]


def test_what_does_not_fit_moves_nothing_and_rings(
    acme: Shop, account: ProviderAccount, stand_in: StandIn, payment: Payment
) -> None:
    before = balances(acme)
    wrong: tuple[dict[str, Any], ...] = ({"charge": "ch_of_others"}, {"amount": TAKEN + 1}, {"currency": "usd"})
    with capture_logs() as logs:
        for number, said in enumerate(wrong):
            about = {"charge": payment.rail_reference, "amount": TAKEN, "id": f"dp_{number}"}
            dispute = stand_in.disputes.open(**about | said)
            told(account, dispute)
            told(account, dispute)

    rung = [(one["event"], one["log_level"]) for one in logs if one["event"].endswith("does_not_fit")]
    assert rung == [("dispute.does_not_fit", "critical"), ("dispute.still_does_not_fit", "warning")] * 3
    assert (statuses(), balances(acme)) == ([], before)
    with all_cells():  # that of an unknown payment is in the first one
        assert Dispute.objects.filter(to_look_up()).count() == 3


def test_it_waits_for_a_refund_of_the_company_that_is_on_its_way(
    acme: Shop, account: ProviderAccount, stand_in: StandIn, payment: Payment
) -> None:
    api_of(acme).post(f"/payments/{payment.pk}/refunds", {"amount": 50.00})
    Refund.objects.update(ask_at=F("ask_at") - timedelta(minutes=2))
    stand_in.will("500", on="POST /refunds")
    due_refunds.run_due()
    dispute = opened_at(stand_in, account, payment)
    assert (statuses(), bool(Dispute.objects.get().problem)) == (["PROCESSING"], True)
    for _ in ("found not to be known", "sent again"):
        Refund.objects.update(ask_at=F("ask_at") - timedelta(minutes=2))
        due_refunds.run_due()
    told(account, dispute, amount=15_000)

    assert statuses() == ["COMPLETED", "AWAITING_RESPONSE"]
    assert (refund().amount, Dispute.objects.get().problem) == (15_000, "")


def test_an_answer_without_a_clear_receipt_is_handed_on_again(
    acme: Shop, account: ProviderAccount, stand_in: StandIn, payment: Payment
) -> None:
    opened_at(stand_in, account, payment)
    stand_in.will("429", "half a body", on="POST /disputes")

    answer(acme, "CONTEST", evidence=[PROOF])
    assert Dispute.objects.get().answered_at is None
    for _ in ("turned away", "not known to be taken"):
        Dispute.objects.update(ask_at=F("ask_at") - timedelta(minutes=1))
        due.run_due()

    assert (len(stand_in.disputes.evidence), len(stand_in.disputes.files)) == (1, 1)
    assert Dispute.objects.get().answered_at and statuses() == ["UNDER_REVIEW"]


def test_an_answer_that_is_refused_or_late_rings_and_staff_hand_it_on_again_or_record_the_end(
    acme: Shop, account: ProviderAccount, stand_in: StandIn, payment: Payment
) -> None:
    opened_at(stand_in, account, payment)
    Dispute.objects.update(due_at=F("due_at") - timedelta(days=7, hours=13))
    stand_in.will("500", "400", on="POST /disputes")

    with capture_logs() as logs:
        answer(acme, "CONTEST")
        assert "deadline is near" in Dispute.objects.get().problem
        Dispute.objects.update(ask_at=F("ask_at") - timedelta(minutes=1))
        due.run_due()

    rung = [one["event"] for one in logs if one["log_level"] == "critical"]
    assert rung == ["dispute.answer_late", "dispute.answer_refused"]
    assert ("did not take" in Dispute.objects.get(to_look_up()).problem, statuses()) == (True, ["UNDER_REVIEW"])
    look_again(Actor(enters()), Dispute.objects.get().pk, "The key has its rights now")
    due.run_due()
    assert (len(stand_in.disputes.evidence), Dispute.objects.get().problem) == (1, "")
    offered = [asked for asked in RefundAction if may_be(asked, refund())]
    assert offered == [RefundAction.WON, RefundAction.TAKEN_BACK]
    decided = refunds.decide(acme.production, refund().pk, RefundAction.TAKEN_BACK, by=enters(), note="Statement")
    assert (decided.status, balances(acme)) == ("COMPLETED", {"DEBT": -798, "FEE_INCOME": 798})


def test_evidence_that_stripe_does_not_take_is_refused_at_once(
    acme: Shop, account: ProviderAccount, stand_in: StandIn, payment: Payment
) -> None:
    opened_at(stand_in, account, payment)

    address = {"type": "URL", "url": "https://shop.example/" + "a" * 2000, "description": "Tracking"}
    for evidence in ([PROOF] * 10, [address] * 10):
        refused = answer(acme, "CONTEST", evidence=evidence)
        assert (refused.status_code, refused.json()["onpayCode"]) == (400, "ONP400_EVIDENCE")
    owner = signed_in_twice(a_member(acme.company, email="files@acme.example"))
    page = owner.get(f"/dashboard/{acme.company.pk}/production/refunds/{refund().pk}/contest").content.decode()
    assert "The acquirer takes at most 9 files of" in page and "PDF, PNG or JPEG" in page
    assert (statuses(), stand_in.disputes.files, Dispute.objects.get().answer) == (["AWAITING_RESPONSE"], [], None)


def test_refunds_made_in_stripes_dashboard_are_booked_once_and_owed_beyond_the_wallet(
    acme: Shop, account: ProviderAccount, stand_in: StandIn, payment: Payment
) -> None:
    charge = payment.rail_reference or ""
    assert api_of(acme).post(f"/payments/{payment.pk}/refunds", {"amount": 180.00}).status_code == 201

    made = stand_in.call("POST", "/v1/refunds", charge=charge, amount=5_000)
    for _ in ("told", "and repeated"):
        assert delivered(account, event("refund.created", made)) == 200

    assert statuses() == ["FAILED", "COMPLETED"]
    booked = refund()
    assert (booked.origin, booked.amount, booked.end_to_end_id) == ("MERCHANT", 5_000, made["id"])
    assert balances(acme) == {"CLEARING": -15_000, "RELEASING": 14_202, "FEE_INCOME": 798}
    rest = stand_in.call("POST", "/v1/refunds", charge=charge, amount=15_000)
    assert delivered(account, event("refund.created", rest)) == 200
    assert (statuses()[2:], Payment.objects.get().status) == (["COMPLETED"], "REFUNDED")
    assert balances(acme) == {"DEBT": -798, "FEE_INCOME": 798}


def test_dollars_that_are_settled_in_reais_come_back_and_go_again_to_the_cent(acme: Shop, stand_in: StandIn) -> None:
    rates.record({"USD": Decimal(1), "BRL": Decimal("5.4321"), "MXN": Decimal(18)}, utcnow())
    live(acme, method="CREDIT_CARD", currency="USD")
    account = connected("stripe", stand_in.credentials(), "CREDIT_CARD", "DEBIT_CARD", currency="USD")
    session = opened(api_of(acme), currency="USD", amount=100.01)
    stand_in.confirm(Payment.objects.get().details["intent"])
    session.call("confirm", {})
    payment = Payment.objects.get()
    parts = {"dp_1": 3_333, "dp_2": 6_668}
    both = [opened_at(stand_in, account, payment, amount=parts[id], currency="usd", id=id) for id in parts]
    for dispute in both:
        told(account, dispute, status="lost")
    lost = balances(acme)
    assert lost == {"DEBT": -2_167, "FEE_INCOME": 399, "FX_POSITION USD": -399, "FX_POSITION BRL": 2_167}

    for dispute in both:
        told(account, dispute, status="won")
    won = {"AVAILABLE": 52_159, "CLEARING": -10_001, "FEE_INCOME": 399}
    won |= {"FX_POSITION USD": 9_602, "FX_POSITION BRL": -52_159}
    assert balances(acme) == won

    for dispute in reversed(both):
        told(account, dispute, status="lost")
    assert (balances(acme), statuses()) == (lost, ["COMPLETED"] * 2)
    assert "reversedAt" not in api_of(acme).get(f"/refunds/{refund().pk}").json()["data"]
    for dispute in both:
        told(account, dispute, status="won")
    assert balances(acme) == won
