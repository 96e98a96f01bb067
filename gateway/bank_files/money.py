"""Amounts as files write them. Nothing is guessed and nothing rounded: what is not clear is Malformed."""

import re
from decimal import Decimal

from ledger.money import DECIMALS

_PLAIN = re.compile(r"[+-]?(\d{1,18}(\.\d{0,5})?|\.\d{1,5})", re.ASCII)
_GROUPED = {
    ",": re.compile(r"[+-]?\d{1,3}(\.\d{3}){0,5}(,\d{1,5})?|[+-]?\d{1,18}(,\d{0,5})?|[+-]?,\d{1,5}", re.ASCII),
    ".": re.compile(r"[+-]?\d{1,3}(,\d{3}){0,5}(\.\d{1,5})?|[+-]?\d{1,18}(\.\d{0,5})?|[+-]?\.\d{1,5}", re.ASCII),
}


class Malformed(ValueError):
    """A text that is no amount, or could be two."""


def plain(written: str) -> Decimal:
    """Digits with a point as the decimal mark. Raises Malformed."""
    written = written.strip()
    if not _PLAIN.fullmatch(written):
        raise Malformed
    return Decimal(written)


def with_mark(written: str, mark: str) -> Decimal:
    """Digits with the decimal mark, "," or ".", in groups of three by the other one or in none. Raises Malformed."""
    written = written.strip()
    if not _GROUPED[mark].fullmatch(written):
        raise Malformed
    return Decimal(written.replace("." if mark == "," else ",", "").replace(",", "."))


def with_some_mark(written: str) -> Decimal:
    """Digits with whichever decimal mark. The last mark is the decimal one; one that repeats groups thousands.

    Raises Malformed.
    """
    points, commas = written.count("."), written.count(",")
    if not commas and points <= 1:
        return plain(written)
    if points and commas:
        return with_mark(written, max(".,", key=written.rfind))
    repeated, other = (".", ",") if points > 1 else (",", ".")
    return with_mark(written, other if max(points, commas) > 1 else repeated)


_THREE_DECIMALS = {"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"}


def fits(amount: Decimal, currency: str) -> bool:
    """Whether the currency has as many decimals: ours by the ledger, others two or, by ISO 4217, three."""
    decimals = DECIMALS.get(currency, 3 if currency in _THREE_DECIMALS else 2)
    return amount == amount.quantize(Decimal(1).scaleb(-decimals))
