"""Bank payouts: to an Argentine CBU, CVU or alias, and to a Colombian or a Brazilian account."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from stdnum.ar import cbu, cuit

from accounts.base.errors import Fault
from accounts.models import Environment
from gateway.methods.colombia import DOCUMENTS, is_document
from gateway.payouts.bank_transfer.banks import NAMES, code_of
from gateway.payouts.bank_transfer.brazil import SandboxBrazilianPayout
from gateway.payouts.rail import PayoutMarket, PayoutRail, masked
from gateway.payouts.sandbox import SandboxPayout, token

ACCOUNT_TYPES = ("SAVINGS", "CHECKING", "ELECTRONIC_DEPOSIT")
ALIAS = re.compile(r"(?=.*[A-Za-z0-9])[A-Za-z0-9.-]{6,20}")
_NUMBERS = ("cbu", "cvu", "alias")


def _text(draft: Mapping[str, Any], name: str) -> str | None:
    value = draft.get(name)
    return value if isinstance(value, str) else None


def _missing(draft: Mapping[str, Any], *names: str) -> list[Fault]:
    return [Fault(name, "REQUIRED", "This field is required.") for name in names if draft.get(name) is None]


class ArgentinePayout(PayoutRail):
    """Common to all of Argentina: the destination."""

    rail: ClassVar[str] = "BANK_TRANSFER"
    markets: ClassVar[tuple[PayoutMarket, ...]] = (
        PayoutMarket("ARS", minimum=Decimal(100), maximum=Decimal(10_000_000)),
    )
    members: ClassVar[tuple[str, ...]] = (*_NUMBERS, "beneficiaryName", "beneficiaryTaxId")
    account_members: ClassVar[tuple[str, ...]] = _NUMBERS
    reference_name: ClassVar[str] = "trackingKey"

    def faults(self, draft: Mapping[str, Any], *, strict: bool) -> list[Fault]:
        named = [name for name in _NUMBERS if draft.get(name) is not None]
        if len(named) != 1:
            name, code = (named[1], "NOT_ALLOWED") if named else ("cbu", "REQUIRED")
            found = [Fault(name, code, "Exactly one of cbu, cvu and alias.")]
        else:
            found = _number_faults(named[0], _text(draft, named[0]))
        tax_id = _text(draft, "beneficiaryTaxId")
        if tax_id is not None and not _is_cuit(tax_id, strict=strict):
            found.append(Fault("beneficiaryTaxId", "INVALID", "Must be a CUIT or CUIL of 11 digits."))
        return found + _missing(draft, "beneficiaryName")

    def destination(self, draft: Mapping[str, str]) -> dict[str, str]:
        return dict(draft)

    def shown(self, destination: Mapping[str, str]) -> dict[str, str | None]:
        name = next(name for name in _NUMBERS if name in destination)
        number = masked(destination[name], head=2, tail=0) if name == "alias" else masked(destination[name])
        return {name: number, "beneficiaryName": destination["beneficiaryName"]}


class SandboxArgentinePayout(SandboxPayout, ArgentinePayout):
    """The deterministic simulator of the Argentine clearing."""

    def paid(self, at: datetime) -> str:
        return token(22)


def _number_faults(name: str, number: str | None) -> list[Fault]:
    if number is None:
        return []
    if name == "alias":
        right = bool(ALIAS.fullmatch(number))
    else:
        right = bool(re.fullmatch(r"(?=.*[1-9])[0-9]{22}", number)) and bool(cbu.is_valid(number))
        right = right and number.startswith("000") == (name == "cvu")
    facts = {"number": name if name == "alias" else name.upper()}
    return [] if right else [Fault(name, "INVALID", "Is no %(number)s.", facts)]


def _is_cuit(tax_id: str, *, strict: bool) -> bool:
    return bool(re.fullmatch(r"[0-9]{11}", tax_id)) and (not strict or bool(cuit.is_valid(tax_id)))


class ColombianPayout(PayoutRail):
    """Common to all of Colombia: the destination."""

    rail: ClassVar[str] = "BANK_TRANSFER"
    markets: ClassVar[tuple[PayoutMarket, ...]] = (
        PayoutMarket("COP", minimum=Decimal(4_000), maximum=Decimal(50_000_000)),
    )
    members: ClassVar[tuple[str, ...]] = (
        "bankCode", "accountType", "accountNumber", "beneficiaryName", "documentType", "documentNumber",
    )  # fmt: skip
    account_members: ClassVar[tuple[str, ...]] = ("bankCode", "accountType", "accountNumber")
    reference_name: ClassVar[str] = "trackingKey"

    def faults(self, draft: Mapping[str, Any], *, strict: bool) -> list[Fault]:
        found = _missing(draft, *self.members)
        bank, number = _text(draft, "bankCode"), _text(draft, "accountNumber")
        kind, document = _text(draft, "documentType"), _text(draft, "documentNumber")
        account_type = _text(draft, "accountType")
        if bank is not None and code_of(bank) is None:
            found.append(Fault("bankCode", "UNKNOWN_VALUE", "Must be a bank of ACH Colombia's catalogue."))
        if number is not None and not re.fullmatch(r"(?=.*[1-9])[0-9]{6,20}", number):
            found.append(Fault("accountNumber", "INVALID", "Must have 6 to 20 digits, not only zeros."))
        if account_type is not None and account_type not in ACCOUNT_TYPES:
            facts = {"types": ", ".join(ACCOUNT_TYPES)}
            found.append(Fault("accountType", "UNKNOWN_VALUE", "Must be one of: %(types)s.", facts))
        if kind in DOCUMENTS and document is not None and not is_document(kind, document, strict=strict):
            found.append(Fault("documentNumber", "INVALID", "Does not have the form of its kind of document."))
        return found

    def destination(self, draft: Mapping[str, str]) -> dict[str, str]:
        return {**draft, "bankCode": code_of(draft["bankCode"]) or ""}

    def shown(self, destination: Mapping[str, str]) -> dict[str, str | None]:
        return {
            "bankCode": destination["bankCode"],
            "bankName": NAMES[destination["bankCode"]],
            "accountType": destination["accountType"],
            "accountNumber": masked(destination["accountNumber"]),
            "beneficiaryName": destination["beneficiaryName"],
            "documentType": destination["documentType"],
            "documentNumber": masked(destination["documentNumber"]),
        }


class SandboxColombianPayout(SandboxPayout, ColombianPayout):
    """The deterministic simulator of the Colombian clearing."""

    def paid(self, at: datetime) -> str:
        return token(15)


RAILS: dict[Environment, Sequence[PayoutRail]] = {
    Environment.SANDBOX: [SandboxArgentinePayout(), SandboxColombianPayout(), SandboxBrazilianPayout()]
}
