"""Many callers at once: one key acts once, one reference is one payment, one payment ends once."""

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connections, transaction
from django.http import HttpResponse

from accounts.base.rows import execute, table
from gateway.customers.models import Customer
from gateway.payments.models import Payment
from gateway.requests.models import IdempotencyKey
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

CONFLICT = (409, "ONP409_IDEMPOTENCY_CONFLICT")
IN_PROGRESS = (409, "ONP409_IDEMPOTENCY_IN_PROGRESS")
UNAVAILABLE = (503, "ONP503")
CREATED = (201, "ONP201")

Call = Callable[[], HttpResponse]


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


def post(caller: Callable[[], Api], path: str, body: dict[str, Any], key: str | None = None) -> Call:
    """The call as another process of the backend makes it."""
    return lambda: caller().post(path, body, key=key)


@pytest.fixture
def caller(transactional_db: None, acme: Shop, address: str) -> Callable[[], Api]:
    """Another process of acme's backend at each call."""
    return lambda: Api(acme.sandbox_key, address)


@contextmanager
def held(act: Callable[[], object]) -> Iterator[threading.Event]:
    """Somebody else's transaction, undone when the event is set, or at the end."""
    begun, release = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                act()
                begun.set()
                release.wait(20)
                transaction.set_rollback(True)
        finally:
            connections.close_all()

    holder = threading.Thread(target=hold)
    holder.start()
    assert begun.wait(10)
    try:
        yield release
    finally:
        release.set()
        holder.join()


def test_twenty_equal_calls_make_one_payment_and_get_one_answer(caller: Callable[[], Api]) -> None:
    body, key = pix(), str(uuid.uuid4())

    answers = at_once(*[post(caller, "/payments", body, key)] * 20)

    assert outcomes(answers) == {CREATED: 20}
    assert len({answer.content for answer in answers}) == 1
    assert len({answer["RequestId"] for answer in answers}) == 20
    assert Counter("Idempotent-Replayed" in answer for answer in answers) == {True: 19, False: 1}
    assert (Payment.objects.count(), Customer.objects.count(), IdempotencyKey.objects.count()) == (1, 1, 1)


def test_one_key_with_two_contents_is_won_by_one(caller: Callable[[], Api]) -> None:
    key, bodies = str(uuid.uuid4()), [pix(amount=10), pix(amount=20)]

    answers = at_once(*[post(caller, "/payments", body, key) for body in bodies * 5])

    assert outcomes(answers) == {CREATED: 5, CONFLICT: 5}
    [payment] = Payment.objects.all()
    assert {answer.json()["data"]["id"] for answer in answers if answer.status_code == 201} == {payment.id}


def test_one_key_on_two_paths_is_won_by_one(caller: Callable[[], Api], acme: Shop) -> None:
    key, paths = str(uuid.uuid4()), [f"/simulations/payments/{a_payment(acme.sandbox).id}" for _ in range(4)]

    answers = at_once(*[post(caller, path, {"status": "PAID"}, key) for path in paths])

    assert outcomes(answers) == {(200, "ONP200"): 1, CONFLICT: 3}
    assert Payment.objects.filter(status="PAID").count() == 1
    assert Event.objects.count() == 1


def test_eight_simulations_of_one_payment_post_once(caller: Callable[[], Api], acme: Shop) -> None:
    path = f"/simulations/payments/{a_payment(acme.sandbox).id}"

    answers = at_once(*[post(caller, path, {"status": "PAID"})] * 8)

    assert outcomes(answers) == {(200, "ONP200"): 1, (409, "ONP409_PAYMENT_STATE"): 7}
    assert Event.objects.count() == 1
    [wallet] = caller().get(f"/companies/{acme.company.id}/balance", currency="BRL").json()["data"]["wallets"]
    assert (wallet["available"], wallet["total"]) == (148.50, 148.50)


def test_a_payment_that_is_paid_and_expired_at_once_ends_once(caller: Callable[[], Api], acme: Shop) -> None:
    payment = a_payment(acme.sandbox)
    path = f"/simulations/payments/{payment.id}"
    ends = ["PAID", "EXPIRED", "FAILED", "PAID", "EXPIRED", "FAILED"]

    answers = at_once(*[post(caller, path, {"status": end}) for end in ends])

    assert outcomes(answers) == {(200, "ONP200"): 1, (409, "ONP409_PAYMENT_STATE"): 5}
    payment.refresh_from_db()
    [told] = Event.objects.values_list("type", flat=True)
    assert told == f"payment.{payment.status.lower()}"


def test_twenty_payments_with_one_reference_are_one(caller: Callable[[], Api]) -> None:
    answers = at_once(*[post(caller, "/payments", pix(reference="order-1"))] * 20)

    assert outcomes(answers) == {CREATED: 1, (409, "ONP409_DUPLICATE_REFERENCE"): 19}
    [payment] = Payment.objects.all()
    assert {answer.json()["error"]["paymentId"] for answer in answers if answer.status_code == 409} == {payment.id}


def test_two_payments_of_one_new_payer_make_one_customer(caller: Callable[[], Api]) -> None:
    answers = at_once(*[post(caller, "/payments", pix()) for _ in range(6)])

    assert outcomes(answers) == {CREATED: 6}
    assert len({answer.json()["data"]["customer"]["id"] for answer in answers}) == 1
    assert (Payment.objects.count(), Customer.objects.count()) == (6, 1)


def test_paid_payments_of_one_company_all_arrive_in_its_balance(caller: Callable[[], Api], acme: Shop) -> None:
    paths = [f"/simulations/payments/{a_payment(acme.sandbox).id}" for _ in range(12)]

    answers = at_once(*[post(caller, path, {"status": "PAID"}) for path in paths])

    assert outcomes(answers) == {(200, "ONP200"): 12}
    [wallet] = caller().get(f"/companies/{acme.company.id}/balance", currency="BRL").json()["data"]["wallets"]
    assert wallet["available"] == 12 * 148.50


def test_the_same_key_of_two_companies_does_not_meet(caller: Callable[[], Api], globex: Shop, address: str) -> None:
    body, key = pix(), str(uuid.uuid4())

    def of_globex() -> Api:
        return Api(globex.sandbox_key, address)

    answers = at_once(*[post(one, "/payments", body, key) for one in (caller, of_globex) for _ in range(4)])

    assert outcomes(answers) == {CREATED: 8}
    assert Payment.objects.count() == 2


def test_twenty_five_new_endpoints_at_once_are_twenty(caller: Callable[[], Api]) -> None:
    body = {"url": "http://127.0.0.1:9000/hooks", "events": ["*"]}

    answers = at_once(*[post(caller, "/webhooks", body)] * 25)

    assert outcomes(answers) == {CREATED: 20, (422, "ONP422_WEBHOOK_LIMIT"): 5}


def test_a_call_waits_a_moment_for_its_twin(caller: Callable[[], Api], acme: Shop) -> None:
    payment, key = a_payment(acme.sandbox), str(uuid.uuid4())
    calls = [post(caller, f"/simulations/payments/{payment.id}", {"status": "PAID"}, key)] * 5

    with held(lambda: Payment.objects.select_for_update().get(pk=payment.pk)) as release:
        threading.Timer(0.5, release.set).start()
        answers = at_once(*calls)

    assert outcomes(answers) == {(200, "ONP200"): 5}
    assert len({answer.content for answer in answers}) == 1
    assert Event.objects.count() == 1


def test_a_call_that_waits_too_long_for_its_twin_may_come_again(caller: Callable[[], Api], acme: Shop) -> None:
    body, key, begun = pix(), str(uuid.uuid4()), time.monotonic()
    twin = {"merchant": acme.sandbox, "key": key, "method": "POST", "path": "/api/v2/payments"}

    with held(lambda: IdempotencyKey.objects.create(**twin, fingerprint=b"f" * 32, request_id="req_of_the_twin")):
        answer = caller().post("/payments", body, key=key)

    assert outcomes([answer]) == {IN_PROGRESS: 1}
    assert 1.9 <= time.monotonic() - begun <= 4
    error = answer.json()["error"]
    assert (error["retryable"], error["retryAfter"], answer["Retry-After"]) == (True, 1, "1")
    assert Payment.objects.count() == 0
    assert outcomes([caller().post("/payments", body, key=key)]) == {CREATED: 1}


def test_a_key_that_nobody_has_is_not_in_progress_while_its_table_is_locked(caller: Callable[[], Api]) -> None:
    body, key = pix(), str(uuid.uuid4())

    with held(lambda: execute(f"LOCK TABLE {table(IdempotencyKey)} IN EXCLUSIVE MODE")):
        answer = caller().post("/payments", body, key=key)

    assert outcomes([answer]) == {UNAVAILABLE: 1}
    assert (answer.json()["error"]["retryable"], "Retry-After" in answer) == (True, True)
    assert (Payment.objects.count(), Customer.objects.count(), IdempotencyKey.objects.count()) == (0, 0, 0)
    assert outcomes([caller().post("/payments", body, key=key)]) == {CREATED: 1}
