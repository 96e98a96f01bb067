"""The paper of a boleto, printed by poppler and read by a scanner, as a payer's would be."""

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.methods.boleto.pdf import BoletoDocument, document_of, render
from gateway.methods.boleto.rail import SandboxBoleto
from tests.support.boletos import ADDRESS, MARIA, NOON, an_order
from tests.support.pdf import poppler, printed, scan

LONG = "Wolfeschlegelsteinhausenbergerdorff " * 4
MANY_SCRIPTS = "Łódź 日本 Ωμέγα \x00\n\u202e😀 “Açaí”"


def a_document(**changes: Any) -> BoletoDocument:
    details = SandboxBoleto().instruct(an_order(amount=Decimal("1234.56"))).details
    document = document_of(
        details,
        {"name": MARIA.name, "taxId": MARIA.tax_id, "address": ADDRESS},
        beneficiary_tax_id="11222333000181",
        amount=Decimal("1234.56"),
        created_at=NOON,
        expires_at=an_order().expires_at,
        is_payable=True,
        sandbox=True,
        paid=False,
    )
    return replace(document, **changes)


def text_of(document: BoletoDocument) -> str:
    return poppler("pdftotext", "-layout", "-", "-", pdf=render(document)).decode()


@pytest.mark.parametrize("dpi", [150, 200])
@pytest.mark.parametrize(
    "changes",
    [{}, {"paid": True}, {"sandbox": False}, {"payer_name": LONG, "payer_address": LONG * 3, "beneficiary": LONG}],
    ids=["sandbox", "paid", "production", "long"],
)
def test_a_scanner_reads_the_barcode_and_the_qr_code_of_the_page(changes: dict[str, Any], dpi: int) -> None:
    document = a_document(**changes)

    found = scan(printed(render(document), dpi))

    assert [(kind, content) for kind, content, _ in found] == [
        ("I25", document.barcode),
        ("QRCODE", document.pix_code),
    ]


def test_the_barcode_is_103_by_13_millimetres() -> None:
    page = printed(render(a_document(pix_code=None, sandbox=False)), 254)  # ten pixels a millimetre

    dark = page.crop((0, 2400, page.width, page.height)).point(lambda value: 255 if value < 128 else 0)
    left, top, right, bottom = dark.getbbox() or (0, 0, 0, 0)
    assert right - left == pytest.approx(1030, abs=4)
    assert bottom - top == pytest.approx(130, abs=4)


def test_without_pix_there_is_only_the_barcode() -> None:
    document = a_document(pix_code=None)

    assert [kind for kind, _, _ in scan(printed(render(document), 150))] == ["I25"]
    assert "PIX copia e cola" not in text_of(document)


def test_the_page_says_all_that_a_payer_and_a_bank_must_know() -> None:
    document = a_document(sandbox=False)

    page = text_of(document)

    for shown in (
        "Recibo do Pagador", "Ficha de Compensação", "Banco Sandbox", "999-7",
        "Loja Exemplo LTDA - CNPJ 11.222.333/0001-81", "Maria Silva - CPF 529.982.247-25",
        "Avenida Paulista, 1000 - Bela Vista - São Paulo/SP - CEP 01310-100", "01/12/2026", "20/11/2026",
        "R$ 1.234,56", document.document_number, document.our_number, "não receber após 04/12/2026",
        "pague apenas uma vez", "Pague com PIX",
    ):  # fmt: skip
        assert shown in page, shown
    line = document.digitable_line
    shown_line = (
        f"{line[:5]}.{line[5:10]} {line[10:15]}.{line[15:21]} {line[21:26]}.{line[26:32]} {line[32]} {line[33:]}"
    )
    assert page.count(shown_line) == 2
    assert "SANDBOX ·" not in page
    assert "PAGO" not in page


def test_the_dates_on_the_page_are_those_of_sao_paulo() -> None:
    late = datetime(2026, 11, 21, 2, 30, tzinfo=UTC)
    document = document_of(
        SandboxBoleto().instruct(an_order()).details,
        {"name": "Maria Silva", "taxId": None, "address": None},
        beneficiary_tax_id="",
        amount=Decimal(150),
        created_at=late,
        expires_at=an_order().expires_at,
        is_payable=True,
        sandbox=True,
        paid=False,
    )

    assert document.issued_on == date(2026, 11, 20)
    assert "04/12/2026" in document.instructions[1]


def test_marks_change_the_page_and_leave_the_codes_alone() -> None:
    plain = printed(render(a_document(sandbox=False)), 100)
    marked = printed(render(a_document(sandbox=True, paid=True)), 100)

    codes = (0, 975, plain.width, plain.height)  # from 247 mm down
    assert marked.crop(codes).tobytes() == plain.crop(codes).tobytes()
    assert marked.tobytes() != plain.tobytes()


def test_nothing_runs_over_the_edge_of_the_form() -> None:
    document = a_document(
        beneficiary="N" * 120, payer_name="W" * 120, payer_address="M" * 400, instructions=["O" * 900, LONG * 9] * 9
    )

    page = printed(render(document), 100).point(lambda value: 255 if value < 128 else 0)
    left, _, right, bottom = page.getbbox() or (0, 0, 0, 0)
    assert left >= 58  # 15 mm
    assert right <= 770  # 195 mm
    assert bottom <= 1085


def test_the_same_document_gives_the_same_bytes() -> None:
    assert render(a_document()) == render(a_document())


def test_letters_of_other_scripts_are_replaced_and_latin_ones_kept() -> None:
    page = text_of(a_document(payer_name=MANY_SCRIPTS))

    assert "?ódz ??" in page
    assert "“Açaí” - CPF" in page


@given(words=st.lists(st.text(max_size=200), min_size=4, max_size=4), cents=st.integers(0, 10**10 - 1))
def test_no_words_break_the_page(words: list[str], cents: int) -> None:
    name, tax_id, address, instruction = words

    pdf = render(
        a_document(
            payer_name=name,
            payer_tax_id=tax_id,
            beneficiary=name,
            payer_address=address,
            instructions=[instruction],
            amount=Decimal(cents) / 100,
        )
    )

    assert pdf.startswith(b"%PDF-")
    assert pdf.count(b"/Type /Page\n") == 1


def test_a_boleto_that_no_bank_has_registered_says_so_and_leaves_the_codes_alone() -> None:
    details = SandboxBoleto().instruct(an_order()).details | {"bankNumber": "109/00001000-7", "wallet": "109"}
    waiting = document_of(
        details,
        {"name": MARIA.name, "taxId": MARIA.tax_id, "address": ADDRESS},
        beneficiary_tax_id="11222333000181",
        amount=Decimal(150),
        created_at=NOON,
        expires_at=an_order().expires_at,
        is_payable=False,
        sandbox=False,
        paid=False,
    )
    page = text_of(waiting)
    assert "Aguarda registro no banco: ainda não pode ser pago" in page
    assert page.count("109/00001000-7") == 2
    assert "Aguarda" not in text_of(replace(waiting, is_payable=True, instructions=waiting.instructions[1:]))
    assert [content for kind, content, _ in scan(printed(render(waiting), 150)) if kind == "I25"] == [waiting.barcode]
