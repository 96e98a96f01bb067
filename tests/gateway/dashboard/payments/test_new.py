"""A test payment from the dashboard: every way to pay works as the form comes."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils.formats import date_format

from accounts.models import AuditEntry
from gateway.payments.models import Payment
from gateway.simulations.examples import ORDERS
from tests.support.bad_orders import in_days
from tests.support.companies import Shop
from tests.support.pages import Page, text_of
from tests.support.refunds import nothing_moves

pytestmark = pytest.mark.django_db


def form_of(browser: Client, page: Page, way: str = "PIX.BRL") -> dict[str, Any]:
    """What the form sends when nobody touches it."""
    content = browser.get(page("new_payment"), {"way": way}).content.decode()
    inputs = (tag for tag in re.findall(r"<input[^>]+>", content.partition('action="?way=')[2]) if "value=" in tag)
    return {re.findall(r'name="([^"]+)"', tag)[0]: re.findall(r'value="([^"]*)"', tag)[0] for tag in inputs}


def send(browser: Client, page: Page, way: str = "PIX.BRL", **changed: Any) -> Any:
    return browser.post(f"{page('new_payment')}?way={way}", form_of(browser, page, way) | changed)


@pytest.mark.parametrize("way", [f"{method}.{currency}" for method, currency in ORDERS])
def test_every_way_works_as_the_form_comes(way: str, support: Client, page: Page) -> None:
    answer = send(support, page, way)

    payment = Payment.objects.get()
    assert answer["Location"] == page("payment", payment.pk)
    assert f"{payment.method}.{payment.currency}" == way
    assert payment.status in ("PENDING", "ACTION_REQUIRED")
    assert payment.is_instructed
    assert AuditEntry.objects.get().action == "payment.tried"


def test_pix_is_offered_first(support: Client, page: Page) -> None:
    shown = text_of(support.get(page("new_payment"), {"way": "GOLD.XAU"}))

    assert "PIX · BRL" in shown
    assert "From R$0.02 to R$250,000.00." in shown


@pytest.mark.parametrize(
    ("tail", "status", "answered"),
    [("911", "FAILED", True), ("912", "PENDING", False), ("915", "ACTION_REQUIRED", True)],
)
def test_a_scenario_is_played_by_the_amount(
    tail: str, status: str, answered: bool, support: Client, page: Page
) -> None:
    send(support, page, scenario=tail, amount="2150")

    payment = Payment.objects.get()
    assert (payment.amount, payment.status, payment.answered) == (int(f"2{tail}00"), status, answered)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"amount": "0"}, "An amount above zero, like 150.00."),
        ({"amount": "250000.01"}, "The amount exceeds the maximum of this payment method."),
        ({"amount": "1.9999"}, "decimals"),
        ({"name": "M"}, "Must have a length of at least 2."),
        ({"taxId": "1"}, "Must be the number of a tax document"),
        ({"taxId": ""}, "This field is required."),
        ({"dueDate": "2020-01-01"}, "The due date must be today or one of the next 365 days in São Paulo."),
        ({"scenario": "999"}, "999"),
    ],
)
def test_what_is_wrong_stands_at_its_field(
    changed: dict[str, Any], said: str, acme: Shop, support: Client, page: Page
) -> None:
    with nothing_moves(acme):
        assert said in text_of(send(support, page, **changed))
    assert not Payment.objects.exists()


def test_pix_takes_a_due_date(support: Client, page: Page) -> None:
    send(support, page, dueDate=in_days(3))

    payment = Payment.objects.get()
    assert str(payment.due_date) == in_days(3)
    assert "Optional: the last day to pay." in text_of(support.get(page("new_payment"), {"way": "PIX.BRL"}))
    shown = text_of(support.get(page("payment", payment.pk)))
    assert shown.count(f"Due date {date_format(payment.due_date, 'SHORT_DATE_FORMAT')}") == 1


def test_a_reference_is_used_once(support: Client, page: Page) -> None:
    send(support, page, reference="test-1")

    assert "Another one already has this reference." in text_of(send(support, page, reference="test-1"))
    assert Payment.objects.count() == 1


def test_a_form_that_is_sent_twice_makes_one(support: Client, page: Page) -> None:
    form = form_of(support, page)
    for _ in range(2):
        support.post(f"{page('new_payment')}?way=PIX.BRL", form)

    assert Payment.objects.count() == 1


def test_the_payer_of_a_checkout_comes_back_to_the_payment(support: Client, page: Page) -> None:
    send(support, page, "PSE.COP")
    payment = Payment.objects.get()
    assert payment.return_url
    assert payment.return_url.endswith(page("payment_returned"))

    back = support.get(page("payment_returned"), {"paymentId": payment.pk})

    assert back["Location"] == page("payment", payment.pk)


def test_only_in_the_sandbox_and_not_for_who_only_reads(
    acme: Shop, support: Client, viewer: Client, page: Page
) -> None:
    form = form_of(support, page)
    production = page("new_payment").replace("/sandbox/", "/production/")

    assert support.post(production, form).status_code == 404
    assert viewer.post(page("new_payment"), form).status_code == 403
    assert not Payment.objects.exists()
    assert not AuditEntry.objects.exists()
