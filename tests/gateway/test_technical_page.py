"""The error page of a developer shows where it happened, and nothing that is secret."""

import sys
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.test import RequestFactory

from accounts.base.ids import new_id
from gateway.checks import error_pages_stay_on_this_machine
from gateway.technical_page import Reporter, redacted, shown
from tests.support.companies import Shop

CARD = "4111111111111111"
KEY = "sk_sandbox_0123456789abcdefghijklmnopqrstuv"
FORM, HEADER, QUERY = "whsec_of_the_form", "of-somebody", "of-the-address"


def page_of_a_failure() -> str:
    request = RequestFactory().post(
        "/dashboard/keys",
        {"number": CARD, "signing_secret": FORM},
        headers={"x-api-key": KEY, "cookie": f"session={HEADER}", "authorization": f"Bearer {HEADER}"},
        QUERY_STRING=f"token={QUERY}",
    )
    try:
        _fail(CARD, {"x-api-key": KEY})
    except ValueError:
        return Reporter(request, *sys.exc_info()).get_traceback_html()
    raise AssertionError


def _fail(pan: str, headers: dict[str, str]) -> None:
    fee_in_cents = 349
    try:
        raise LookupError(f"inner {headers['x-api-key']}")
    except LookupError as problem:
        raise ValueError(f"no {fee_in_cents} of {pan} with {KEY}") from problem


def test_it_shows_the_code_and_the_numbers() -> None:
    page = page_of_a_failure()

    assert "ValueError" in page
    assert "/dashboard/keys" in page
    assert "fee_in_cents" in page
    assert "349" in page


@pytest.mark.parametrize("secret", [CARD, KEY, FORM, HEADER, QUERY], ids=["card", "key", "form", "header", "query"])
def test_it_shows_nothing_secret(secret: str) -> None:
    assert secret not in page_of_a_failure()


def test_it_shows_no_setting(settings: Any) -> None:
    assert settings.SECRET_KEY not in page_of_a_failure()
    assert "DATABASES" not in page_of_a_failure()


@pytest.mark.parametrize("value", [None, True, 349, Decimal("1.50"), date(2026, 11, 22)])
def test_numbers_and_dates_are_shown(value: object) -> None:
    assert shown(value) == repr(value)


@pytest.mark.parametrize("value", ["maria@example.com", b"secret", {"pan": CARD}, [KEY]])
def test_of_everything_else_only_the_type_is(value: object) -> None:
    assert shown(value) == f"{type(value).__name__} …"


def test_our_ids_and_which_row_it_is_are_shown(acme: Shop) -> None:
    payment = new_id("pay")

    assert shown(payment) == repr(payment)
    assert shown(acme.company) == f"Company {acme.company.pk}"
    assert shown(int(CARD)) == "[redacted]"


def test_a_broken_constraint_tells_no_value() -> None:
    assert (
        redacted('duplicate key "one_name"\nDETAIL:  Key (email)=(maria@example.com) exists.')
        == 'duplicate key "one_name"'
    )


@pytest.mark.parametrize("host", ["192.168.1.5", "onpay.example.com", "*", "staging"])
def test_it_is_refused_where_others_reach_it(settings: Any, host: str) -> None:
    settings.DEBUG, settings.ALLOWED_HOSTS = True, ["localhost", host]

    assert [error.id for error in error_pages_stay_on_this_machine(None)] == ["onpay.E015"]


def test_it_is_allowed_on_this_machine(settings: Any) -> None:
    settings.DEBUG, settings.ALLOWED_HOSTS = True, ["localhost", "127.0.0.1", "[::1]"]

    assert error_pages_stay_on_this_machine(None) == []
