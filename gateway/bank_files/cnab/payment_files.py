"""Payments, written as a file of 240 characters: one lot for each way of paying, with its sum."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext

from gateway.bank_files.cnab.payment_dialects import PaymentDialect, banks, dialect_of
from gateway.bank_files.cnab.payment_orders import orders_of
from gateway.bank_files.cnab.records import Unwritable
from gateway.bank_files.shapes import Order, Party, PaymentFile, Way

MAX_ORDERS = 40_000
"""Two lines each, numbered with five digits in their lot."""
_SAO_PAULO = ZoneInfo("America/Sao_Paulo")
_NUMBER = re.compile(r"[0-9A-Za-z]{1,20}")
_ZERO = Decimal(0)


def write(file: PaymentFile) -> bytes:
    """The file for the payer's bank. Unwritable if the bank could not read an order of it as it is meant.

    What was written is read again and compared with the orders before anybody gets it.
    """
    if file.payer.bank not in banks() or file.currency != "BRL":
        facts = {"bank": file.payer.bank, "currency": file.currency}
        raise Unwritable(gettext("No files are written for bank %(bank)s in %(currency)s.") % facts)
    _check(file.orders)
    dialect = dialect_of(file.payer.bank)
    lots = [_Lot(file, dialect, number, kind, orders) for number, (kind, orders) in enumerate(_by_way(file), 1)]
    lines = [_file_header(file, dialect), *(line for lot in lots for line in lot.lines())]
    total = {"bank": dialect.bank, "lots": len(lots), "lines": len(lines) + 1}
    lines.append(dialect.lines["file_trailer"].write(total))
    content = "".join(f"{line}\r\n" for line in lines).encode("ascii")
    _compare(content, file.orders)
    return content


def _check(orders: Sequence[Order]) -> None:
    if not 0 < len(orders) <= MAX_ORDERS:
        raise Unwritable(gettext("A file has 1 to %(most)s orders.") % {"most": MAX_ORDERS})
    if len({order.number for order in orders}) < len(orders):
        raise Unwritable(gettext("Two orders have the same number."))
    for order in orders:
        if missing := _missing(order):
            facts = {"number": order.number, "reason": missing}
            raise Unwritable(gettext("Order %(number)s: %(reason)s") % facts)


def _missing(order: Order) -> str:
    payee = order.beneficiary
    if not _NUMBER.fullmatch(order.number):
        return gettext("A number has 1 to 20 letters and digits.")
    if order.amount <= 0:
        return gettext("An amount is above zero.")
    if order.way is Way.PIX_KEY:
        return "" if payee.pix_key and payee.pix_key_type else gettext("The key or its type is missing.")
    if order.way is Way.TRANSFER:
        return gettext("Reais are paid by PIX or TED.")
    is_whole = payee.branch and payee.account and payee.tax_id and (payee.bank or payee.ispb)
    return "" if is_whole else gettext("The account or the tax id of its holder is missing.")


def _way_of(order: Order, payer: Party) -> str:
    """A bank makes no TED to itself, and counts TEDs to the payer's own accounts apart."""
    if order.way is not Way.TED:
        return order.way.value
    if order.beneficiary.bank == payer.bank:
        return "SAME_BANK"
    return "TED_TO_ITSELF" if order.beneficiary.tax_id == payer.tax_id else "TED"


def _by_way(file: PaymentFile) -> list[tuple[str, list[Order]]]:
    found: dict[str, list[Order]] = {}
    for order in file.orders:
        found.setdefault(_way_of(order, file.payer), []).append(order)
    return list(found.items())


def holder_of(party: Party) -> dict[str, str]:
    """The type of a tax id (CPF or CNPJ), and the tax id."""
    types = {11: "1", 14: "2"}
    return {"tax_id_type": types.get(len(party.tax_id), "0"), "tax_id": party.tax_id}


def _own(file: PaymentFile) -> dict[str, Any]:
    payer = file.payer
    return holder_of(payer) | {
        "agreement": file.agreement,
        "branch": payer.branch,
        "branch_digit": payer.branch_digit,
        "account": payer.account,
        "account_digit": payer.account_digit,
        "holder": payer.name,
    }


def _file_header(file: PaymentFile, dialect: PaymentDialect) -> str:
    made_at = file.made_at.astimezone(_SAO_PAULO) if file.made_at.tzinfo else file.made_at
    return dialect.lines["file_header"].write(
        _own(file)
        | {
            "bank": dialect.bank,
            "bank_name": dialect.name,
            "made_on": made_at.date(),
            "made_at": made_at,
            "sequence": file.sequence,
            "layout": dialect.file_layout,
        }
    )


@dataclass(frozen=True, slots=True)
class _Lot:
    """The orders that are paid in one way."""

    file: PaymentFile
    dialect: PaymentDialect
    number: int
    way: str
    orders: Sequence[Order]

    def lines(self) -> Iterator[str]:
        count = 0
        yield self._line("lot_header", _own(self.file) | self._paid_by())
        for order in self.orders:
            for kind, values in self._segments(order):
                count += 1
                yield self._line(kind, values | {"sequence": count})
        total = sum((order.amount for order in self.orders), _ZERO)
        yield self._line("lot_trailer", {"lines": count + 2, "sum": total})

    def _line(self, kind: str, values: dict[str, Any]) -> str:
        return self.dialect.lines[kind].write({"bank": self.dialect.bank, "lot": self.number} | values)

    def _paid_by(self) -> dict[str, str]:
        dialect = self.dialect
        return {"service": dialect.service, "form": dialect.ways[self.way]["form"], "layout": dialect.lot_layout}

    def _segments(self, order: Order) -> Iterator[tuple[str, dict[str, Any]]]:
        yield "a", self._a(order)
        if order.way is Way.PIX_KEY or not self.dialect.is_b_for_keys_only:
            yield ("b_pix" if order.way in (Way.PIX_KEY, Way.PIX_ACCOUNT) else "b"), self._b(order)

    def _a(self, order: Order) -> dict[str, Any]:
        payee, way, types = order.beneficiary, self.dialect.ways[self.way], self.dialect.account_types
        by_key = order.way is Way.PIX_KEY
        place = {} if by_key else {
            "payee_bank": payee.bank,
            "payee_branch": payee.branch,
            "payee_branch_digit": payee.branch_digit,
            "payee_account": payee.account,
            "payee_account_digit": payee.account_digit,
        }  # fmt: skip
        return holder_of(payee) | place | {
            "clearing": way["clearing"],
            "payee_name": payee.name,
            "number": order.number,
            "pay_on": self.file.pay_on,
            "amount": order.amount,
            "text": order.text,
            "purpose_of_ted": way.get("purpose_of_ted", ""),
            "ispb": "" if by_key else payee.ispb,
            "account_type": types.get("KEY", "") if by_key else types[payee.account_type or "CHECKING"],
        }  # fmt: skip

    def _b(self, order: Order) -> dict[str, Any]:
        payee, initiations = order.beneficiary, self.dialect.initiations
        by_key = order.way is Way.PIX_KEY
        return holder_of(payee) | {
            "initiation": initiations[payee.pix_key_type] if by_key else initiations["ACCOUNT"],
            "txid": order.number,
            "pix_key": payee.pix_key if by_key else "",
            "ispb": payee.ispb,
        }


def _compare(content: bytes, orders: Sequence[Order]) -> None:
    """The orders as the bank will read them are those that were given."""
    found = {order.number: order for order in orders_of(content)}
    for order in orders:
        read = found.pop(order.number, None)
        if read is None or _meaning(read) != _meaning(order):
            raise Unwritable(gettext("Order %(number)s would be read as another one.") % {"number": order.number})
    if found:
        raise Unwritable(gettext("The file has orders that nobody gave."))


def _meaning(order: Order) -> tuple[object, ...]:
    """What decides how much goes where."""
    payee = order.beneficiary
    if order.way is Way.PIX_KEY:
        return order.way, order.amount, payee.pix_key
    numbers = (payee.bank, payee.branch, payee.account, payee.account_digit, payee.tax_id)
    return order.way, order.amount, *(number.lstrip("0") for number in numbers)
