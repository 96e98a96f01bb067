"""The PIX code that every Brazilian bank reads: EMV TLV with a CRC (Banco Central's BR Code manual)."""

import binascii
import unicodedata
from decimal import Decimal


def br_code(*, location: str, amount: Decimal, name: str, city: str) -> str:
    """A dynamic, single-use code whose charge lies at `location` (without `https://`). Amount in BRL."""
    return _code(_tlv(1, "12"), _tlv(25, location), amount=amount, name=name, city=city, txid="***")


def static_code(*, key: str, amount: Decimal, name: str, city: str, txid: str) -> str:
    """A code that pays to a PIX key, with no charge at a bank. Amount in BRL; `txid` is 1 to 25 letters and digits."""
    return _code("", _tlv(1, key), amount=amount, name=name, city=city, txid=txid)


def _code(use: str, payee: str, *, amount: Decimal, name: str, city: str, txid: str) -> str:
    code = "".join(
        (
            _tlv(0, "01"),
            use,
            _tlv(26, _tlv(0, "br.gov.bcb.pix") + payee),
            _tlv(52, "0000"),
            _tlv(53, "986"),
            _tlv(54, f"{amount:.2f}"),
            _tlv(58, "BR"),
            _tlv(59, plain(name, 25) or "ONPAY"),
            _tlv(60, plain(city, 15) or "SAO PAULO"),
            _tlv(62, _tlv(5, txid)),
            "6304",
        )
    )
    return code + f"{binascii.crc_hqx(code.encode('ascii'), 0xFFFF):04X}"


def plain(text: str, length: int) -> str:
    """Upper-case ASCII letters, digits and spaces, which every bank can print."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().upper()
    kept = "".join(c if c.isalnum() else " " for c in ascii_text)
    return " ".join(kept.split())[:length].strip()


def _tlv(tag: int, value: str) -> str:
    return f"{tag:02d}{len(value):02d}{value}"
