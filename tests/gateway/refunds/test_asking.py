"""A refund with real money: sent once under its own id, and unclear until the provider says."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from structlog.testing import capture_logs

from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.providers.errors import NotSent, Unclear
from gateway.providers.provider import Notice
from gateway.refunds import due, services
from gateway.refunds.callbacks import hear
from gateway.refunds.errors import RefundState
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import Refund
from ledger.holds import services as holds
from ledger.models import Balance
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live, pass_time
from tests.support.scripted_provider import Script, rewritten

pytestmark = pytest.mark.django_db(transaction=True)

RETURNED = PaymentOutcome(PaymentResult.DONE, reference="D1")
NOT_THERE = PaymentOutcome(PaymentResult.NOT_RECEIVED)
UNDERWAY = PaymentOutcome(PaymentResult.UNKNOWN)
DECLINED = PaymentOutcome(PaymentResult.DECLINED, failure=("ACQUIRER_REFUSED", "The provider refused the refund."))
TIMES = ("ask_at", "leased_until", "unclear_since", "certain_by")


@pytest.fixture
def script(db: None) -> Script:
    return rewritten()


def a_paid_pix(acme: Shop, script: Script) -> str:
    live(acme, "bank")
    script.answers = {
        "instruct": [PaymentOutcome(PaymentResult.WAITING, {"pixCopyPaste": "code", "pixTxid": "TX"})],
        "ask": [PaymentOutcome(PaymentResult.DONE, reference="E1")],
    }
    payment_id = str(api_of(acme).post("/payments", PIX).json()["data"]["id"])
    assert pass_time(payment_id, minutes=1).status == "PAID"
    return payment_id


@pytest.fixture
def refund(acme: Shop, script: Script) -> str:
    """Of 50 of a payment of 150 that was paid."""
    payment_id = a_paid_pix(acme, script)
    return str(api_of(acme).post(f"/payments/{payment_id}/refunds", {"amount": 50.00}).json()["data"]["id"])


def sweep(**earlier: int) -> Refund:
    Refund.objects.update(**{name: F(name) - timedelta(**earlier) for name in TIMES})
    due.run_due()
    return Refund.objects.get()


def asked(script: Script) -> list[str]:
    return [what for _, what, _ in script.calls if "refund" in what]


def money() -> dict[str, int]:
    held = Balance.objects.filter(account__merchant__isnull=False).exclude(amount=0)
    return {balance.account.kind: balance.amount for balance in held.select_related("account")}


def test_it_is_sent_under_its_own_id_and_completed(acme: Shop, script: Script, refund: str) -> None:
    script.answers["refund"] = [RETURNED]

    done = sweep(minutes=1)

    assert (done.status, done.end_to_end_id) == ("COMPLETED", "D1")
    assert [our_id for _, what, our_id in script.calls if what == "refund"] == [refund]


def test_without_an_answer_it_is_only_queried(acme: Shop, script: Script, refund: str) -> None:
    script.answers |= {"refund": [Unclear("read timeout")], "ask refund": [UNDERWAY, Unclear("HTML"), RETURNED]}

    unclear = sweep(minutes=1)
    assert (unclear.status, unclear.unclear_asks) == ("PROCESSING", 1)
    shown: dict[str, Any] = api_of(acme).get(f"/refunds/{refund}").json()["data"]["resolution"]
    assert (shown["provider"], shown["askedTimes"]) == ("Scripted bank", 1)
    for asks in (2, 3):
        assert sweep(hours=2).unclear_asks == asks
    assert sweep(hours=2).status == "COMPLETED"
    assert asked(script) == ["refund", "ask refund", "ask refund", "ask refund"]
    assert api_of(acme).get(f"/refunds/{refund}").json()["data"]["resolution"] is None


def test_what_the_provider_does_not_know_is_sent_again_under_the_same_id(
    acme: Shop, script: Script, refund: str
) -> None:
    script.answers |= {"refund": [Unclear("reset"), RETURNED], "ask refund": [NOT_THERE]}

    sweep(minutes=1)
    sweep(minutes=1)
    assert sweep(minutes=2).status == "COMPLETED"
    assert asked(script) == ["refund", "ask refund", "refund"]
    assert {our_id for _, what, our_id in script.calls if "refund" in what} == {refund}


def test_what_was_never_transmitted_is_not_unclear(acme: Shop, script: Script, refund: str) -> None:
    script.answers["refund"] = [NotSent("connection refused"), RETURNED]

    assert sweep(minutes=1).unclear_since is None
    assert sweep(minutes=2).status == "COMPLETED"
    assert asked(script) == ["refund", "refund"]


def test_declined_the_money_comes_back_to_the_company(acme: Shop, script: Script, refund: str) -> None:
    before = money()
    script.answers["refund"] = [DECLINED]

    assert sweep(minutes=1).status == "FAILED"
    assert money()["AVAILABLE"] == before["AVAILABLE"] + 5000


def test_one_that_comes_back_after_it_was_completed_rings(acme: Shop, script: Script, refund: str) -> None:
    script.answers |= {"refund": [RETURNED], "ask refund": [RETURNED, DECLINED]}
    done, before = sweep(minutes=1), money()
    assert done.account

    with capture_logs() as logs:
        for _ in range(2):
            assert hear(Notice(refund, PaymentAction.REFUND), done.account)

    assert [line["log_level"] for line in logs if line["event"] == "refund.told_otherwise"] == ["critical"]
    assert (Refund.objects.get().status, money()) == ("COMPLETED", before)


def test_no_timer_makes_it_fail(acme: Shop, script: Script, refund: str) -> None:
    before = money()
    script.answers |= {"refund": [Unclear("timeout")], "ask refund": [Unclear("timeout")]}

    for _ in range(40):
        kept = sweep(days=5)

    assert (kept.status, money()) == ("PROCESSING", before)


def test_staff_cannot_decide_while_it_is_being_sent(acme: Shop, script: Script, refund: str) -> None:
    before = money()
    script.answers["refund"] = [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt):
        sweep(minutes=1)

    for action in (RefundAction.DONE, RefundAction.DECLINED):
        with pytest.raises(RefundState):
            services.decide(acme.production, refund, action)

    assert (Refund.objects.get().status, money()) == ("PROCESSING", before)


@pytest.mark.parametrize("there", [14_850, 4_000])
def test_a_med_claim_asks_for_what_was_recovered_and_no_more(acme: Shop, script: Script, there: int) -> None:
    paid = a_paid_pix(acme, script)
    if there < 14_850:
        holds.place(acme.production, "BRL", 14_850 - there, "COMPLIANCE", note="An invoice is missing")
    claim = services.claim(acme.production, paid, claim_id="81a15e14", reason_code="SCAM")
    services.respond(acme.production, claim.id, "ACCEPT")
    script.answers["refund"] = [RETURNED]

    assert (sweep(days=10).status, asked(script)) == ("PROCESSING", [])
    Refund.objects.update(return_due_at=F("return_due_at") - timedelta(days=12))
    done = sweep(days=12)

    assert (done.status, done.recovered, done.claimed_amount) == ("COMPLETED", there, 15_000)
    assert (done.end_to_end_id, asked(script)) == ("D1", ["refund"])
    assert done.payment.refunded_amount == there
