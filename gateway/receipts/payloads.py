"""The JSON of receipts (contract §8.1, §8.3). Payers and beneficiaries read them too: no fee and no net."""

from typing import Literal

from typing_extensions import TypedDict

from accounts.base.clock import now
from accounts.base.wire import Number, Timestamp, optional_timestamp, timestamp
from gateway.methods.registry import Method
from gateway.methods.spei.rail import TRACKING_KEY
from gateway.payments.models import Payment
from gateway.payments.payloads import MethodName
from gateway.payouts.registry import by_currency
from gateway.receipts import tax_ids, verification
from gateway.receipts.selectors import refunds_of
from gateway.withdrawals.models import Withdrawal
from gateway.withdrawals.payloads import DestinationPayload, RailLiteral
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


class WithdrawalReceiptPayerPayload(TypedDict):
    """The company that sent the money."""

    name: str
    taxId: str | None


class WithdrawalReceiptPayload(TypedDict):
    """A receipt of a withdrawal, as of `issuedAt`. Ids that its rail does not have are null."""

    id: str
    withdrawalId: str
    reference: str
    status: Literal["COMPLETED", "RETURNED"]
    rail: RailLiteral
    amount: Number
    currency: str
    receivedAmount: Number
    receivedCurrency: str
    payer: WithdrawalReceiptPayerPayload
    destination: DestinationPayload
    endToEndId: str | None
    trackingKey: str | None
    transactionHash: str | None
    verificationCode: str
    completedAt: Timestamp | None
    returnedAt: Timestamp | None
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


def withdrawal_receipt(withdrawal: Withdrawal) -> WithdrawalReceiptPayload:
    """The receipt of a withdrawal that arrived. Its merchant must be loaded."""
    company = withdrawal.merchant.company
    rail = by_currency(withdrawal.rail)[withdrawal.payout_currency]
    known = {rail.reference_name: rail.proof(withdrawal.rail_reference)}
    return {
        "id": verification.receipt_id(withdrawal),
        "withdrawalId": withdrawal.id,
        "reference": withdrawal.reference,
        "status": str(withdrawal.status),  # type: ignore[typeddict-item]
        "rail": withdrawal.rail,  # type: ignore[typeddict-item]
        "amount": withdrawal.amount_exact,
        "currency": withdrawal.currency,
        "receivedAmount": to_decimal(withdrawal.payout_amount, withdrawal.payout_currency),
        "receivedCurrency": withdrawal.payout_currency,
        "payer": {"name": company.legal_name, "taxId": company.tax_id or None},
        "destination": withdrawal.destination,
        "endToEndId": known.get("endToEndId"),
        "trackingKey": known.get("trackingKey"),
        "transactionHash": known.get("transactionHash"),
        "verificationCode": verification.code(withdrawal),
        "completedAt": optional_timestamp(withdrawal.completed_at),
        "returnedAt": optional_timestamp(withdrawal.returned_at),
        "issuedAt": timestamp(now(withdrawal.merchant)),
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
