"""Giving money back from the page of a payment: what it says beforehand, once, and what it refuses."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.models import AuditEntry
from accounts.roles import Role
from gateway.refunds.models import Refund
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.pages import Page, once, text_of
from tests.support.payments import a_payment
from tests.support.people import a_member, set_up, signed_in
from tests.support.refunds import disputed, nothing_moves, paid, refunded, withdraw_all_but

pytestmark = pytest.mark.django_db


def given_back(person: Client, page: Page, payment_id: str, **given: Any) -> HttpResponse:
    """Fills the form in, and presses the button of the last look."""
    look = person.post(page("ask_refund", payment_id), once(**given))
    assert "Confirm the refund" in text_of(look)
    return person.post(page("confirm_refund", payment_id), form_in(look.content))


# ── The last look ─────────────────────────────────────────────────────────────────────────────────────────────────
def test_the_last_look_says_everything_and_moves_nothing(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    a_payment(acme.sandbox, "PAID")

    with nothing_moves(acme):
        shown = text_of(support.post(page("ask_refund", payment.pk), once(how="part", amount="40.50")))

    for said in (
        "Payer Maria Silva",
        "The same way as the payment: PIX",
        "Goes back to the payer R$40.50",
        "From your available balance R$40.50",
        "Available now R$297.00",
        "Available afterwards R$256.50",
        "Our fee (not refunded) R$1.50",
        "Remaining of the payment afterwards R$109.50",
        "Refund R$40.50",
    ):
        assert said in shown


def test_exactly_the_amount_of_the_button_goes_back(acme: Shop, api: Api, support: Client, page: Page) -> None:
    payment = paid(api)
    paid(api)
    look = support.post(page("ask_refund", payment), once(how="all"))
    assert "Refund R$150.00" in text_of(look)
    refunded(api, payment, amount=50)

    with nothing_moves(acme):
        refused = text_of(support.post(page("confirm_refund", payment), form_in(look.content)))

    assert "nothing left to refund" in refused


def test_what_was_typed_can_be_changed_again(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    a_payment(acme.sandbox, "PAID")
    look = form_in(
        support.post(page("ask_refund", payment.pk), once(how="part", amount="40,50", reason="Gone")).content
    )

    with nothing_moves(acme):
        again = form_in(support.post(page("ask_refund", payment.pk), look | {"change": "1"}).content)

    assert (again["how"], again["amount"], again["reason"]) == ("part", "40,50", "Gone")
    assert again["once"] != look["once"]


def test_a_confirmation_without_a_last_look_moves_nothing(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    with nothing_moves(acme):
        assert "Make a refund" in text_of(support.post(page("confirm_refund", payment.pk), once(how="all")))
        assert support.get(page("confirm_refund", payment.pk)).status_code == 405


# ── What it does ──────────────────────────────────────────────────────────────────────────────────────────────────
def test_everything_that_is_left_goes_back(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    a_payment(acme.sandbox, "PAID")

    answer = given_back(support, page, payment.pk, how="all", reason="Out of stock", reference="rf-1")

    refund = Refund.objects.get()
    assert answer["Location"] == page("refund", refund.pk)
    assert (refund.amount, refund.is_full, refund.reason, refund.reference) == (15000, True, "Out of stock", "rf-1")
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.object_id) == ("refund.asked", refund.pk)
    assert entry.after == {"paymentId": payment.pk, "amount": "150.00", "currency": "BRL"}


def test_a_part_goes_back_and_the_rest_is_left(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")

    given_back(support, page, payment.pk, how="part", amount="40,50")

    assert Refund.objects.get().amount == 4050
    assert "Refunds in progress −R$40.50 Left R$109.50" in text_of(support.get(page("ask_refund", payment.pk)))


def test_it_is_said_what_it_will_do(acme: Shop, api: Api, support: Client, page: Page) -> None:
    pix, card = paid(api), paid(api, "CREDIT_CARD")

    shown = text_of(support.get(page("ask_refund", pix)))
    part = text_of(support.get(page("ask_refund", card), {"how": "part", "amount": "195"}))
    more = text_of(support.get(page("ask_refund", pix), {"how": "part", "amount": "9999"}))

    assert "What it does R$150.00" in shown
    assert "R$150.00 is taken from your available balance, which is now R$148.50." in shown
    assert "You are R$1.50 short: the refund will be rejected until more money is available." in shown
    assert "Our fee of R$1.50 is not refunded" in shown
    assert "What it does R$195.00" in part
    assert "R$192.02 is taken from the part of this payment that is still releasing." in part
    assert "R$2.98 is taken from your available balance" in part
    assert "What it does R$150.00" in more


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"how": "part"}, "How much?"),
        ({"how": "part", "amount": "150.01"}, "That is more than the remaining amount."),
        ({"how": "part", "amount": "much"}, "An amount above zero, like 150.00."),
        ({"how": "part", "amount": "1.2345"}, "At most 2 decimal places."),
        ({"how": "part", "amount": "-1"}, "An amount above zero, like 150.00."),
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


def test_all_of_it_and_another_amount_are_not_both_meant(acme: Shop, api: Api, support: Client, page: Page) -> None:
    payment = paid(api)
    paid(api)

    with nothing_moves(acme):
        shown = text_of(support.post(page("ask_refund", payment), once(how="all", amount="40.50")))
    assert "You chose the full remaining amount and also entered an amount." in shown
    assert "Confirm the refund" in text_of(support.post(page("ask_refund", payment), once(how="all", amount="150.00")))


def test_a_short_balance_refuses_and_says_so(acme: Shop, api: Api, support: Client, page: Page) -> None:
    payment = paid(api)
    withdraw_all_but(acme, 100)
    with nothing_moves(acme):
        shown = text_of(support.post(page("ask_refund", payment), once(how="all")))
    assert "Insufficient available balance." in shown


def test_a_reference_is_used_once(acme: Shop, support: Client, page: Page) -> None:
    a_payment(acme.sandbox, "PAID")
    payment = a_payment(acme.sandbox, "PAID").pk
    given_back(support, page, payment, how="part", amount="1", reference="rf-1")
    with nothing_moves(acme):
        shown = text_of(given_back(support, page, payment, how="part", amount="1", reference="rf-1"))
    assert "Another one already has this reference." in shown


def test_what_is_disputed_meanwhile_is_not_refunded(acme: Shop, api: Api, support: Client, page: Page) -> None:
    payment = paid(api)
    disputed(api, payment)
    with nothing_moves(acme):
        assert "disputes it" in text_of(support.post(page("ask_refund", payment), once(how="all")))


def test_a_form_that_is_sent_twice_refunds_once(acme: Shop, support: Client, page: Page) -> None:
    a_payment(acme.sandbox, "PAID")
    payment = a_payment(acme.sandbox, "PAID")
    look = form_in(support.post(page("ask_refund", payment.pk), once(how="all")).content)

    first = support.post(page("confirm_refund", payment.pk), look)
    second = support.post(page("confirm_refund", payment.pk), look)

    assert Refund.objects.get().amount == 15000
    assert first["Location"] == second["Location"] == page("refund", Refund.objects.get().pk)
    assert "nothing was done twice" in text_of(support.get(second["Location"]))


# ── Where a boleto goes ───────────────────────────────────────────────────────────────────────────────────────────
def test_a_boleto_goes_back_to_the_payers_tax_id(acme: Shop, api: Api, support: Client, page: Page) -> None:
    payment = paid(api, "BOLETO")
    paid(api)

    look = text_of(support.post(page("ask_refund", payment), once(how="all")))
    given_back(support, page, payment, how="all")

    assert "PIX key Their tax id: 11444777000161" in look
    assert Refund.objects.get().destination == {"pixKey": "11444777000161", "pixKeyType": "CNPJ"}


def test_support_sends_a_boleto_to_no_other_key(acme: Shop, api: Api, support: Client, page: Page) -> None:
    payment = paid(api, "BOLETO")
    paid(api)
    wanted = once(how="all", key_type="EMAIL", key="thief@evil.example", minor="1000")

    with nothing_moves(acme):
        asked = text_of(support.post(page("ask_refund", payment), wanted))
        confirmed = text_of(support.post(page("confirm_refund", payment), wanted))

    assert "Only an owner or a member of Finance" in asked
    assert "Only an owner or a member of Finance" in confirmed


def test_another_key_takes_a_fresh_second_factor(acme: Shop, api: Api, page: Page) -> None:
    payment = paid(api, "BOLETO")
    paid(api)
    person = a_member(acme.company, Role.FINANCE)
    set_up(person)
    wanted = once(how="all", key_type="EMAIL", key="thief@evil.example", minor="1000")

    with nothing_moves(acme):
        asked = signed_in(person).post(page("ask_refund", payment), wanted)
        confirmed = signed_in(person).post(page("confirm_refund", payment), wanted)

    assert "reauthenticate" in asked["Location"]
    assert "reauthenticate" in confirmed["Location"]


def test_another_key_is_named_in_the_last_look_and_in_the_audit(
    acme: Shop, api: Api, finance: Client, page: Page
) -> None:
    payment = paid(api, "BOLETO")
    paid(api)
    wanted = {"how": "part", "amount": "10", "key_type": "EMAIL", "key": "maria@example.com"}

    look = text_of(finance.post(page("ask_refund", payment), once(**wanted)))
    given_back(finance, page, payment, **wanted)

    assert "not the payer's own tax id" in look
    assert "maria@example.com (EMAIL)" in look
    assert Refund.objects.get().destination == {"pixKey": "maria@example.com", "pixKeyType": "EMAIL"}
    asked = AuditEntry.objects.get(action="refund.asked")
    assert asked.after == {"paymentId": payment, "amount": "10.00", "currency": "BRL", "pixKey": "m***@example.com"}


def test_what_is_no_key_is_said_at_the_field(acme: Shop, api: Api, support: Client, page: Page) -> None:
    first = paid(api, "BOLETO")
    paid(api)
    wrong = once(how="all", key_type="EMAIL", key="nobody")
    with nothing_moves(acme):
        assert "Is no PIX key of this type." in text_of(support.post(page("ask_refund", first), wrong))
        no_key = once(how="all", key_type="EMAIL")
        assert "Which key?" in text_of(support.post(page("ask_refund", first), no_key))


def test_who_may_not_refund_moves_nothing(acme: Shop, viewer: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    with nothing_moves(acme):
        assert viewer.post(page("ask_refund", payment.pk), once(how="all")).status_code == 403
        assert viewer.post(page("confirm_refund", payment.pk), once(how="all", minor="100")).status_code == 403
    assert page("ask_refund", payment.pk) not in viewer.get(page("payment", payment.pk)).content.decode()
