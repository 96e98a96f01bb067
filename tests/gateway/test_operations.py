"""What operators live by: logs that tell no secret, limits that stop nobody, keys that are forgotten in time."""

import json
from datetime import timedelta

import pytest

from accounts.base.clock import utcnow
from gateway.requests.idempotency import RETENTION, forget_old
from gateway.requests.models import IdempotencyKey
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix


def test_limits_that_cannot_be_counted_stop_nobody(api: Api, settings: object) -> None:
    settings.CACHE_URL = "unix:///nowhere/else.sock"  # type: ignore[attr-defined]

    assert api.post("/payments", pix()).status_code == 201


def test_the_log_has_every_request_id_and_no_secret(
    api: Api, acme: Shop, settings: object, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.LOCAL = True  # type: ignore[attr-defined]
    key = "6f1c2c4e-0000-4000-8000-00000000cafe"
    made = api.post("/webhooks", {"url": "http://127.0.0.1:9009/x?token=canary-token", "events": ["*"]}, key=key)
    paid = api.post("/payments", pix(payer={"name": "Canary Person", "taxId": "52998224725"}))
    refused = Api("onp_sandbox_canary-key").get("/payments", reference="canary-query")
    broken = api.post("/payments", raw=b'{"cardNumber": "4242424242424242"')

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    said = {line["request_id"]: line for line in lines if line.get("event") == "request"}
    for answer in (made, paid, refused, broken):
        assert said[answer["RequestId"]]["status"] == answer.status_code
    assert said[refused["RequestId"]]["code"] == "ONP401"
    everything = json.dumps(lines)
    for secret in (
        acme.sandbox_key, made.json()["data"]["secret"], key, "canary", "Canary", "52998224725", "4242424242424242",
    ):  # fmt: skip
        assert secret not in everything


def test_keys_are_forgotten_after_thirty_days_and_not_before(api: Api) -> None:
    body, key = pix(), "6f1c2c4e-0000-4000-8000-000000000001"
    first = api.post("/payments", body, key=key)
    IdempotencyKey.objects.update(created_at=utcnow() - RETENTION + timedelta(minutes=1))
    assert forget_old() == 0
    assert api.post("/payments", body, key=key).content == first.content

    IdempotencyKey.objects.update(created_at=utcnow() - RETENTION - timedelta(minutes=1))

    assert forget_old(batch=1) == 1
    assert api.post("/payments", body, key=key).json()["error"]["code"] == "ONP409_DUPLICATE_REFERENCE"
