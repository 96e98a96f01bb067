"""The orders that a payment file gives: how a bank reads what was written for it."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_noop as _

from gateway.bank_files.cnab.envelope import Envelope, Line, Lot, opened
from gateway.bank_files.cnab.payment_dialects import PaymentDialect, dialect_of
from gateway.bank_files.shapes import Order, Party, UnreadableFile, Way

_PIX = ("PIX_KEY", "PIX_ACCOUNT")
_TAX_ID_WIDTHS = {"1": 11, "2": 14}


def orders_of(content: bytes) -> list[Order]:
    """UnreadableFile unless the lots, their lines and their sums agree."""
    file = opened(content)
    dialect = dialect_of(file.bank)
    return [order for lot in file.lots for order in _orders(file, dialect, lot)]


def check_sum(dialect: PaymentDialect, lot: Lot, *found: Decimal) -> None:
    """The trailer of a lot gives one of these sums. Banks leave it zero in some answers."""
    assert lot.trailer is not None
    total = dialect.lines["lot_trailer"].read(lot.trailer.text, lot.trailer.number)["sum"]
    if total not in found:
        raise UnreadableFile(
            _("The trailer sums the lot up to %(total)s, its lines to %(sum)s."),
            lot.trailer.number,
            total=total,
            sum=found[0],
        )


def _orders(file: Envelope, dialect: PaymentDialect, lot: Lot) -> Iterator[Order]:
    form = dialect.lines["lot_header"].read(lot.header.text, lot.header.number)["form"]
    is_pix = form in {dialect.ways[way]["form"] for way in _PIX}
    total = Decimal(0)
    for index, line in enumerate(lot.details):
        if line.segment != "A":
            continue
        behind = lot.details[index + 1] if index + 1 < len(lot.details) else None
        order = _order(dialect, line, behind if behind and behind.segment == "B" else None, is_pix)
        total += order.amount
        yield order
    check_sum(dialect, lot, total)


def _order(dialect: PaymentDialect, a_line: Line, b_line: Line | None, is_pix: bool) -> Order:
    a = dialect.lines["a"].read(a_line.text, a_line.number)
    b: dict[str, Any] = {}
    if b_line is not None:
        b = dialect.lines["b_pix" if is_pix else "b"].read(b_line.text, b_line.number)
    return Order(
        number=a["number"],
        way=(Way.PIX_KEY if b.get("pix_key") else Way.PIX_ACCOUNT) if is_pix else Way.TED,
        amount=a["amount"],
        beneficiary=_payee(dialect, a, b),
        text=a["text"],
    )


def _payee(dialect: PaymentDialect, a: dict[str, Any], b: dict[str, Any]) -> Party:
    kinds = {kind: name for name, kind in dialect.account_types.items()}
    return Party(
        name=a["payee_name"],
        tax_id=_tax_id(b.get("tax_id_type", ""), b.get("tax_id") or a.get("tax_id", "")),
        bank=a["payee_bank"],
        ispb=b.get("ispb") or a.get("ispb", ""),
        branch=a["payee_branch"],
        branch_digit=a.get("payee_branch_digit", ""),
        account=a["payee_account"],
        account_digit=a["payee_account_digit"],
        account_type=kinds.get(a["account_type"], ""),
        pix_key=b.get("pix_key", ""),
    )


def _tax_id(kind: str, found: str) -> str:
    width = _TAX_ID_WIDTHS.get(kind)
    return found[-width:] if width else found
