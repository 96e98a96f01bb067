"""API responses while they are disturbed: a client that repeats the same request with the same key gets through."""

import json
import uuid
from typing import Any

from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from gateway.chaos.models import DisturbedRequest
from gateway.conversions.models import Conversion
from gateway.payments.models import Payment
from gateway.requests.models import IdempotencyKey
from tests.support.api import V2, Api
from tests.support.books import violations
from tests.support.companies import Shop
from tests.support.conversions import fund, path, quoted
from tests.support.payments import pix
from tests.support.webhooks import outcome, registered


def send(api: Api, to: str, body: dict[str, Any], key: str) -> HttpResponse:
    """Without a look at the contract: a proxy knows none."""
    headers = {"x-api-key": str(api.key), "idempotency-key": key}
    return api.http.post(V2 + to, json.dumps(body), content_type="application/json", headers=headers)


def order(api: Api, **members: Any) -> tuple[HttpResponse, HttpResponse]:
    """The first response, and that to its repetition with the same key."""
    key, body = str(uuid.uuid4()), pix(**members)
    return send(api, "/payments", body, key), send(api, "/payments", body, key)


def test_a_lost_answer_made_one_payment(api: Api, acme: Shop) -> None:
    api.post("/simulations/chaos", {"disturbances": ["ANSWER_LOST"]})

    lost, again = order(api)

    assert (lost.status_code, lost["Content-Type"]) == (502, "text/html")
    assert b"onpay" not in lost.content.lower()
    assert (again.status_code, again["Idempotent-Replayed"]) == (201, "true")
    payment = Payment.objects.get()
    assert again.json()["data"]["id"] == payment.id
    row = DisturbedRequest.objects.get()
    assert (row.kind, row.object_id, row.request_id) == ("ANSWER_LOST", payment.id, lost["RequestId"])
    assert not violations()


def test_a_refusal_is_not_lost(api: Api, acme: Shop) -> None:
    api.post("/simulations/chaos", {"disturbances": ["ANSWER_LOST"]})

    for members in ({"currency": "JPY"}, {"amount": 0.01}):
        refused, again = order(api, **members)
        assert refused.status_code == again.status_code < 500, refused.content

    assert not DisturbedRequest.objects.exists()


def test_each_new_order_meets_the_next_disturbance(api: Api, acme: Shop) -> None:
    api.post("/simulations/chaos")

    answers = [order(api) for _ in range(8)]

    first = [(one.status_code, one.get("Retry-After")) for one, _ in answers]
    assert first[:4] == [(502, None), (503, "1"), (429, "1"), (409, "1")]
    assert first[4:] == [(502, None), (503, "1"), (429, "2"), (409, "1")]
    assert {again.status_code for _, again in answers} == {201}
    assert outcome(answers[3][0]) == (409, "ONP409_IDEMPOTENCY_IN_PROGRESS")
    assert Payment.objects.count() == 8
    assert not violations()


def test_what_was_refused_before_it_began_leaves_nothing(api: Api, acme: Shop) -> None:
    api.post("/simulations/chaos", {"disturbances": ["UNAVAILABLE", "RATE_LIMITED", "IN_PROGRESS"]})
    key = str(uuid.uuid4())

    refused = send(api, "/payments", pix(), key)

    assert refused.status_code == 503
    assert not Payment.objects.exists()
    assert not IdempotencyKey.objects.filter(key=key).exists()


def test_the_first_reading_of_a_path_waits(api: Api, globex_api: Api, acme: Shop) -> None:
    api.post("/simulations/chaos", {"disturbances": ["RATE_LIMITED"]})
    payment = order(api)[1].json()["data"]["id"]

    answers = [api.get(f"/payments/{payment}") for _ in range(3)]

    assert [one.status_code for one in answers] == [429, 200, 200]
    assert answers[0]["Retry-After"]
    assert globex_api.get("/payments").status_code == 200
    assert api.get("/simulations/clock").status_code == 200
    api.request("DELETE", "/simulations/chaos")
    assert api.get("/webhooks").status_code == 200


def test_a_run_is_shown_and_replaced(api: Api, globex_api: Api, acme: Shop) -> None:
    first = api.post("/simulations/chaos", {"disturbances": ["OLD", "LOST", "OLD"], "minutes": 5}).json()["data"]
    assert first["disturbances"] == ["LOST", "OLD"]
    assert api.get("/simulations/chaos").json()["data"] == first
    assert outcome(globex_api.get("/simulations/chaos")) == (404, "ONP404_CHAOS")
    assert outcome(globex_api.request("DELETE", "/simulations/chaos")) == (404, "ONP404_CHAOS")

    second = api.post("/simulations/chaos").json()["data"]

    assert len(second["disturbances"]) == 14
    assert api.get("/simulations/chaos").json()["data"]["id"] == second["id"]
    for wrong in ({"minutes": 61}, {"minutes": 0}, {"disturbances": []}, {"disturbances": ["SLOW"]}, {"x": 1}):
        assert outcome(api.post("/simulations/chaos", wrong)) == (400, "ONP400_VALIDATION")
    assert api.get("/simulations/chaos").json()["data"]["id"] == second["id"]


def test_a_lost_answer_made_one_conversion(api: Api, acme: Shop) -> None:
    fund(acme)
    token = quoted(api, acme)["quoteToken"]
    api.post("/simulations/chaos", {"disturbances": ["ANSWER_LOST"]})
    key, confirmation = str(uuid.uuid4()), path(acme, "/confirm")

    lost, again = (send(api, confirmation, {"quoteToken": token}, key) for _ in range(2))

    assert (lost.status_code, lost["Content-Type"]) == (502, "text/html")
    assert (again.status_code, again["Idempotent-Replayed"]) == (201, "true")
    assert DisturbedRequest.objects.get().object_id == Conversion.objects.get().pk
    assert not violations()


def test_a_path_with_bytes_that_are_no_text_waits_like_any_other(api: Api, acme: Shop) -> None:
    api.post("/simulations/chaos", {"disturbances": ["RATE_LIMITED"]})

    for strange in ("/payments/%00", "/payments/%ff"):
        answers = [api.get(strange) for _ in range(2)]
        assert [outcome(one) for one in answers] == [(429, "ONP429"), (404, "ONP404_PAYMENT")]


def statements(api: Api) -> list[str]:
    """What the database is asked for a payment from its creation to its event."""
    with CaptureQueriesContext(connection) as asked:
        payment = api.post("/payments", pix()).json()["data"]["id"]
        api.get(f"/payments/{payment}")
        api.post(f"/simulations/payments/{payment}", {"status": "PAID"})
    return [one["sql"] for one in asked]


def test_companies_without_chaos_pay_nothing_for_it(api: Api, globex_api: Api, acme: Shop) -> None:
    for one in (api, globex_api):
        registered(one, "https://1.1.1.1/hooks")
        statements(one)
        statements(one)  # the first use of the key was noted in its row, which is read once more
    before = len(statements(api))
    api.post("/simulations/chaos")
    order(api)

    asked = statements(globex_api)

    assert len(asked) == before
    assert not [one for one in asked if "chaos" in one or "disturbedrequest" in one]
    api.request("DELETE", "/simulations/chaos")
    statements(api)
    assert len(statements(api)) == before
