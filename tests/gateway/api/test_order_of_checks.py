"""The first failing check answers: limit, route, key, permission, negotiation, limit, idempotency key, JSON, rules."""

import uuid

import pytest
from django.http import HttpResponse
from pytest_django import Settings

from accounts.services import issue_key
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix

JSON = "application/json"


def post(api: Api, path: str = "/payments", **wrong: str | bytes) -> HttpResponse:
    """A POST without an idempotency key unless `wrong` names one, with nothing valid that is not said."""
    return api.request("POST", path, **({"data": b"{", "content_type": JSON} | wrong))


def code(answer: HttpResponse) -> str:
    return str(answer.json()["onpayCode"])


@pytest.fixture
def spent(api: Api, settings: Settings) -> None:
    """The address has used up its window for everything."""
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"all": 1}
    assert api.get("/payments").status_code == 200


@pytest.fixture
def payments_spent(api: Api, settings: Settings) -> None:
    """The address has used up its window for creating payments."""
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"payments": 1}
    assert api.post("/payments", pix()).status_code == 201


@pytest.mark.usefixtures("spent")
def test_the_global_limit_answers_before_the_route(api: Api) -> None:
    assert code(api.request("GET", "/nothing")) == "ONP429"
    assert code(api.request("PATCH", "/payments")) == "ONP429"


@pytest.mark.usefixtures("spent")
def test_the_global_limit_answers_before_the_key(api: Api) -> None:
    api.key = None

    assert code(api.get("/payments")) == "ONP429"


def test_the_route_answers_before_the_key(api: Api) -> None:
    api.key = None

    assert code(api.request("GET", "/nothing")) == "ONP404"
    assert code(api.request("PUT", "/payments")) == "ONP405"


def test_the_route_answers_before_the_negotiation(api: Api) -> None:
    assert code(api.request("POST", "/nothing", data=b"x", content_type="text/plain", HTTP_ACCEPT="text/html")) == (
        "ONP404"
    )
    assert code(api.request("PUT", "/payments", data=b"x", content_type="text/plain")) == "ONP405"


def test_the_key_answers_before_everything_in_the_request(api: Api) -> None:
    api.key = "onp_sandbox_" + "x" * 43

    answer = post(api, content_type="text/plain", HTTP_ACCEPT="text/html")

    assert code(answer) == "ONP401"


def test_the_key_answers_before_the_object(api: Api) -> None:
    api.key = None

    assert code(api.get("/payments/pay_unknown")) == "ONP401"
    assert code(api.get("/companies/cmp_unknown")) == "ONP401"


@pytest.mark.parametrize(
    "wrong",
    [
        {"HTTP_ACCEPT": "text/html"},
        {"content_type": "text/plain"},
        {"data": b"x" * 300_000},
        {"HTTP_IDEMPOTENCY_KEY": "not-a-uuid"},
        {},
    ],
    ids=["accept", "content-type", "size", "idempotency-key", "json"],
)
def test_the_permission_answers_before_everything_in_the_request(
    api: Api, acme: Shop, wrong: dict[str, str | bytes]
) -> None:
    api.key = issue_key(acme.sandbox, ["transactions:read"], "reader")[1]

    assert code(post(api, **wrong)) == "ONP403"


def test_the_permission_answers_before_the_object_and_the_query(api: Api, acme: Shop) -> None:
    api.key = issue_key(acme.sandbox, ["payments:write"], "writer")[1]

    assert code(api.get("/payments/pay_unknown")) == "ONP403"
    assert code(api.get("/payments", pageSize="0")) == "ONP403"


def test_the_permission_answers_before_the_limit_of_the_route(api: Api, acme: Shop, payments_spent: None) -> None:
    api.key = issue_key(acme.sandbox, ["transactions:read"], "reader")[1]

    assert code(post(api)) == "ONP403"


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"HTTP_ACCEPT": "text/html"}, "ONP406"),
        ({"data": b"x" * 300_000}, "ONP413"),
        ({"content_type": "text/plain"}, "ONP415"),
    ],
)
def test_the_negotiation_answers_before_the_limit_of_the_route(
    api: Api, payments_spent: None, wrong: dict[str, str | bytes], expected: str
) -> None:
    assert code(post(api, **wrong)) == expected
    assert Payment.objects.count() == 1


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"HTTP_ACCEPT": "text/html"}, "ONP406"),
        ({"data": b"x" * 300_000}, "ONP413"),
        ({"content_type": "text/plain"}, "ONP415"),
    ],
)
def test_the_negotiation_answers_before_the_idempotency_key(
    api: Api, wrong: dict[str, str | bytes], expected: str
) -> None:
    assert code(post(api, **wrong)) == expected


@pytest.mark.usefixtures("payments_spent")
def test_the_limit_of_the_route_answers_before_the_idempotency_key_and_the_json(api: Api) -> None:
    assert code(post(api)) == "ONP429"
    assert code(post(api, HTTP_IDEMPOTENCY_KEY="not-a-uuid")) == "ONP429"
    assert Payment.objects.count() == 1


def test_the_idempotency_key_answers_before_the_json(api: Api) -> None:
    assert code(post(api)) == "ONP400_IDEMPOTENCY_KEY_MISSING"
    assert code(post(api, HTTP_IDEMPOTENCY_KEY="not-a-uuid")) == "ONP400_IDEMPOTENCY_KEY_INVALID"


def test_the_json_answers_before_the_used_key(api: Api) -> None:
    key = str(uuid.uuid4())
    assert api.post("/payments", pix(), key=key).status_code == 201

    assert code(api.post("/payments", raw=b'{"method": "PIX"', key=key)) == "ONP400_MALFORMED_JSON"


def test_the_used_key_answers_before_the_rules(api: Api) -> None:
    key = str(uuid.uuid4())
    assert api.post("/payments", pix(), key=key).status_code == 201

    assert code(api.post("/payments", pix(amount=-1), key=key)) == "ONP409_IDEMPOTENCY_CONFLICT"
    assert code(api.post("/webhooks", {}, key=key)) == "ONP409_IDEMPOTENCY_CONFLICT"


def test_the_used_key_answers_before_the_object(api: Api) -> None:
    key = str(uuid.uuid4())
    assert api.post("/payments", pix(), key=key).status_code == 201

    answer = api.post("/simulations/payments/pay_unknown", {"status": "PAID"}, key=key)

    assert code(answer) == "ONP409_IDEMPOTENCY_CONFLICT"


def test_the_rules_answer_before_the_business(api: Api, acme: Shop) -> None:
    taken = pix(reference="order-1")
    assert api.post("/payments", taken).status_code == 201
    acme.company.status = "SUSPENDED"
    acme.company.save()

    assert code(api.post("/payments", pix(reference="order-1", currency="XXX"))) == "ONP400_CURRENCY"
    assert code(api.post("/simulations/payments/pay_unknown", {"status": "SOLD"})) == "ONP400_STATUS"
    assert Payment.objects.count() == 1
