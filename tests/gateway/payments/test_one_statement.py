"""A payment that nobody is asked about is stored by one statement, with all that belongs to it, and with others."""

import json
import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from accounts.base import cells
from accounts.base.ids import new_id
from accounts.base.tracing import following
from accounts.base.wire import loads
from gateway.api.inputs.payments import PaymentInput
from gateway.api.operations import keyed
from gateway.customers.models import Customer
from gateway.payments import services as payments
from gateway.payments.creation import Creation, store
from gateway.payments.models import Payment
from gateway.requests import idempotency
from gateway.requests.models import IdempotencyKey
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix

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


def creations(shop: Shop, *orders: dict[str, Any]) -> list[Creation]:
    """Payments that are ready to be stored, each with its key."""
    return [_creation(shop, order, str(uuid.uuid4())) for order in orders]


def _creation(shop: Shop, order: dict[str, Any], key: str) -> Creation:
    order = loads(json.dumps(order).encode())
    attempt = keyed(shop.sandbox, key, "/api/v2/payments", new_id("req"), order)
    with following(attempt.request_id):
        draft = payments.draft(shop.sandbox, PaymentInput.model_validate(order).request())
    assert draft
    return Creation(idempotency.row_with(attempt, 201, b"{}"), draft.payment)


def payer(n: int) -> dict[str, Any]:
    return {"name": "Maria Silva", "taxId": f"{52998224725 + n}"}


def test_several_are_stored_by_one_statement(acme: Shop, globex: Shop) -> None:
    several = [
        *creations(acme, *(pix(reference=f"order-{n}", payer=payer(n)) for n in range(3))),
        *creations(globex, pix(reference="order-1", payer=payer(1))),
    ]
    with CaptureQueriesContext(connection) as ran:
        assert store(several) == [True] * 4

    assert len([query for query in ran.captured_queries if "gateway_create_payments" in query["sql"]]) == 1
    assert {*Payment.objects.values_list("id", flat=True)} == {one.payment.pk for one in several}
    assert Payment.objects.filter(merchant=globex.sandbox).count() == 1


def test_what_is_taken_keeps_no_other_from_being_stored(api: Api, acme: Shop) -> None:
    api.post("/payments", pix(reference="order-3", payer=payer(50)))

    several = creations(acme, *(pix(reference=f"order-{n}", payer=payer(n)) for n in range(8)))
    assert store(several) == [n != 3 for n in range(8)]

    assert Payment.objects.count() == 8
    assert IdempotencyKey.objects.count() == 8
    assert Customer.objects.count() == 8


@pytest.mark.parametrize("same", ["reference", "customer", "key"])
def test_of_two_that_want_the_same_only_the_first_is_stored(acme: Shop, same: str) -> None:
    """The other is left to who finds out, one after the other, what that means."""
    orders = [pix(reference=f"order-{n}", payer=payer(n)) for n in range(3)]
    if same == "reference":
        orders[1]["reference"] = "order-0"
    if same == "customer":
        orders[1]["payer"] = payer(0)
    several = creations(acme, *orders)
    if same == "key":
        several[1] = _creation(acme, orders[1], several[0].key["key"])

    assert store(several) == [True, False, True]
    assert {*Payment.objects.values_list("id", flat=True)} == {several[0].payment.pk, several[2].payment.pk}


def test_of_a_customer_that_is_known_many_are_stored_at_once(api: Api, acme: Shop) -> None:
    api.post("/payments", pix(payer=payer(0)))

    assert store(creations(acme, *(pix(payer=payer(0)) for _ in range(5)))) == [True] * 5
    assert (Payment.objects.count(), Customer.objects.count()) == (6, 1)


@pytest.mark.django_db(transaction=True)
def test_behind_a_lock_nobody_waits_for_long(api: Api, acme: Shop) -> None:
    api.post("/payments", pix(payer=payer(0)))
    several = creations(acme, *(pix(reference=f"order-{n}", payer=payer(n)) for n in range(3)))
    with psycopg.connect(**connection.get_connection_params()) as other:  # type: ignore[arg-type]
        other.execute(f"SELECT FROM {cells.current() or 'public'}.gateway_customer FOR UPDATE")
        began = time.monotonic()
        assert store(several) == [False] * 3
        assert time.monotonic() - began < 2

    assert Payment.objects.count() == 1
