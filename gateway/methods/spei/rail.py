"""SPEI: a dedicated CLABE for each payment, to which every Mexican bank transfers."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from typing_extensions import TypedDict

from accounts.base.errors import Fault
from accounts.base.wire import Number
from accounts.models import Environment
from gateway.methods.bank_details import details_of, invented, number_of
from gateway.methods.rail import Market, PaymentDraft, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.methods.sandbox import SandboxRail
from gateway.methods.spei import documents
from gateway.methods.spei.clabe import SANDBOX_BANK, SANDBOX_BANK_NAME, clabe

HOUR = 3_600
DAY = 24 * HOUR
TRACKING_KEY = "trackingKey"
"""Detail of a payment whose institution names its money by more than the payer's bank's key (clave de rastreo)."""


class SpeiPayload(TypedDict):
    """The account for one transfer of exactly this amount."""

    rail: str
    clabe: str
    bankName: str
    bankCode: str
    beneficiaryName: str
    beneficiaryTaxId: str | None
    paymentReference: str
    amount: Number
    currency: str


class Spei(Rail):
    """The method, at every institution and in the sandbox."""

    method: ClassVar[str] = "SPEI"
    markets: ClassVar[tuple[Market, ...]] = (
        Market(
            currency="MXN",
            flow="BANK_DETAILS",
            minimum=Decimal(1),
            maximum=Decimal(1_000_000),
            percentage=Decimal("1.99"),
            fixed=Decimal(0),
            settlement_days=0,
            expires_in_s=3 * DAY,
            expires_in_range_s=(HOUR, 30 * DAY),
            refund_window_days=90,
        ),
    )

    bank_reference: ClassVar[re.Pattern[str]] = re.compile(r"[0-9A-Za-z]{1,30}")

    def faults(self, draft: PaymentDraft, *, strict: bool) -> list[Fault]:
        tax_id, declared = draft.payer.tax_id, draft.payer.tax_id_type
        if not tax_id:
            return []
        kind = documents.type_of(tax_id)
        if kind is None or (strict and not documents.is_valid(tax_id)):
            return [Fault("payer.taxId", "INVALID", "Must be an RFC of 12 or 13 characters or a CURP of 18.")]
        if declared not in (None, kind):
            return [Fault("payer.taxIdType", "INVALID", "Does not fit the document.")]
        return []

    def shown(self, details: Mapping[str, Any]) -> dict[str, Any]:
        kept = details["bankDetails"]
        bank_details: SpeiPayload = {
            "rail": self.method,
            "clabe": kept["clabe"],
            "bankName": kept["bankName"],
            "bankCode": kept["bankCode"],
            "beneficiaryName": kept["beneficiaryName"],
            "beneficiaryTaxId": kept.get("beneficiaryTaxId") or None,
            "paymentReference": kept["paymentReference"],
            "amount": Decimal(kept["amount"]),
            "currency": kept["currency"],
        }
        return {"bankDetails": bank_details}


class SandboxSpei(SandboxRail, Spei):
    """The deterministic simulator: accounts with an unassigned bank number."""

    city = "180"  # Mexico City

    def instructions(self, order: PaymentOrder) -> PaymentOutcome:
        """One of 10^11 accounts, and a reference, both derived from the payment's id."""
        rest, account = divmod(number_of(order), 10**11)
        number = clabe(bank=SANDBOX_BANK, city=self.city, account=account)
        details = details_of(order, rest, clabe=number, bankName=SANDBOX_BANK_NAME, bankCode=SANDBOX_BANK)
        return PaymentOutcome(PaymentResult.WAITING, {"bankDetails": details})

    def paid(self, at: datetime) -> PaymentOutcome:
        return PaymentOutcome(PaymentResult.DONE, reference=self._tracking_key(at))

    def _tracking_key(self, at: datetime) -> str:
        """The clave de rastreo, which the payer's bank gives a transfer: at most 30 letters and digits."""
        return f"SANDBOX{at:%Y%m%d%H%M%S}{invented(9)}"


RAILS: dict[Environment, Sequence[Rail]] = {Environment.SANDBOX: [SandboxSpei()]}
