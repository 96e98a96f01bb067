"""Somebody of acme before the pages of refunds, and payers who want their money back."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.roles import Role
from gateway.refunds import services as refunds
from gateway.refunds.models import Refund
from tests.factories import Shop, a_payment
from tests.people import a_member, signed_in

Page = Callable[..., str]


@pytest.fixture
def page(acme: Shop) -> Page:
    """The address of a page of acme's sandbox."""

    def address(name: str, *args: Any) -> str:
        return reverse(f"dashboard:{name}", args=(acme.company.pk, "sandbox", *args))

    return address


@pytest.fixture
def support(acme: Shop) -> Client:
    """May refund, and sees no balance."""
    return signed_in(a_member(acme.company, Role.SUPPORT))


@pytest.fixture
def viewer(acme: Shop) -> Client:
    return signed_in(a_member(acme.company, Role.VIEWER))


@pytest.fixture
def stranger(globex: Shop) -> Client:
    """The owner of another company."""
    return signed_in(a_member(globex.company))


@pytest.fixture
def money(acme: Shop) -> None:
    """Enough for every refund."""
    a_payment(acme.sandbox, "PAID", "9000.00")


@pytest.fixture
def asked(acme: Shop) -> Refund:
    """A payer wants 150 reais back, which are blocked; 72 hours to answer."""
    payment = a_payment(acme.sandbox, "PAID")
    return refunds.dispute(
        acme.sandbox, payment.pk, reason_code="NOT_RECEIVED", statement="Nothing <b>arrived</b>.\nNothing."
    )
