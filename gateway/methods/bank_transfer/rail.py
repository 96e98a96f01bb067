"""Bank transfers: a dedicated CVU and alias for each payment in Argentina, a checkout page in Colombia."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from stdnum.ar import cuit
from typing_extensions import TypedDict

from accounts.base.errors import Fault
from accounts.base.ids import CROCKFORD
from accounts.base.wire import Number
from accounts.models import Environment
from gateway.methods.bank_details import details_of, invented, number_of
from gateway.methods.bank_transfer.cvu import alias, cvu
from gateway.methods.colombia import ColombianMethod, SandboxCheckout, colombia
from gateway.methods.rail import Market, PaymentDraft, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.methods.sandbox import SandboxRail

HOUR = 3_600
DAY = 24 * HOUR
COELSA_ID = 22
"""Characters of the name that the Argentine clearing house gives a transfer."""


class BankTransferPayload(TypedDict):
    """The account for one transfer of exactly this amount: the CVU or its alias."""

    rail: str
    cvu: str
    alias: str
    bankName: str
    bankCode: str
    beneficiaryName: str
    beneficiaryTaxId: str
    paymentReference: str
    amount: Number
    currency: str


class ArgentineTransfer(Rail):
    """The method in Argentina, at every institution and in the sandbox."""

    method: ClassVar[str] = "BANK_TRANSFER"
    markets: ClassVar[tuple[Market, ...]] = (
        Market(
            currency="ARS",
            flow="BANK_DETAILS",
            minimum=Decimal(1),
            maximum=Decimal(10_000_000),
            percentage=Decimal("1.99"),
            fixed=Decimal(0),
            settlement_days=0,
            expires_in_s=3 * DAY,
            expires_in_range_s=(HOUR, 30 * DAY),
            refund_window_days=90,
        ),
    )

    def faults(self, draft: PaymentDraft, *, strict: bool) -> list[Fault]:
        return _argentine_faults(draft.payer.tax_id, draft.payer.tax_id_type, strict=strict)

    def shown(self, details: Mapping[str, Any]) -> dict[str, Any]:
        kept = details["bankDetails"]
        bank_details: BankTransferPayload = {
            "rail": self.method,
            "cvu": kept["cvu"],
            "alias": kept["alias"],
            "bankName": kept["bankName"],
            "bankCode": kept["bankCode"],
            "beneficiaryName": kept["beneficiaryName"],
            "beneficiaryTaxId": kept["beneficiaryTaxId"],
            "paymentReference": kept["paymentReference"],
            "amount": Decimal(kept["amount"]),
            "currency": kept["currency"],
        }
        return {"bankDetails": bank_details}


class SandboxArgentineTransfer(SandboxRail, ArgentineTransfer):
    """The deterministic simulator: accounts with an unassigned payment provider number."""

    provider = "0000999"
    provider_name = "PSP Sandbox"
    alias_prefix = "sandbox.onpay."
    beneficiary_tax_id = "30500010912"

    def instructions(self, order: PaymentOrder) -> PaymentOutcome:
        return PaymentOutcome(PaymentResult.WAITING, {"bankDetails": self._account(order)})

    def paid(self, at: datetime) -> PaymentOutcome:
        return PaymentOutcome(PaymentResult.DONE, reference=invented(COELSA_ID))

    def _account(self, order: PaymentOrder) -> dict[str, str]:
        """An Argentine account and its alias, derived from the payment's id: 10^13 accounts and 10^9 aliases."""
        rest, account = divmod(number_of(order), 10**13)
        return details_of(
            order,
            rest,
            cvu=cvu(provider=self.provider, account=account),
            alias=alias(prefix=self.alias_prefix, number=account, alphabet=CROCKFORD.lower()),
            bankName=self.provider_name,
            bankCode=self.provider,
            beneficiaryTaxId=self.beneficiary_tax_id,
        )


class ColombianTransfer(ColombianMethod):
    """The method in Colombia: the payer signs in at their bank, behind the checkout page."""

    method: ClassVar[str] = "BANK_TRANSFER"
    markets: ClassVar[tuple[Market, ...]] = (colombia(maximum=50_000_000, minutes=30),)


class SandboxColombianTransfer(SandboxCheckout, ColombianTransfer):
    """Its simulator."""


def _argentine_faults(tax_id: str | None, tax_id_type: str | None, *, strict: bool) -> list[Fault]:
    if not tax_id:
        return [Fault("payer.taxId", "REQUIRED", "This field is required.")]
    if not re.fullmatch(r"[0-9]{11}", tax_id) or (strict and not cuit.is_valid(tax_id)):
        return [Fault("payer.taxId", "INVALID", "Must be a CUIT or CUIL of 11 digits.")]
    if tax_id_type not in (None, "CUIT", "CUIL"):
        return [Fault("payer.taxIdType", "INVALID", "Does not fit the document.")]
    return []


RAILS: dict[Environment, Sequence[Rail]] = {
    Environment.SANDBOX: [SandboxArgentineTransfer(), SandboxColombianTransfer()]
}
