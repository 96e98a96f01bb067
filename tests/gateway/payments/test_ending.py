"""An open payment is ended by its company, so that another way to pay can be offered."""

from collections import Counter
from datetime import timedelta

import pytest
from django.http import HttpResponse

from accounts.base.clock import utcnow
from accounts.models import AuditEntry
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments.models import Payment
from gateway.providers.errors import Unclear
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix
from tests.support.production import PIX, api_of, live, pass_time
from tests.support.scripted_provider import Script, rewritten
from tests.support.threads import at_once
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

INSTRUCTED = PaymentOutcome(PaymentResult.WAITING, {"pixCopyPaste": "000201code", "pixTxid": "TX"})
GONE = PaymentOutcome(PaymentResult.DONE)
TOO_LATE = PaymentOutcome(PaymentResult.REFUSED)
PAID = PaymentOutcome(PaymentResult.DONE, {"pixEndToEndId": "E1"}, reference="E1")


@pytest.fixture
def script(db: None) -> Script:
    return rewritten()


@pytest.fixture
def charged(acme: Shop, script: Script) -> Payment:
    """With a charge at a bank."""
    live(acme, "bank")
    script.answers = {"instruct": [INSTRUCTED]}
    return Payment.objects.get(pk=api_of(acme).post("/payments", PIX).json()["data"]["id"])


def ended(answer: HttpResponse) -> tuple[int, str, str]:
    body = answer.json()
    return answer.status_code, body["onpayCode"], body["data"]["status"] if body["success"] else ""


def kinds() -> list[str]:
    return list(Event.objects.order_by("created_at", "pk").values_list("type", flat=True))


def test_the_customer_pays_another_way_with_the_same_reference(api: Api, acme: Shop, globex: Shop) -> None:
    first = api.post("/payments", pix(reference="order-7")).json()["data"]["id"]
    key = "0f0e0d0c-0b0a-4908-8706-050403020100"
    theirs = Api(globex.sandbox_key, "203.0.113.7").post(f"/payments/{first}/expire")
    assert (theirs.status_code, kinds()) == (404, [])

    answers = [api.post(f"/payments/{first}/expire", key=key) for _ in range(2)]

    assert ended(answers[0]) == (200, "ONP200", "EXPIRED")
    assert answers[0].content == answers[1].content
    assert answers[1]["Idempotent-Replayed"] == "true"
    assert ended(api.post(f"/payments/{first}/expire")) == (200, "ONP200", "EXPIRED"), "it has ended as was wanted"
    assert (kinds(), AuditEntry.objects.filter(action="payment.expired").count()) == (["payment.expired"], 1)
    second = api.post("/payments", pix(reference="order-7")).json()["data"]["id"]
    api.post(f"/simulations/payments/{second}", {"status": "PAID"})
    refused = api.post(f"/payments/{second}/expire")
    assert (ended(refused)[:2], refused.json()["error"]["paymentId"]) == ((409, "ONP409_PAYMENT_STATE"), second)
    assert (kinds(), Transfer.objects.count()) == (["payment.expired", "payment.paid"], 1)


def test_the_bank_is_told_first_and_says_what_became_of_it(acme: Shop, script: Script, charged: Payment) -> None:
    path = f"/payments/{charged.pk}/expire"
    script.answers |= {"cancel": [Unclear("read timeout"), TOO_LATE], "ask": [PAID]}

    unknown = api_of(acme).post(path)

    assert ended(unknown) == (202, "ONP202_EXPIRING", "PENDING")
    assert unknown.json()["data"]["resolution"]["provider"] == "Scripted bank"
    assert api_of(acme).post("/payments", PIX).json()["onpayCode"] == "ONP409_DUPLICATE_REFERENCE"
    assert ended(api_of(acme).post(path)) == (200, "ONP200", "PAID"), "asked again, the bank has its money"
    assert (kinds(), Transfer.objects.count()) == (["payment.updated", "payment.paid"], 1)
    assert [what for _, what, _ in script.calls if what != "check"] == ["instruct", "cancel", "cancel", "ask"]


def test_without_an_answer_the_bank_is_asked_until_it_confirms(acme: Shop, script: Script, charged: Payment) -> None:
    script.answers |= {"cancel": [Unclear("read timeout"), GONE]}
    api_of(acme).post(f"/payments/{charged.pk}/expire")

    assert pass_time(charged.pk, minutes=1).status == "EXPIRED"
    assert api_of(acme).post("/payments", PIX).status_code == 201


def test_nothing_is_recorded_while_the_bank_is_asked_something_else(
    acme: Shop, script: Script, charged: Payment
) -> None:
    Payment.objects.filter(pk=charged.pk).update(leased_until=utcnow() + timedelta(minutes=1))
    key = "0f0e0d0c-0b0a-4908-8706-050403020100"

    busy = api_of(acme).post(f"/payments/{charged.pk}/expire", key=key)

    assert (ended(busy)[:2], busy.json()["error"]["retryAfter"]) == ((409, "ONP409_PAYMENT_BUSY"), 2)
    assert Payment.objects.get().expires_at == charged.expires_at
    assert not AuditEntry.objects.filter(action="payment.expired").exists()
    Payment.objects.update(leased_until=None)
    script.answers |= {"cancel": [GONE]}
    assert ended(api_of(acme).post(f"/payments/{charged.pk}/expire", key=key)) == (200, "ONP200", "EXPIRED")


def test_a_process_that_dies_while_it_asks_is_resumed_under_the_same_key(
    acme: Shop, script: Script, charged: Payment
) -> None:
    path, key = f"/payments/{charged.pk}/expire", "0f0e0d0c-0b0a-4908-8706-050403020100"
    script.answers |= {"cancel": [SystemExit(), GONE]}
    with pytest.raises(SystemExit):
        api_of(acme).post(path, key=key)

    assert ended(api_of(acme).post(path, key=key)) == (202, "ONP202_EXPIRING", "PENDING"), "its lease still holds"
    assert pass_time(charged.pk, minutes=3).status == "EXPIRED"
    assert kinds() == ["payment.updated", "payment.expired"]


def test_ended_and_paid_at_once_it_is_one_of_both_and_told_once(api: Api, acme: Shop, address: str) -> None:
    payment = api.post("/payments", pix()).json()["data"]["id"]

    def call(path: str, body: dict[str, str] | None = None) -> HttpResponse:
        return Api(acme.sandbox_key, address).post(path, body)

    end = lambda: call(f"/payments/{payment}/expire")  # noqa: E731
    pay = lambda: call(f"/simulations/payments/{payment}", {"status": "PAID"})  # noqa: E731

    answers = Counter(ended(answer)[:2] for answer in at_once(end, pay, end, pay))

    status = Payment.objects.get().status
    assert status in ("PAID", "EXPIRED")
    assert kinds() == [f"payment.{status.lower()}"]
    assert Transfer.objects.count() == (status == "PAID")
    assert answers[409, "ONP409_PAYMENT_STATE"] == (3 if status == "PAID" else 2)
