"""What production lacks is said: on the page of a company, and before a deployment."""

from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.management import call_command

from accounts.audit import Actor
from accounts.models import ApiKey, Company
from gateway.methods.models import MethodRule
from gateway.overview.readiness import readiness
from gateway.providers.accounts import close, pause
from tests.support.certificates import certificate, private_key
from tests.support.companies import Shop
from tests.support.people import a_member, signed_in_twice
from tests.support.providers import active, confirms, entered, routed
from webhooks.models import Endpoint


def enable(*methods: str) -> None:
    MethodRule.objects.filter(merchant=None, environment="PRODUCTION", method__in=methods).update(enabled=True)


def warnings() -> list[str]:
    found = run_checks(include_deployment_checks=True, databases=["default"], tags=["database"])
    return [one.msg for one in found if one.id in ("onpay.W016", "onpay.W017")]


def page_of(shop: Shop, environment: str = "production", role: Any = "OWNER") -> str:
    browser = signed_in_twice(a_member(shop.company, role))
    answer = browser.get(f"/dashboard/{shop.company.pk}/{environment}/go-live")
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_a_company_reads_what_is_missing_and_who_does_it(acme: Shop) -> None:
    ApiKey.objects.filter(merchant=acme.production).update(revoked_at="2026-01-01T00:00Z")
    Company.objects.update(status=Company.Status.PENDING_VERIFICATION)
    page = page_of(acme, "sandbox")

    assert "0 of 5 steps done" in page
    for place in ("verification/", "webhooks/", "keys/"):
        assert f"/dashboard/{acme.company.pk}/production/{place}" in page


def test_methods_without_a_provider_are_named(acme: Shop) -> None:
    enable("PIX", "SPEI")
    routed(active())
    page = page_of(acme)
    assert "No provider is connected for: SPEI MXN" in page
    assert "Ready to be paid: PIX BRL" in page


def test_nothing_is_missing_once_everything_is_there(acme: Shop, globex: Shop) -> None:
    enable("PIX")
    routed(active("own", acme.production), merchant=acme.production)
    Endpoint.objects.create(merchant=acme.production, url="https://acme.example/hook", events=["*"], sealed_secret=b"x")

    assert "Nothing is missing: production can take payments." in page_of(acme)
    assert readiness(globex.production).unconnected == (("PIX", "BRL"),)


def test_before_a_deployment_methods_without_a_usable_route_are_named(acme: Shop) -> None:
    assert warnings() == []
    enable("PIX", "SPEI")
    account = active()
    routed(account)
    rule = MethodRule.objects.get(merchant=None, environment="PRODUCTION", method="BOLETO")
    rule.pk, rule.merchant, rule.enabled = None, acme.production, True
    rule.save(force_insert=True)
    unrouted = [
        "BOLETO in BRL is enabled for Acme, and no provider is connected for it.",
        "SPEI in MXN is enabled for everybody, and no provider is connected for it.",
    ]
    assert warnings() == unrouted

    pause(Actor(confirms()), account.pk, "They are moving")
    assert warnings() == sorted(
        ["PIX in BRL is enabled for everybody, and no provider is connected for it.", *unrouted]
    )


def test_before_a_deployment_certificates_that_expire_are_named() -> None:
    for name, days in (("soon", 29), ("later", 31)):
        entered(name, certificate=certificate(days), private_key=private_key())
    closed = entered("closed", certificate=certificate(1), private_key=private_key())
    close(Actor(confirms()), closed.pk, "It was a mistake")

    [told] = warnings()
    assert told.startswith("The certificate of the provider account soon (scripted) is valid until 20")


@pytest.mark.usefixtures("db")
def test_without_a_database_nothing_is_asked_of_it(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert [one for one in run_checks(include_deployment_checks=True) if one.id == "onpay.W016"] == []
    call_command("check", "--deploy", "--database", "default", "--fail-level", "CRITICAL")
