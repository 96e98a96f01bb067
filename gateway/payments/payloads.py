"""The JSON of a payment, once, for answers and events alike (contract §5)."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from accounts.wire import Number, Timestamp, optional_timestamp, timestamp
from gateway.customers.payer import Payer
from gateway.methods.bank_transfer.rail import BankTransferPayload
from gateway.methods.colombia import RedirectPayload
from gateway.methods.mb_way.rail import MbWayPayload
from gateway.methods.registry import Method, rail_of
from gateway.methods.spei.rail import SpeiPayload
from gateway.payments import links
from gateway.payments.models import OPEN, Payment, Status
from ledger.money import to_decimal

MethodName = Literal[
    "PIX", "BOLETO", "SPEI", "BANK_TRANSFER", "MB_WAY", "CREDIT_CARD", "DEBIT_CARD", "PSE", "NEQUI", "BRE_B"
]
StatusName = Literal["ACTION_REQUIRED", "PENDING", "AUTHORIZED", "PAID", "FAILED", "EXPIRED", "REFUNDED"]


class PaidByPayload(TypedDict):
    """The payer as sent with the payment, and the id of the customer."""

    id: str
    name: str
    email: str | None
    phone: str | None
    taxId: str | None


class FailurePayload(TypedDict):
    """Why a payment FAILED."""

    code: str
    message: str


class PaymentPayload(TypedDict):
    """A payment. Members of a method are there for that method only; `failure` only when FAILED."""

    id: str
    companyId: str
    environment: Literal["SANDBOX", "PRODUCTION"]
    reference: str
    status: StatusName
    method: MethodName
    currency: str
    amount: Number
    fee: Number
    netAmount: Number
    refundedAmount: Number
    settlementDays: int
    releaseAt: Timestamp | None
    customer: PaidByPayload
    pixCopyPaste: NotRequired[str]
    pixQrCode: NotRequired[str]
    pixTxid: NotRequired[str]
    pixEndToEndId: NotRequired[str | None]
    barcode: NotRequired[str]
    digitableLine: NotRequired[str]
    documentNumber: NotRequired[str]
    dueDate: NotRequired[str]
    beneficiary: NotRequired[str]
    pdfUrl: NotRequired[str]
    bankDetails: NotRequired[SpeiPayload | BankTransferPayload]
    mbWay: NotRequired[MbWayPayload]
    nextAction: NotRequired[RedirectPayload]
    expiresAt: NotRequired[Timestamp | None]
    failure: NotRequired[FailurePayload]
    paidAt: Timestamp | None
    createdAt: Timestamp
    updatedAt: Timestamp


def payment(payment: Payment) -> PaymentPayload:
    """The payment object. The payment's merchant must be at hand."""
    rail = rail_of(payment.method, payment.currency, payment.merchant.environment)
    shown: Any = rail.shown(payment.details) if rail and payment.details else {}
    if shown and payment.method == Method.BOLETO:
        shown["pdfUrl"] = links.boleto(payment)
    if payment.details.get("checkout") and payment.status in OPEN:
        shown["nextAction"] = _redirect(payment)
    if payment.status == Status.FAILED:
        shown["failure"] = {"code": payment.failure_code, "message": payment.failure_message}
    currency = payment.currency
    return {
        "id": payment.id,
        "companyId": payment.merchant.company_id,
        "environment": payment.merchant.environment,  # type: ignore[typeddict-item]
        "reference": payment.reference,
        "status": str(payment.status),  # type: ignore[typeddict-item]
        "method": payment.method,  # type: ignore[typeddict-item]
        "currency": currency,
        "amount": to_decimal(payment.amount, currency),
        "fee": to_decimal(payment.fee, currency),
        "netAmount": to_decimal(payment.net, currency),
        "refundedAmount": to_decimal(payment.refunded_amount, currency),
        "settlementDays": payment.settlement_days,
        "releaseAt": optional_timestamp(payment.release_at),
        "customer": {
            "id": payment.customer_id,
            "name": payment.payer["name"],
            "email": payment.payer["email"],
            "phone": payment.payer["phone"],
            "taxId": payment.payer["taxId"],
        },
        **shown,
        "expiresAt": optional_timestamp(payment.expires_at),
        "paidAt": optional_timestamp(payment.paid_at),
        "createdAt": timestamp(payment.created_at),
        "updatedAt": timestamp(payment.updated_at),
    }


def _redirect(payment: Payment) -> RedirectPayload:
    assert payment.expires_at is not None
    return {
        "type": "REDIRECT",
        "redirectUrl": links.checkout(payment),
        "expiresAt": timestamp(payment.expires_at),
    }


def payer(payer: Payer) -> dict[str, Any]:
    """The snapshot of the payer that the payment keeps."""
    return {
        "name": payer.name,
        "taxId": payer.tax_id,
        "taxIdType": payer.tax_id_type,
        "email": payer.email,
        "phone": payer.phone,
        "address": payer.address,
    }


def payer_of(snapshot: dict[str, Any]) -> Payer:
    """The payer out of the payment's snapshot."""
    return Payer(
        name=snapshot["name"],
        tax_id=snapshot["taxId"],
        tax_id_type=snapshot["taxIdType"],
        email=snapshot["email"],
        phone=snapshot["phone"],
        address=snapshot["address"],
    )
