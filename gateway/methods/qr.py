"""QR codes as PNG images.

A library computes them. Codes of ASCII are put together from what it has computed before, in a fifth of the time: each
bit of a text, with what it means for the error correction, inverts modules of its own. So the code of a text is that of
another one as long, with the modules inverted of each bit in which they differ.
"""

import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from functools import cache, lru_cache, reduce
from operator import getitem, xor
from typing import Any

import zxingcpp

SCALE = 4
"""Pixels per module: four bits, and so one hexadecimal digit."""
MASK = 3
"""Trying all eight masks for the best one would take eight times as long; scanners read every one."""
FAST = 1
"""A tenth larger, and a third less work."""
BLANK = "a"
"""What texts are compared with. With many lower-case letters around it, no character is encoded in another mode."""
LONG = range(64, 214)
"""Characters of codes that are put together. Each size of a code takes some 1 MB and, the first time, 80 ms."""
_PIXELS = str.maketrans("01", "0f")
_MODULES = bytes.maketrans(b"\x00\xff", b"01")
_WHITE = b"1"
_NO_FILTER, _SAME_AS_ABOVE = b"\x00", b"\x02"


class Digit(dict[str, int]):
    """Which modules each hexadecimal digit inverts at a place of the text where `blank` is another one."""

    def __init__(self, bits: Sequence[int], blank: int) -> None:
        self._bits, self._blank = bits, blank

    def __missing__(self, digit: str) -> int:
        different = int(digit, 16) ^ self._blank
        self[digit] = inverted = reduce(xor, (bit for n, bit in enumerate(self._bits) if different >> n & 1), 0)
        return inverted


_changes: dict[int, list[Digit]] = {}
"""By the modules of a side: for the longest text of that size so far."""


@lru_cache(maxsize=2048)  # a response, its event and lookups show the same code; 1.6 KB each
def data_uri(text: str) -> str:
    """`data:image/png;base64,…` with the text as a QR code of error correction level M."""
    code, side = _put_together(text) if text.isascii() and len(text) in LONG else _computed(text)
    return "data:image/png;base64," + b64encode(_png(code, side)).decode("ascii")


def _computed(text: str) -> tuple[int, int]:
    """The modules with their quiet zone, each a bit that is 1 if it is white, and how many a side has. A row of an odd
    number has a white one more, so that its pixels are whole bytes.
    """
    image: Any = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode, ec_level="M", data_mask=MASK).to_image()
    modules = memoryview(image)
    assert modules.shape is not None
    side = modules.shape[0]
    pixels = modules.tobytes().translate(_MODULES)
    rows = [pixels[at : at + side] + _WHITE * (side % 2) for at in range(0, side * side, side)]
    return int(b"".join(rows), 2), side


@cache
def _blank(length: int) -> tuple[int, int]:
    return _computed(BLANK * length)


def _put_together(text: str) -> tuple[int, int]:
    blank, side = _blank(len(text))
    changes = _changes.get(side, [])
    if len(changes) < 2 * len(text):
        changes = _changes[side] = changes + _more(len(changes) // 2, len(text))
    return reduce(xor, map(getitem, changes, text.encode("ascii").hex()), blank), side


def _more(first: int, length: int) -> list[Digit]:
    """Those of the characters from `first` on."""
    found = []
    blank, _ = _blank(length)
    for place in range(first, length):
        bits = [blank ^ _computed(_with(place, length, chr(ord(BLANK) ^ 1 << bit)))[0] for bit in range(7)]
        found += [Digit(bits[4:], ord(BLANK) >> 4), Digit(bits[:4], ord(BLANK) & 15)]
    return found


def _with(place: int, length: int, character: str) -> str:
    return BLANK * place + character + BLANK * (length - place - 1)


def _png(code: int, side: int) -> bytes:
    """A PNG with one bit per pixel: an image library would take longer than computing the code."""
    lines = _lines(bytes.fromhex(format(code, f"0{side * (side + side % 2)}b").translate(_PIXELS)), side)
    header = struct.pack(">IIBBBBB", side * SCALE, side * SCALE, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(name, data) for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(lines, FAST)), (b"IEND", b""))
    )


def _lines(pixels: bytes, rows: int) -> bytes:
    """The lines of the image, of which one line of each row of modules is given."""
    length = len(pixels) // rows
    repeated = (_SAME_AS_ABOVE + bytes(length)) * (SCALE - 1)
    return b"".join([_NO_FILTER + pixels[at : at + length] + repeated for at in range(0, len(pixels), length)])


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
