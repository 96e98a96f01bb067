"""PIX: a copy-and-paste code that every Brazilian bank reads."""

import re
import secrets
import string
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from accounts.base.errors import Fault
from accounts.models import Environment
from gateway.customers.payer import Payer
from gateway.methods import documents, qr
from gateway.methods.pix.brcode import br_code
from gateway.methods.rail import Market, PaymentDraft, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.methods.sandbox import SandboxRail

DAY = 86_400
_ALPHANUMERIC = string.ascii_letters + string.digits


class Pix(Rail):
    """What every provider of PIX shares: its market, what is asked of the payer, and how a payment is shown.

    The details that `shown` reads are pixCopyPaste, pixTxid and, once it was paid, pixEndToEndId.
    """

    method: ClassVar[str] = "PIX"
    markets: ClassVar[tuple[Market, ...]] = (
        Market(
            currency="BRL",
            flow="PIX_CODE",
            minimum=Decimal("0.01"),
            maximum=Decimal(250_000),
            percentage=Decimal("0.99"),
            fixed=Decimal("0.01"),
            settlement_days=0,
            expires_in_s=DAY,
            expires_in_range_s=(60, 30 * DAY),
            refund_window_days=90,
        ),
    )

    bank_reference: ClassVar[re.Pattern[str]] = re.compile(r"E[0-9]{20}[0-9A-Za-z]{11}")

    def faults(self, draft: PaymentDraft, *, strict: bool) -> list[Fault]:
        return documents.faults(draft.payer.tax_id, draft.payer.tax_id_type, strict=strict)

    def completed(self, payer: Payer) -> Payer:
        return documents.completed(payer)

    def received(self, bank_reference: str) -> PaymentOutcome:
        details = {"pixEndToEndId": bank_reference}
        return PaymentOutcome(PaymentResult.DONE, details, reference=bank_reference)

    def shown(self, details: Mapping[str, Any]) -> dict[str, Any]:
        """Without instructions a payment can be paid only by simulation; then only the money has an id."""
        end_to_end = {"pixEndToEndId": details.get("pixEndToEndId")}
        if "pixCopyPaste" not in details:
            return end_to_end
        code = details["pixCopyPaste"]
        return {"pixCopyPaste": code, "pixQrCode": qr.data_uri(code), "pixTxid": details["pixTxid"], **end_to_end}


class SandboxPix(Pix, SandboxRail):
    """The deterministic simulator: codes of the right form that point to a host which does not exist."""

    host = "pix.sandbox.onpay.example"
    ispb = "99999999"

    def instructions(self, order: PaymentOrder) -> PaymentOutcome:
        """A charge at the sandbox's own location."""
        txid = txid_of(order.payment_id)
        code = br_code(location=f"{self.host}/v2/{txid}", amount=order.amount, name=order.beneficiary, city=order.city)
        return PaymentOutcome(PaymentResult.WAITING, {"pixCopyPaste": code, "pixTxid": txid})

    def paid(self, at: datetime) -> PaymentOutcome:
        end_to_end_id = end_to_end_id_of("E", self.ispb, at)
        return PaymentOutcome(PaymentResult.DONE, {"pixEndToEndId": end_to_end_id}, reference=end_to_end_id)

    def returned(self, at: datetime) -> str:
        return end_to_end_id_of("D", self.ispb, at)


def txid_of(public_id: str) -> str:
    """The ULID of an id of ours: 26 letters and digits, as Banco Central wants the ids of charges and returns."""
    return public_id.partition("_")[2]


def end_to_end_id_of(kind: str, ispb: str, at: datetime) -> str:
    """`E` (D: a return), the ISPB of the payer's institution, minutes in UTC, 11 characters (Banco Central's rule)."""
    tail = "".join(secrets.choice(_ALPHANUMERIC) for _ in range(11))
    return f"{kind}{ispb}{at:%Y%m%d%H%M}{tail}"


RAILS: dict[Environment, Sequence[Rail]] = {Environment.SANDBOX: [SandboxPix()]}
