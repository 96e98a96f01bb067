"""SPEI out: to the CLABE of an account at any Mexican bank."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from accounts.base.errors import Fault
from accounts.models import Environment
from gateway.methods.spei import documents
from gateway.methods.spei.clabe import SANDBOX_BANK, bank_name, is_clabe
from gateway.payouts.rail import PayoutMarket, PayoutRail, masked
from gateway.payouts.sandbox import SandboxPayout, token


class SpeiPayout(PayoutRail):
    """Common to all: the destination."""

    rail: ClassVar[str] = "SPEI"
    markets: ClassVar[tuple[PayoutMarket, ...]] = (PayoutMarket("MXN", minimum=Decimal(1), maximum=Decimal(1_000_000)),)
    members: ClassVar[tuple[str, ...]] = ("clabe", "beneficiaryName", "beneficiaryTaxId", "concept", "numericReference")
    account_members: ClassVar[tuple[str, ...]] = ("clabe",)
    reference_name: ClassVar[str] = "trackingKey"

    def faults(self, draft: Mapping[str, Any], *, strict: bool) -> list[Fault]:
        found = []
        number, tax_id = draft.get("clabe"), draft.get("beneficiaryTaxId")
        if isinstance(number, str) and not _is_payable(number, strict=strict):
            found.append(Fault("clabe", "INVALID", "Must be 18 digits, the last of them the check digit."))
        if isinstance(tax_id, str) and not _is_document(tax_id, strict=strict):
            found.append(Fault("beneficiaryTaxId", "INVALID", "Must be an RFC of 12 or 13 characters or a CURP of 18."))
        return found

    def destination(self, draft: Mapping[str, str]) -> dict[str, str]:
        return dict(draft)

    def shown(self, destination: Mapping[str, str]) -> dict[str, str | None]:
        bank = destination["clabe"][:3]
        return {
            "clabe": masked(destination["clabe"]),
            "bankCode": bank,
            "bankName": bank_name(bank),
            "beneficiaryName": destination["beneficiaryName"],
            "concept": destination.get("concept"),
            "numericReference": destination.get("numericReference"),
        }


class SandboxSpeiPayout(SandboxPayout, SpeiPayout):
    """The deterministic simulator. It also knows the sandbox's own bank."""

    def paid(self, at: datetime) -> str:
        """A clave de rastreo: at most 30 letters and digits."""
        return f"SANDBOX{at:%Y%m%d%H%M%S}{token(9)}"


def _is_payable(number: str, *, strict: bool) -> bool:
    """Merged banks live on in CLABEs and no catalogue is complete: only the sandbox's own bank is rejected."""
    return is_clabe(number) and not (strict and number.startswith(SANDBOX_BANK))


def _is_document(tax_id: str, *, strict: bool) -> bool:
    return documents.type_of(tax_id) is not None and (not strict or documents.is_valid(tax_id))


RAILS: dict[Environment, Sequence[PayoutRail]] = {Environment.SANDBOX: [SandboxSpeiPayout()]}
