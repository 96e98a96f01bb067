"""Shared by the four Colombian methods: the payer's document, and a checkout page (§5.4)."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, Literal

from stdnum.co import nit
from typing_extensions import TypedDict

from accounts.base.errors import Fault
from accounts.base.wire import Timestamp
from gateway.customers.payer import Payer
from gateway.methods.rail import Market, PaymentDraft, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.methods.sandbox import SandboxRail
from gateway.methods.scenarios import PAYER_REJECTED

_FORMS = {
    "CC": re.compile(r"[0-9]{5,10}"),
    "CE": re.compile(r"[0-9A-Z]{5,10}"),
    "TI": re.compile(r"[0-9]{10,11}"),
    "NIT": re.compile(r"[0-9]{9,10}"),
    "PPT": re.compile(r"[0-9]{5,10}"),
    "PASSPORT": re.compile(r"[0-9A-Z]{5,20}"),
}
DOCUMENTS = tuple(_FORMS)


class RedirectPayload(TypedDict):
    """Send the payer to `redirectUrl`; at the end they return to your `returnUrl`."""

    type: Literal["REDIRECT"]
    redirectUrl: str
    expiresAt: Timestamp


class ColombianMethod(Rail):
    """What the four have in common, at every institution and in the sandbox."""

    def faults(self, draft: PaymentDraft, *, strict: bool) -> list[Fault]:
        return document_faults(draft.payer, strict=strict)

    def completed(self, payer: Payer) -> Payer:
        return replace(payer, tax_id_type=payer.tax_id_type or "CC")

    def shown(self, details: Mapping[str, Any]) -> dict[str, Any]:
        """Nothing: the URL of the page depends on the payment's status, and is added where that is known."""
        return {}


class SandboxCheckout(SandboxRail, ColombianMethod):
    """The deterministic simulator: a checkout page of ours where the payer accepts or declines."""

    needs: ClassVar[tuple[str, ...]] = ("email",)

    def instructions(self, order: PaymentOrder) -> PaymentOutcome:
        return PaymentOutcome(PaymentResult.CHECKOUT, {"checkout": True})

    def asks(self, payer: Mapping[str, Any]) -> tuple[str, ...]:
        """The fields of the page: what the provider needs and the order lacks (contract §4.3)."""
        return tuple(name for name in self.needs if not payer.get(name))

    def paid(self, at: datetime) -> PaymentOutcome:
        return PaymentOutcome(PaymentResult.DONE, reference=secrets.token_hex(12))

    def decided(self, *, accepts: bool, answers: Mapping[str, str], at: datetime) -> PaymentOutcome:
        """The payer's choice on the page. Their identity is for the provider and not stored."""
        if not accepts:
            return PaymentOutcome(PaymentResult.DECLINED, failure=PAYER_REJECTED)
        return replace(self.paid(at), details={name: answers[name] for name in ("bank", "person") if name in answers})


def colombia(*, maximum: int, minutes: int) -> Market:
    """A market in pesos with a checkout page that is open for some minutes. `maximum` in whole pesos."""
    return Market(
        currency="COP",
        flow="REDIRECT",
        minimum=Decimal(100),
        maximum=Decimal(maximum),
        percentage=Decimal("1.99"),
        fixed=Decimal(0),
        settlement_days=0,
        expires_in_s=minutes * 60,
        expires_in_range_s=None,
        refund_window_days=90,
    )


def document_faults(payer: Payer, *, strict: bool) -> list[Fault]:
    """A document is required; its default type is a citizenship card (CC). A NIT has a check digit."""
    if not payer.tax_id:
        return [Fault("payer.taxId", "REQUIRED", "This field is required.")]
    kind = payer.tax_id_type or "CC"
    if kind not in DOCUMENTS:
        return [Fault("payer.taxIdType", "INVALID", "Must be a Colombian document.")]
    if not is_document(kind, payer.tax_id, strict=strict):
        return [Fault("payer.taxId", "INVALID", "Does not have the form of its kind of document.")]
    return []


def is_document(kind: str, number: str, *, strict: bool) -> bool:
    """Whether the number has the format of its type; a NIT's check digit is verified only if `strict`."""
    return bool(_FORMS[kind].fullmatch(number)) and (kind != "NIT" or not strict or _is_nit(number))


def _is_nit(number: str) -> bool:
    """Nine digits are accepted: many write it without the check digit."""
    return len(number) == 9 or bool(nit.is_valid(number))
