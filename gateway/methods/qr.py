"""QR codes as PNG images."""

import struct
import zlib
from base64 import b64encode
from functools import lru_cache
from typing import Any

import zxingcpp

SCALE = 4
"""Pixels per module: four bits, and so one hexadecimal digit."""
MASK = 3
"""Trying all eight masks for the best one would take eight times as long; scanners read every one."""
FAST = 1
"""A tenth larger, and a third less work."""
_DIGITS = bytes.maketrans(b"\x00\xff", b"0f")
_NO_FILTER, _SAME_AS_ABOVE = b"\x00", b"\x02"


@lru_cache(maxsize=4096)  # a response, its event and lookups show the same code; 1.2 KB each
def data_uri(text: str) -> str:
    """`data:image/png;base64,…` with the text as a QR code of error correction level M."""
    symbol = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode, ec_level="M", data_mask=MASK)
    return "data:image/png;base64," + b64encode(_png(symbol.to_image())).decode("ascii")


def _png(image: Any) -> bytes:
    """A PNG with one bit per pixel: an image library would take longer than computing the code."""
    modules = memoryview(image)
    assert modules.shape is not None
    height, width = modules.shape[:2]
    digits = modules.tobytes().translate(_DIGITS).decode("ascii")
    lines = _lines([digits[start : start + width] for start in range(0, width * height, width)])
    header = struct.pack(">IIBBBBB", width * SCALE, height * SCALE, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(name, data) for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(lines, FAST)), (b"IEND", b""))
    )


def _lines(rows: list[str]) -> bytes:
    """The lines of pixels of all rows of modules, each module given as the digit 0 or f."""
    pixels = bytes.fromhex(("f" * (len(rows[0]) % 2)).join([*rows, ""]))
    length = len(pixels) // len(rows)
    repeated = (_SAME_AS_ABOVE + bytes(length)) * (SCALE - 1)
    return b"".join([_NO_FILTER + pixels[at : at + length] + repeated for at in range(0, len(pixels), length)])


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
