"""Boleto: a bank slip that every Brazilian bank accepts, and the same charge as PIX."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar

from accounts.base.errors import Fault
from accounts.models import Environment
from gateway.customers.payer import Payer
from gateway.methods import documents, due_dates
from gateway.methods.boleto.numbers import barcode, digitable_line
from gateway.methods.pix.rail import end_to_end_id_of, sandbox_code
from gateway.methods.rail import Market, PaymentDraft, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.methods.sandbox import SandboxRail
from ledger.money import to_minor

DAY = 86_400
_ADDRESS = ("street", "number", "district", "city", "state", "postalCode")
_STATES = re.compile("A[CLMP]|BA|CE|DF|ES|GO|M[AGST]|P[ABEIR]|R[JNORS]|S[CEP]|TO", re.IGNORECASE)
_POSTAL_CODE = re.compile(r"[0-9]{8}")
_PUNCTUATION = re.compile(r"[\s.\-/]")


class Boleto(Rail):
    """What every provider of boletos shares: the market, what is asked of the payer, and how a slip is shown.

    The details that `shown` reads are those of `slip`.
    """

    method: ClassVar[str] = "BOLETO"
    markets: ClassVar[tuple[Market, ...]] = (
        Market(
            currency="BRL",
            flow="BOLETO",
            minimum=Decimal("1.00"),
            maximum=Decimal(250_000),
            percentage=Decimal(0),
            fixed=Decimal("3.49"),
            settlement_days=0,
            expires_in_s=3 * DAY,
            expires_in_range_s=None,
            refund_window_days=90,
        ),
    )
    takes_due_date: ClassVar[bool] = True

    def faults(self, draft: PaymentDraft, *, strict: bool) -> list[Fault]:
        """First everything missing, in the contract's order, then everything invalid."""
        payer = draft.payer
        address = payer.address or {}
        wrong = _wrong_address(address)
        if not _is_blank(draft.due_date):
            wrong += due_dates.faults(draft)
        if payer.tax_id:
            wrong = documents.faults(payer.tax_id, payer.tax_id_type, strict=strict) + wrong
        return _missing(payer, address, draft.due_date) + wrong

    def completed(self, payer: Payer) -> Payer:
        return documents.completed(payer)

    def deadline(self, created_at: datetime, expires_in_s: int, due_date: date | None) -> datetime:
        """Banks accept a slip for `expires_in_s` after the end of its due date in São Paulo."""
        assert due_date is not None
        return due_dates.end_of(due_date) + timedelta(seconds=expires_in_s)

    @staticmethod
    def slip(order: PaymentOrder, bars: str, document_number: str) -> dict[str, Any]:
        """The details of a slip with this barcode."""
        assert order.due_date is not None
        return {
            "barcode": bars,
            "digitableLine": digitable_line(bars),
            "documentNumber": document_number,
            "dueDate": order.due_date.isoformat(),
            "beneficiary": order.beneficiary,
        }

    def shown(self, details: Mapping[str, Any]) -> dict[str, Any]:
        names = ("barcode", "digitableLine", "documentNumber", "dueDate", "beneficiary")
        return {name: details[name] for name in names}


class SandboxBoleto(Boleto, SandboxRail):
    """The deterministic simulator: slips of the right form from a bank that does not exist."""

    bank = "999"
    ispb = "99999999"

    def instructions(self, order: PaymentOrder) -> PaymentOutcome:
        """Numbers derived from the payment's id, so that asking again gives the same slip."""
        assert order.due_date is not None
        free_field = _free_field(order.payment_id)
        bars = barcode(self.bank, order.due_date, to_minor(order.amount, order.currency), free_field)
        details = self.slip(order, bars, free_field[-10:]) | {"pixCopyPaste": sandbox_code(order)}
        return PaymentOutcome(PaymentResult.WAITING, details, reference=free_field)

    def returned(self, at: datetime) -> str:
        """A boleto is refunded by PIX."""
        return end_to_end_id_of("D", self.ispb, at)


def _missing(payer: Payer, address: Mapping[str, Any], due_date: Any) -> list[Fault]:
    sent: dict[str, Any] = {"payer.name": payer.name, "payer.taxId": payer.tax_id, "payer.email": payer.email}
    sent |= {f"payer.address.{name}": address.get(name) for name in _ADDRESS}
    sent["dueDate"] = due_date
    return [Fault(path, "REQUIRED", "This field is required.") for path, value in sent.items() if _is_blank(value)]


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _wrong_address(address: Mapping[str, Any]) -> list[Fault]:
    """Missing values and wrong types are reported elsewhere."""
    found = []
    state, postal_code = _text(address.get("state")), _text(address.get("postalCode"))
    if state and not _STATES.fullmatch(state):
        found.append(Fault("payer.address.state", "INVALID", "Must be the two letters of a Brazilian state."))
    if postal_code and not _POSTAL_CODE.fullmatch(_PUNCTUATION.sub("", postal_code)):
        found.append(Fault("payer.address.postalCode", "INVALID", "Must be a CEP of 8 digits."))
    return found


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _free_field(payment_id: str) -> str:
    """25 digits unique to the payment: the slip's "nosso número" (15), and the document number (10).

    From a hash, because the times in ids are similar: the odds of a collision among a billion are 1 to 20 million.
    """
    digest = hashlib.sha256(payment_id.encode()).digest()
    return f"{int.from_bytes(digest, 'big') % 10**25:025d}"


RAILS: dict[Environment, Sequence[Rail]] = {Environment.SANDBOX: [SandboxBoleto()]}
