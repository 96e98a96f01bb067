"""The receipt on paper, read by poppler and by a scanner, as somebody who was handed it would."""

from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from PIL import Image

from accounts.models import Logo
from gateway.receipts.facts import ReceiptFacts, ReceiptRow, facts
from gateway.receipts.pdf import render
from gateway.receipts.verification import code
from tests.support.orders import Ordered
from tests.support.pdf import lines_of, poppler, printed, scan

BRAZIL = "horário de Brasília"


def without_mark(shown: ReceiptFacts) -> ReceiptFacts:
    return replace(shown, is_sandbox=False)


@pytest.mark.parametrize(
    ("method", "zone", "hours", "shown"),
    [
        ("PIX", BRAZIL, -3, [
            "Comprovante de pagamento", "R$ 1.234,50", "Forma de pagamento Pix", "Pagador Maria Silva",
            "CPF ***.982.247-**", "Recebedor Acme LTDA", "CNPJ 11.222.333/0001-81", "ID da transação Pix {rail}",
            "Referência {reference}",
        ]),
        ("BOLETO", BRAZIL, -3, [
            "R$ 1.234,50", "Forma de pagamento Boleto", "Pagador Loja Irmãos Ñuñez", "CNPJ **.444.777/****-**",
            "Vencimento {payment.due_date:%d/%m/%Y}",
        ]),
        ("SPEI", "hora de Ciudad de México", -6, [
            "Comprobante de pago", "$234,567.89 MXN", "Forma de pago SPEI", "Pagador José Núñez", "*****612*****",
            "Clave de rastreo {rail}",
        ]),
        ("BANK_TRANSFER", "hora de Buenos Aires", -3, [
            "$ 1.234,50 ARS", "Forma de pago Transferencia bancaria", "Pagador Martín Gómez", "****345****",
            "Clave de rastreo {rail}",
        ]),
        ("MB_WAY", "hora de Lisboa", None, [
            "Comprovativo de pagamento", "1 234,50 €", "Forma de pagamento MB WAY", "Ordenante João Conceição",
        ]),
    ],
)  # fmt: skip
def test_the_page_says_what_was_paid_in_the_way_of_its_market(
    ordered: Ordered, method: str, zone: str, hours: int | None, shown: list[str]
) -> None:
    payment = ordered(method, "PAID")

    page = lines_of(without_mark(facts(payment)))

    assert payment.paid_at is not None
    found = " | ".join(page)
    for text in shown:
        assert text.format(rail=payment.rail_reference, reference=payment.reference, payment=payment) in found, text
    if hours is not None:
        local = payment.paid_at + timedelta(hours=hours)
        assert f"{local:%d/%m/%Y %H:%M:%S} ({zone})" in found
    assert found.count(f"({zone})") == 2
    for known in (payment.id, "rcp_" + payment.id[4:], code(payment), "Acme"):
        assert known in found


@pytest.mark.parametrize("method", ["PIX", "SPEI", "BANK_TRANSFER", "MB_WAY"])
def test_the_payer_reads_of_no_fee_and_no_whole_document(ordered: Ordered, method: str) -> None:
    payment = ordered(method, "PAID")

    page = " ".join(lines_of(facts(payment))).lower()

    for secret in ("fee", "taxa", "tarifa", "comis", "net", "líquido", "neto"):
        assert secret not in page.split(), secret
    for minor in (payment.fee, payment.net):
        digits = f"{minor / 100:.2f}"
        assert digits not in page
        assert digits.replace(".", ",") not in page
    assert (payment.payer["taxId"] or "nothing") not in page


@pytest.mark.parametrize("method", ["PIX", "SPEI"])
def test_the_qr_code_leads_to_the_page_that_verifies_it(ordered: Ordered, method: str) -> None:
    payment = ordered(method, "PAID")

    plain = render(facts(payment))
    drawn = BytesIO()
    Image.new("RGBA", (480, 90), (200, 30, 30, 128)).save(drawn, "PNG")
    Logo.objects.create(company=payment.merchant.company, name="thelogo", content=drawn.getvalue())

    shown = render(facts(payment))
    [(kind, address, _)] = scan(printed(shown, 150))

    assert kind == "QRCODE"
    assert address == f"http://localhost:8000/receipts/rcp_{payment.id[4:]}?code={code(payment)}"
    parts = urlsplit(address)
    assert b"/logos/thelogo.png" in Client().get(f"{parts.path}?{parts.query}").content
    assert shown.count(b"/Subtype /Image") > plain.count(b"/Subtype /Image")


def test_a_sandbox_receipt_says_loudly_that_it_is_worth_nothing(ordered: Ordered) -> None:
    shown = facts(ordered("PIX", "PAID"))

    marked = poppler("pdftotext", "-raw", "-", "-", pdf=render(shown)).decode()
    plain = poppler("pdftotext", "-raw", "-", "-", pdf=render(without_mark(shown))).decode()

    assert shown.is_sandbox
    assert marked.count("SANDBOX · SEM VALOR") == 3
    assert "SANDBOX" not in plain


def test_a_refunded_payment_is_marked_and_its_refunds_are_listed(ordered: Ordered) -> None:
    payment = ordered("PIX", "PAID")
    payment.status, payment.refunded_amount = "REFUNDED", payment.amount  # there are no refunds yet
    refunds = ["R$ 1.000,00 · 21/11/2026 09:00:00 · ref_1", "R$ 234,50 · 22/11/2026 09:00:00 · ref_2"]

    shown = replace(without_mark(facts(payment)), refunds=refunds)
    page = lines_of(shown)

    assert "REEMBOLSADO" in poppler("pdftotext", "-raw", "-", "-", pdf=render(shown)).decode()
    assert "Valor reembolsado: R$ 1.234,50" in page
    assert f"Reembolsos {refunds[0]}" in page
    assert refunds[1] in page
    assert not any(line.endswith(" Pago") for line in page)


def test_refunds_that_find_no_room_are_counted(ordered: Ordered) -> None:
    refunds = [f"R$ 1,00 · 21/11/2026 09:00:00 · ref_{number}" for number in range(1, 101)]

    page = lines_of(replace(without_mark(facts(ordered("PIX", "PAID"))), refunds=refunds))

    shown = [line for line in page if "ref_" in line]
    assert f"e mais {100 - len(shown)}" in page
    assert len(shown) > 10


@pytest.mark.parametrize("letter", ["W", "ñ", "i", "日", "\u202e"])
def test_nothing_runs_over_the_edge_or_into_the_foot(ordered: Ordered, letter: str) -> None:
    shown = without_mark(facts(ordered("PIX", "PAID")))
    plain = printed(render(shown), 100)
    rows = [ReceiptRow(row.title, [letter * 128] + ["x"] * (len(row.lines) - 1)) for row in shown.rows[1:4]]

    long = replace(shown, company=letter * 120, rows=[*rows, *shown.rows[4:]], refunds=["n"] * 60, refunded="R$ 1")
    page = printed(render(long), 100)

    foot = (0, 915, page.width, page.height)  # from 660 points down
    assert page.crop(foot).tobytes() == plain.crop(foot).tobytes()
    left, top, right, _ = page.point(lambda value: 255 if value < 128 else 0).getbbox() or (0, 0, 0, 0)
    assert (left, right) >= (78, 700)  # 57 points, and something at the right
    assert right <= 749  # 538 points
    assert top >= 60
    assert render(long).count(b"/Type /Page\n") == 1


def test_the_same_facts_give_the_same_bytes(ordered: Ordered) -> None:
    shown = facts(ordered("PIX", "PAID"))

    assert render(shown) == render(shown)


def test_a_card_is_named_by_its_last_digits(ordered: Ordered) -> None:
    payment = ordered("PIX", "PAID")
    payment.method, payment.currency = "CREDIT_CARD", "USD"  # cards cannot be paid with yet
    payment.details = {"authorizationCode": "123456", "card": {"brand": "VISA", "last4": "4242"}}

    page: list[Any] = lines_of(without_mark(facts(payment)))

    for line in ("Payment receipt", "Payment method Credit card", "Card VISA •••• 4242", "Authorization code 123456"):
        assert line in page
    assert "USD 1,234.50" in " ".join(page)
