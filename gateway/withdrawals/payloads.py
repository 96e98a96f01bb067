"""The JSON of a withdrawal, for responses and events alike (contract §11)."""

from decimal import Decimal
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from accounts.base.wire import Number, Timestamp, optional_timestamp, plain, timestamp
from gateway.payments.payloads import FailurePayload
from gateway.payouts.crypto.rail import NETWORKS
from gateway.payouts.registry import by_currency
from gateway.providers.asking import ResolutionPayload, resolution
from gateway.withdrawals.models import Withdrawal
from ledger.money import to_decimal

RailLiteral = Literal["PIX", "SPEI", "BANK_TRANSFER", "CRYPTO"]
StatusName = Literal["PROCESSING", "COMPLETED", "FAILED", "RETURNED"]
FailureCodeName = Literal[
    "INVALID_DESTINATION", "BENEFICIARY_MISMATCH", "BANK_REJECTED", "COMPLIANCE_REJECTED", "NETWORK_ERROR",
    "RETURNED_BY_BANK", "APPROVAL_REJECTED", "APPROVAL_EXPIRED",
]  # fmt: skip
ApprovalName = Literal["PENDING", "APPROVED", "REJECTED", "EXPIRED", "CANCELED"]


class ApprovalPayload(TypedDict):
    """What the company's own rules ask of a withdrawal: approvals required, and those that count so far."""

    state: ApprovalName
    required: int
    given: int
    expiresAt: Timestamp


class DestinationPayload(TypedDict):
    """The destination, masked: the members of its rail."""

    pixKey: NotRequired[str]
    clabe: NotRequired[str]
    cbu: NotRequired[str]
    cvu: NotRequired[str]
    alias: NotRequired[str]
    bankCode: NotRequired[str]
    bankName: NotRequired[str | None]
    branch: NotRequired[str]
    accountType: NotRequired[str]
    accountNumber: NotRequired[str]
    beneficiaryName: NotRequired[str]
    beneficiaryTaxId: NotRequired[str]
    documentType: NotRequired[str]
    documentNumber: NotRequired[str]
    concept: NotRequired[str | None]
    numericReference: NotRequired[str | None]
    address: NotRequired[str]


class CepPayload(TypedDict):
    """Where Banco de México shows the receipt of a SPEI transfer (CEP), and what its page asks for."""

    url: str
    operationDate: str
    senderBank: str
    receiverBank: str


class WithdrawalPayload(TypedDict):
    """A withdrawal; the beneficiary receives `amount`, or `assetAmount` of crypto. `failure` only if it failed."""

    id: str
    rail: RailLiteral
    status: StatusName
    amount: Number
    currency: str
    pixKeyType: NotRequired[Literal["CPF", "CNPJ", "EMAIL", "PHONE", "EVP"]]
    createdAt: Timestamp
    companyId: str
    environment: Literal["SANDBOX", "PRODUCTION"]
    reference: str
    fee: Number
    totalDebited: Number
    destination: DestinationPayload
    endToEndId: NotRequired[str | None]
    trackingKey: NotRequired[str | None]
    cep: NotRequired[CepPayload]
    transactionHash: NotRequired[str | None]
    asset: NotRequired[Literal["USDT", "BTC"]]
    network: NotRequired[Literal["TRC20", "BITCOIN"]]
    address: NotRequired[str]
    marketRate: NotRequired[Number]
    appliedRate: NotRequired[Number]
    spreadPercentage: NotRequired[Number]
    assetGrossAmount: NotRequired[Number]
    networkFee: NotRequired[Number]
    assetAmount: NotRequired[Number]
    failure: NotRequired[FailurePayload]
    approval: ApprovalPayload | None
    resolution: ResolutionPayload | None
    updatedAt: Timestamp
    completedAt: Timestamp | None
    returnedAt: Timestamp | None


def withdrawal(withdrawal: Withdrawal) -> WithdrawalPayload:
    """The withdrawal object."""
    rail = by_currency(withdrawal.rail)[withdrawal.payout_currency]
    payload: dict[str, Any] = {
        "id": withdrawal.id,
        "rail": withdrawal.rail,
        "status": str(withdrawal.status),
        "amount": withdrawal.amount_exact,
        "currency": withdrawal.currency,
        **withdrawal.details,
        "createdAt": timestamp(withdrawal.created_at),
        "companyId": withdrawal.merchant.company_id,
        "environment": withdrawal.merchant.environment,
        "reference": withdrawal.reference,
        "fee": to_decimal(withdrawal.fee, withdrawal.currency),
        "totalDebited": to_decimal(withdrawal.total, withdrawal.currency),
        "destination": withdrawal.destination,
        **_bought(withdrawal),
        rail.reference_name: rail.proof(withdrawal.rail_reference),
        "approval": _approval(withdrawal),
        "resolution": resolution(withdrawal),
        "updatedAt": timestamp(withdrawal.updated_at),
        "completedAt": optional_timestamp(withdrawal.completed_at),
        "returnedAt": optional_timestamp(withdrawal.returned_at),
    }
    if withdrawal.failure_code:
        payload["failure"] = {"code": withdrawal.failure_code, "message": withdrawal.failure_message or ""}
    return payload  # type: ignore[return-value]


def _approval(withdrawal: Withdrawal) -> ApprovalPayload | None:
    if withdrawal.approval is None or withdrawal.approval_expires_at is None:
        return None
    return {  # type: ignore[return-value]
        "state": str(withdrawal.approval),
        "required": withdrawal.approvals_required,
        "given": withdrawal.approvals_given,
        "expiresAt": timestamp(withdrawal.approval_expires_at),
    }


def _bought(withdrawal: Withdrawal) -> dict[str, Any]:
    """The converted amount, if there was a conversion."""
    asset = withdrawal.payout_currency
    if withdrawal.gross_amount is None or withdrawal.market_rate is None or withdrawal.applied_rate is None:
        return {}
    return {
        "asset": asset,
        "network": NETWORKS[asset][0],
        "address": withdrawal.destination["address"],
        "marketRate": plain(withdrawal.market_rate),
        "appliedRate": plain(withdrawal.applied_rate),
        "spreadPercentage": plain(withdrawal.spread_percentage or Decimal(0)),
        "assetGrossAmount": to_decimal(withdrawal.gross_amount, asset),
        "networkFee": to_decimal(withdrawal.network_fee, asset),
        "assetAmount": to_decimal(withdrawal.payout_amount, asset),
    }
