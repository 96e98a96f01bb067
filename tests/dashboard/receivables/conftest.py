"""Card payments of acme, whose money has a day to wait for, and who looks at it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.roles import Role
from tests.factories import Shop
from tests.people import a_member, signed_in, signed_in_twice

Page = Callable[..., str]


@pytest.fixture
def page(acme: Shop) -> Page:
    """The address of a page of acme's sandbox."""

    def address(name: str, *args: Any) -> str:
        return reverse(f"dashboard:{name}", args=(acme.company.pk, "sandbox", *args))

    return address


@pytest.fixture
def finance(acme: Shop) -> Client:
    """May ask for advances, and has just shown a second factor."""
    return signed_in_twice(a_member(acme.company, Role.FINANCE))


@pytest.fixture
def viewer(acme: Shop) -> Client:
    return signed_in(a_member(acme.company, Role.VIEWER))


@pytest.fixture
def stranger(globex: Shop) -> Client:
    """The owner of another company."""
    return signed_in_twice(a_member(globex.company))


@pytest.fixture
def reviewer(db: None) -> User:
    return User.objects.create_superuser("ana@onpay.example", "a long password")
