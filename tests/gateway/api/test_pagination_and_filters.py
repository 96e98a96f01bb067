"""Collections come in pages, newest first, and a question that makes no sense is refused instead of guessed."""

import itertools
from datetime import datetime, timedelta
from typing import Any

import pytest

from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from webhooks.models import Endpoint

LISTS = ["/payments", "/webhooks"]


@pytest.fixture
def five(acme: Shop) -> list[str]:
    """The ids of five payments, oldest first; the id decides within a millisecond."""
    made = [a_payment(acme.sandbox) for _ in range(5)]
    return [payment.id for payment in sorted(made, key=lambda payment: (payment.created_at, payment.id))]


def ids(api: Api, **query: Any) -> list[str]:
    answer = api.get("/payments", **query)
    assert answer.status_code == 200, answer.content
    return [item["id"] for item in answer.json()["data"]]


def hook(api: Api, number: int) -> str:
    body = {"url": f"http://127.0.0.1:9000/{number}", "events": ["payment.paid"]}
    return str(api.post("/webhooks", body).json()["data"]["id"])


def test_payments_are_listed_newest_first(api: Api, five: list[str]) -> None:
    answer = api.get("/payments").json()

    assert [item["id"] for item in answer["data"]] == five[::-1]
    assert answer["pagination"] == {"pageNumber": 1, "pageSize": 20, "total": 5, "totalAvailable": 5}


def test_webhook_endpoints_are_listed_newest_first(api: Api) -> None:
    for number in range(3):
        hook(api, number)

    answer = api.get("/webhooks", pageSize=2).json()

    newest_first = Endpoint.objects.order_by("-created_at", "-id").values_list("id", flat=True)
    assert [item["id"] for item in answer["data"]] == list(newest_first)[:2]
    assert answer["pagination"] == {"pageNumber": 1, "pageSize": 2, "total": 2, "totalAvailable": 3}


@pytest.mark.parametrize(
    ("number", "size", "expected"),
    [(1, 2, [4, 3]), (2, 2, [2, 1]), (3, 2, [0]), (1, 5, [4, 3, 2, 1, 0]), (5, 1, [0]), (1, 100, [4, 3, 2, 1, 0])],
)
def test_a_page_has_its_part(api: Api, five: list[str], number: int, size: int, expected: list[int]) -> None:
    answer = api.get("/payments", pageNumber=number, pageSize=size).json()

    assert [item["id"] for item in answer["data"]] == [five[index] for index in expected]
    assert answer["pagination"] == {
        "pageNumber": number,
        "pageSize": size,
        "total": len(expected),
        "totalAvailable": 5,
    }


@pytest.mark.parametrize("number", [2, 1000, 10**6])
def test_a_page_past_the_end_is_empty(api: Api, acme: Shop, number: int) -> None:
    a_payment(acme.sandbox)
    hook(api, 1)

    for path in LISTS:
        answer = api.get(path, pageNumber=number).json()

        assert answer["data"] == []
        assert answer["pagination"] == {"pageNumber": number, "pageSize": 20, "total": 0, "totalAvailable": 1}


def test_a_page_has_twenty_items_unless_said(api: Api, acme: Shop) -> None:
    for _ in range(21):
        a_payment(acme.sandbox)

    assert len(ids(api)) == 20
    assert len(ids(api, pageNumber=2)) == 1


NO_PAGES = ["0", "-1", "1.5", "1e1", "x", "", " ", "true", "٢", "0x2", "1_0", "+-1", "null", "1\x00"]


@pytest.mark.parametrize("value", NO_PAGES)
def test_what_is_no_page_is_refused(api: Api, value: str) -> None:
    for path, member in itertools.product(LISTS, ("pageNumber", "pageSize")):
        answer = api.get(path, **{member: value})

        assert answer.status_code == 400
        error = answer.json()["error"]
        assert (error["code"], error["field"]) == ("ONP400_PAGINATION", member)


@pytest.mark.parametrize("path", LISTS)
def test_a_page_is_never_made_smaller_than_asked(api: Api, path: str) -> None:
    for value in ("101", "1000", "1000000000", "9" * 30):
        error = api.get(path, pageSize=value).json()["error"]

        assert (error["code"], error["field"]) == ("ONP400_PAGINATION", "pageSize")


@pytest.mark.parametrize("path", LISTS)
def test_a_page_number_of_thirty_digits_is_refused(api: Api, path: str) -> None:
    error = api.get(path, pageNumber=10**30).json()["error"]

    assert (error["code"], error["field"]) == ("ONP400_PAGINATION", "pageNumber")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"status": "PAID"}, 1),
        ({"status": "PENDING"}, 2),
        ({"status": "REFUNDED"}, 0),
        ({"method": "PIX"}, 3),
        ({"method": "BOLETO"}, 0),
        ({"currency": "BRL"}, 3),
        ({"currency": "MXN"}, 0),
        ({"status": "PENDING", "method": "PIX", "currency": "BRL"}, 2),
        ({"status": "PAID", "method": "SPEI"}, 0),
        ({"customerId": "cus_unknown"}, 0),
        ({"reference": "nothing of ours"}, 0),
        ({"createdFrom": "2020-01-01"}, 3),
        ({"createdTo": "2020-01-01"}, 0),
        ({"createdFrom": "2999-01-01T00:00:00Z"}, 0),
        ({"createdTo": "2999-01-01T00:00:00.000-03:00"}, 3),
        ({"createdFrom": "2020-01-01T00:00:00+05:30", "createdTo": "2999-12-31"}, 3),
        ({"paidFrom": "2020-01-01", "paidTo": "2999-12-31"}, 1),
        ({"paidTo": "2020-01-01"}, 0),
        ({"paidFrom": "2999-12-31"}, 0),
        ({"nobodyKnows": "this"}, 3),
    ],
)
def test_filters_narrow_the_list(api: Api, acme: Shop, filters: dict[str, str], expected: int) -> None:
    for status in ("PENDING", "PENDING", "PAID"):
        a_payment(acme.sandbox, status)

    answer = api.get("/payments", **filters).json()

    assert (len(answer["data"]), answer["pagination"]["totalAvailable"]) == (expected, expected)


def test_a_lost_payment_is_found_by_its_reference(api: Api, acme: Shop) -> None:
    a_payment(acme.sandbox)
    wanted = a_payment(acme.sandbox)

    assert ids(api, reference=wanted.reference) == [wanted.id]
    assert ids(api, reference=wanted.reference[:-1]) == []
    assert ids(api, reference=wanted.reference.upper()) == []


def test_the_payments_of_a_customer_are_found(api: Api, acme: Shop, globex: Shop) -> None:
    ours, theirs = a_payment(acme.sandbox), a_payment(globex.sandbox)

    assert ids(api, customerId=ours.customer_id) == [ours.id]
    assert ids(api, customerId=theirs.customer_id) == []


def test_times_cut_the_list_to_the_millisecond(api: Api, five: list[str]) -> None:
    moments = [Payment.objects.get(pk=one).created_at for one in five]

    def text(moment: datetime) -> str:
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    later = timedelta(milliseconds=1)
    assert ids(api, createdTo=text(moments[0] - later)) == []
    assert ids(api, createdFrom=text(moments[-1] + later)) == []
    assert five[4] in ids(api, createdFrom=text(moments[4]))
    assert ids(api, createdFrom=text(moments[0]), createdTo=text(moments[-1] + later)) == five[::-1]


def test_a_day_as_the_end_of_the_list_is_told_with_an_offset_too(api: Api, five: list[str]) -> None:
    tomorrow = Payment.objects.get(pk=five[0]).created_at + timedelta(days=1)

    assert len(ids(api, createdTo=tomorrow.isoformat())) == 5
    assert len(ids(api, createdFrom=tomorrow.isoformat())) == 0


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("status", "SOLD"),
        ("status", "paid"),
        ("status", ""),
        ("status", "PAID,PENDING"),
        ("status", "PAID\x00"),
        ("method", "CASH"),
        ("method", "pix"),
        ("currency", "XXX"),
        ("currency", "brl"),
        ("createdFrom", "yesterday"),
        ("createdFrom", "2026-13-01"),
        ("createdFrom", "2026-02-30"),
        ("createdFrom", "1763640000"),
        ("createdTo", "2026-11-20T25:00:00Z"),
        ("createdTo", "20.11.2026"),
        ("createdTo", ""),
        ("createdTo", "9" * 400),
        ("createdTo", "2026-11-20T10:00:00+99:00"),
        ("createdFrom", "٢٠٢٦-١١-٢٠"),
        ("reference", "a\x00b"),
        ("customerId", "a\x00b"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(api: Api, member: str, value: str) -> None:
    answer = api.get("/payments", **{member: value})

    assert answer.status_code == 400, answer.content
    error = answer.json()["error"]
    assert (error["code"], error["field"]) == ("ONP400_FILTER", member)


@pytest.mark.parametrize(
    "moment", ["0001-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31", "9999-12-31T23:59:59-14:00"]
)
def test_the_ends_of_the_calendar_do_no_harm(api: Api, five: list[str], moment: str) -> None:
    expected = 5 if moment.startswith("0001") else 0

    answer = api.get("/payments", createdFrom=moment)

    assert answer.status_code in (200, 400)
    assert answer.status_code == 400 or len(answer.json()["data"]) == expected


def test_a_list_holds_the_objects_that_a_lookup_gives(api: Api, acme: Shop) -> None:
    payment = a_payment(acme.sandbox, "PAID")

    [listed] = api.get("/payments").json()["data"]

    assert listed == api.get(f"/payments/{payment.id}").json()["data"]
