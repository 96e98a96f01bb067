"""Amounts that people type: what can be read in two ways moves nothing, and what a page wrote is understood."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import Company, User
from gateway.conversions.models import Conversion
from gateway.payments.models import Payment
from gateway.refunds.models import Refund
from gateway.withdrawals.models import Withdrawal
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.pages import Page, once, text_of
from tests.support.payments import a_payment
from tests.support.receivables import a_receivable
from tests.support.refunds import nothing_moves

pytestmark = pytest.mark.django_db

BOTH = {
    "en": "10.000 is ambiguous: it could mean 10,000.00 or 10.00. Write 10000 or 10.00.",
    "es": "10.000 se puede leer como 10.000,00 o 10,00: escriba 10000 o 10,00.",
    "pt-br": "10.000 pode ser lido como 10.000,00 ou 10,00: escreva 10000 ou 10,00.",
}
every_language = pytest.mark.parametrize("language", BOTH)
Sent = Callable[[Client, Page, Payment, str], Any]

DOORS: dict[str, Sent] = {
    "refund": lambda person, page, paid, amount: person.post(
        page("ask_refund", paid.pk), once(how="part", amount=amount)
    ),
    "withdrawal": lambda person, page, paid, amount: person.post(
        page("new_withdrawal", "pix"), once(pix_key_type="EMAIL", pix_key="a@b.example", amount=amount)
    ),
    "conversion": lambda person, page, paid, amount: person.get(
        page("new_conversion"), {"source": "BRL", "destination": "MXN", "amount": amount}
    ),
    "advance": lambda person, page, paid, amount: person.get(
        page("simulate_advance"), {"choose": "amount", "currency": "BRL", "amount": amount}
    ),
    "filter": lambda person, page, paid, amount: person.get(page("payments"), {"least": amount}),
    "test payment": lambda person, page, paid, amount: person.post(
        page("new_payment") + "?way=PIX.BRL", once(amount=amount, reference="x-1")
    ),
    "refund request": lambda person, page, paid, amount: person.post(
        page("ask_for_refund"), once(payment=paid.pk, amount=amount, reason_code="FRAUD")
    ),
}


def speaking(language: str) -> None:
    User.objects.update(language=language)


@pytest.mark.a_third_a_day
@every_language
@pytest.mark.parametrize("door", DOORS)
def test_what_is_two_amounts_moves_nothing_and_both_are_named(
    door: str, language: str, acme: Shop, finance: Client, support: Client, page: Page
) -> None:
    paid = a_payment(acme.sandbox, "PAID")
    a_payment(acme.sandbox, "PAID")
    a_receivable(acme.sandbox)
    before = Payment.objects.count()
    speaking(language)
    person = support if door in ("test payment", "refund request") else finance

    with nothing_moves(acme):
        answer = DOORS[door](person, page, paid, "10.000")

    assert BOTH[language] in text_of(answer)
    assert not (Refund.objects.exists() or Withdrawal.objects.exists() or Conversion.objects.exists())
    assert Payment.objects.count() == before


@pytest.mark.parametrize(
    ("language", "country", "amount"),
    [
        ("es", "AR", "40,50"), ("es", "MX", "40.50"), ("pt-br", "BR", "R$ 40,50"),
        ("en", "BR", "R$40.50"), ("es", "MX", "R$40.50"), ("es", "CO", "R$\u00a040,50"),
    ],
)  # fmt: skip
def test_what_the_page_writes_is_refunded_to_the_cent(
    language: str, country: str, amount: str, acme: Shop, support: Client, page: Page
) -> None:
    paid = a_payment(acme.sandbox, "PAID")
    a_payment(acme.sandbox, "PAID")
    Company.objects.filter(pk=acme.company.pk).update(country=country)
    speaking(language)

    look = support.post(page("ask_refund", paid.pk), once(how="part", amount=amount))
    support.post(page("confirm_refund", paid.pk), form_in(look.content))

    assert Refund.objects.get().amount == 4050


@pytest.mark.a_third_a_day
@every_language
@pytest.mark.parametrize("country", ["BR", "MX", "AR", "CO", "PT"])
def test_what_is_filled_in_is_understood_as_it_stands(
    language: str, country: str, acme: Shop, support: Client, page: Page
) -> None:
    Company.objects.filter(pk=acme.company.pk).update(country=country)
    speaking(language)
    where = page("new_payment") + "?way=PIX.BRL"
    form = support.get(where).context["form"]
    filled = {name: form[name].value() or "" for name in form.fields}

    support.post(where, filled | {"scenario": ""})

    assert Payment.objects.get().amount == int(form.initial["amount"] * 100)


def test_a_page_in_spanish_for_mexicans_writes_as_they_do(acme: Shop, support: Client, page: Page) -> None:
    paid = a_payment(acme.sandbox, "PAID")
    Company.objects.filter(pk=acme.company.pk).update(country="MX")
    speaking("es")

    assert "R$150.00" in text_of(support.get(page("payment", paid.pk)))
    Company.objects.filter(pk=acme.company.pk).update(country="AR")
    assert "R$ 150,00" in text_of(support.get(page("payment", paid.pk)))
