"""Customers on their pages: who they are, what was had of them, and nobody else's."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.pages import Page, file, text_of
from tests.support.payments import JOAO, a_payment, pay
from tests.support.refunds import decided, refunded

pytestmark = pytest.mark.django_db


def test_the_list_says_what_was_had_of_whom(acme: Shop, globex: Shop, api: Api, support: Client, page: Page) -> None:
    a_payment(globex.sandbox, "PAID")
    a_payment(acme.sandbox, "FAILED")
    pay(api, JOAO, amount=10)
    pay(api, JOAO, amount=20.5)

    shown = support.get(page("customers"))

    assert "João Pereira ***.456.789-** joao@example.com 2 R$30.50" in text_of(shown)
    assert "Maria Silva ***.982.247-** – 1 –" in text_of(shown)
    assert len(re.findall('class="row-link"', shown.content.decode())) == 2


@pytest.mark.parametrize("typed", ["joao", "123.456.789-09", "JOAO@example.com"])
def test_they_are_found(typed: str, acme: Shop, api: Api, support: Client, page: Page) -> None:
    a_payment(acme.sandbox)
    pay(api, JOAO)

    shown = text_of(support.get(page("customers"), {"q": typed}))

    assert "João Pereira" in shown
    assert "Maria Silva" not in shown


def test_the_file_has_everybody(acme: Shop, api: Api, support: Client, page: Page) -> None:
    a_payment(acme.sandbox)
    joao = pay(api, JOAO, amount=10)

    lines = file(support.get(page("customers"), {"format": "csv"}))

    assert lines[0] == ["Customer", "Name", "Tax id", "E-mail", "Payments", "Paid", "Last payment (UTC)", "Since (UTC)"]
    assert lines[1][:6] == [joao, "João Pereira", "12345678909", "joao@example.com", "1", "BRL 10.00"]
    assert len(lines) == 3


def test_a_customer_has_payments_refunds_and_a_volume(api: Api, support: Client, page: Page) -> None:
    joao = pay(api, JOAO, amount=100)
    pay(api, JOAO, amount=50)
    payment = api.get("/payments").json()["data"][0]["id"]
    back = refunded(api, payment, amount=5)
    decided(api, back, "COMPLETED")

    shown = text_of(support.get(page("customer", joao)))

    assert "Paid in BRL R$150.00 2 payments" in shown
    assert "CPF 123.456.789-09" in shown
    assert "R$5.00 was returned" in shown
    assert "R$5.00 Completed You" in shown


def test_nobody_is_there_yet(acme: Shop, support: Client, page: Page) -> None:
    assert "Make a test payment" in text_of(support.get(page("customers")))
    a_payment(acme.sandbox)
    assert "No customers found" in text_of(support.get(page("customers"), {"q": "nobody"}))


def test_nobody_else_finds_them(acme: Shop, globex: Shop, api: Api, stranger: Client, page: Page) -> None:
    joao = pay(api, JOAO)

    assert stranger.get(page("customer", joao)).status_code == 404
    assert stranger.get(page("customer", joao).replace(acme.company.pk, globex.company.pk)).status_code == 404


def test_a_page_asks_no_more_for_many(
    api: Api, support: Client, page: Page, django_assert_max_num_queries: Any
) -> None:
    for number in range(12):
        pay(api, {"name": f"Payer {number}", "taxId": f"{number:011}"})
    with django_assert_max_num_queries(13):
        text_of(support.get(page("customers")))
