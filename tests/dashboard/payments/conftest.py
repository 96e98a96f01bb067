"""People of acme before the pages of payments."""

import html
import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.roles import Role
from tests.factories import Shop
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
    """May refund and simulate, and sees neither books nor webhooks."""
    return signed_in(a_member(acme.company, Role.SUPPORT))


@pytest.fixture
def owner(acme: Shop) -> Client:
    return signed_in(a_member(acme.company))


@pytest.fixture
def viewer(acme: Shop) -> Client:
    return signed_in(a_member(acme.company, Role.VIEWER))


@pytest.fixture
def stranger(globex: Shop) -> Client:
    """The owner of another company."""
    return signed_in(a_member(globex.company))


def once(**given: Any) -> dict[str, Any]:
    """What a form sends, with its mark."""
    return {"once": str(uuid.uuid4()), **given}


def text_of(answer: HttpResponse) -> str:
    """What is read on the page, in one line."""
    assert answer.status_code in (200, 409), answer.status_code
    main = re.sub(r"(?s)^.*<main[^>]*>", "", answer.content.decode())
    return " ".join(html.unescape(re.sub(r"(?s)<script.*?</script>|<[^>]+>", " ", main)).split())
