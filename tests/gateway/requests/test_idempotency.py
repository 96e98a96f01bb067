"""One key is one operation: what was answered once is answered for ever, and what was refused early leaves it free."""

import json
import uuid
from typing import Any

import pytest
from django.http import HttpResponse
from pytest_django import Settings

from accounts.services import issue_key, revoke_key
from gateway.payments.models import Payment
from gateway.requests.models import IdempotencyKey
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix
from webhooks.models import Endpoint, Event

JSON = "application/json"
HOOK = {"url": "http://127.0.0.1:9000/hooks", "events": ["payment.paid"]}
CONFLICT = "ONP409_IDEMPOTENCY_CONFLICT"


@pytest.fixture
def key() -> str:
    return str(uuid.uuid4())


def is_replay_of(second: HttpResponse, first: HttpResponse) -> bool:
    """The same answer byte for byte, marked, and named as a request of its own."""
    assert "Idempotent-Replayed" not in first
    return (
        second["Idempotent-Replayed"] == "true"
        and (second.status_code, second.content) == (first.status_code, first.content)
        and second["RequestId"] != first["RequestId"]
    )


def code(answer: HttpResponse) -> str:
    return str(answer.json()["onpayCode"])


def post_without_key(api: Api, path: str, body: Any, **headers: str) -> HttpResponse:
    return api.request("POST", path, data=json.dumps(body).encode(), content_type=JSON, **headers)


@pytest.mark.parametrize("path", ["/payments", "/webhooks", "/simulations/payments/pay_unknown"])
def test_every_post_needs_a_key(api: Api, path: str) -> None:
    error = post_without_key(api, path, {}).json()["error"]

    assert (error["code"], error["field"]) == ("ONP400_IDEMPOTENCY_KEY_MISSING", "idempotency-key")
    assert error["retryable"] is False


@pytest.mark.parametrize(
    "bad",
    [
        "order-1",
        "1",
        "{k}x",
        "{k}0",
        " {k} {k}",
        "{k},{k}",
        "{k}, {k}",
        '"{k}',
        "'{k}'",
        "{{{k}}}",
        "urn:uuid:{k}",
        "{h}",
        '"{h}"',
        "g0000000-0000-4000-8000-000000000000",
        "٠0000000-0000-4000-8000-000000000000",
        "x" * 10_000,
    ],
)
def test_a_key_is_a_uuid_and_sent_once(api: Api, key: str, bad: str) -> None:
    bad = bad.replace("{k}", key).replace("{h}", key.replace("-", ""))

    answer = post_without_key(api, "/payments", pix(), HTTP_IDEMPOTENCY_KEY=bad)

    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["code"], error["field"]) == ("ONP400_IDEMPOTENCY_KEY_INVALID", "idempotency-key")
    assert (Payment.objects.count(), IdempotencyKey.objects.count()) == (0, 0)


@pytest.mark.parametrize("version", [uuid.uuid1(), uuid.uuid3(uuid.NAMESPACE_DNS, "a"), uuid.uuid4(), uuid.UUID(int=7)])
def test_a_uuid_of_any_version_will_do(api: Api, version: uuid.UUID) -> None:
    assert api.post("/payments", pix(), key=str(version)).status_code == 201


def test_quotes_and_capitals_make_no_other_key(api: Api, key: str) -> None:
    body = pix()

    first = api.post("/payments", body, key=key)

    for spelt in (key.upper(), f'"{key}"', f'"{key.upper()}"'):
        assert is_replay_of(api.post("/payments", body, key=spelt), first)
    assert Payment.objects.count() == 1


def test_a_key_is_ignored_on_a_get(api: Api, key: str) -> None:
    assert api.request("GET", "/payments", HTTP_IDEMPOTENCY_KEY="nonsense").status_code == 200
    assert api.request("GET", "/payments", HTTP_IDEMPOTENCY_KEY=key).status_code == 200
    assert IdempotencyKey.objects.count() == 0


@pytest.mark.parametrize("path", ["/payments", "/webhooks", "/simulations/payments/{id}"])
def test_the_same_call_gets_the_same_answer_and_acts_once(api: Api, acme: Shop, key: str, path: str) -> None:
    path = path.format(id=a_payment(acme.sandbox).id)
    body = pix() if path == "/payments" else HOOK if path == "/webhooks" else {"status": "PAID"}
    first = api.post(path, body, key=key)
    after = [model.objects.count() for model in (Payment, Endpoint, Event, IdempotencyKey)]

    second = api.post(path, body, key=key)

    assert first.status_code in (200, 201)
    assert is_replay_of(second, first)
    assert [model.objects.count() for model in (Payment, Endpoint, Event, IdempotencyKey)] == after


def test_an_old_answer_is_given_even_when_the_world_moved_on(api: Api, key: str) -> None:
    body = pix()
    first = api.post("/payments", body, key=key)
    api.post(f"/simulations/payments/{first.json()['data']['id']}", {"status": "PAID"})

    assert is_replay_of(api.post("/payments", body, key=key), first)


def test_a_lost_answer_still_tells_the_secret(api: Api, key: str) -> None:
    first = api.post("/webhooks", HOOK, key=key)

    assert api.post("/webhooks", HOOK, key=key).json()["data"]["secret"] == first.json()["data"]["secret"]


def test_a_kept_answer_is_sealed(api: Api, key: str) -> None:
    secret = api.post("/webhooks", HOOK, key=key).json()["data"]["secret"]

    kept = bytes(IdempotencyKey.objects.get(key=key).sealed_body)
    assert secret.encode() not in kept
    assert b"onpayCode" not in kept


def test_the_order_of_members_and_the_spelling_of_numbers_are_no_other_content(api: Api, key: str) -> None:
    body = pix(amount=10, reference="order-1")
    first = api.post("/payments", body, key=key)

    turned = dict(reversed(body.items())) | {"payer": dict(reversed(body["payer"].items()))}
    for spelt in ("10.00", "10.0", "1e1", "100e-1"):
        raw = json.dumps(turned | {"amount": "HERE"}, indent=3).replace('"HERE"', spelt).encode()
        assert is_replay_of(api.post("/payments", raw=raw, key=key), first)
    escaped = json.dumps(body).replace("Maria", "\\u004daria").encode()
    assert is_replay_of(api.post("/payments", raw=escaped, key=key), first)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"amount": 150.01}, ["amount"]),
        ({"amount": "150.00"}, ["amount"]),
        ({"reference": "order-2"}, ["reference"]),
        ({"payer": {"name": "Maria Silva", "taxId": "52998224726"}}, ["payer.taxId"]),
        ({"payer": {"name": "Maria Silva", "taxId": "52998224725", "email": None}}, ["payer.email"]),
        ({"payer": "Maria"}, ["payer", "payer.name", "payer.taxId"]),
        ({"note": "a member nobody knows", "a name <b>": 1}, ["note"]),
        ({"method": "BOLETO", "amount": 1}, ["amount", "method"]),
    ],
)
def test_other_content_is_a_conflict_that_names_it_and_leaves_the_first_alone(
    api: Api, key: str, change: dict[str, Any], named: list[str]
) -> None:
    body = pix(reference="order-1")
    first = api.post("/payments", body, key=key)

    answer = api.post("/payments", body | change, key=key)

    assert (answer.status_code, code(answer)) == (409, CONFLICT)
    assert [(one["field"], one["code"]) for one in answer.json()["error"]["fields"]] == [
        (n, "NOT_ALLOWED") for n in named
    ]
    assert answer.json()["error"]["retryable"] is False
    assert "Idempotent-Replayed" not in answer
    assert Payment.objects.count() == 1
    kept = str(IdempotencyKey.objects.values_list("members", flat=True).get())
    assert "order-1" not in kept and "52998224725" not in kept
    assert is_replay_of(api.post("/payments", body, key=key), first)


def test_an_amount_that_differs_in_the_thirtieth_place_is_other_content(api: Api, key: str) -> None:
    body = json.dumps(pix(amount="HERE")).replace('"HERE"', "{}")
    api.post("/payments", raw=body.replace("{}", "150").encode(), key=key)

    answer = api.post("/payments", raw=body.replace("{}", "150." + "0" * 28 + "1").encode(), key=key)

    assert code(answer) == CONFLICT


def test_another_path_is_a_conflict(api: Api, acme: Shop, key: str) -> None:
    one, two = a_payment(acme.sandbox), a_payment(acme.sandbox)
    api.post(f"/simulations/payments/{one.id}", {"status": "PAID"}, key=key)

    other = api.post(f"/simulations/payments/{two.id}", {"status": "PAID"}, key=key)
    assert (code(other), other.json()["error"]["field"]) == (CONFLICT, "idempotency-key")
    assert code(api.post("/webhooks", {"status": "PAID"}, key=key)) == CONFLICT
    two.refresh_from_db()
    assert (two.status, Endpoint.objects.count()) == ("PENDING", 0)


def test_a_key_belongs_to_the_company_and_not_to_the_api_key(api: Api, acme: Shop, key: str) -> None:
    body = pix()
    first = api.post("/payments", body, key=key)

    api.key = issue_key(acme.sandbox, ["payments:write"], "rotated")[1]

    assert is_replay_of(api.post("/payments", body, key=key), first)


def test_two_companies_may_use_the_same_key(api: Api, globex_api: Api, key: str) -> None:
    body = pix()

    ids = [one.post("/payments", body, key=key).json()["data"]["id"] for one in (api, globex_api)]

    assert (len(set(ids)), Payment.objects.count()) == (2, 2)


def test_sandbox_and_production_may_use_the_same_key(api: Api, acme: Shop, key: str) -> None:
    api.post("/payments", pix(), key=key)
    api.key = acme.production_key

    answer = api.get("/payments")
    production = api.post("/payments", pix(amount=-1), key=key)

    assert answer.json()["data"] == []
    assert code(production) == "ONP400_AMOUNT"


def test_a_business_refusal_is_kept_and_does_not_wake_up(api: Api, key: str) -> None:
    first = api.post("/payments", pix(reference="order-1")).json()["data"]
    body = pix(reference="order-1")
    refusal = api.post("/payments", body, key=key)
    api.post(f"/simulations/payments/{first['id']}", {"status": "FAILED"})

    again = api.post("/payments", body, key=key)

    assert (refusal.status_code, code(refusal)) == (409, "ONP409_DUPLICATE_REFERENCE")
    assert is_replay_of(again, refusal)
    assert again.json()["error"]["requestId"] == refusal["RequestId"]
    assert code(api.post("/payments", pix(), key=key)) == CONFLICT
    assert Payment.objects.count() == 1


def test_an_amount_refused_for_good_is_kept(api: Api, key: str) -> None:
    body = pix(amount=0.01)
    refusal = api.post("/payments", body, key=key)

    assert refusal.status_code == 422
    assert is_replay_of(api.post("/payments", body, key=key), refusal)
    assert code(api.post("/payments", body | {"amount": 10}, key=key)) == CONFLICT


def test_a_refused_simulation_is_kept(api: Api, acme: Shop, key: str) -> None:
    path = f"/simulations/payments/{a_payment(acme.sandbox, 'PAID').id}"
    refusal = api.post(path, {"status": "FAILED"}, key=key)

    assert (refusal.status_code, code(refusal)) == (409, "ONP409_PAYMENT_STATE")
    assert is_replay_of(api.post(path, {"status": "FAILED"}, key=key), refusal)
    assert code(api.post(path, {"status": "EXPIRED"}, key=key)) == CONFLICT


def test_what_was_refused_early_leaves_the_key_free(api: Api, acme: Shop, key: str, settings: Settings) -> None:
    right = pix()
    good = api.key

    assert api.post("/payments", right | {"amount": -1}, key=key).status_code == 400
    assert api.post("/payments", raw=b"{", key=key).status_code == 400
    assert api.post("/simulations/payments/pay_unknown", {"status": "PAID"}, key=key).status_code == 404
    assert api.post("/payments", right, key=key, content_type="text/plain").status_code == 415
    assert api.post("/payments", right, key=key, accept="text/html").status_code == 406
    assert api.post("/payments", raw=b" " * 300_000, key=key).status_code == 413
    api.key = "onp_sandbox_" + "x" * 43
    assert api.post("/payments", right, key=key).status_code == 401
    api.key = issue_key(acme.sandbox, ["transactions:read"], "reader")[1]
    assert api.post("/payments", right, key=key).status_code == 403
    api.key = good
    limits, settings.RATE_LIMITS = settings.RATE_LIMITS, settings.RATE_LIMITS | {"all": 1}
    assert api.post("/payments", right, key=key).status_code == 429
    settings.RATE_LIMITS = limits
    acme.company.status = "SUSPENDED"
    acme.company.save()
    assert api.post("/payments", right, key=key).status_code == 403
    acme.company.status = "ACTIVE"
    acme.company.save()
    assert IdempotencyKey.objects.count() == 0

    assert api.post("/payments", right, key=key).status_code == 201


def test_a_replay_passes_the_earlier_checks_again(api: Api, acme: Shop, key: str) -> None:
    body = pix()
    api_key, api.key = issue_key(acme.sandbox, ["payments:write"], "backend")
    assert api.post("/payments", body, key=key).status_code == 201

    api.key = issue_key(acme.sandbox, ["transactions:read"], "reader")[1]
    assert api.post("/payments", body, key=key).status_code == 403
    api.key = acme.sandbox_key
    assert api.post("/payments", body, key=key, content_type="text/plain").status_code == 415
    revoke_key(api_key)
    api.key = "onp_sandbox_" + "x" * 43
    assert api.post("/payments", body, key=key).status_code == 401
