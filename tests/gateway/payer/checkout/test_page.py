"""The page that a payer is sent to: in their language, about their payment only, and for nobody without its address."""

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts.models import Company, Environment
from gateway.methods.colombia import SandboxCheckout
from gateway.methods.registry import rail_of
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.checkout import CC, METHODS, Checkout, browser, opened, order, questions, spoken
from tests.support.companies import Shop, a_shop
from tests.support.payments import a_payment

SPANISH, PORTUGUESE, ENGLISH = "$\xa0150.000", "$\xa0150.000", "COP\xa0150,000"
POLICY = {
    "form-action 'self'", "default-src 'self'", "base-uri 'none'", "frame-ancestors 'none'", "object-src 'none'",
    "style-src 'self'", "img-src 'self' data:",
}  # fmt: skip


@pytest.fixture
def checkout(api: Api) -> Checkout:
    return opened(api)


def visit(token: str) -> HttpResponse:
    return browser().get(f"/checkout/{token}")


@pytest.mark.parametrize(
    ("asked_for", "language", "amount", "pay", "refuse"),
    [
        ("es", "es", SPANISH, "Pagar", "Rechazar"),
        ("es-CO,es;q=0.9,en;q=0.8", "es", SPANISH, "Pagar", "Rechazar"),
        ("pt-BR", "pt-br", PORTUGUESE, "Pagar", "Recusar"),
        ("pt-PT,pt;q=0.9", "pt-br", PORTUGUESE, "Pagar", "Recusar"),
        ("pt", "pt-br", PORTUGUESE, "Pagar", "Recusar"),
        ("en-GB", "en", ENGLISH, "Pay", "Decline"),
        ("fr-FR, de;q=0.9", "es", SPANISH, "Pagar", "Rechazar"),
        ("fr, es;q=0.5, en;q=0.1", "es", SPANISH, "Pagar", "Rechazar"),
        ("", "en", ENGLISH, "Pay", "Decline"),
        ("*;;q=x", "en", ENGLISH, "Pay", "Decline"),
    ],
)
def test_the_page_speaks_the_language_of_its_reader(
    checkout: Checkout, asked_for: str, language: str, amount: str, pay: str, refuse: str
) -> None:
    page = checkout.open(asked_for or " ")

    assert (page.status_code, page["Content-Language"]) == (200, language)
    assert f'<html lang="{language}">' in page.content.decode()
    assert "Accept-Language" in page["Vary"]
    assert f"{pay} {amount.replace(chr(160), ' ')}" in spoken(page)
    assert refuse in spoken(page)
    assert amount in page.content.decode()


@pytest.mark.parametrize(("language", "amount"), [("es", "$\xa01.234.567,89"), ("en", "COP\xa01,234,567.89")])
def test_cents_are_shown_where_there_are_any(api: Api, language: str, amount: str) -> None:
    assert f"<h1>{amount}</h1>" in opened(api, amount=1_234_567.89).open(language).content.decode()


@pytest.mark.parametrize(
    ("language", "method"),
    [("es", "Transferencia bancaria"), ("pt-BR", "Transferência bancária"), ("en", "Bank transfer")],
)
def test_the_method_is_named_in_the_language_of_the_reader(api: Api, language: str, method: str) -> None:
    assert f"{method} ·" in spoken(opened(api, "BANK_TRANSFER").open(language))


@pytest.mark.parametrize("method", METHODS)
def test_it_names_the_shop_the_order_and_nobody_else(api: Api, globex_api: Api, acme: Shop, method: str) -> None:
    theirs = opened(globex_api, reference="order-of-globex", payer=CC | {"name": "Pedro Gómez"})
    checkout = opened(api, method, payer=CC | {"email": "camila@example.com", "phone": "3001234567"})

    text = checkout.open().content.decode()

    for shown in ("Acme", ENGLISH, checkout.payment["reference"]):
        assert shown in text
    for hidden in (
        "Globex", theirs.payment["reference"], theirs.payment["id"], "Pedro", "Camila", CC["taxId"], "camila@",
        "3001234567", acme.company.id, acme.company.tax_id, "Acme LTDA", "customer", str(checkout.payment["fee"]),
    ):  # fmt: skip
        assert hidden not in text


@pytest.mark.parametrize(
    ("method", "payer", "asked"),
    [
        ("PSE", {}, {"bank", "person", "email"}),
        ("PSE", {"email": "camila@example.com"}, {"bank", "person"}),
        ("NEQUI", {}, {"phone"}),
        ("NEQUI", {"email": "camila@example.com"}, {"phone"}),
        ("NEQUI", {"phone": "3001234567"}, set()),
        ("NEQUI", {"phone": "+57 300 123 4567"}, set()),
        ("NEQUI", {"phone": "+351 912 344 567"}, {"phone"}),
        ("NEQUI", {"phone": "+57 601 123 4567"}, {"phone"}),
        ("BRE_B", {}, {"email"}),
        ("BRE_B", {"email": "camila@example.com"}, set()),
        ("BANK_TRANSFER", {}, {"email"}),
        ("BANK_TRANSFER", {"email": "camila@example.com"}, set()),
    ],
)
def test_it_asks_only_what_the_order_did_not_say(api: Api, method: str, payer: dict[str, str], asked: set[str]) -> None:
    assert questions(opened(api, method, payer=CC | payer).open()) == asked


def test_only_the_address_itself_opens_it(checkout: Checkout, api: Api, acme: Shop) -> None:
    payment_id, _, signature = checkout.token.partition(":")
    other, pix = opened(api).payment["id"], a_payment(acme.sandbox)
    boleto = api.post("/payments", {
        "method": "BOLETO", "amount": 100, "currency": "BRL", "reference": "b", "dueDate": str(pix.created_at.date()),
        "payer": {
            "name": "Maria Silva", "taxId": "52998224725", "email": "maria@example.com",
            "address": {
                "street": "Rua das Flores", "number": "1", "district": "Centro", "city": "São Paulo", "state": "SP",
                "postalCode": "01001000",
            },
        },
    }).json()["data"]  # fmt: skip
    changed = signature[:-2] + ("A" if signature[-2] != "A" else "B") + signature[-1]

    for forged in (
        "x", payment_id, f"{payment_id}:", f"{payment_id}:{changed}", f"{other}:{signature}", signature,
        boleto["pdfUrl"].partition("token=")[2], f"{pix.id}:{signature}", f"{checkout.token}:{signature}", "%00", "é:é",
    ):  # fmt: skip
        assert visit(forged).status_code == 404, forged
    assert visit(checkout.token).status_code == 200
    assert Client().get(f"/api/v2/payments/{boleto['id']}/boleto", {"token": checkout.token}).status_code == 401


def test_other_requests_than_a_page_and_a_choice_are_refused(checkout: Checkout) -> None:
    for method in ("PUT", "DELETE", "PATCH"):
        assert Client().generic(method, checkout.path).status_code == 405
    assert Client().head(checkout.path).status_code == 200


def test_browsers_keep_it_nowhere_frame_it_nowhere_and_tell_nobody(checkout: Checkout) -> None:
    for page in (checkout.open(), checkout.choose("pay"), checkout.pay(), checkout.open()):
        assert "no-store" in page["Cache-Control"]
        assert set(page["Content-Security-Policy"].split("; ")) == POLICY
        assert (page["X-Frame-Options"], page["X-Content-Type-Options"]) == ("DENY", "nosniff")
        assert page["Referrer-Policy"] == ("no-referrer" if page.status_code == 200 else "same-origin")
        assert page["RequestId"].startswith("req_")
        assert "Set-Cookie" not in page
        assert not page.cookies
    assert '<meta name="robots" content="noindex">' in checkout.open().content.decode()


@pytest.mark.parametrize("ended", [False, True])
def test_what_shops_write_is_text_and_never_markup(db: None, address: str, ended: bool) -> None:
    shop = a_shop("<script>alert(1)</script>")
    checkout = opened(Api(shop.sandbox_key, address), reference='"><img src=x onerror=alert(2)>')
    if ended:
        checkout.pay()

    text = checkout.open().content.decode()

    assert "<script>alert" not in text
    assert "<img" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "&lt;img src=x onerror=alert(2)&gt;" in text


@pytest.mark.django_db(transaction=True)
def test_a_company_that_is_suspended_takes_nothing(checkout: Checkout, acme: Shop) -> None:
    Company.objects.filter(pk=acme.company.pk).update(status=Company.Status.SUSPENDED)

    assert questions(checkout.open()) == set()
    assert "Acme is not accepting payments at the moment. You have not been charged." in checkout.text()
    assert checkout.pay().status_code == 303
    assert Payment.objects.get().status == "PENDING"


@pytest.mark.parametrize("method", METHODS)
def test_production_has_no_checkout(acme: Shop, address: str, method: str) -> None:
    refused = Api(acme.production_key, address).post("/payments", order(method))

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "ONP403_METHOD_NOT_ENABLED")
    assert Payment.objects.count() == 0
    assert not isinstance(rail_of(method, "COP", Environment.PRODUCTION), SandboxCheckout)
