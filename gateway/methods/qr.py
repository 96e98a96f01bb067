"""QR codes as PNG images."""

import struct
import zlib
from base64 import b64encode
from typing import Any

import zxingcpp

SCALE = 4
MASK = 3
"""Trying all eight masks for the prettiest would take eight times as long; scanners read every one."""
_BITS = bytes.maketrans(b"\x00\xff", b"01")


def data_uri(text: str) -> str:
    """`data:image/png;base64,…` with the text as a QR code of error correction level M, 4 pixels a module."""
    symbol = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode, ec_level="M", data_mask=MASK)
    return "data:image/png;base64," + b64encode(_png(symbol.to_image())).decode("ascii")


def _png(image: Any) -> bytes:
    """A PNG of one bit a pixel: an image library would take longer than finding the code."""
    modules = memoryview(image)
    assert modules.shape is not None
    height, width = modules.shape[:2]
    pixels = modules.tobytes().translate(_BITS)
    lines = b"".join(_line(pixels[row * width : (row + 1) * width]) * SCALE for row in range(height))
    header = struct.pack(">IIBBBBB", width * SCALE, height * SCALE, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(name, data) for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 3)), (b"IEND", b""))
    )


def _line(row: bytes) -> bytes:
    """One line of pixels from one row of modules, each given as the character 0 or 1."""
    bits = row.replace(b"0", b"0" * SCALE).replace(b"1", b"1" * SCALE)
    bits += b"1" * (-len(bits) % 8)
    return b"\x00" + int(bits, 2).to_bytes(len(bits) // 8)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
