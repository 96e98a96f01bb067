"""People of acme before the pages of their company, and somebody of another one."""

from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.roles import Role
from tests.support.companies import Shop
from tests.support.pages import Committed, Page
from tests.support.people import a_member, signed_in, signed_in_twice


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
