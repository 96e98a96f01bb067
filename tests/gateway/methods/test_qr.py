"""QR codes say what they were given, to scanners of others."""

import io
import random
import string
from base64 import b64decode

import pytest
import zxingcpp
from PIL import Image

from gateway.methods import qr

CHARACTERS = string.digits + string.ascii_letters + string.punctuation + " "


def image(text: str) -> Image.Image:
    return Image.open(io.BytesIO(b64decode(qr.data_uri(text).removeprefix("data:image/png;base64,"))))


def read(text: str) -> list[str]:
    """What zxing reads in the image."""
    found = zxingcpp.read_barcodes(image(text).convert("L"), formats=zxingcpp.BarcodeFormat.QRCode)
    assert all(one.content_type == zxingcpp.ContentType.Text for one in found)
    return [one.text for one in found]


@pytest.mark.parametrize("length", [1, 20, 63, 64, 65, 120, 151, 152, 153, 180, 181, 212, 213, 214, 400])
def test_codes_of_every_size_say_what_they_were_given(length: int) -> None:
    """Put together from what was computed before, or computed."""
    texts = ["".join(random.choices(CHARACTERS, k=length)) for _ in range(12)]
    texts += [characters * length for characters in "0A~"]

    assert [read(text) for text in texts] == [[text] for text in texts]


def test_a_shorter_text_after_a_longer_one_of_the_same_size_is_right() -> None:
    texts = ["".join(random.choices(CHARACTERS, k=length)) for length in (172, 160, 180, 155)]

    assert len({image(text).size for text in texts}) == 1
    assert [read(text) for text in texts] == [[text] for text in texts]


@pytest.mark.parametrize("text", ["Açaí & Cia.", "日本 " * 20, "Açaí " * 30])
def test_other_scripts_are_computed(text: str) -> None:
    assert read(text) == [text]


def test_it_is_black_on_white_with_a_quiet_zone() -> None:
    found = image("x" * 100)

    quiet = 4 * qr.SCALE
    assert found.mode == "1"
    assert {found.getpixel((x, y)) for x in range(found.width) for y in range(quiet)} == {255}
    assert found.getpixel((quiet, quiet)) == 0
