"""Boletos that a bank is to register or withdraw, written as a file of 240 characters: segments P and Q of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from gateway.bank_files.cnab import layouts
from gateway.bank_files.cnab.envelope import WIDTH
from gateway.bank_files.cnab.payment_files import holder_of
from gateway.bank_files.shapes import Party

MAX_SLIPS = 40_000
"""Two lines each, numbered with five digits."""
_SAO_PAULO = ZoneInfo("America/Sao_Paulo")
_LONGEST = 99
"""Days: all banks have two digits for them."""


class Instruction(StrEnum):
    REGISTER = "REGISTER"
    WITHDRAW = "WITHDRAW"


@dataclass(frozen=True, slots=True)
class SlipOrder:
    """What is to become of one boleto. `number` is the nosso número with its `check` digit, `control` our own id.

    The bank withdraws it by itself some days after it was due: `withdrawn_after`.
    """

    instruction: Instruction
    number: int
    check: str
    control: str
    amount: Decimal
    due_on: date
    issued_on: date
    withdrawn_after: int
    payer: Party
    address: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RegistrationFile:
    """`sequence` counts the files of the agreement from 1."""

    sequence: int
    made_at: datetime
    beneficiary: Party
    agreement: str
    wallet: str
    slips: Sequence[SlipOrder]


def write(file: RegistrationFile) -> bytes:
    """The file for the beneficiary's bank. Unwritable if a value does not fit."""
    table = layouts.data("registration_240")
    own: dict[str, Any] = table["banks"][file.beneficiary.bank]
    common = layouts.data("file_240")
    bank = {"bank": file.beneficiary.bank}
    made_at = file.made_at.astimezone(_SAO_PAULO)

    def line(kind: str, values: Mapping[str, Any]) -> str:
        source = common if kind.startswith("file_") else table
        return layouts.record(WIDTH, source[kind], own.get(kind, {})).write(bank | dict(values))

    heads = _own(file) | {"sequence": file.sequence, "made_on": made_at.date(), "made_at": made_at}
    details = [line(kind, values) for kind, values in _details(file, table["instructions"])]
    total = sum((slip.amount for slip in file.slips), Decimal(0))
    lines = [
        line("file_header", heads | {"bank_name": own["name"], "layout": own["file_layout"]}),
        line("lot_header", heads | {"layout": own["lot_layout"]}),
        *details,
        line("lot_trailer", {"lines": len(details) + 2, "count": len(file.slips), "sum": total}),
        line("file_trailer", {"lots": 1, "lines": len(details) + 4}),
    ]
    return "".join(f"{text}\r\n" for text in lines).encode("ascii")


def _own(file: RegistrationFile) -> dict[str, Any]:
    holder = file.beneficiary
    return holder_of(holder) | {
        "agreement": file.agreement,
        "branch": holder.branch,
        "branch_digit": holder.branch_digit,
        "account": holder.account,
        "account_digit": holder.account_digit,
        "collecting_account": holder.account,
        "collecting_account_digit": holder.account_digit,
        "holder": holder.name,
    }


def _details(file: RegistrationFile, codes: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for position, slip in enumerate(file.slips):
        head = {"instruction": codes[slip.instruction]}
        yield "p", _own(file) | head | {"sequence": 2 * position + 1, "wallet": file.wallet} | _title(slip)
        yield "q", head | {"sequence": 2 * position + 2} | _payer(slip)


def _title(slip: SlipOrder) -> dict[str, Any]:
    return {
        "number": slip.number,
        "check": slip.check,
        "document": str(slip.number),
        "due_on": slip.due_on,
        "amount": slip.amount,
        "issued_on": slip.issued_on,
        "control": slip.control,
        "withdrawal_days": min(slip.withdrawn_after, _LONGEST),
    }


def _payer(slip: SlipOrder) -> dict[str, Any]:
    return holder_of(slip.payer) | {
        "name": slip.payer.name,
        "street": slip.address.get("street", ""),
        "district": slip.address.get("district", ""),
        "postal_code": slip.address.get("postalCode", ""),
        "city": slip.address.get("city", ""),
        "state": slip.address.get("state", ""),
    }
