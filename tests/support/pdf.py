"""What is printed in a PDF."""

import io
import os
import shutil
import subprocess
from typing import Any

import pytest
from PIL import Image

from gateway.receipts.facts import ReceiptFacts
from gateway.receipts.pdf import render


def poppler(tool: str, *options: str, pdf: bytes) -> bytes:
    """What an outside reader makes of the PDF."""
    if not os.environ.get("CI") and shutil.which(tool) is None:
        pytest.skip(f"no {tool} (poppler-utils) on this machine")
    return subprocess.run([tool, *options], input=pdf, capture_output=True, check=True).stdout


def printed(pdf: bytes, dpi: int) -> Image.Image:
    return Image.open(io.BytesIO(poppler("pdftoppm", "-png", "-gray", "-r", str(dpi), pdf=pdf)))


def scan(page: Image.Image) -> list[tuple[str, str, Any]]:
    """Kind, content and place of every code that zbar, an outside scanner, finds on the page."""
    if os.environ.get("CI"):
        from pyzbar import pyzbar
    else:
        pyzbar = pytest.importorskip("pyzbar.pyzbar", reason="no libzbar0 on this machine", exc_type=ImportError)
    kinds = [pyzbar.ZBarSymbol.I25, pyzbar.ZBarSymbol.QRCODE]
    return sorted((found.type, found.data.decode(), found.rect) for found in pyzbar.decode(page, symbols=kinds))


def lines_of(shown: ReceiptFacts) -> list[str]:
    text = poppler("pdftotext", "-layout", "-", "-", pdf=render(shown)).decode()
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]
