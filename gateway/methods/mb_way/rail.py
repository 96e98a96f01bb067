"""MB WAY: the payer confirms in an app on the phone."""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from stdnum.pt import nif
from typing_extensions import TypedDict

from accounts.base.errors import Fault
from accounts.base.wire import Timestamp, timestamp
from accounts.models import Environment
from gateway.customers.payer import Payer
from gateway.methods.phones import international
from gateway.methods.rail import Market, PaymentDraft, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.methods.sandbox import SandboxRail

PORTUGAL = "+351"
_MOBILE = re.compile(r"9[0-9]{8}")
_PHONE = re.compile(r"\+(351[0-9]{9}|(?!351)[1-9][0-9]{7,14})")


class MbWayPayload(TypedDict):
    """The phone that receives the request, and its deadline. There is nothing to show to the payer."""

    phone: str
    expiresAt: Timestamp


class MbWay(Rail):
    """What every provider of MB WAY shares: its market, what is asked of the payer, and how a payment is shown."""

    method: ClassVar[str] = "MB_WAY"
    markets: ClassVar[tuple[Market, ...]] = (
        Market(
            currency="EUR",
            flow="APP_AUTHORIZATION",
            minimum=Decimal("0.01"),
            maximum=Decimal(5_000),
            percentage=Decimal("1.99"),
            fixed=Decimal(0),
            settlement_days=0,
            expires_in_s=240,
            expires_in_range_s=None,
            refund_window_days=120,
        ),
    )

    def faults(self, draft: PaymentDraft, *, strict: bool) -> list[Fault]:
        found = []
        if not draft.payer.phone:
            found.append(Fault("payer.phone", "REQUIRED", "This field is required."))
        elif not _PHONE.fullmatch(_international(draft.payer.phone)):
            found.append(Fault("payer.phone", "INVALID", "Must be 9 digits after +351, or with another country code."))
        return found + _document_faults(draft.payer.tax_id, draft.payer.tax_id_type, strict=strict)

    def completed(self, payer: Payer) -> Payer:
        return replace(payer, phone=_international(payer.phone)) if payer.phone else payer

    def asked(self, order: PaymentOrder) -> PaymentOutcome:
        """The app has been asked. The number is not stored, since nothing needs it later."""
        assert order.payer.phone
        details = {"phone": masked(_international(order.payer.phone)), "expiresAt": timestamp(order.expires_at)}
        return PaymentOutcome(PaymentResult.WAITING, {"mbWay": details})

    def shown(self, details: Mapping[str, Any]) -> dict[str, Any]:
        kept = details["mbWay"]
        mb_way: MbWayPayload = {"phone": kept["phone"], "expiresAt": kept["expiresAt"]}
        return {"mbWay": mb_way}


class SandboxMbWay(MbWay, SandboxRail):
    """The deterministic simulator: no phone is called."""

    def instructions(self, order: PaymentOrder) -> PaymentOutcome:
        return self.asked(order)

    def paid(self, at: datetime) -> PaymentOutcome:
        return PaymentOutcome(PaymentResult.DONE, reference=secrets.token_hex(12))


def _international(phone: str) -> str:
    return international(phone, country=PORTUGAL, mobile=_MOBILE)


def masked(phone: str) -> str:
    """The last four digits, and `+351` where it is Portuguese."""
    head = PORTUGAL if phone.startswith(PORTUGAL) else "+"
    return head + "*" * (len(phone) - len(head) - 4) + phone[-4:]


def _document_faults(tax_id: str | None, tax_id_type: str | None, *, strict: bool) -> list[Fault]:
    if not tax_id:
        return []
    if not re.fullmatch(r"[0-9]{9}", tax_id) or (strict and not nif.is_valid(tax_id)):
        return [Fault("payer.taxId", "INVALID", "Must be a NIF of 9 digits.")]
    if tax_id_type not in (None, "NIF"):
        return [Fault("payer.taxIdType", "INVALID", "Does not fit the document.")]
    return []


RAILS: dict[Environment, Sequence[Rail]] = {Environment.SANDBOX: [SandboxMbWay()]}
