"""Long lists: any page is right from either end, can be read on from an object, and its total is exact."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import chain, product
from threading import Event
from typing import Any

import pytest
from django.db import connection

from gateway.payments.models import Payment, Status
from gateway.sales.created import count
from gateway.sales.services import sum_up
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receivables import stand_at
from tests.support.refunds import decided, paid, refunded

ENDS = ("PAID", "PAID", "EXPIRED", "PENDING", "FAILED", "PAID")


@pytest.fixture
def seven(acme: Shop, globex: Shop, api: Api) -> list[str]:
    """The ids of seven payments, newest first, one of them refunded, beside one of globex."""
    a_payment(globex.sandbox, "PAID")
    for status in ENDS:
        a_payment(acme.sandbox, status)
    decided(api, refunded(api, paid(api)), "COMPLETED")
    return list(
        Payment.objects.filter(merchant=acme.sandbox).order_by("-created_at", "-id").values_list("pk", flat=True)
    )


def listed(api: Api, **query: Any) -> tuple[list[str], int]:
    answer = api.get("/payments", **query)
    assert answer.status_code == 200, answer.content
    return [one["id"] for one in answer.json()["data"]], answer.json()["pagination"]["totalAvailable"]


def test_totals_are_exact_before_and_after_the_latest_are_summed_up(api: Api, acme: Shop, seven: list[str]) -> None:
    def right() -> bool:
        for status, method, currency in product(("", *Status.values), ("", "PIX", "SPEI"), ("", "BRL", "MXN")):
            asked = {"status": status, "method": method, "currency": currency}
            filters = {name: value for name, value in asked.items() if value}
            rows = Payment.objects.filter(merchant=acme.sandbox, **filters)
            assert count(acme.sandbox, **filters) == rows.count(), filters
        return listed(api, status="PAID")[1] == 3

    assert right()
    assert sum_up() > 0
    assert right()
    assert Payment.objects.filter(status="REFUNDED").count() == 1


MIDNIGHT = datetime(2026, 3, 10, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize("is_summed_up", [False, True])
def test_totals_of_periods_are_exact_at_and_beside_midnight(acme: Shop, api: Api, is_summed_up: bool) -> None:
    for day, hours in product(range(4), (timedelta(), SECOND, timedelta(hours=15), timedelta(hours=24) - SECOND)):
        stand_at(acme.sandbox, MIDNIGHT + timedelta(days=day) + hours)
        for n in range(2):
            a_payment(acme.sandbox, ENDS[(2 * day + n) % len(ENDS)])
        if day % 2:
            decided(api, refunded(api, paid(api)), "COMPLETED")
    if is_summed_up:
        assert sum_up() > 0
    rows = Payment.objects.filter(merchant=acme.sandbox)
    places = [None, *(MIDNIGHT + timedelta(days=day) + hours for day in (0, 2, 4) for hours in (timedelta(), SECOND))]

    for which, since, until in product(("created", "paid"), places, places):
        for status in (None, *Status.values):
            asked = {f"{which}_from": since, f"{which}_to": until, "status": status}
            known = {f"{which}_at__gte": since, f"{which}_at__lt": until, "status": status}
            asked, known = ({k: v for k, v in one.items() if v is not None} for one in (asked, known))
            assert count(acme.sandbox, **asked) == rows.filter(**known).count(), (is_summed_up, asked)
    assert rows.filter(status="REFUNDED").count() == 8
    assert listed(api, createdFrom="2026-03-10T00:00:01Z", createdTo="2026-03-14T00:00:00Z")[1] == rows.count() - 2
    assert listed(api, paidFrom="9999-12-31T23:59:59Z") == ([], 0)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_pages_and_what_follows_an_object_are_the_same_list(api: Api, seven: list[str], size: int) -> None:
    pages = [listed(api, pageNumber=number, pageSize=size)[0] for number in range(1, 9)]
    assert list(chain.from_iterable(pages)) == seven

    found, seen = listed(api, pageSize=size)[0], 0
    while len(found) > seen:
        seen = len(found)
        found += listed(api, pageSize=size, after=found[-1])[0]
    assert found == seven


def test_an_object_that_left_the_filtered_list_is_still_a_place_in_it(api: Api, seven: list[str]) -> None:
    pending = listed(api, status="PENDING")[0][0]

    assert listed(api, status="PAID", after=pending) == (seven[5:], 3)
    assert listed(api, after=pending, pageNumber=2, pageSize=2) == (seven[6:], 7)
    assert listed(api, after=seven[-1]) == ([], 7)


def test_what_is_not_in_the_list_is_no_place_in_it(api: Api, globex_api: Api, seven: list[str]) -> None:
    foreign = listed(globex_api)[0][0]

    for after in (foreign, "pay_00000000000000000000000000", "x", ""):
        error = api.get("/payments", after=after).json()["error"]
        assert (error["code"], error["field"]) == ("ONP400_PAGINATION", "after")


@pytest.mark.django_db(transaction=True)
def test_who_waits_for_events_leaves_the_connection_as_others_need_it(acme: Shop, api: Api) -> None:
    """It goes back to the pool meanwhile, and there it must prepare the statements of requests."""
    a_payment(acme.sandbox, "PAID")
    last = api.get("/events", pageSize=1).json()["data"][0]["id"]
    connection.ensure_connection()
    usual, mine = connection.connection.prepare_threshold, connection.connection
    over, seen = Event(), set()

    def other_requests() -> None:
        while not over.is_set():
            connection.ensure_connection()
            seen.add((connection.connection is mine, connection.connection.prepare_threshold))
            connection.close()
            time.sleep(0.005)

    with ThreadPoolExecutor(1) as threads:
        others = threads.submit(other_requests)
        assert api.get("/events", after=last, wait=1).status_code == 200
        over.set()
        others.result()
    assert usual and (True, usual) in seen
    assert {threshold for _, threshold in seen} == {usual}
