"""The Settlement details report (docs.adyen.com/reporting/settlement-reconciliation/transaction-level)."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from hashlib import sha256
from typing import BinaryIO

from gateway.methods.registry import Method
from gateway.providers.errors import Unreadable
from gateway.providers.settlements import OF_A_PAYMENT, LineKind, ReportedLine, our_id
from ledger.money import DECIMALS

COLUMNS = (
    "Merchant Account", "Psp Reference", "Merchant Reference", "Payment Method", "Creation Date", "TimeZone", "Type",
    "Modification Reference", "Gross Currency", "Gross Debit (GC)", "Gross Credit (GC)", "Net Currency",
    "Net Debit (NC)", "Net Credit (NC)", "Commission (NC)", "Markup (NC)", "Scheme Fees (NC)", "Interchange (NC)",
    "Modification Merchant Reference", "Batch Number",
)  # fmt: skip
"""Those that are read. Others may stand between them, in any order."""
FEES = ("Commission (NC)", "Markup (NC)", "Scheme Fees (NC)", "Interchange (NC)")
ROUNDED = Decimal("0.02")
"""The parts of a fee are rounded each for itself; the fee is what net lacks."""
KINDS = {
    "Settled": LineKind.PAYMENT,
    "Refunded": LineKind.REFUND,
    "RefundedReversed": LineKind.REFUND_FAILED,
    "Chargeback": LineKind.DISPUTE,
    "SecondChargeback": LineKind.DISPUTE,
    "ChargebackReversed": LineKind.DISPUTE_WON,
    "Fee": LineKind.FEE,
    "MiscCosts": LineKind.FEE,
    "InvoiceDeduction": LineKind.FEE,
    "PaymentCost": LineKind.FEE,
    "MerchantPayout": LineKind.PAYOUT,
    "BankInstructionReturned": LineKind.PAYOUT_FAILED,
}
"""Journal types. All others are adjustments, about which people decide."""
METHODS = {"mbway": Method.MB_WAY, "pix": Method.PIX}
ZONES = {
    "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "BRT": -3, "BRST": -2,
    "ART": -3, "COT": -5, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
    "SGT": 8, "HKT": 8, "JST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
}  # fmt: skip
"""Hours east of UTC."""
_AMOUNT = re.compile(r"-?\d{1,12}(\.\d{1,8})?")
Row = Mapping[str, str]


def lines_of(file: BinaryIO, merchant_account: str) -> Iterator[ReportedLine]:
    """The lines of one merchant account. Raises Unreadable, also while iterated, with the number of the line."""
    paid_out = {row["Batch Number"] for _, row in _rows(file) if row["Type"] == "MerchantPayout"}
    file.seek(0)
    is_empty, found = True, False
    for number, row in _rows(file):
        is_empty = False
        if row["Merchant Account"] == merchant_account:
            found = True
            yield _line(number, row, paid_out)
    if not (is_empty or found):
        raise Unreadable(f"no line is of the merchant account {merchant_account}")


def _rows(file: BinaryIO) -> Iterator[tuple[int, Row]]:
    """Each row with the number of its last line in the file."""
    text = io.TextIOWrapper(file, "utf-8-sig", newline="")
    try:
        reader = csv.reader(text, strict=True)
        header = [name.strip() for name in next(reader, [])]
        _require_columns(header)
        for cells in reader:
            if len(cells) not in (0, len(header)):
                raise Unreadable(f"line {reader.line_num} has {len(cells)} cells, and the header {len(header)}")
            if cells:
                yield reader.line_num, dict(zip(header, (cell.strip() for cell in cells), strict=True))
    except (csv.Error, UnicodeDecodeError) as wrong:
        raise Unreadable(f"not a CSV file in UTF-8: {type(wrong).__name__}") from None
    finally:
        text.detach()  # the file stays open


def _require_columns(header: list[str]) -> None:
    if not header:
        raise Unreadable("the file is empty")
    if missing := [name for name in COLUMNS if name not in header]:
        raise Unreadable(f"columns are missing: {', '.join(missing)}")
    if twice := sorted({name for name in COLUMNS if header.count(name) > 1}):
        raise Unreadable(f"columns stand there twice: {', '.join(twice)}")


def _line(number: int, row: Row, paid_out: set[str]) -> ReportedLine:
    kind = KINDS.get(row["Type"], LineKind.ADJUSTMENT)
    try:
        gross, fee, net = _amounts(kind, row)
        at = _moment(row)
    except ValueError as wrong:
        raise Unreadable(f"line {number}: {wrong}") from None
    is_changed = kind in OF_A_PAYMENT and kind != LineKind.PAYMENT
    named = row["Modification Merchant Reference"] if is_changed else row["Merchant Reference"]
    currency = row["Net Currency"]
    return ReportedLine(
        id=_id(row),
        kind=kind,
        reference=(row["Modification Reference"] if is_changed else row["Psp Reference"])[:64],
        payment_reference=row["Psp Reference"][:64],
        object_id=our_id(named),
        method=_method(row["Payment Method"]) if kind in OF_A_PAYMENT else "",
        gross=gross,
        gross_currency=row["Gross Currency"] if kind in OF_A_PAYMENT else currency,
        fee=fee,
        net=net,
        currency=currency,
        at=at,
        payout=row["Batch Number"] if row["Batch Number"] in paid_out else "",
    )


def _id(row: Row) -> str:
    """The report has no id of its lines: a line is the same one if all that is read of it is."""
    return sha256("\0".join(row[name] for name in COLUMNS).encode()).hexdigest()[:40]


def _amounts(kind: LineKind, row: Row) -> tuple[Decimal, Decimal, Decimal]:
    """Gross, fee and net. Raises ValueError."""
    net = _balance(row, "Net Credit (NC)", "Net Debit (NC)", row["Net Currency"])
    if kind == LineKind.FEE:
        return Decimal(0), -net, net
    if kind not in OF_A_PAYMENT:
        return net, Decimal(0), net
    gross = _balance(row, "Gross Credit (GC)", "Gross Debit (GC)", row["Gross Currency"])
    told = sum((_amount(row, name) for name in FEES), Decimal(0))
    if row["Gross Currency"] != row["Net Currency"]:
        return gross, round(told, DECIMALS[row["Net Currency"]]), net
    if abs(gross - net - told) > ROUNDED:
        raise ValueError("gross less fees is not net")
    return gross, gross - net, net


def _balance(row: Row, credit: str, debit: str, currency: str) -> Decimal:
    return _exact(_amount(row, credit) - _amount(row, debit), currency)


def _amount(row: Row, name: str) -> Decimal:
    text = row[name]
    if text and not _AMOUNT.fullmatch(text):
        raise ValueError(f"{name} is no amount")
    return Decimal(text or 0)


def _exact(amount: Decimal, currency: str) -> Decimal:
    if currency not in DECIMALS:
        raise ValueError(f"{currency[:4] or 'an empty cell'} is none of our currencies")
    if amount != round(amount, DECIMALS[currency]):
        raise ValueError(f"{currency} has {DECIMALS[currency]} decimals")
    return amount


def _moment(row: Row) -> datetime:
    if row["TimeZone"] not in ZONES:
        raise ValueError(f"the time zone {row['TimeZone'][:8]} is not known")
    zone = timezone(timedelta(hours=ZONES[row["TimeZone"]]))
    try:
        return datetime.strptime(row["Creation Date"], "%Y-%m-%d %H:%M:%S").replace(tzinfo=zone)
    except ValueError:
        raise ValueError("Creation Date is no time") from None


def _method(name: str) -> str:
    if name.startswith("boleto"):
        return Method.BOLETO
    return METHODS.get(name, Method.CREDIT_CARD if name else "")
