"""Giving money back from the page of a payment: what it says beforehand, once, and what it refuses."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEntry
from gateway.refunds.models import Refund
from tests.client import Api
from tests.dashboard.conftest import Page
from tests.dashboard.payments.conftest import once, text_of
from tests.factories import Shop, a_payment
from tests.gateway.refunds.paying_back import disputed, nothing_moves, paid, withdraw_all_but

pytestmark = pytest.mark.django_db


def test_everything_that_is_left_goes_back(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    a_payment(acme.sandbox, "PAID")

    answer = support.post(page("ask_refund", payment.pk), once(how="all", reason="Out of stock", reference="rf-1"))

    refund = Refund.objects.get()
    assert answer["Location"] == page("refund", refund.pk)
    assert (refund.amount, refund.is_full, refund.reason, refund.reference) == (15000, True, "Out of stock", "rf-1")
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.object_id) == ("refund.asked", refund.pk)
    assert entry.after == {"paymentId": payment.pk, "amount": "150.00", "currency": "BRL"}


def test_a_part_goes_back_and_the_rest_is_left(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")

    support.post(page("ask_refund", payment.pk), once(how="part", amount="40,50"))

    assert Refund.objects.get().amount == 4050
    assert "Refunds under way − R$40.50 Left R$109.50" in text_of(support.get(page("ask_refund", payment.pk)))


def test_it_is_said_what_it_will_do(acme: Shop, api: Api, support: Client, page: Page) -> None:
    pix, card = paid(api), paid(api, "CREDIT_CARD")

    shown = text_of(support.get(page("ask_refund", pix)))
    part = text_of(support.get(page("ask_refund", card), {"how": "part", "amount": "195"}))
    more = text_of(support.get(page("ask_refund", pix), {"how": "part", "amount": "9999"}))

    assert "What it does R$150.00" in shown
    assert "R$150.00 comes out of your available balance, which is R$148.50 now." in shown
    assert "R$1.50 is missing: the refund would be refused until more money is available." in shown
    assert "Our fee of R$1.50 stays paid" in shown
    assert "What it does R$195.00" in part
    assert "R$192.02 comes out of what is still releasing from this payment." in part
    assert "R$2.98 comes out of your available balance" in part
    assert "What it does R$150.00" in more


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"how": "part"}, "How much?"),
        ({"how": "part", "amount": "150.01"}, "That is more than what is left."),
        ({"how": "part", "amount": "much"}, "An amount, like 150.00."),
        ({"how": "part", "amount": "1.234"}, "At most 2 decimals."),
        ({"how": "part", "amount": "-1"}, "An amount, like 150.00."),
        ({"how": "half"}, "half"),
        ({"how": "all", "reason": "x" * 256}, "255"),
    ],
)
def test_what_makes_no_sense_moves_nothing(
    given: dict[str, Any], said: str, acme: Shop, support: Client, page: Page
) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    with nothing_moves(acme):
        assert said in text_of(support.post(page("ask_refund", payment.pk), once(**given)))


def test_a_short_balance_refuses_and_says_so(acme: Shop, api: Api, support: Client, page: Page) -> None:
    payment = paid(api)
    withdraw_all_but(acme, 100)
    with nothing_moves(acme):
        shown = text_of(support.post(page("ask_refund", payment), once(how="all")))
    assert "The available balance is too small for this." in shown


def test_a_reference_is_used_once(acme: Shop, support: Client, page: Page) -> None:
    a_payment(acme.sandbox, "PAID")
    payment = page("ask_refund", a_payment(acme.sandbox, "PAID").pk)
    support.post(payment, once(how="part", amount="1", reference="rf-1"))
    with nothing_moves(acme):
        shown = text_of(support.post(payment, once(how="part", amount="1", reference="rf-1")))
    assert "There is another one with this reference." in shown


def test_what_is_disputed_meanwhile_is_not_refunded(acme: Shop, api: Api, support: Client, page: Page) -> None:
    payment = paid(api)
    disputed(api, payment)
    with nothing_moves(acme):
        assert "disputes it" in text_of(support.post(page("ask_refund", payment), once(how="all")))


def test_a_form_that_is_sent_twice_refunds_once(acme: Shop, support: Client, page: Page) -> None:
    a_payment(acme.sandbox, "PAID")
    payment = a_payment(acme.sandbox, "PAID")
    form = once(how="part", amount="10")

    support.post(page("ask_refund", payment.pk), form)
    support.post(page("ask_refund", payment.pk), form)

    assert Refund.objects.get().amount == 1000


def test_a_boleto_goes_back_to_a_pix_key(acme: Shop, api: Api, support: Client, page: Page) -> None:
    first, second = paid(api, "BOLETO"), paid(api, "BOLETO")
    paid(api)
    wrong = once(how="all", key_type="EMAIL", key="nobody")
    with nothing_moves(acme):
        assert "Is no PIX key of this type." in text_of(support.post(page("ask_refund", first), wrong))
        no_key = once(how="all", key_type="EMAIL")
        assert "Which key?" in text_of(support.post(page("ask_refund", first), no_key))

    support.post(page("ask_refund", first), once(how="all", key_type="EMAIL", key="maria@example.com"))
    support.post(page("ask_refund", second), once(how="all"))

    to_email, to_tax_id = Refund.objects.order_by("created_at", "pk")
    assert to_email.destination == {"pixKey": "maria@example.com", "pixKeyType": "EMAIL"}
    assert to_tax_id.destination
    assert to_tax_id.destination["pixKeyType"] == "CNPJ"


def test_who_may_not_refund_moves_nothing(acme: Shop, viewer: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    with nothing_moves(acme):
        assert viewer.post(page("ask_refund", payment.pk), once(how="all")).status_code == 403
    assert page("ask_refund", payment.pk) not in viewer.get(page("payment", payment.pk)).content.decode()
