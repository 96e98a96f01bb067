"""PIX codes that every bank reads, held against outside oracles."""

import base64
import binascii
import io
import os
import re
from decimal import Decimal

import pytest
from PIL import Image

from gateway.methods import documents, qr
from gateway.methods.pix.brcode import br_code, plain
from tests.support.br_codes import parse


def test_a_code_has_every_member_that_banco_central_asks_for() -> None:
    code = br_code(
        location="pix.sandbox.onpay.example/v2/01JD3K5V8M0000000000000002",
        amount=Decimal("150.00"),
        name="Loja Exemplo",
        city="São Paulo",
    )

    fields = parse(code)
    assert fields["00"] == "01"
    assert fields["01"] == "12"
    assert parse(fields["26"]) == {
        "00": "br.gov.bcb.pix",
        "25": "pix.sandbox.onpay.example/v2/01JD3K5V8M0000000000000002",
    }
    assert (fields["52"], fields["53"], fields["54"], fields["58"]) == ("0000", "986", "150.00", "BR")
    assert (fields["59"], fields["60"]) == ("LOJA EXEMPLO", "SAO PAULO")
    assert parse(fields["62"]) == {"05": "***"}
    assert fields["63"] == f"{binascii.crc_hqx(code[:-4].encode(), 0xFFFF):04X}"


def test_the_contracts_example_is_reproduced_to_the_last_digit() -> None:
    code = br_code(
        location="pix.sandbox.onpay.example/v2/01JD3K5V8M0000000000000002",
        amount=Decimal("150.00"),
        name="LOJA EXEMPLO",
        city="SAO PAULO",
    )
    assert code.endswith("5204000053039865406150.005802BR5912LOJA EXEMPLO6009SAO PAULO62070503***63041052")


def test_the_checksum_is_crc16_ccitt_false() -> None:
    assert f"{binascii.crc_hqx(b'123456789', 0xFFFF):04X}" == "29B1"


@pytest.mark.parametrize(
    ("name", "shown"),
    [("Açaí & Cia. LTDA", "ACAI CIA LTDA"), ("x" * 40, "X" * 25), ("日本", ""), ("  a   b ", "A B")],
)
def test_names_are_plain_capitals_of_at_most_25_characters(name: str, shown: str) -> None:
    assert plain(name, 25) == shown


def scan(image: bytes) -> list[str]:
    """What zbar, an outside scanner, reads in the image."""
    if os.environ.get("CI"):
        from pyzbar import pyzbar
    else:
        pyzbar = pytest.importorskip("pyzbar.pyzbar", reason="no libzbar0 on this machine", exc_type=ImportError)
    return [found.data.decode() for found in pyzbar.decode(Image.open(io.BytesIO(image)).convert("L"))]


def test_the_image_says_what_the_code_says_to_an_outside_scanner() -> None:
    code = br_code(location="pix.sandbox.onpay.example/v2/" + "0" * 26, amount=Decimal("0.01"), name="A", city="B")

    uri = qr.data_uri(code)

    assert re.fullmatch(r"data:image/png;base64,[A-Za-z0-9+/]+=*", uri)
    assert scan(base64.b64decode(uri.partition(",")[2])) == [code]


@pytest.mark.parametrize("document", ["52998224725", "12345678909", "11222333000181", "12ABC34501DE35"])
def test_real_documents_pass_and_one_changed_digit_does_not(document: str) -> None:
    assert documents.faults(document, None, strict=True) == []
    wrong = document[:-1] + str((int(document[-1]) + 1) % 10)
    assert documents.faults(wrong, None, strict=True)
    assert documents.faults(wrong, None, strict=False) == []


@pytest.mark.parametrize("document", ["11111111111", "00000000000", "1234567890", "ABCDEFGHIJK", "", None])
def test_nobodys_documents_are_refused(document: str | None) -> None:
    assert documents.faults(document, None, strict=True)
