"""Somebody of acme before the pages of its money, and money to see there."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts import clock
from accounts.roles import Role
from gateway.refunds import services as refunds
from ledger.holds import services as holds
from tests.client import Api
from tests.factories import Shop, a_payment
from tests.gateway.api.test_balances import a_card
from tests.gateway.conversions.converting import converted
from tests.gateway.withdrawals.withdrawing import PIX, decide, price, register, wait, withdrawn
from tests.people import a_member, signed_in, signed_in_twice

Page = Callable[..., str]


@pytest.fixture
def page(acme: Shop) -> Page:
    """The address of a page of acme's, in the sandbox where nothing else is said."""

    def address(name: str, *args: Any, environment: str = "sandbox") -> str:
        return reverse(f"dashboard:{name}", args=(acme.company.pk, environment, *args))

    return address


@pytest.fixture
def finance(acme: Shop) -> Client:
    """May move money, and has just shown the second factor."""
    return signed_in_twice(a_member(acme.company, Role.FINANCE))


@pytest.fixture
def viewer(acme: Shop) -> Client:
    return signed_in(a_member(acme.company, Role.VIEWER))


@pytest.fixture
def support(acme: Shop) -> Client:
    """Sees no money."""
    return signed_in(a_member(acme.company, Role.SUPPORT))


@pytest.fixture
def stranger(globex: Shop) -> Client:
    """The owner of another company."""
    return signed_in_twice(a_member(globex.company))


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
        acme.sandbox, "BRL", 1234, "COMPLIANCE", expected_release_at=clock.now(acme.sandbox) + timedelta(days=3)
    )
    return acme


def words(answer: Any) -> str:
    """What a page says, without its marks and with single spaces."""
    text = re.sub(r"<[^>]+>", " ", answer.content.decode())
    return re.sub(r"\s+", " ", text.replace("\xa0", " ").replace("&#x27;", "'"))
