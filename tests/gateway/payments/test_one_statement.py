"""A payment that nobody is asked about is stored by one statement, with all that belongs to it, and with others."""

import json
import random
import threading
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from accounts.base.ids import new_id
from accounts.base.rows import first
from accounts.base.together import Together
from accounts.base.tracing import following
from accounts.base.wire import loads
from gateway.api.inputs.payments import PaymentInput
from gateway.customers.models import Customer
from gateway.payments import services as payments
from gateway.payments.models import Payment
from gateway.requests import idempotency
from gateway.requests.models import IdempotencyKey
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix

R = TypeVar("R")
OWN = {"id", "key", "reference", "customer_id", "request_id", "fingerprint", "sealed_body", "members", "details"}
"""What differs between any two payments."""
TIMES = {"created_at", "updated_at", "expires_at"}


def rows(payment_id: str) -> list[dict[str, Any]]:
    """What was stored of a payment, but for what is its own: itself, its customer and its key."""
    payment = Payment.objects.filter(pk=payment_id).values().get()
    customer = Customer.objects.filter(pk=payment["customer_id"]).values().get()
    key = IdempotencyKey.objects.filter(request_id=payment["request_id"]).values().get()
    return [
        {name: type(value) if name in TIMES else value for name, value in row.items() if name not in OWN}
        for row in (payment, customer, key)
    ]


def made_one_after_the_other(shop: Shop, order: dict[str, Any]) -> str:
    """As every payment is made about which somebody is asked."""
    body = PaymentInput.model_validate(order)
    attempt = idempotency.KeyedRequest(
        merchant=shop.sandbox,
        key=str(uuid.uuid4()),
        fingerprint=idempotency.fingerprint("POST", "/api/v2/payments", order),
        method="POST",
        path="/api/v2/payments",
        request_id=new_id("req"),
        content=order,
    )
    made: list[Payment] = []

    def begin() -> Payment:
        made.append(payments.create(shop.sandbox, body.request()))
        return made[0]

    work = idempotency.KeyedWork(begin, lambda begun: None, lambda payment: (201, b"{}"))
    with following(attempt.request_id):
        assert idempotency.perform(attempt, work).status == 201
    return made[0].pk


@pytest.mark.parametrize("taxId", ["52998224725", "11144477735"])
def test_both_ways_store_the_same_rows(api: Api, acme: Shop, taxId: str) -> None:  # noqa: N803
    payer = {"name": "Maria Silva", "taxId": taxId}
    order = pix(payer=payer)
    with CaptureQueriesContext(connection) as ran:
        together = api.post("/payments", pix(payer=payer))
    assert together.status_code == 201
    assert any("gateway_create_payments" in query["sql"] for query in ran.captured_queries)

    other = made_one_after_the_other(acme, loads(json.dumps(order).encode()))
    assert rows(together.json()["data"]["id"]) == rows(other)
    assert Customer.objects.count() == 1


def test_the_response_is_the_payment_as_it_is_read_afterwards(api: Api) -> None:
    created = api.post("/payments", pix()).json()["data"]

    assert api.get(f"/payments/{created['id']}").json()["data"] == created


def test_a_known_customer_is_brought_up_to_date(api: Api) -> None:
    payer = {"name": "Maria Silva", "taxId": "52998224725", "email": "maria@example.com"}
    before = api.post("/payments", pix(payer=payer)).json()["data"]["customer"]

    after = api.post("/payments", pix(payer={"name": "Maria S. Lima", "taxId": "529.982.247-25"})).json()["data"]

    customer = Customer.objects.get()
    assert after["customer"]["id"] == before["id"] == customer.pk
    assert (customer.name, customer.email) == ("Maria S. Lima", "maria@example.com")


def test_a_reference_in_use_is_refused_and_nothing_is_stored(api: Api) -> None:
    first_one = api.post("/payments", pix(reference="order-1")).json()["data"]["id"]
    customers, keys = Customer.objects.count(), IdempotencyKey.objects.count()

    payer = {"name": "João Souza", "taxId": "11144477735"}
    refused = api.post("/payments", pix(reference="order-1", payer=payer)).json()["error"]

    assert (refused["code"], refused["paymentId"]) == ("ONP409_DUPLICATE_REFERENCE", first_one)
    assert (Payment.objects.count(), Customer.objects.count()) == (1, customers)
    assert IdempotencyKey.objects.count() == keys + 1  # with the refusal


@pytest.mark.django_db(transaction=True)
def test_many_at_once_are_each_answered_for_themselves(acme: Shop, address: str) -> None:
    """Twelve orders, three of which take one reference, and two of which come under one key."""
    key = str(uuid.uuid4())
    references = [*(f"order-{number}" for number in range(9)), "same", "same", "same"]
    orders = [(pix(reference=one), None) for one in references] + 2 * [(pix(reference="keyed"), key)]
    start = threading.Barrier(len(orders), timeout=30)

    def send(order: tuple[dict[str, Any], str | None]) -> tuple[int, str]:
        try:
            start.wait()
            answer = Api(acme.sandbox_key, address).post("/payments", order[0], key=order[1])
            return answer.status_code, answer.json()["onpayCode"]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(orders)) as threads:
        found = Counter(threads.map(send, orders))

    assert found == {(201, "ONP201"): 12, (409, "ONP409_DUPLICATE_REFERENCE"): 2}
    assert sorted(Payment.objects.values_list("reference", flat=True)) == sorted({*references, "keyed"})
    assert Customer.objects.count() == 1
    assert IdempotencyKey.objects.exclude(status=201).count() == 2


class Notes:
    """What was written together; the first statement waits until it is let go."""

    def __init__(self) -> None:
        self.statements: list[list[str]] = []
        self.begun, self.goes_on = threading.Event(), threading.Event()

    def store(self, notes: Any) -> None:
        self.statements.append(list(notes))
        if len(self.statements) == 1:
            self.begun.set()
            assert self.goes_on.wait(20)
        if "wrong" in notes:
            first("SELECT 1 / 0")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("waiting", "told"),
    [
        (["b", "c", "d"], [["b", "c", "d"]]),
        (["b", "b", "c"], [["b", "c"], ["b"]]),  # two of one name
        ([str(n) for n in range(17)], [[str(n) for n in range(16)], ["16"]]),
    ],
)
def test_what_comes_while_one_is_written_is_written_with_the_next(waiting: list[str], told: list[list[str]]) -> None:
    notes = Notes()
    together: Together[str] = Together(notes.store, lambda note: [note])
    with ThreadPoolExecutor(1 + len(waiting)) as threads:
        ahead = threads.submit(_closing, lambda: together.write("a"))
        assert notes.begun.wait(20)
        others = [_queued(threads, together, note, number) for number, note in enumerate(waiting, 1)]
        notes.goes_on.set()
        assert ahead.result() is True
        assert [one.result() for one in others] == [True] * len(waiting)

    assert notes.statements == [["a"], *told]


@pytest.mark.django_db(transaction=True)
def test_a_statement_that_is_refused_writes_none_of_them_and_the_next_goes_on() -> None:
    notes = Notes()
    together: Together[str] = Together(notes.store, lambda note: [note])
    with ThreadPoolExecutor(3) as threads:
        ahead = threads.submit(_closing, lambda: together.write("a"))
        assert notes.begun.wait(20)
        others = [_queued(threads, together, note, number) for number, note in enumerate(["b", "wrong"], 1)]
        notes.goes_on.set()
        assert (ahead.result(), [one.result() for one in others]) == (True, [False, False])
        assert threads.submit(_closing, lambda: together.write("d")).result() is True


@pytest.mark.django_db(transaction=True)
def test_who_gives_up_at_the_moment_of_its_turn_leads_all_the_same() -> None:
    """Otherwise nobody would lead from then on, and everybody would wait in vain."""
    stored: list[str] = []

    def store(notes: Any) -> None:
        threading.Event().wait(random.uniform(0.001, 0.006))
        stored.extend(notes)

    together: Together[str] = Together(store, lambda note: [note], patience_s=0.004)

    def write(number: int) -> list[str]:
        notes = [f"{number}-{n}" for n in range(100)]
        return [note for note in notes if together.write(note)]

    with ThreadPoolExecutor(8) as threads:
        written = [
            note for notes in threads.map(lambda number: _closing(lambda: write(number)), range(8)) for note in notes
        ]

    assert together.write("last") is True
    assert {*written} <= {*stored} and len(stored) == len({*stored})


def _queued(threads: ThreadPoolExecutor, together: Together[str], note: str, number: int) -> Any:
    """The write, once it waits behind the others."""
    written = threads.submit(_closing, lambda: together.write(note))
    while together.waiting() < number:
        threading.Event().wait(0.005)
    return written


def _closing(act: Callable[[], R]) -> R:
    try:
        return act()
    finally:
        connections.close_all()
