"""Every answer has one envelope, names its request, and is never HTML."""

import json
import re

import pytest
from django.http import HttpResponse
from pytest_django import Settings

from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix

REQUEST_ID = re.compile(r"req_[0-9A-HJKMNP-TV-Z]{26}")
ALWAYS = {"code", "message", "retryable", "requestId", "docUrl"}


def the_error(answer: HttpResponse, status: int, code: str) -> dict[str, object]:
    """The `error` of an answer that is a refusal in the envelope."""
    body = answer.json()
    assert answer.status_code == status, body
    assert answer["Content-Type"] == "application/json"
    assert set(body) == {"success", "onpayCode", "onpayDescription", "error"}
    error: dict[str, object] = body["error"]
    assert body["success"] is False
    assert body["onpayCode"] == error["code"] == code
    assert body["onpayDescription"] == error["message"]
    assert error["requestId"] == answer["RequestId"]
    assert str(error["docUrl"]).endswith(f"/docs/errors#{code}")
    assert re.match(r"https?://[^/]+/", str(error["docUrl"]))
    return error


def test_a_creation_says_201(api: Api) -> None:
    answer = api.post("/payments", pix())

    assert answer.status_code == 201
    body = answer.json()
    assert set(body) == {"success", "onpayCode", "onpayDescription", "data"}
    assert (body["success"], body["onpayCode"], body["onpayDescription"]) == (True, "ONP201", "Payment created.")


def test_a_lookup_says_200(api: Api, acme: Shop) -> None:
    body = api.get(f"/payments/{a_payment(acme.sandbox).id}").json()

    assert set(body) == {"success", "onpayCode", "onpayDescription", "data"}
    assert (body["success"], body["onpayCode"], body["onpayDescription"]) == (True, "ONP200", "Success.")


def test_a_simulation_says_200_and_not_201(api: Api, acme: Shop) -> None:
    answer = api.post(f"/simulations/payments/{a_payment(acme.sandbox).id}", {"status": "PAID"})

    assert (answer.status_code, answer.json()["onpayCode"]) == (200, "ONP200")


def test_a_list_carries_its_pagination(api: Api) -> None:
    body = api.get("/payments").json()

    assert set(body) == {"success", "onpayCode", "onpayDescription", "data", "pagination"}
    assert body["data"] == []
    assert body["pagination"] == {"pageNumber": 1, "pageSize": 20, "total": 0, "totalAvailable": 0}


def test_a_new_webhook_endpoint_says_201(api: Api) -> None:
    body = api.post("/webhooks", {"url": "http://127.0.0.1:9000/hooks", "events": ["*"]}).json()

    assert (body["success"], body["onpayCode"], body["onpayDescription"]) == (True, "ONP201", "Webhook created.")


def test_an_unknown_route_is_refused_in_the_envelope(api: Api) -> None:
    for path in ("/nothing", "/payments/a/b", "/", "", "/Payments"):
        error = the_error(api.request("GET", path), 404, "ONP404")
        assert set(error) == ALWAYS
        assert error["retryable"] is False


def test_another_version_of_the_api_is_an_unknown_route(api: Api) -> None:
    answer = api.http.get("/api/v1/payments", headers={"x-api-key": api.key or ""})

    the_error(answer, 404, "ONP404")


def test_a_wrong_method_is_told_the_right_ones(api: Api) -> None:
    answer = api.request("DELETE", "/payments")

    assert set(the_error(answer, 405, "ONP405")) == ALWAYS
    assert {"GET", "POST"} <= set(answer["Allow"].split(", "))
    assert "DELETE" not in answer["Allow"]


def test_a_missing_key_is_told_the_scheme(api: Api) -> None:
    api.key = None

    answer = api.get("/payments")

    assert set(the_error(answer, 401, "ONP401")) == ALWAYS
    assert answer["WWW-Authenticate"] == "ApiKey"


def test_a_validation_failure_names_the_first_field_and_lists_all(api: Api) -> None:
    error = the_error(api.post("/payments", pix(amount=0, payer={"name": "Maria Silva"})), 400, "ONP400_AMOUNT")

    assert set(error) == ALWAYS | {"field", "fields"}
    assert error["field"] == "amount"
    fields = error["fields"]
    assert isinstance(fields, list)
    assert [set(item) for item in fields] == [{"field", "code", "message"}] * 2
    assert [item["field"] for item in fields] == ["amount", "payer.taxId"]
    assert fields[1]["code"] == "REQUIRED"


def test_a_message_never_repeats_what_was_sent(api: Api) -> None:
    sent = {
        "method": "sesame-method",
        "currency": "sesame-currency",
        "reference": "sesame\n",
        "payer": {"name": "s", "taxId": "sesame-tax", "email": "sesame@"},
    }

    answer = api.post("/payments", pix(**sent))

    assert answer.status_code == 400
    assert b"sesame" not in answer.content


def test_a_duplicate_reference_names_the_payment_that_has_it(api: Api) -> None:
    first = api.post("/payments", pix(reference="order-77")).json()["data"]

    error = the_error(api.post("/payments", pix(reference="order-77")), 409, "ONP409_DUPLICATE_REFERENCE")

    assert error["paymentId"] == first["id"]
    assert "retryAfter" not in error


def test_the_request_id_is_ours_and_new_for_each_request(api: Api) -> None:
    theirs = "req_01KAGTW3Q8XJ5V0N2B7R4C9D01"

    ids = {api.request("GET", "/payments", HTTP_REQUESTID=theirs, HTTP_X_REQUEST_ID=theirs)["RequestId"] for _ in "abc"}

    assert len(ids) == 3
    assert theirs not in ids
    assert all(REQUEST_ID.fullmatch(one) for one in ids)


@pytest.mark.parametrize(
    "accept",
    [
        "*/*",
        "application/*",
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        "text/html, application/json;q=0.1",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    ],
)
def test_who_takes_json_gets_json(api: Api, accept: str) -> None:
    assert api.request("GET", "/payments", HTTP_ACCEPT=accept).status_code == 200


@pytest.mark.parametrize(
    "kind",
    ["application/json", "application/json; charset=utf-8", 'application/json;charset="UTF-8"', "Application/JSON"],
)
def test_json_may_be_called_so(api: Api, kind: str) -> None:
    assert api.post("/payments", pix(), content_type=kind).status_code == 201


def test_a_body_may_have_256_kib(api: Api) -> None:
    body = json.dumps(pix()).encode()

    assert api.post("/payments", raw=body + b" " * (256 * 1024 - len(body))).status_code == 201


def test_a_body_may_be_twenty_levels_deep(api: Api) -> None:
    body = json.dumps(pix()).encode()

    assert api.post("/payments", raw=body[:-1] + b', "note":' + b"[" * 19 + b"]" * 19 + b"}").status_code == 201


@pytest.mark.parametrize("accept", ["text/html", "text/html,application/xhtml+xml"])
def test_a_browser_gets_json_too(api: Api, accept: str) -> None:
    the_error(api.request("GET", "/nothing", HTTP_ACCEPT=accept), 404, "ONP404")
    the_error(api.request("DELETE", "/payments", HTTP_ACCEPT=accept), 405, "ONP405")


def test_a_host_that_is_not_ours_is_refused_in_the_envelope(api: Api, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["api.example.com"]

    answer = api.http.get("/api/v2/payments", headers={"x-api-key": api.key or ""})

    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/json"
    assert answer.json()["error"]["code"].startswith("ONP400")
    assert answer.json()["error"]["requestId"] == answer["RequestId"]


def test_the_error_reference_is_served_where_the_link_points(api: Api) -> None:
    link = api.get("/nothing").json()["error"]["docUrl"]

    page = api.http.get(re.sub(r"^https?://[^/]+", "", link).partition("#")[0])

    assert page.status_code == 200


def test_timestamps_have_milliseconds_and_a_z(api: Api) -> None:
    data = api.post("/payments", pix()).json()["data"]

    for member in ("createdAt", "updatedAt", "expiresAt"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", data[member])
