"""Whoever holds a receipt finds out whether it is ours, and learns nothing that is not on the paper."""

import pytest
from django.http import HttpResponse
from django.test import Client

from gateway.payments.models import Payment
from gateway.receipts.verification import code, is_right, link, receipt_id
from tests.support.companies import Shop
from tests.support.orders import Ordered

ANOTHER_KEY = "another-key-" + "1" * 50


def visit(receipt: str, code: str, **headers: str) -> HttpResponse:
    return Client().get(f"/receipts/{receipt}", {"code": code}, headers=headers)


def page_of(payment: Payment) -> HttpResponse:
    return visit(receipt_id(payment), code(payment))


def test_the_page_shows_what_the_paper_says_and_no_more(ordered: Ordered) -> None:
    payment = ordered("PIX", "PAID")

    page = page_of(payment)

    text = page.content.decode()
    assert page.status_code == 200
    for shown in (
        "Acme",
        "R$\u00a01.234,50",
        "Pago",
        "CPF ***.982.247-**",
        "horário de Brasília",
        "SANDBOX · SEM VALOR",
    ):
        assert shown in text
    for hidden in (
        "Maria", "52998224725", "11222333000181", "Acme LTDA", payment.reference, payment.customer_id, payment.id,
        payment.rail_reference, "Valor reembolsado",
    ):  # fmt: skip
        assert str(hidden) not in text


def test_the_page_says_what_became_of_the_payment(ordered: Ordered) -> None:
    payment = ordered("SPEI", "PAID")
    Payment.objects.update(refunded_amount=5000)  # there are no refunds yet
    partly = page_of(payment).content.decode()
    Payment.objects.update(refunded_amount=payment.amount, status="REFUNDED")
    whole = page_of(payment).content.decode()
    Payment.objects.update(refunded_amount=0, status="PAID")

    assert ">Pagado<" in partly
    assert "$50.00\u00a0MXN" in partly
    assert ">Reembolsado<" in whole
    assert ">Pagado<" not in whole
    assert whole.count("$234,567.89\u00a0MXN") == 2


def test_the_page_is_kept_nowhere_and_leads_nowhere(ordered: Ordered) -> None:
    payment = ordered("PIX", "PAID")

    for page in (page_of(payment), visit(receipt_id(payment), "wrong")):
        assert page["Cache-Control"] == "no-store"
        assert page["Referrer-Policy"] == "no-referrer"
        assert page["X-Robots-Tag"] == "noindex"
        assert "default-src 'self'" in page["Content-Security-Policy"]
        assert "Set-Cookie" not in page
        assert b"<script" not in page.content


def test_everything_else_is_answered_alike(ordered: Ordered) -> None:
    paid, other, pending = ordered("PIX", "PAID"), ordered("PIX", "PAID"), ordered("PIX")
    failed, expired = ordered("PIX", "FAILED"), ordered("PIX", "EXPIRED")

    answers = [
        visit(receipt_id(paid), ""),
        visit(receipt_id(paid), code(other)),
        visit(receipt_id(paid), code(paid)[:-1]),
        visit(receipt_id(paid), "é" * 16),
        visit(receipt_id(paid).lower(), code(paid)),
        visit(paid.id, code(paid)),
        visit("rcp_01KAGTW3Q8XJ5V0N2B7R4C9DEF", code(Payment(id="pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF"))),
        visit("rcp_" + "x" * 500, "x"),
        visit("rcp_%00", "\x00"),
        *[page_of(payment) for payment in (pending, failed, expired)],
    ]

    assert {(answer.status_code, answer.content) for answer in answers} == {(404, answers[0].content)}
    assert "There is no such receipt." in answers[0].content.decode()
    assert Client().get(f"/receipts/{receipt_id(paid)}").content == answers[0].content


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("pt-BR,pt;q=0.9", "Este comprovante não existe."),
        ("pt-PT", "Este comprovante não existe."),
        ("es-MX", "Este comprobante no existe."),
        ("de", "There is no such receipt."),
    ],
)
def test_what_is_unknown_is_said_in_the_language_of_its_reader(db: None, language: str, sentence: str) -> None:
    assert sentence in visit("rcp_x", "x", **{"accept-language": language}).content.decode()


def test_nothing_is_posted_to_the_page(ordered: Ordered) -> None:
    assert Client().post(f"/receipts/{receipt_id(ordered('PIX', 'PAID'))}").status_code == 405


def test_the_code_may_be_typed_by_hand(ordered: Ordered) -> None:
    payment = ordered("PIX", "PAID")

    for typed in (code(payment).lower(), code(payment).replace("-", ""), code(payment).replace("-", " ")):
        assert visit(receipt_id(payment), typed).status_code == 200


def test_a_code_outlives_its_key_as_long_as_the_key_is_a_fallback(ordered: Ordered, settings: object) -> None:
    payment = ordered("PIX", "PAID")
    printed, old = code(payment), settings.SECRET_KEY  # type: ignore[attr-defined]

    settings.SECRET_KEY = ANOTHER_KEY  # type: ignore[attr-defined]
    assert code(payment) != printed
    assert not is_right(printed, payment.id)

    settings.SECRET_KEY_FALLBACKS = [old]  # type: ignore[attr-defined]
    assert is_right(printed, payment.id)
    assert is_right(code(payment), payment.id)
    assert visit(receipt_id(payment), printed).status_code == 200


def test_the_address_is_that_of_the_environment(acme: Shop, settings: object) -> None:
    settings.BASE_URL = "https://live.example"  # type: ignore[attr-defined]
    settings.SANDBOX_BASE_URL = "https://sandbox.example"  # type: ignore[attr-defined]
    payment = Payment(id="pay_X", merchant=acme.sandbox)

    assert link(payment).startswith("https://sandbox.example/receipts/rcp_X?code=")
    payment.merchant = acme.production
    assert link(payment).startswith("https://live.example/receipts/rcp_X?code=")
