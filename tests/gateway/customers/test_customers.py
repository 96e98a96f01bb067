"""Payers are found by what is known of them, with what was had of each."""

from typing import Any

import pytest

from accounts.models import Merchant
from gateway.customers import selectors as customers
from gateway.customers.errors import CustomerUnknown
from gateway.customers.models import Customer
from gateway.customers.payer import Payer
from gateway.payments.customers import CustomerStanding, Paid, standings
from gateway.payments.search import Search, found
from gateway.refunds import services as refunds
from gateway.refunds.selectors import listed
from tests.support.companies import Shop
from tests.support.sales import JOSE, LOJA, MARIA, card, later, order, sale


def names(merchant: Merchant, text: str) -> list[str]:
    return [customer.name for customer in customers.found(merchant, text)]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("", ["Loja Irmãos Ñuñez", "José Núñez Araújo", "Maria Silva"]),
        ("  ", ["Loja Irmãos Ñuñez", "José Núñez Araújo", "Maria Silva"]),
        ("nun", ["Loja Irmãos Ñuñez", "José Núñez Araújo"]),
        ("ÑUÑ", ["Loja Irmãos Ñuñez", "José Núñez Araújo"]),
        ("irmaos nu", ["Loja Irmãos Ñuñez"]),
        ("11.444.777/0001-61", ["Loja Irmãos Ñuñez"]),
        ("111444777-35", ["José Núñez Araújo"]),
        ("MARIA@example.com", ["Maria Silva"]),
        ("maria@", []),
        ("11444777", []),
        ("lv", []),
        ("%%%", []),
        ("zé\0", []),
    ],
)
def test_customers_are_found_by_what_is_known_of_them(acme: Shop, globex: Shop, text: str, known: list[str]) -> None:
    for payer in (MARIA, JOSE, LOJA):
        order(acme.sandbox, payer=payer)
    order(globex.sandbox, payer=Payer(name="Globex Núñez", email="g@example.com"))

    assert names(acme.sandbox, text) == known
    assert set(names(globex.sandbox, text)) <= {"Globex Núñez"}


def test_a_customer_is_found_by_id_and_by_their_merchant_alone(acme: Shop, globex: Shop) -> None:
    known = order(acme.sandbox).customer_id

    assert customers.get(acme.sandbox, known).name == "Maria Silva"
    assert names(acme.sandbox, known) == ["Maria Silva"]
    for merchant, wrong in ((globex.sandbox, known), (acme.production, known), (acme.sandbox, "cus_\0")):
        with pytest.raises(CustomerUnknown):
            customers.get(merchant, wrong)


def test_a_standing_is_what_was_had_of_a_customer(acme: Shop, globex: Shop) -> None:
    sale(acme.sandbox, "100.00")
    card(acme.sandbox, "200.00", currency="USD")
    later(acme.sandbox, hours=1)
    last = order(acme.sandbox, "50.00")
    never_paid = sale(acme.sandbox, "70.00", payer=JOSE, status="FAILED")
    sale(globex.sandbox, "100.00")
    everybody = list(Customer.objects.all())

    found_of = standings(acme.sandbox, everybody)

    maria = found_of[last.customer_id]
    assert (maria.payments, maria.last_payment_at) == (3, last.created_at)
    assert maria.paid == {"BRL": Paid(1, 10_000, 100), "USD": Paid(1, 20_000, maria.paid["USD"].fees)}
    assert found_of[never_paid.customer_id] == CustomerStanding(1, never_paid.created_at, {})
    [theirs] = [customer.pk for customer in everybody if customer.merchant_id == globex.sandbox.pk]
    assert found_of[theirs] == CustomerStanding()


def test_payments_and_refunds_of_a_customer_are_theirs_alone(acme: Shop, globex: Shop) -> None:
    marias, joses = sale(acme.sandbox), sale(acme.sandbox, payer=JOSE)
    for made in (marias, joses):
        refunds.dispute(acme.sandbox, made.pk)

    def told(merchant: Merchant, customer: str) -> tuple[list[str], list[str]]:
        payments: Any = found(merchant, Search(customer_id=customer)).rows
        return [one.pk for one in payments], [one.payment_id for one in listed(merchant, customer_id=customer)]

    assert told(acme.sandbox, marias.customer_id) == ([marias.pk], [marias.pk])
    assert told(globex.sandbox, marias.customer_id) == ([], [])
