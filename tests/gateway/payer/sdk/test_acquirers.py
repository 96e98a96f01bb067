"""Real cards: what the pages of the SDK's origin let a browser load of the payment's acquirer, and of nobody else."""

import re
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponse

from accounts.models import Company
from gateway.api.reference.facts import policy_of
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.providers import scripts
from tests.support.api import Api
from tests.support.cards import SHOP, Session, browser, opened, outcome
from tests.support.companies import Shop
from tests.support.production import api_of, live
from tests.support.scripted_provider import Script, rewritten

pytestmark = pytest.mark.django_db(transaction=True)

READY = PaymentOutcome(PaymentResult.SESSION, {"session": {"integrationMode": "HOSTED"}, "intent": "pi_1"})
STRIPE = {
    "script-src": ["https://js.stripe.com", "https://*.js.stripe.com"],
    "connect-src": ["https://api.stripe.com"],
    "frame-src": ["https://js.stripe.com", "https://*.js.stripe.com", "https://hooks.stripe.com"],
}
TEST_SYSTEM = "https://checkoutshopper-test"


@pytest.fixture
def script(db: None, acme: Shop) -> Script:
    live(acme, "acquirer", method="CREDIT_CARD")
    script = rewritten()
    script.answers = {"instruct": [READY]}
    return script


def at(script: Script, shop: Shop, **fields: Any) -> Session:
    script.fields = fields
    return opened(api_of(shop))


def sources(page: HttpResponse) -> dict[str, list[str]]:
    directives = (part.split() for part in page["Content-Security-Policy"].split(";"))
    return {name: values for name, *values in directives}


def test_the_hosted_page_allows_the_acquirer_of_its_payment_only(acme: Shop, script: Script) -> None:
    page = sources(browser().get(at(script, acme, acquirer="stripe").page))
    for directive, origins in STRIPE.items():
        own = settings.SDK_URL if directive == "frame-src" else "'self'"
        assert page[directive] == [own, *origins]
    assert page["style-src"] == page["img-src"] == page["form-action"] == ["'self'"]

    page = sources(browser().get(at(script, acme, acquirer="adyen", environment="test").page))
    assert page["script-src"] == ["'self'", f"{TEST_SYSTEM}.cdn.adyen.com"]
    assert page["frame-src"] == [settings.SDK_URL, f"{TEST_SYSTEM}.adyen.com"]
    assert "stripe" not in str(page)


@pytest.mark.parametrize("status", ["SUSPENDED", "CLOSED"])
def test_a_company_that_may_take_no_payments_gets_no_fields(acme: Shop, script: Script, status: str) -> None:
    session = at(script, acme, acquirer="stripe", publicKey="pk_live_1")
    assert session.call("session").json()["fields"]["publicKey"] == "pk_live_1"
    Company.objects.filter(pk=acme.company.pk).update(status=status)

    answers = [session.call("session", **{"accept-language": code}) for code in ("en", "pt", "xx")]

    assert [outcome(answer) for answer in answers] == [(403, "COMPANY_STATUS")] * 3
    assert "not accepting payments" in answers[0].json()["error"]["message"]
    assert answers[1].json() == answers[2].json() != answers[0].json()
    assert not any("pk_live_1" in answer.content.decode() for answer in answers)
    assert answers[0]["Access-Control-Allow-Origin"] == SHOP


def test_a_page_that_takes_no_card_any_more_loads_nothing_of_the_acquirer(acme: Shop, script: Script) -> None:
    session = at(script, acme, acquirer="stripe")
    card = {"brand": "visa", "last4": "4242", "funding": "credit"}
    script.answers["confirm"] = [PaymentOutcome(PaymentResult.AUTHORIZED, {"card": card}, reference="ch_1")]
    script.answers["capture"] = [PaymentOutcome(PaymentResult.DONE)]
    assert outcome(session.call("confirm", {})) == (200, "PAID")

    assert "stripe" not in browser().get(session.page)["Content-Security-Policy"]


def test_the_page_of_an_action_lets_banks_in_and_is_for_the_shop_only(acme: Shop, script: Script) -> None:
    session = at(script, acme, acquirer="adyen", environment="live")

    page = browser().get(f"/sdk/v1/3ds/acquirer/{session.id}")

    allowed = sources(page)
    assert allowed["frame-src"][-1] == "https:", "a bank's page may be anywhere"
    assert sorted(allowed["frame-ancestors"]) == sorted([SHOP, settings.SDK_URL])
    assert "https:" not in allowed["script-src"] + allowed["connect-src"]
    text = page.content.decode()
    assert [secret for secret in (session.secret, session.payment["reference"]) if secret in text] == []
    assert re.findall(r'src="(/sdk/acquirers/[^"]+)"', text) == [f"/sdk/acquirers/adyen-{scripts.VERSION}.js"]
    assert scripts.integrity_of(scripts.adapter("adyen") or b"") in text
    assert browser().post(f"/sdk/v1/3ds/acquirer/{session.id}").status_code == 405


def test_there_is_no_such_page_without_an_acquirer(api: Api, acme: Shop, script: Script) -> None:
    unknown = at(script, acme, acquirer="nobody").id
    for payment in (opened(api).id, unknown, unknown[:-1] + "0", "x"):
        assert browser().get(f"/sdk/v1/3ds/acquirer/{payment}").status_code == 404


@pytest.mark.parametrize("acquirers", [(), ("stripe",), ("adyen",), ("stripe", "adyen")])
def test_the_documentation_gives_the_policy_of_each_acquirer(acquirers: tuple[str, ...]) -> None:
    policy = policy_of(*acquirers)

    assert policy.startswith(f"default-src 'self'; script-src 'self' {settings.SDK_URL}")
    assert [word for word in ("unsafe", "* ", "https: ", TEST_SYSTEM) if word in policy] == []
    assert policy in browser().get("/docs/cards.md").content.decode()
    for directive, origins in (STRIPE if "stripe" in acquirers else {}).items():
        assert f"{directive} " in policy
        assert all(origin in policy for origin in origins)
