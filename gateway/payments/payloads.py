"""The JSON of a payment, for responses and events alike (contract §5)."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from accounts.base.wire import Number, Timestamp, optional_timestamp, timestamp
from gateway.customers.payer import Payer
from gateway.methods.bank_transfer.rail import BankTransferPayload
from gateway.methods.card.method import ConfirmCardPayload, WarningPayload
from gateway.methods.colombia import RedirectPayload
from gateway.methods.mb_way.rail import MbWayPayload
from gateway.methods.registry import CARDS, Method, by_currency
from gateway.methods.spei.rail import SpeiPayload
from gateway.payments import links
from gateway.payments.models import OPEN, Payment, Status
from gateway.providers.asking import ResolutionPayload, resolution
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


class SettlementPayload(TypedDict):
    """What was credited if the currency has no wallet; the rate is that of the capture."""

    currency: str
    amount: Number
    rate: Number


class PaymentPayload(TypedDict):
    """A payment. Method-specific members are present for that method only; `failure` only when FAILED."""

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
    payableFrom: NotRequired[Timestamp | None]
    pdfUrl: NotRequired[str]
    bankDetails: NotRequired[SpeiPayload | BankTransferPayload]
    mbWay: NotRequired[MbWayPayload]
    nextAction: NotRequired[RedirectPayload | ConfirmCardPayload]
    warnings: NotRequired[list[WarningPayload]]
    settlement: NotRequired[SettlementPayload]
    expiresAt: NotRequired[Timestamp | None]
    paymentLinkId: NotRequired[str]
    failure: NotRequired[FailurePayload]
    resolution: ResolutionPayload | None
    paidAt: Timestamp | None
    createdAt: Timestamp
    updatedAt: Timestamp


_BROWSER_ONLY = ("clientSecret", "sessionToken", "checkoutUrl")


def payment(payment: Payment) -> PaymentPayload:
    """The payment object. The payment's merchant must be loaded."""
    shown: Any = by_currency(payment.method)[payment.currency].shown(payment.details) if payment.details else {}
    if shown and payment.method == Method.BOLETO:
        shown |= {"payableFrom": payable_from(payment), "pdfUrl": links.boleto(payment)}
    if payment.due_date:
        shown["dueDate"] = payment.due_date.isoformat()
    if payment.method in CARDS:
        shown |= _card(payment)
    else:
        shown["expiresAt"] = optional_timestamp(payment.expires_at)
    if payment.details.get("checkout") and payment.status in OPEN:
        shown["nextAction"] = _redirect(payment)
    if payment.payment_link_id:
        shown["paymentLinkId"] = payment.payment_link_id
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
        "releaseAt": optional_timestamp(None if _was_refunded_first(payment) else payment.release_at),
        "customer": {
            "id": payment.customer_id,
            "name": payment.payer["name"],
            "email": payment.payer["email"],
            "phone": payment.payer["phone"],
            "taxId": payment.payer["taxId"],
        },
        **shown,
        "resolution": resolution(payment),
        "paidAt": optional_timestamp(payment.paid_at),
        "createdAt": timestamp(payment.created_at),
        "updatedAt": timestamp(payment.updated_at),
    }


def payable_from(payment: Payment) -> str | None:
    """Since when a boleto can be paid; None while the bank has not registered it. Most are registered at once."""
    found: str | None = payment.details.get("payableFrom", timestamp(payment.created_at))
    return found


def _was_refunded_first(payment: Payment) -> bool:
    """Whether it was fully refunded before its release: then it is never released."""
    due = payment.release_at
    return payment.status == Status.REFUNDED and due is not None and due > payment.updated_at


def announced(record: Payment) -> PaymentPayload:
    """The payment object for events: without members that only the payer's browser may see (contract §6.1)."""
    payload = payment(record)
    if action := payload.get("nextAction"):
        public = {name: value for name, value in action.items() if name not in _BROWSER_ONLY}
        payload["nextAction"] = public  # type: ignore[typeddict-item]
    return payload


def _card(payment: Payment) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if payment.requested_method != payment.method:
        shown["warnings"] = [_correction(payment)]
    if payment.settlement_currency and payment.settlement_amount is not None:
        shown["settlement"] = {
            "currency": payment.settlement_currency,
            "amount": to_decimal(payment.settlement_amount, payment.settlement_currency),
            "rate": payment.settlement_rate,
        }
    if payment.status == Status.PENDING:  # the deadline of the issuer's answer; a session has its own
        shown["expiresAt"] = optional_timestamp(payment.expires_at)
    if payment.status == Status.ACTION_REQUIRED and "session" in payment.details:
        shown["nextAction"] = _confirm_card(payment)
    return shown


def _correction(payment: Payment) -> WarningPayload:
    return {
        "code": "ONP_CARD_METHOD_CORRECTED",
        "field": "method",
        "requestedMethod": payment.requested_method,
        "processedMethod": payment.method,
        "message": f"The card is a {payment.details['card']['funding']} card; the payment was processed as "
        f"{payment.method}.",
    }


def _confirm_card(payment: Payment) -> ConfirmCardPayload:
    assert payment.expires_at is not None
    secret = links.client_secret(payment)
    return {
        "type": "CONFIRM_CARD",
        "integrationMode": payment.details["session"]["integrationMode"],
        "clientSecret": secret,
        "sessionToken": secret,
        "checkoutUrl": links.hosted_card_page(payment),
        "expiresAt": timestamp(payment.expires_at),
    }


def _redirect(payment: Payment) -> RedirectPayload:
    assert payment.expires_at is not None
    return {
        "type": "REDIRECT",
        "redirectUrl": links.checkout(payment),
        "expiresAt": timestamp(payment.expires_at),
    }


def payer(payer: Payer) -> dict[str, Any]:
    """The payer snapshot that is stored with the payment."""
    return {
        "name": payer.name,
        "taxId": payer.tax_id,
        "taxIdType": payer.tax_id_type,
        "email": payer.email,
        "phone": payer.phone,
        "address": payer.address,
    }


def payer_of(snapshot: dict[str, Any]) -> Payer:
    """The payer in the payment's snapshot."""
    return Payer(
        name=snapshot["name"],
        tax_id=snapshot["taxId"],
        tax_id_type=snapshot["taxIdType"],
        email=snapshot["email"],
        phone=snapshot["phone"],
        address=snapshot["address"],
    )
