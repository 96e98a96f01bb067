"""A process refuses the environment that it does not serve, at every door and with a code of its own."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import Heartbeat, Membership
from accounts.roles import Role
from gateway.dashboard.receivables.feed import address_of
from gateway.payments.due import EXPIRY
from gateway.payments.models import Payment
from gateway.payments.tasks import sweep_payments
from gateway.providers import due as messages
from gateway.receipts.verification import link
from gateway.suspense.recovery import recover
from gateway.tasks import heartbeat
from ledger.receivables.tasks import sweep_receivables
from tests.support import cards, checkout, orders
from tests.support.api import Api
from tests.support.callbacks import about, sent
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix
from tests.support.people import a_member, signed_in_twice
from tests.support.providers import active
from tests.support.receivables import a_receivable
from tests.support.refunds import later
from tests.support.scripted_provider import rewritten

NOT_SERVED = "ONP403_ENVIRONMENT_NOT_SERVED"


@pytest.fixture(autouse=True)
def two_addresses(settings: Settings) -> None:
    assert reverse("dashboard:root")  # every address is routed before a test takes an environment away
    settings.SANDBOX_BASE_URL = "https://sandbox.onpay.test"


def path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


def says_so(page: HttpResponse) -> bool:
    return page.status_code == 403 and f'<p class="code">{NOT_SERVED}</p>' in page.content.decode()


@pytest.mark.parametrize(("served", "refused"), [("PRODUCTION", "sandbox_key"), ("SANDBOX", "production_key")])
def test_a_key_of_the_other_environment_is_refused(
    api: Api, acme: Shop, settings: Settings, served: str, refused: str
) -> None:
    settings.ENVIRONMENTS = [served]
    keys = {"SANDBOX": acme.sandbox_key, "PRODUCTION": acme.production_key}

    api.key = getattr(acme, refused)
    asked = [api.get("/payments"), api.post("/payments", pix()), api.post("/webhooks", {"url": "https://shop.example"})]
    assert {cards.refusal(answer) for answer in asked} == {(403, NOT_SERVED)}
    assert not Payment.objects.exists()

    api.key = keys[served]
    assert api.get("/payments").status_code == 200
    api.key = "onp_sandbox_" + "x" * 43
    assert cards.refusal(api.get("/payments")) == (401, "ONP401")


def test_card_fields_of_the_sandbox_are_refused_in_production(api: Api, settings: Settings) -> None:
    session = cards.opened(api)
    token = session.token()
    settings.ENVIRONMENTS = ["PRODUCTION"]

    calls = [session.call("session"), session.type(), session.confirm(token)]
    pages = [cards.browser().get(session.page), cards.browser().get(f"/sdk/v1/fields/{session.id}/cardNumber")]

    assert {cards.outcome(call) for call in calls} == {(403, "ENVIRONMENT_NOT_SERVED")}
    assert all(map(says_so, pages))
    settings.ENVIRONMENTS = ["SANDBOX"]
    assert cards.outcome(session.confirm(token)) == (200, "PAID")


def test_links_of_the_sandbox_are_refused_in_production(api: Api, acme: Shop, settings: Settings) -> None:
    page = checkout.opened(api)
    boleto = api.post("/payments", orders.order("BOLETO")).json()["data"]["pdfUrl"]
    member = a_member(acme.company, Role.FINANCE)
    calendar = address_of(Membership.objects.select_related("user").get(user=member), acme.sandbox)
    paid = api.post("/payments", pix()).json()["data"]["id"]
    api.post(f"/simulations/payments/{paid}", {"status": "PAID"})
    receipt = link(Payment.objects.get(pk=paid))
    settings.ENVIRONMENTS = ["PRODUCTION"]

    assert cards.refusal(Client().get(path(boleto))) == (403, NOT_SERVED)
    for refused in (page.open(), page.pay(), Client().get(path(calendar)), Client().get(path(receipt))):
        assert says_so(refused), refused.content

    settings.ENVIRONMENTS = ["SANDBOX"]
    assert checkout.now_shown(api, page)
    assert [Client().get(path(one)).status_code for one in (boleto, calendar, receipt)] == [200] * 3
    assert all(one.startswith("https://sandbox.onpay.test/") for one in (boleto, calendar, receipt))


def switch(page: HttpResponse) -> list[str]:
    """The environments that the dashboard offers."""
    inside = page.content.decode().partition('<nav class="switch"')[2].partition("</nav>")[0]
    return [line.partition(">")[2].partition("<")[0] for line in inside.splitlines() if "<a " in line]


def test_the_dashboard_offers_what_is_served_and_says_where_the_rest_is(acme: Shop, settings: Settings) -> None:
    browser = signed_in_twice(a_member(acme.company))
    sandbox, production = (f"/dashboard/{acme.company.pk}/{name}/" for name in ("sandbox", "production"))
    assert switch(browser.get(sandbox)) == ["Sandbox", "Production"]

    settings.ENVIRONMENTS = ["PRODUCTION"]
    refused, start = browser.get(f"{sandbox}payments/?status=PAID"), browser.get("/dashboard/")

    assert says_so(refused)
    assert f'href="https://sandbox.onpay.test{sandbox}payments/?status=PAID"' in refused.content.decode()
    assert says_so(browser.post(f"{sandbox}lab/clock", {"days": 1}))
    assert start.headers["location"] == production
    assert switch(browser.get(production)) == ["Production"]

    settings.ENVIRONMENTS = ["SANDBOX"]
    assert says_so(browser.get(production))
    assert switch(browser.get(sandbox)) == ["Sandbox"]


def test_steps_to_production_lead_to_the_sandbox_where_it_is(acme: Shop, settings: Settings) -> None:
    settings.ENVIRONMENTS = ["PRODUCTION"]

    home: Any = signed_in_twice(a_member(acme.company)).get(f"/dashboard/{acme.company.pk}/production/")

    assert f'href="https://sandbox.onpay.test/dashboard/{acme.company.pk}/sandbox/"' in home.content.decode()


def test_due_work_is_done_by_a_process_of_its_environment(acme: Shop, settings: Settings) -> None:
    script = rewritten()
    payment, receivable = a_payment(acme.sandbox), a_receivable(acme.sandbox)
    later(acme, days=40)
    sent(active(), about("tst_1"))

    settings.ENVIRONMENTS = ["PRODUCTION"]
    for sweep in (sweep_payments, sweep_receivables):
        sweep()
        sweep("SANDBOX")
        sweep("PRODUCTION")
    payment.refresh_from_db()
    receivable.refresh_from_db()
    assert (payment.status, receivable.state) == ("PENDING", "SCHEDULED")
    heartbeat("SANDBOX")
    assert not Heartbeat.objects.exists()

    settings.ENVIRONMENTS = ["SANDBOX"]
    assert messages.run_due(10) == 0
    recover()
    sweep_payments("PRODUCTION")
    assert EXPIRY.sweep(environment="PRODUCTION") == 0
    for sweep in (sweep_payments, sweep_receivables):
        sweep("SANDBOX")
    payment.refresh_from_db()
    receivable.refresh_from_db()
    assert (payment.status, receivable.state) == ("EXPIRED", "RELEASED")
    assert script.heard == []

    settings.ENVIRONMENTS = ["PRODUCTION"]
    assert messages.run_due(10) == 1
    assert script.heard != []
