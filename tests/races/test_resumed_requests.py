"""Many callers repeat a request that got no answer: one payment goes on, once, and all get the same."""

import threading
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connections
from django.http import HttpResponse

from gateway.customers.models import Customer
from gateway.payments.models import Payment
from gateway.requests.models import IdempotencyKey
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

Call = Callable[[], HttpResponse]
CREATED, INVALID_RESPONSE = (201, "ONP201"), (502, "ONP502_PIX_INVALID_RESPONSE")


def at_once(*calls: Call) -> list[HttpResponse]:
    """The answers to the calls, each made in a thread of its own at the same moment."""
    start = threading.Barrier(len(calls), timeout=20)

    def one(call: Call) -> HttpResponse:
        try:
            start.wait()
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(one, calls))


def outcomes(answers: list[HttpResponse]) -> Counter[tuple[int, str]]:
    return Counter((answer.status_code, answer.json()["onpayCode"]) for answer in answers)


def told() -> list[str]:
    return list(Event.objects.order_by("occurred_at", "created_at", "id").values_list("type", flat=True))


class Repeated:
    """One request, as several processes of the merchant's backend send it."""

    def __init__(self, shop: Shop, address: str) -> None:
        self.shop, self.address = shop, address
        self.key, self.body = str(uuid.uuid4()), pix(amount=912)

    def call(self) -> HttpResponse:
        return self.backend().post("/payments", self.body, key=self.key)

    def other(self) -> HttpResponse:
        return self.backend().post("/payments", self.body | {"amount": 100}, key=self.key)

    def backend(self) -> Api:
        return Api(self.shop.sandbox_key, self.address)


@pytest.fixture
def repeated(transactional_db: None, acme: Shop, address: str) -> Repeated:
    return Repeated(acme, address)


@pytest.fixture
def bound(repeated: Repeated) -> Repeated:
    """It was sent once, and got no answer of the provider."""
    assert outcomes([repeated.call()]) == {INVALID_RESPONSE: 1}
    return repeated


def one_payment_went_on(times_asked: int = 2) -> bool:
    [payment] = Payment.objects.all()
    made = (payment.asked_times, Customer.objects.count(), IdempotencyKey.objects.count())
    return made == (times_asked, 1, 1) and told() == ["payment.updated"]


def test_eight_repetitions_resume_one_payment_once_and_get_one_answer(bound: Repeated) -> None:
    answers = at_once(*[bound.call] * 8)

    assert outcomes(answers) == {CREATED: 8}
    assert len({answer.content for answer in answers}) == 1
    assert Counter("Idempotent-Replayed" in answer for answer in answers) == {True: 7, False: 1}
    assert one_payment_went_on()


def test_eight_first_calls_fail_once_and_then_all_get_the_one_payment(repeated: Repeated) -> None:
    answers = at_once(*[repeated.call] * 8)

    assert outcomes(answers) == {CREATED: 7, INVALID_RESPONSE: 1}
    assert len({answer.content for answer in answers if answer.status_code == 201}) == 1
    assert one_payment_went_on()


def test_what_a_dead_process_left_is_taken_over_by_one(bound: Repeated) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=1)
    IdempotencyKey.objects.filter(key=bound.key).update(leased_until=soon)

    answers = at_once(*[bound.call] * 8)

    assert outcomes(answers) == {CREATED: 8}
    assert len({answer.content for answer in answers}) == 1
    assert one_payment_went_on()


def test_repetitions_and_other_content_do_not_mix(bound: Repeated) -> None:
    answers = at_once(*[bound.call, bound.other] * 4)

    assert outcomes(answers) == {CREATED: 4, (409, "ONP409_IDEMPOTENCY_CONFLICT"): 4}
    assert one_payment_went_on()


def test_a_payment_that_is_paid_while_its_request_is_repeated_is_paid_once(bound: Repeated) -> None:
    payment = Payment.objects.get()

    def pay() -> HttpResponse:
        return bound.backend().post(f"/simulations/payments/{payment.id}", {"status": "PAID"})

    *answers, paid = at_once(*[bound.call] * 7, pay)

    assert outcomes(answers) == {CREATED: 7}
    assert outcomes([paid]) == {(200, "ONP200"): 1}
    assert len({answer.content for answer in answers}) == 1
    payment.refresh_from_db()
    assert (payment.status, told().count("payment.paid"), told()[-1]) == ("PAID", 1, "payment.paid")
