"""The body of a new beneficiary (contract §11.8)."""

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from pydantic import Field

from accounts.base.errors import Fault, Refusal
from accounts.models import Merchant
from gateway.api.inputs.fields import Input, parsed
from gateway.api.inputs.withdrawals import (
    BankWithdrawalInput,
    CryptoWithdrawalInput,
    Name,
    PixWithdrawalInput,
    SpeiWithdrawalInput,
    WithdrawalInput,
)
from gateway.payouts.crypto.rail import NETWORKS
from gateway.payouts.registry import by_currency
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.beneficiaries.payloads import PayoutCurrency
from gateway.withdrawals.beneficiaries.services import BeneficiaryDraft
from gateway.withdrawals.payloads import RailLiteral

BODIES: dict[str, type[WithdrawalInput]] = {
    body.rail: body for body in (PixWithdrawalInput, SpeiWithdrawalInput, BankWithdrawalInput, CryptoWithdrawalInput)
}
_ORDER = {"companyId": "-", "amount": Decimal(1), "reference": "-"}
"""A destination is validated as that of a withdrawal."""


class BeneficiaryInput(Input):
    """An account to be known by name; `destination` has the members of a withdrawal over `rail`."""

    name: Name
    rail: RailLiteral
    currency: PayoutCurrency
    destination: Annotated[dict[str, Any], Field(min_length=1, max_length=20)]

    codes: ClassVar[dict[str, type[Refusal]]] = {}

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        rail, currency, destination = (content.get(name) for name in ("rail", "currency", "destination"))
        if not (isinstance(rail, str) and rail in BODIES and isinstance(destination, dict)):
            return []
        if not isinstance(currency, str):
            return []
        if currency not in by_currency(rail):
            return [Fault("currency", "UNKNOWN_VALUE", "This rail does not pay out this currency.")]
        _, refusal = parsed(BODIES[rail], _order(rail, str(currency), destination), merchant)
        return [replace(fault, field=f"destination.{fault.field}") for fault in (refusal.faults if refusal else ())]

    def draft(self, merchant: Merchant, requester: Requester) -> BeneficiaryDraft:
        valid, _ = parsed(BODIES[self.rail], _order(self.rail, self.currency, self.destination), merchant)
        assert valid is not None
        destination = valid.draft(merchant, requester).destination
        return BeneficiaryDraft(self.name, self.rail, self.currency, destination, requester)


def _order(rail: str, currency: str, destination: dict[str, Any]) -> dict[str, Any]:
    if rail != "CRYPTO":
        return destination | _ORDER | {"currency": currency}
    return {"network": NETWORKS[currency][0]} | destination | _ORDER | {"asset": currency, "currency": "BRL"}
