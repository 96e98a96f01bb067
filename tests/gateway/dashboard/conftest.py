"""People of acme before the pages of their company, and somebody of another one."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.base import clock
from accounts.roles import Role
from gateway.refunds import services as refunds
from ledger.holds import services as holds
from tests.support.api import Api
from tests.support.cards import a_card
from tests.support.companies import Shop
from tests.support.conversions import converted
from tests.support.pages import Committed, Page
from tests.support.payments import a_payment
from tests.support.people import a_member, signed_in, signed_in_twice
from tests.support.withdrawals import PIX, decide, price, register, wait, withdrawn


@pytest.fixture
def page(acme: Shop) -> Page:
    """The address of a page of acme's, in the sandbox where nothing else is said."""

    def address(name: str, *args: Any, environment: str = "sandbox") -> str:
        return reverse(f"dashboard:{name}", args=(acme.company.pk, environment, *args))

    return address


@pytest.fixture
def owner(acme: Shop) -> Client:
    return signed_in(a_member(acme.company))


@pytest.fixture
def finance(acme: Shop) -> Client:
    """May move money, and has just shown the second factor."""
    return signed_in_twice(a_member(acme.company, Role.FINANCE))


@pytest.fixture
def support(acme: Shop) -> Client:
    """May refund and simulate, and sees neither balances nor books nor webhooks."""
    return signed_in(a_member(acme.company, Role.SUPPORT))


@pytest.fixture
def viewer(acme: Shop) -> Client:
    return signed_in(a_member(acme.company, Role.VIEWER))


@pytest.fixture
def stranger(globex: Shop) -> Client:
    """The owner of another company, who has just shown the second factor."""
    return signed_in_twice(a_member(globex.company))


@pytest.fixture
def committed(django_capture_on_commit_callbacks: Any) -> Committed:
    """At its end everything that waited for the commit is done, as if there had been one."""
    return partial(django_capture_on_commit_callbacks, execute=True)


@pytest.fixture
def funded(acme: Shop) -> Shop:
    """acme with 9900.99 reais, of which each withdrawal over PIX costs one."""
    price(PIX, fee_fixed=100)
    a_payment(acme.sandbox, "PAID", "10000.00")
    return acme


@pytest.fixture
def busy(acme: Shop, api: Api, address: str) -> Shop:
    """acme after some of everything, in two wallets."""
    register(acme, address)
    for amount in ("10000.00", "150.00"):
        a_payment(acme.sandbox, "PAID", amount)
    a_card(api, 200.00)
    a_card(api, 100.00, "DEBIT_CARD")
    wait(api, 2 * 86400)
    acme.sandbox.refresh_from_db()
    decide(api, withdrawn(api, acme, amount=904), "FAILED")
    withdrawn(api, acme, amount=1904)
    converted(api, acme)
    payment = a_payment(acme.sandbox, "PAID", "70.00")
    refunds.dispute(acme.sandbox, payment.pk, reason_code="NOT_RECEIVED")
    holds.place(
        acme.sandbox,
        "BRL",
        1234,
        "COMPLIANCE",
        note="An invoice is missing",
        case_number="C-17",
        expected_release_at=clock.now(acme.sandbox) + timedelta(days=3),
    )
    return acme
