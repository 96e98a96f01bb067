"""The JSON of a receipt (contract §8.1). The payer reads it too: no fee and no net."""

from typing import Literal

from typing_extensions import TypedDict

from accounts.base.clock import now
from accounts.base.wire import Number, Timestamp, optional_timestamp, timestamp
from gateway.methods.registry import Method
from gateway.methods.spei.rail import TRACKING_KEY
from gateway.payments.models import Payment
from gateway.payments.payloads import MethodName
from gateway.receipts import tax_ids, verification
from gateway.receipts.selectors import refunds_of
from ledger.money import to_decimal


class ReceiptPayerPayload(TypedDict):
    """Who paid. Only the middle of the document is shown."""

    name: str
    taxId: str | None


class ReceiptPayeePayload(TypedDict):
    """Who was paid."""

    name: str
    taxId: str | None


class ReceiptCardPayload(TypedDict):
    """The printable data of the card."""

    brand: str
    last4: str


class ReceiptRefundPayload(TypedDict):
    """The amount returned to the payer."""

    id: str
    amount: Number
    completedAt: Timestamp


class ReceiptPayload(TypedDict):
    """A receipt, as of `issuedAt`. Members of other methods are null."""

    id: str
    paymentId: str
    reference: str
    status: Literal["PAID", "REFUNDED"]
    method: MethodName
    amount: Number
    refundedAmount: Number
    currency: str
    payer: ReceiptPayerPayload
    payee: ReceiptPayeePayload
    dueDate: str | None
    pixEndToEndId: str | None
    trackingKey: str | None
    authorizationCode: str | None
    card: ReceiptCardPayload | None
    refunds: list[ReceiptRefundPayload]
    verificationCode: str
    paidAt: Timestamp | None
    issuedAt: Timestamp


def receipt(payment: Payment) -> ReceiptPayload:
    """The receipt of a paid payment. The payment's merchant must be loaded."""
    currency, company = payment.currency, payment.merchant.company
    return {
        "id": verification.receipt_id(payment),
        "paymentId": payment.id,
        "reference": payment.reference,
        "status": str(payment.status),  # type: ignore[typeddict-item]
        "method": payment.method,  # type: ignore[typeddict-item]
        "amount": to_decimal(payment.amount, currency),
        "refundedAmount": to_decimal(payment.refunded_amount, currency),
        "currency": currency,
        "payer": {"name": payment.payer["name"], "taxId": payer_tax_id(payment)},
        "payee": {"name": company.legal_name, "taxId": company.tax_id or None},
        "dueDate": payment.due_date.isoformat() if payment.due_date else None,
        "pixEndToEndId": end_to_end_id(payment),
        "trackingKey": tracking_key(payment),
        "authorizationCode": payment.details.get("authorizationCode"),
        "card": card(payment),
        "refunds": [
            {
                "id": refund.id,
                "amount": to_decimal(refund.amount, currency),
                "completedAt": timestamp(refund.completed_at),
            }
            for refund in refunds_of(payment)
        ],
        "verificationCode": verification.code(payment),
        "paidAt": optional_timestamp(payment.paid_at),
        "issuedAt": timestamp(now(payment.merchant)),
    }


def payer_tax_id(payment: Payment) -> str | None:
    """The payer's document, masked."""
    payer = payment.payer
    return tax_ids.masked(payer["taxId"], payer["taxIdType"]) if payer["taxId"] else None


def end_to_end_id(payment: Payment) -> str | None:
    """The id by which the payer's bank knows a PIX payment."""
    return payment.details.get("pixEndToEndId") if payment.method == Method.PIX else None


def tracking_key(payment: Payment) -> str | None:
    """The id by which the payer's bank knows a transfer."""
    if payment.method not in (Method.SPEI, Method.BANK_TRANSFER):
        return None
    return payment.details.get(TRACKING_KEY) or payment.rail_reference


def card(payment: Payment) -> ReceiptCardPayload | None:
    known = payment.details.get("card")
    return {"brand": known["brand"], "last4": known["last4"]} if known else None
