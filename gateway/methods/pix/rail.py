"""PIX: a copy-and-paste code that every Brazilian bank reads."""

import re
import secrets
import string
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, ClassVar

from accounts.base.errors import Fault
from accounts.models import Environment
from gateway.customers.payer import Payer
from gateway.methods import documents, due_dates, qr
from gateway.methods.pix.brcode import br_code
from gateway.methods.rail import Market, PaymentDraft, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.methods.sandbox import SandboxRail

DAY = 86_400
SANDBOX_HOST = "pix.sandbox.onpay.example"
END_TO_END_ID = re.compile(r"E[0-9]{20}[0-9A-Za-z]{11}")
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

    bank_reference: ClassVar[re.Pattern[str]] = END_TO_END_ID
    bank_reference_is_unique: ClassVar[bool] = True

    takes_due_date: ClassVar[bool] = True

    def faults(self, draft: PaymentDraft, *, strict: bool) -> list[Fault]:
        found = documents.faults(draft.payer.tax_id, draft.payer.tax_id_type, strict=strict)
        return found if draft.due_date is None else found + due_dates.faults(draft)

    def completed(self, payer: Payer) -> Payer:
        return documents.completed(payer)

    def deadline(self, created_at: datetime, expires_in_s: int, due_date: date | None) -> datetime:
        """With a due date it can be paid until the end of that day in São Paulo, and not after."""
        return due_dates.end_of(due_date) if due_date else super().deadline(created_at, expires_in_s, due_date)

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
    """The deterministic simulator."""

    ispb = "99999999"

    def instructions(self, order: PaymentOrder) -> PaymentOutcome:
        details = {"pixCopyPaste": sandbox_code(order), "pixTxid": txid_of(order.payment_id)}
        return PaymentOutcome(PaymentResult.WAITING, details)

    def paid(self, at: datetime) -> PaymentOutcome:
        end_to_end_id = end_to_end_id_of("E", self.ispb, at)
        return PaymentOutcome(PaymentResult.DONE, {"pixEndToEndId": end_to_end_id}, reference=end_to_end_id)

    def returned(self, at: datetime) -> str:
        return end_to_end_id_of("D", self.ispb, at)


def sandbox_code(order: PaymentOrder) -> str:
    """A code of the right form that points to a host which does not exist.

    The location of a charge with a due date contains `cobv`, Banco Central's term for it.
    """
    location = f"{SANDBOX_HOST}/v2/{'cobv/' if order.due_date else ''}{txid_of(order.payment_id)}"
    return br_code(location=location, amount=order.amount, name=order.beneficiary, city=order.city)


def txid_of(public_id: str) -> str:
    """The ULID of an id of ours: 26 letters and digits, as Banco Central wants the ids of charges and returns."""
    return public_id.partition("_")[2]


def end_to_end_id_of(kind: str, ispb: str, at: datetime) -> str:
    """`E` (D: a return), the ISPB of the payer's institution, minutes in UTC, 11 characters (Banco Central's rule)."""
    tail = "".join(secrets.choice(_ALPHANUMERIC) for _ in range(11))
    return f"{kind}{ispb}{at:%Y%m%d%H%M}{tail}"


RAILS: dict[Environment, Sequence[Rail]] = {Environment.SANDBOX: [SandboxPix()]}
