"""Production of a company that is not verified says that it is closed, and offers nothing that moves money."""

from typing import Any

import pytest
from django.template import Context, Template
from django.test import Client

from accounts.models import Company
from accounts.roles import Role
from gateway.refunds import services as refunds
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.payments import a_payment
from tests.support.people import a_member, signed_in

PAGES = ("home", "payments", "refunds", "balance", "statement", "receivables", "withdrawals", "conversions")
CLOSED = "Production is closed until the company is verified."


def body(browser: Client, page: Page, name: str, environment: str = "production") -> str:
    return browser.get(page(name, environment=environment)).content.decode()


@pytest.fixture
def unverified(acme: Shop) -> Shop:
    Company.objects.filter(pk=acme.company.pk).update(status="PENDING_VERIFICATION")
    return acme


@pytest.mark.parametrize("name", PAGES)
def test_every_page_says_that_it_is_closed(unverified: Shop, owner: Client, page: Page, name: str) -> None:
    said = body(owner, page, name)

    assert CLOSED in said
    assert "Everything here moves real money." not in said
    assert page("verification", environment="production") in said
    assert CLOSED not in body(owner, page, name, "sandbox")


@pytest.mark.parametrize("name", ["balance", "withdrawals", "conversions"])
def test_nothing_that_moves_money_is_offered(unverified: Shop, owner: Client, page: Page, name: str) -> None:
    offered = [page(way, environment="production") for way in ("choose_withdrawal", "new_conversion")]

    said = body(owner, page, name)

    assert [way for way in offered if f'href="{way}' in said] == []


def test_an_open_production_says_and_offers_as_before(acme: Shop, owner: Client, page: Page) -> None:
    said = body(owner, page, "withdrawals")

    assert "Everything here moves real money." in said and CLOSED not in said
    assert f'href="{page("choose_withdrawal", environment="production")}"' in said


def test_a_suspended_company_is_led_to_support(acme: Shop, owner: Client, page: Page, settings: Any) -> None:
    Company.objects.filter(pk=acme.company.pk).update(status="SUSPENDED")
    settings.SUPPORT = "https://help.onpay.example/"

    said = body(owner, page, "home")

    assert "Production is closed: the company cannot accept money at the moment." in said
    assert 'href="https://help.onpay.example/"' in said


@pytest.mark.parametrize(
    ("contact", "shown"),
    [
        (
            "help@onpay.example",
            '<a href="mailto:help@onpay.example" rel="noopener noreferrer">help@onpay.example</a>',
        ),
        (
            "https://help.onpay.example/?a=1&b=2",
            '<a href="https://help.onpay.example/?a=1&amp;b=2" rel="noopener noreferrer">Contact support</a>',
        ),
        ("", '<span class="text-secondary">No support contact is configured.</span>'),
    ],
)
def test_ask_support_leads_where_the_setting_says(settings: Any, contact: str, shown: str) -> None:
    settings.SUPPORT = contact

    assert Template("{% load dashboard %}{% support %}").render(Context()) == shown


def test_refunds_that_wait_for_an_answer_are_counted_in_the_menu(acme: Shop, page: Page) -> None:
    viewer = signed_in(a_member(acme.company, Role.VIEWER))
    assert "waiting for an answer" not in body(viewer, page, "customers", "sandbox")

    for _ in range(2):
        refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").pk)

    said = body(viewer, page, "customers", "sandbox")
    assert '>2<span class="visually-hidden"> waiting for an answer</span>' in said
    assert "waiting for an answer" not in body(viewer, page, "customers", "production")
