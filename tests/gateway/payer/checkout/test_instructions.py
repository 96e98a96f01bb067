"""The page of a real payment by a redirect method: where to pay, in the payer's language, and how it ended."""

import re

import pytest
from django.test import Client

from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments import services as payments
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.checkout import BACK, Checkout, browser, questions
from tests.support.companies import Shop
from tests.support.manual_provider import connected, live, ordered

METHODS = ("PSE", "NEQUI", "BRE_B", "BANK_TRANSFER")
ACCOUNT = {
    "PSE": (),
    "NEQUI": ("Nequi number", "3001234567"),
    "BRE_B": ("Bre-B key", "@acme2026"),
    "BANK_TRANSFER": ("Tax id", "9001234567", "Bank", "Bancolombia", "Savings account", "12345678901"),
}


@pytest.fixture
def acme_live(acme: Shop, address: str) -> Api:
    connected(acme, "COP")
    return live(acme, address)


def opened(api: Api, method: str = "PSE", **members: object) -> Checkout:
    return Checkout(ordered(api, method, returnUrl=BACK, **members))


def plain(text: str) -> str:
    return text.replace("\xa0", " ")


def reference_of(checkout: Checkout) -> str:
    return str(Payment.objects.get(pk=checkout.payment["id"]).details["payTo"]["reference"])


@pytest.mark.parametrize("method", METHODS)
def test_it_says_where_to_pay_how_much_until_when_and_with_which_reference(acme_live: Api, method: str) -> None:
    checkout = opened(acme_live, method)

    text = plain(checkout.text())

    for said in ("Acme", "COP 1,500", checkout.payment["reference"], "Account holder Acme SAS", *ACCOUNT[method]):
        assert said in text
    assert f"Reference {reference_of(checkout)}" in text
    assert re.search(r"Pay until \d+ \w+ 20\d\d \d\d:\d\d \(Bogotá time\)", text)
    assert ("Transfer exactly COP 1,500" in text) == (method != "PSE")
    for other in {value for known in ACCOUNT.values() for value in known} - set(ACCOUNT[method]):
        assert other not in text
    assert questions(checkout.open()) == set()
    assert "Sandbox" not in text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("es", ("Transfiera exactamente $ 1.500", "Titular de la cuenta", "Envíe el comprobante", "hora de Bogotá")),
        ("pt-BR", ("Transfira exatamente $ 1.500", "Titular da conta", "Envíe el comprobante", "horário de Bogotá")),
        ("en", ("Transfer exactly COP 1,500", "Account holder", "Send the receipt", "Bogotá time")),
        ("fr", ("Transfiera exactamente $ 1.500", "Titular de la cuenta", "Envíe el comprobante", "hora de Bogotá")),
    ],
)
def test_it_speaks_the_payers_language_and_the_companys_words_in_the_nearest(
    acme_live: Api, language: str, said: tuple[str, ...]
) -> None:
    text = plain(opened(acme_live, "NEQUI").text(language))

    assert [words for words in said if words not in text] == []


def test_nobody_decides_anything_on_the_page(acme_live: Api) -> None:
    checkout = opened(acme_live)

    for choice in ("pay", "refuse"):
        assert checkout.choose(choice, bank="SANDBOX", person="NATURAL", email="a@b.example").status_code == 200

    assert Payment.objects.get().status == "PENDING"
    assert browser().get(f"/checkout/{checkout.token[:-1]}x").status_code == 404
    assert checkout.open()["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (PaymentOutcome(PaymentResult.DONE, reference="1"), "Thank you. Acme has been notified."),
        (
            PaymentOutcome(PaymentResult.DECLINED, failure=("NOT_PAID", "The payer did not pay.")),
            "If you have already paid, contact Acme.",
        ),
    ],
)
def test_it_says_how_it_ended_and_no_longer_where_to_pay(
    acme: Shop, acme_live: Api, outcome: PaymentOutcome, said: str
) -> None:
    checkout = opened(acme_live, "BANK_TRANSFER")
    reference = reference_of(checkout)
    payments.conclude(acme.production, checkout.payment["id"], outcome)

    text = checkout.text()

    assert said in text
    assert "12345678901" not in text and reference not in text
    assert "You have not been charged" not in text


def test_after_its_time_it_warns_not_to_pay(acme_live: Api) -> None:
    checkout = opened(acme_live, "BANK_TRANSFER")
    Payment.objects.update(expires_at=Payment.objects.get().created_at)

    text = checkout.text()

    assert "This payment has expired" in text
    assert "Do not pay it any more. If you have already paid, contact Acme." in text
    assert "12345678901" not in text


@pytest.mark.django_db(transaction=True)
def test_a_suspended_company_tells_nobody_where_to_pay(acme: Shop, acme_live: Api) -> None:
    checkout = opened(acme_live, "BANK_TRANSFER")
    acme.company.status = "SUSPENDED"
    acme.company.save()

    text = checkout.text()

    assert "Acme is not accepting payments at the moment. If you have already paid, contact Acme." in text
    assert "12345678901" not in text


def test_what_staff_enter_is_text_and_never_markup(acme: Shop, address: str) -> None:
    connected(acme, "COP", instructions_en="<script>alert(1)</script>\n\nSecond", bank="<b>Bank</b>")

    page = opened(live(acme, address), "BANK_TRANSFER").open().content.decode()

    assert "<script>alert" not in page and "<b>Bank" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<p>Second</p>" in page


def test_a_production_payment_without_instructions_has_no_page(acme: Shop, acme_live: Api) -> None:
    checkout = opened(acme_live)
    Payment.objects.update(details={"checkout": True})

    assert Client().get(checkout.path).status_code == 404
