"""What an institution tells about payments and refunds leads to a query, and only the query counts."""

import json
from typing import Any

import pytest

from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments import due as payments
from gateway.payments.models import Payment
from gateway.providers import due as messages
from gateway.providers.errors import Unclear
from gateway.providers.models import ProviderAccount
from gateway.refunds import due as refunds
from gateway.refunds.models import Refund
from tests.support.callbacks import sent
from tests.support.companies import Shop
from tests.support.production import PIX, api_of, live, move, pass_time
from tests.support.providers import active
from tests.support.scripted_provider import Script, rewritten
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

INSTRUCTED = PaymentOutcome(PaymentResult.WAITING, {"pixCopyPaste": "code", "pixTxid": "TX"})
STILL_OPEN = PaymentOutcome(PaymentResult.WAITING)
PAID = PaymentOutcome(PaymentResult.DONE, reference="E1")


@pytest.fixture
def script(db: None) -> Script:
    return rewritten()


@pytest.fixture
def bank(acme: Shop) -> ProviderAccount:
    return live(acme, "bank")[0]


@pytest.fixture
def payment(acme: Shop, bank: ProviderAccount, script: Script) -> Payment:
    script.answers = {"instruct": [INSTRUCTED], "ask": [PAID]}
    assert api_of(acme).post("/payments", PIX).status_code == 201
    return Payment.objects.get()


def told(account: ProviderAccount, *ids: str, result: str = "done") -> None:
    """A message arrives and is read."""
    body = json.dumps([{"id": one, "told": result} for one in ids]).encode()
    assert sent(account, body) == 200
    messages.run_due(100)


def status(payment: Payment) -> str:
    return Payment.objects.get(pk=payment.pk).status


def asked(script: Script) -> list[str]:
    return [what for _, what, _ in script.calls if what not in ("check", "verify")]


def test_paid_it_is_known_at_once_and_told_five_times_it_is_paid_once(
    payment: Payment, bank: ProviderAccount, script: Script
) -> None:
    for _ in range(5):
        told(bank, payment.pk)

    assert status(payment) == "PAID"
    assert Event.objects.filter(object_id=payment.pk, type="payment.paid").count() == 1


def test_a_message_before_our_own_answer_leads_to_one_charge(acme: Shop, bank: ProviderAccount, script: Script) -> None:
    script.answers = {"instruct": [Unclear("read timeout")], "ask": [PAID]}
    assert api_of(acme).post("/payments", PIX).status_code == 503
    payment = Payment.objects.get()

    told(bank, payment.pk)

    assert status(payment) == "PAID"
    assert asked(script) == ["instruct", "ask"]


def test_an_old_message_after_a_newer_one_changes_nothing(
    payment: Payment, bank: ProviderAccount, script: Script
) -> None:
    told(bank, payment.pk)
    told(bank, payment.pk, result="waiting")
    assert status(payment) == "PAID"


def test_what_the_bank_does_not_confirm_is_not_believed_and_asked_again_soon(
    payment: Payment, bank: ProviderAccount, script: Script
) -> None:
    script.answers["ask"] = [STILL_OPEN, PAID]

    told(bank, payment.pk)
    assert status(payment) == "PENDING"
    move(payment.pk, seconds=16)
    payments.run_due()
    assert status(payment) == "PAID"


def test_an_outcome_in_a_message_is_not_believed_of_a_bank_that_can_be_queried(
    payment: Payment, bank: ProviderAccount, script: Script
) -> None:
    script.answers["ask"] = [STILL_OPEN]
    before = asked(script)

    assert sent(bank, json.dumps([{"id": payment.pk, "claims": "done"}]).encode()) == 200
    messages.run_due(100)

    assert (status(payment), asked(script)) == ("PENDING", [*before, "ask"])


def test_while_a_process_asks_a_message_is_not_lost(payment: Payment, bank: ProviderAccount, script: Script) -> None:
    script.answers["ask"] = [KeyboardInterrupt(), PAID]
    with pytest.raises(KeyboardInterrupt):
        pass_time(payment.pk, minutes=1)

    told(bank, payment.pk)
    assert (status(payment), asked(script)[-1]) == ("PENDING", "ask")
    assert pass_time(payment.pk, minutes=3).status == "PAID"


def test_another_account_or_company_says_nothing_about_it(
    payment: Payment, globex: Shop, bank: ProviderAccount, script: Script
) -> None:
    other = active("other bank")
    before = asked(script)

    told(other, payment.pk, "pay_00000000000000000000000000", "ref_x", "nonsense")

    assert (status(payment), asked(script)) == ("PENDING", before)


def test_a_refund_is_queried_when_its_bank_tells_of_it(
    acme: Shop, payment: Payment, bank: ProviderAccount, script: Script
) -> None:
    told(bank, payment.pk)
    refund: dict[str, Any] = api_of(acme).post(f"/payments/{payment.pk}/refunds", {"amount": 50.00}).json()["data"]
    told(bank, refund["id"])  # before it was sent: nothing to ask
    script.answers |= {
        "refund": [Unclear("timeout")],
        "ask refund": [PaymentOutcome(PaymentResult.DONE, reference="D")],
    }
    Refund.objects.update(ask_at=payment.created_at)
    refunds.run_due()
    assert Refund.objects.get().unclear_since

    told(bank, refund["id"])
    told(bank, refund["id"])  # completed: it might have come back

    assert (Refund.objects.get().status, Refund.objects.get().end_to_end_id) == ("COMPLETED", "D")
    assert [what for what in asked(script) if "refund" in what] == ["refund", "ask refund", "ask refund"]
