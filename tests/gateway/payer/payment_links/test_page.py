"""The page of a link takes what the link says, of whoever has its address, and shows nothing else of the company."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.base import clock
from accounts.models import Company
from gateway.payer.payment_links.pages import COOKIE
from gateway.payment_links import services
from gateway.payment_links.models import State
from gateway.payments.models import Payment
from gateway.simulations.services import advance
from tests.support.api import Api
from tests.support.checkout import browser, questions, spoken
from tests.support.companies import Shop
from tests.support.payment_links import TYPED, LinkPage, a_link
from tests.support.rows import rows

really = pytest.mark.django_db(transaction=True)


def page_after(answer: object) -> str:
    return spoken(browser().get(answer["Location"], headers={"accept-language": "en"}))  # type: ignore[index]


def test_a_payer_pays_by_pix(api: Api, acme: Shop) -> None:
    page = LinkPage(a_link(api, description="<b>Course</b> & more"))

    chooses = browser().get(page.path, headers={"accept-language": "es"})
    fills_in = page.open()
    answer = page.pay()

    said = spoken(chooses)
    assert "¿Cómo quiere pagar?" in said and said.index("Pix") < said.index("Tarjeta de crédito") < said.index("Boleto")
    assert b"&lt;b&gt;Course&lt;/b&gt; &amp; more" in fills_in.content
    assert questions(fills_in) == {"once", "method", "name", "taxId"}
    assert acme.company.tax_id.encode() not in fills_in.content and acme.company.id.encode() not in fills_in.content
    payment = Payment.objects.get()
    assert (payment.amount, payment.payer["taxId"], payment.payment_link_id) == (15_000, "52998224725", page.link.id)
    assert answer.status_code == 303
    asked = page_after(answer)
    assert payment.details["pixCopyPaste"] in asked
    assert "Course" in asked and payment.reference not in asked, "a reference that we made says nothing to a payer"
    assert fills_in["Referrer-Policy"] == "no-referrer" and "form-action 'self'" in fills_in["Content-Security-Policy"]


def test_what_the_payer_changes_in_the_form_changes_nothing(api: Api) -> None:
    page = LinkPage(a_link(api, methods=["PIX"]))

    assert page.pay(amount="1", currency="MXN", reference="mine", payment_link_id="x").status_code == 303

    payment = Payment.objects.get()
    assert (payment.amount, payment.currency, payment.reference[:5]) == (15_000, "BRL", "link-")


@rows(
    ("said", "words"),
    [("5", "Check this value."), ("12.3456", "At most two"), ("ten", "Write the amount"), ("1" * 40, "too large")],
)
def test_an_amount_out_of_bounds_is_refused(api: Api, said: str, words: str) -> None:
    page = LinkPage(a_link(api, amount=None, minAmount=10, maxAmount=20, methods=["PIX"]))

    answer = page.pay(amount=said)

    assert words in spoken(answer)
    assert not Payment.objects.exists()


def test_a_method_that_the_link_does_not_have_cannot_be_chosen(api: Api) -> None:
    page = LinkPage(a_link(api, methods=["BOLETO", "CREDIT_CARD"]), method="PIX")

    answer = page.pay()

    assert "How do you want to pay?" in spoken(answer)
    assert not Payment.objects.exists()


@really
def test_a_link_that_is_paused_in_another_tab_takes_nothing(api: Api, acme: Shop) -> None:
    page = LinkPage(a_link(api))
    page.open()
    services.change(acme.sandbox, page.link.id, State.PAUSED)

    answer = page.pay()

    assert (answer.status_code, Payment.objects.count()) == (409, 0)
    assert "This link does not take payments at the moment." in spoken(answer)


def test_a_suspended_company_takes_nothing(api: Api, acme: Shop) -> None:
    page = LinkPage(a_link(api))
    Company.objects.filter(pk=acme.company.pk).update(status=Company.Status.SUSPENDED)

    assert page.pay().status_code == 409

    assert not Payment.objects.exists()


def test_a_card_leads_to_the_card_page_and_back(api: Api) -> None:
    page = LinkPage(a_link(api), method="CREDIT_CARD")

    answer = page.pay()

    payment = Payment.objects.get()
    assert payment.return_url and payment.return_url.endswith(page.path)
    card_page = browser().get(answer["Location"])
    assert (card_page.status_code, "/checkout/" in card_page["Location"]) == (302, True)
    back = browser().get(f"{page.path}?paymentId={payment.id}", headers={"accept-language": "en"})
    assert "Not decided yet" in spoken(back) and payment.reference not in spoken(back)


def test_who_closed_the_tab_goes_on_or_pays_another_way_and_others_see_when_they_can_pay(api: Api, acme: Shop) -> None:
    page = LinkPage(a_link(api, maxUses=1))
    payer, english = browser(), {"accept-language": "en"}
    began = payer.post(page.path, {"method": "PIX", "once": str(uuid4())} | TYPED, headers=english)

    again = payer.get(page.path, headers=english)
    other = browser().get(page.path, headers=english)
    forged = browser()
    forged.cookies[COOKIE] = Payment.objects.get().id

    assert began["Location"].encode() in again.content and "Continue with your payment" in spoken(again)
    assert began.cookies[COOKIE]["path"] == page.path and began.cookies[COOKIE]["httponly"]
    assert "you can pay in 29" in spoken(other).replace("\xa0", " ")
    for stranger in (other, forged.get(page.path, headers=english)):
        assert began["Location"].encode() not in stranger.content
    back = payer.post(began["Location"], headers=english)
    assert (back.status_code, back["Location"].endswith(page.path)) == (303, True)
    assert Payment.objects.get().status == "EXPIRED"
    assert "How do you want to pay?" in spoken(payer.get(page.path, headers=english)), "another way"
    payer.post(page.path, {"method": "PIX", "once": str(uuid4())} | TYPED, headers=english)
    advance(acme.sandbox, to=clock.now(acme.sandbox) + timedelta(minutes=31))
    assert "How do you want to pay?" in spoken(payer.get(page.path, headers=english))


def test_addresses_are_not_guessed_and_payments_of_other_links_are_not_shown(api: Api) -> None:
    page, other = LinkPage(a_link(api)), LinkPage(a_link(api))
    other.pay()

    assert browser().get("/pay/unknown").status_code == 404
    assert browser().get(f"/pay/{page.link.id}").status_code == 404
    assert browser().get(f"{page.path}?paymentId={Payment.objects.get().id}").status_code == 302


def test_payments_at_a_link_are_limited(api: Api, settings: Settings) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"link_payers": 1}
    page, payer = LinkPage(a_link(api)), Client(REMOTE_ADDR="203.0.113.77")

    answers = [payer.post(page.path, {"method": "PIX"}).status_code for _ in range(2)]

    assert answers == [200, 429]
    assert payer.get(page.path).status_code == 200
