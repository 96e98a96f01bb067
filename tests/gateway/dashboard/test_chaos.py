"""Chaos mode in the sandbox lab."""

from django.test import Client

from accounts.models import AuditEntry
from gateway.chaos.models import ChaosRun
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.webhooks import registered
from webhooks.models import Delivery

ONE = {"disturbances": ["FORGED", "ANSWER_LOST"], "endpoint": "", "minutes": "5"}


def page_of(shop: Shop, environment: str = "sandbox") -> str:
    return f"/dashboard/{shop.company.pk}/{environment}/lab/chaos"


def once(browser: Client, shop: Shop) -> dict[str, str]:
    return {"once": form_in(browser.get(page_of(shop)).content)["once"]}


def test_a_run_is_started_once_and_ended(support: Client, acme: Shop, globex: Shop) -> None:
    form = once(support, acme) | ONE

    for _ in range(2):
        assert support.post(f"{page_of(acme)}/start", form).status_code == 302

    run = ChaosRun.objects.get()
    assert run.merchant == acme.sandbox
    assert (run.disturbances, run.is_active) == (["FORGED", "ANSWER_LOST"], True)
    assert "End it now" in support.get(page_of(acme)).content.decode()
    assert "End it now" not in support.get(page_of(globex)).content.decode()
    support.post(f"{page_of(acme)}/end", once(support, acme))
    run.refresh_from_db()
    assert run.ended_at
    assert [one.action for one in AuditEntry.objects.order_by("id") if "chaos" in one.action] == [
        "chaos.started", "chaos.ended",
    ]  # fmt: skip


def test_production_and_others_endpoints_cannot_be_disturbed(
    support: Client, acme: Shop, globex_api: Api, settings: object
) -> None:
    settings.LOCAL = True  # type: ignore[attr-defined]
    theirs = registered(globex_api, "http://127.0.0.1:9000/hooks")
    form = once(support, acme) | ONE

    assert support.post(f"{page_of(acme)}/start", form | {"endpoint": theirs.id}).status_code == 200
    assert support.post(f"{page_of(acme)}/start", form | {"disturbances": []}).status_code == 200
    assert support.post(f"{page_of(acme, 'production')}/start", form).status_code == 404

    assert not ChaosRun.objects.exists()


def test_a_refused_forgery_does_not_look_like_a_failure(owner: Client, acme: Shop, api: Api, settings: object) -> None:
    settings.LOCAL = True  # type: ignore[attr-defined]
    hook = registered(api, "http://127.0.0.1:9000/hooks")
    api.post("/simulations/chaos", {"disturbances": ["FORGED"]})
    api.post(f"/webhooks/{hook.id}/tests")
    row = Delivery.objects.get()
    address = f"/dashboard/{acme.company.pk}/sandbox/webhooks/{hook.id}"
    for status, words in (("FAILED", "Refused, as it should be"), ("DELIVERED", "Accepted, but it must be refused")):
        Delivery.objects.update(disturbance="FORGED", status=status, http_status=400, next_attempt_at=None)
        assert words in owner.get(address).content.decode()
        assert words in owner.get(f"{address}/deliveries/{row.pk}").content.decode()
