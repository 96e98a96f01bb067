"""The readiness check on its pages: started, followed and finished by a person, and shown under Going live."""

from types import ModuleType

import pytest
from django.test import Client

from accounts.base.clock import utcnow
from accounts.models import AuditEntry
from gateway.readiness.models import ReadinessCheck
from gateway.readiness.probes import Probe
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.payments import a_payment
from tests.support.webhooks import registered
from webhooks.models import Endpoint

pytestmark = pytest.mark.django_db
CHECKS, RELEASES = "/simulations/readiness-checks", "/simulations/releases"
URL = "https://1.1.1.1/hooks"


@pytest.fixture
def endpoint(api: Api) -> str:
    return registered(api, URL).id


def started(api: Api, endpoint: str) -> str:
    return str(api.post(CHECKS, {"endpointId": endpoint}).json()["data"]["id"])


def page_of(shop: Shop, rest: str = "") -> str:
    return f"/dashboard/{shop.company.pk}/sandbox/lab/readiness/{rest}"


def test_a_person_starts_follows_and_finishes_a_check(owner: Client, acme: Shop, api: Api, endpoint: str) -> None:
    form = form_in(owner.get(page_of(acme)).content) | {"endpoint": endpoint}
    begun = owner.post(page_of(acme), form)
    [check] = ReadinessCheck.objects.all()
    assert begun["Location"] == page_of(acme, check.pk)
    assert owner.post(page_of(acme), form).status_code == 302

    shown = owner.get(page_of(acme, check.pk)).content.decode()
    seen = shown.split("?seen=")[1].split('"')[0]
    assert owner.get(page_of(acme, check.pk), {"seen": seen}).status_code == 204
    api.post(RELEASES, {"paymentId": a_payment(acme.sandbox, "PAID").id})
    assert owner.get(page_of(acme, check.pk), {"seen": seen}).status_code == 200
    owner.post(page_of(acme, f"{check.pk}/finish"))

    assert "What to do next" in shown
    assert "What to do next" not in owner.get(page_of(acme, check.pk)).content.decode()
    assert check.pk in owner.get(page_of(acme)).content.decode()
    live = owner.get(f"/dashboard/{acme.company.pk}/production/go-live").content.decode()
    assert "Last readiness check:" in live
    actions = AuditEntry.objects.filter(object_id=check.pk).order_by("id").values_list("action", flat=True)
    assert list(actions) == ["readiness_check.started", "readiness_check.finished"]


def test_a_check_of_another_company_is_not_there(owner: Client, acme: Shop, globex: Shop, globex_api: Api) -> None:
    foreign = started(globex_api, registered(globex_api, URL).id)

    for method, path in (("get", foreign), ("post", f"{foreign}/finish")):
        assert getattr(owner, method)(page_of(acme, path)).status_code == 404
    assert owner.get(page_of(globex, foreign)).status_code == 404
    assert ReadinessCheck.objects.get().finished_at is None


def test_what_is_seen_of_a_request_is_linked(
    owner: Client, acme: Shop, api: Api, endpoint: str, request_log: ModuleType
) -> None:
    check = started(api, endpoint)
    body = {"method": "PIX", "amount": 911, "currency": "BRL", "reference": "r", "payer": {"name": "Maria Silva"}}
    for _ in range(5):
        api.http.post(
            "/api/v2/payments", body, "application/json",
            headers={"x-api-key": acme.sandbox_key, "idempotency-key": "7f1c3f0e-6f0d-4f0a-9c1e-0d9a4f0b7c11"},
        )  # fmt: skip
    request_log.flush()

    shown = owner.get(page_of(acme, check)).content.decode()

    assert "Does not repeat what is refused for good" in shown.split('id="failed"')[1].split("</section>")[0]
    assert f"/dashboard/{acme.company.pk}/sandbox/requests/req_" in shown


def test_what_is_gone_or_not_theirs_to_read_is_no_link(
    owner: Client, support: Client, acme: Shop, api: Api, endpoint: str
) -> None:
    check = started(api, endpoint)
    evidence = {"verdict": "FAILED", "evidence": ["dlv_01KAGTW3Q8XJ5V0N2B7R4C9D01"]}
    api.post(f"{CHECKS}/{check}/finish")
    ReadinessCheck.objects.update(findings={probe: evidence for probe in Probe})
    link = f"/sandbox/webhooks/{endpoint}"
    assert link in owner.get(page_of(acme, check)).content.decode()
    assert link not in support.get(page_of(acme, check)).content.decode()

    Endpoint.objects.update(deleted_at=utcnow(), status="INACTIVE")

    shown = owner.get(page_of(acme, check)).content.decode()
    assert link not in shown
    assert "dlv_01KAGTW3Q8XJ5V0N2B7R4C9D01" in shown
    assert f"{URL} (deleted)" in shown
