"""How banks want payments: FEBRABAN's layout, and what each bank does otherwise."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from gateway.bank_files.cnab import layouts
from gateway.bank_files.cnab.envelope import WIDTH
from gateway.bank_files.cnab.records import Record
from gateway.bank_files.shapes import OrderOutcome

_LINES = ("lot_header", "a", "b", "b_pix", "j", "n", "o", "lot_trailer")


@dataclass(frozen=True, slots=True)
class PaymentDialect:
    """`lines` are the kinds of lines by name; `ways` what a lot and its segment A say of each way of paying.

    `occurrences` are the codes that decide something; `notes` are codes that add to another one, and decide nothing."""

    bank: str
    name: str
    lines: Mapping[str, Record]
    file_layout: str
    lot_layout: str
    service: str
    is_b_for_keys_only: bool
    occurrences: Mapping[str, OrderOutcome]
    notes: frozenset[str]
    ways: Mapping[str, Mapping[str, str]]
    initiations: Mapping[str, str]
    account_types: Mapping[str, str]


def banks() -> dict[str, str]:
    """Those that payment files can be written for: code and name."""
    return {code: own["name"] for code, own in layouts.data("payments_240")["banks"].items()}


@cache
def dialect_of(bank: str) -> PaymentDialect:
    """A bank that has no table uses FEBRABAN's layout; then files of it can be read, and are not written."""
    table = layouts.data("payments_240")
    own: dict[str, Any] = table["banks"].get(bank, {})
    common = layouts.data("file_240")
    said: dict[str, str] = own.get("occurrences", table["occurrences"])
    lines = {name: layouts.record(WIDTH, table[name], own.get(name, {})) for name in _LINES}
    lines |= {name: layouts.record(WIDTH, common[name], own.get(name, {})) for name in ("file_header", "file_trailer")}
    return PaymentDialect(
        bank=bank,
        name=own.get("name", ""),
        lines=lines,
        file_layout=own.get("file_layout", ""),
        lot_layout=own.get("lot_layout", ""),
        service=table["service"],
        is_b_for_keys_only=own.get("is_b_for_keys_only", False),
        occurrences={code: OrderOutcome(outcome) for outcome, codes in said.items() for code in codes.split()},
        notes=frozenset(own.get("notes", table["notes"]).split()),
        ways=table["ways"] | own.get("ways", {}),
        initiations=table["initiations"],
        account_types=own.get("account_types", table["account_types"]),
    )
