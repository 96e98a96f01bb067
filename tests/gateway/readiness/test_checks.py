"""Checks: who may start, see and finish one, what a release leaves behind, and how one ends by itself."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.base.clock import utcnow
from accounts.models import Merchant
from gateway.chaos.models import ChaosRun
from gateway.readiness import due
from gateway.readiness.models import ReadinessCheck, ReportedRelease
from gateway.readiness.probes import Probe
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.webhooks import happens, outcome, registered
from webhooks.models import Attempt, Delivery, Event

pytestmark = pytest.mark.django_db
CHECKS, RELEASES = "/simulations/readiness-checks", "/simulations/releases"
URL = "https://1.1.1.1/hooks"


@pytest.fixture
def endpoint(api: Api) -> str:
    return registered(api, URL).id


def started(api: Api, endpoint: str) -> dict[str, Any]:
    answer = api.post(CHECKS, {"endpointId": endpoint})
    assert answer.status_code == 201, answer.content
    return dict(answer.json()["data"])


def is_disturbed(shop: Shop) -> bool:
    return Merchant.objects.get(pk=shop.sandbox.pk).disturbed_until is not None


def test_a_shop_that_does_nothing_passes_nothing(api: Api, acme: Shop, endpoint: str) -> None:
    check = started(api, endpoint)
    assert (check["status"], check["grade"], check["notObserved"], is_disturbed(acme)) == ("RUNNING", "E", 20, True)

    finished = api.post(f"{CHECKS}/{check['id']}/finish", raw=b"", content_type="").json()["data"]

    assert (finished["status"], finished["grade"], finished["passed"], finished["failed"]) == ("FINISHED", "E", 0, 0)
    assert [one["probe"] for one in finished["probes"]] == [one["probe"] for one in check["probes"]] == [*Probe]
    assert api.post(f"{CHECKS}/{check['id']}/finish").json()["data"] == finished
    assert api.get(f"{CHECKS}/{check['id']}").json()["data"] == finished
    assert not is_disturbed(acme)


def advised(check: dict[str, Any], probe: str) -> str:
    return str(next(one["advice"] for one in check["probes"] if one["probe"] == probe))


def test_what_was_not_observed_is_said_how_to_show(api: Api, acme: Shop, endpoint: str) -> None:
    check = started(api, endpoint)
    assert advised(check, "GENUINE_ACCEPTED").startswith("Place four orders in your shop, and pay them. ")
    assert advised(check, "DUPLICATE_RELEASED_ONCE").startswith("Report releases. ")
    api.post(RELEASES, {"paymentId": a_payment(acme.sandbox, "PAID").id})
    happens(acme.sandbox)
    refused = Delivery.objects.create(event=Event.objects.latest("created_at"), endpoint_id=endpoint, attempts=1)
    Attempt.objects.create(delivery=refused, number=1, started_at=utcnow(), elapsed_ms=9, http_status=401)

    check = api.get(f"{CHECKS}/{check['id']}").json()["data"]
    assert "compare its secret with that of this endpoint" in advised(check, "GENUINE_ACCEPTED")
    assert advised(check, "DUPLICATE_RELEASED_ONCE").startswith("Your server refuses our deliveries.")
    assert advised(check, "ANOTHER_WAY_ONE_PAYABLE").startswith("Change your mind once. ")


def test_a_check_ends_with_its_endpoint(api: Api, acme: Shop, endpoint: str) -> None:
    check = started(api, endpoint)
    api.request("PATCH", f"/webhooks/{endpoint}", data='{"status":"INACTIVE"}', content_type="application/json")
    ReadinessCheck.objects.update(look_at=utcnow() - timedelta(seconds=1))
    due.run_due()
    check = api.get(f"{CHECKS}/{check['id']}").json()["data"]
    assert (check["status"], "switched off" in advised(check, "OLD_REFUSED")) == ("RUNNING", True)

    assert api.request("DELETE", f"/webhooks/{endpoint}").status_code == 200
    ReadinessCheck.objects.update(look_at=utcnow() - timedelta(seconds=1))
    due.run_due()

    check = api.get(f"{CHECKS}/{check['id']}").json()["data"]
    assert (check["status"], check["grade"], is_disturbed(acme)) == ("FINISHED", "E", False)


def test_one_check_runs_at_a_time(api: Api, endpoint: str, globex_api: Api) -> None:
    check = started(api, endpoint)

    refused = api.post(CHECKS, {"endpointId": endpoint})

    assert outcome(refused) == (409, "ONP409_READINESS_CHECK")
    assert refused.json()["error"]["readinessCheckId"] == check["id"]
    assert (ReadinessCheck.objects.count(), ChaosRun.objects.count()) == (1, 1)
    started(globex_api, registered(globex_api, URL).id)


def test_only_an_active_endpoint_of_the_sandbox_is_checked(
    api: Api, acme: Shop, endpoint: str, globex_api: Api, address: str
) -> None:
    production = Api(acme.production_key, address)
    assert outcome(globex_api.post(CHECKS, {"endpointId": endpoint})) == (404, "ONP404_WEBHOOK")
    assert outcome(production.post(CHECKS, {"endpointId": endpoint})) == (403, "ONP403_SANDBOX_ONLY")
    assert outcome(production.post(RELEASES, {"paymentId": "pay_x"})) == (403, "ONP403_SANDBOX_ONLY")
    acme.sandbox.endpoints.update(status="INACTIVE")
    assert outcome(api.post(CHECKS, {"endpointId": endpoint})) == (409, "ONP409_WEBHOOK_STATE")

    assert (ReadinessCheck.objects.count(), ChaosRun.objects.count()) == (0, 0)


def test_a_release_is_kept_only_by_a_check_that_runs(api: Api, acme: Shop, globex: Shop, endpoint: str) -> None:
    payment, foreign = a_payment(acme.sandbox, "PAID").id, a_payment(globex.sandbox, "PAID").id
    assert api.post(RELEASES, {"paymentId": payment}).json()["data"]["readinessCheckId"] is None

    check = started(api, endpoint)
    key = "6f1c3f0e-6f0d-4f0a-9c1e-0d9a4f0b7c11"
    told = [api.post(RELEASES, {"paymentId": payment}, key=key).json()["data"] for _ in range(2)]
    for _ in range(12):
        assert api.post(RELEASES, {"paymentId": payment}).status_code == 201
    assert outcome(api.post(RELEASES, {"paymentId": foreign})) == (404, "ONP404_PAYMENT")

    assert told[0] == told[1]
    assert told[0] | {"reportedAt": ""} == {
        "paymentId": payment, "status": "PAID", "paidAt": told[0]["paidAt"], "readinessCheckId": check["id"],
        "reportedAt": "",
    }  # fmt: skip
    kept = ReportedRelease.objects.values_list("payment_id", "was_paid", "was_refunded")
    assert list(kept) == [(payment, True, False)] * 10


def test_a_check_ends_after_its_hour_and_another_can_begin(api: Api, acme: Shop, endpoint: str) -> None:
    first = started(api, endpoint)
    assert due.run_due() == 0
    api.post("/simulations/clock", {"advanceBy": "P2D"})
    assert due.run_due() == 0

    ReadinessCheck.objects.update(ends_at=utcnow(), look_at=utcnow() - timedelta(seconds=1))
    assert due.run_due() == 1
    second = started(api, endpoint)
    ReadinessCheck.objects.filter(pk=second["id"]).update(ends_at=utcnow())
    third = started(api, endpoint)

    assert [api.get(f"{CHECKS}/{one['id']}").json()["data"]["status"] for one in (first, second, third)] == [
        "FINISHED", "FINISHED", "RUNNING",
    ]  # fmt: skip
    assert is_disturbed(acme)
