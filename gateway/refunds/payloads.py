"""The JSON of a refund, for responses and events alike (contract §7.2)."""

from decimal import Decimal
from typing import Literal, NotRequired

from django.db.models import Prefetch
from typing_extensions import TypedDict

from accounts.base.wire import Number, Timestamp, optional_timestamp, timestamp
from gateway.payments.payloads import FailurePayload
from gateway.providers.asking import ResolutionPayload, resolution
from gateway.refunds.models import Evidence, Refund, Response
from ledger.money import to_decimal

OriginName = Literal["MERCHANT", "PAYER"]
StatusName = Literal["AWAITING_RESPONSE", "UNDER_REVIEW", "PROCESSING", "COMPLETED", "FAILED", "REJECTED", "CANCELED"]
ReasonCodeName = Literal[
    "FRAUD", "UNRECOGNIZED", "DUPLICATE", "NOT_RECEIVED", "NOT_AS_DESCRIBED", "SCAM", "ACCOUNT_TAKEOVER", "COERCION",
    "FRAUDULENT_ACCESS", "OPERATIONAL_ERROR", "OTHER",
]  # fmt: skip
DisputeKindName = Literal["MED", "CHARGEBACK"]


class EvidencePayload(TypedDict):
    """A piece of evidence. For a file its metadata, not its content."""

    id: str
    type: Literal["URL", "FILE"]
    description: str | None
    url: str | None
    fileName: str | None
    contentType: str | None
    size: int | None


class ResponsePayload(TypedDict):
    """What the company answered; SYSTEM means that the deadline passed without an answer."""

    id: str
    answer: Literal["ACCEPT", "CONTEST"]
    message: str | None
    evidence: list[EvidencePayload]
    answeredBy: Literal["API", "DASHBOARD", "SYSTEM"]
    createdAt: Timestamp


class RefundPayload(TypedDict):
    """A refund of a payment. `failure` only when FAILED, `reversedAt` only if a lost chargeback was reversed."""

    id: str
    paymentId: str
    reference: str | None
    origin: OriginName
    type: Literal["FULL", "PARTIAL"]
    status: StatusName
    amount: Number
    currency: str
    reason: str | None
    reasonCode: ReasonCodeName | None
    payerStatement: str | None
    responseDueAt: Timestamp | None
    disputeKind: DisputeKindName | None
    claimId: str | None
    claimedAmount: Number | None
    recoveredAmount: Number | None
    analysisDueAt: Timestamp | None
    returnDueAt: Timestamp | None
    responses: list[ResponsePayload]
    blockedAmount: Number
    endToEndId: str | None
    failure: NotRequired[FailurePayload]
    resolution: ResolutionPayload | None
    createdAt: Timestamp
    updatedAt: Timestamp
    completedAt: Timestamp | None
    reversedAt: NotRequired[Timestamp]


def refund(refund: Refund) -> RefundPayload:
    """The refund object."""
    shown = Prefetch(
        "evidence", Evidence.objects.defer("content").order_by("id")
    )  # payloads do not contain file contents
    answers = refund.responses.prefetch_related(shown).order_by("created_at", "id")
    payload: RefundPayload = {
        "id": refund.id,
        "paymentId": refund.payment_id,
        "reference": refund.reference,
        "origin": refund.origin,  # type: ignore[typeddict-item]
        "type": "FULL" if refund.is_full else "PARTIAL",
        "status": str(refund.status),  # type: ignore[typeddict-item]
        "amount": refund.amount_exact,
        "currency": refund.currency,
        "reason": refund.reason,
        "reasonCode": refund.reason_code,  # type: ignore[typeddict-item]
        "payerStatement": refund.payer_statement,
        "responseDueAt": optional_timestamp(refund.response_due_at),
        "disputeKind": refund.dispute_kind,  # type: ignore[typeddict-item]
        "claimId": refund.claim_id,
        "claimedAmount": _optional(refund.claimed_amount, refund.currency),
        "recoveredAmount": _optional(refund.recovered, refund.currency),
        "analysisDueAt": optional_timestamp(refund.analysis_due_at),
        "returnDueAt": optional_timestamp(refund.return_due_at),
        "responses": [_response(one) for one in answers],
        "blockedAmount": to_decimal(_blocked(refund), refund.currency),
        "endToEndId": refund.end_to_end_id,
        "resolution": resolution(refund),
        "createdAt": timestamp(refund.created_at),
        "updatedAt": timestamp(refund.updated_at),
        "completedAt": optional_timestamp(refund.completed_at),
    }
    if refund.failure_code:
        payload["failure"] = {"code": refund.failure_code, "message": refund.failure_message or ""}
    if refund.reversed_at:
        payload["reversedAt"] = timestamp(refund.reversed_at)
    return payload


def _optional(minor: int | None, currency: str) -> Decimal | None:
    return None if minor is None else to_decimal(minor, currency)


def _blocked(refund: Refund) -> int:
    """In the refund's currency; if the wallet has another one, the proportional share of the amount."""
    return refund.amount * refund.blocked // refund.wallet_amount


def _response(response: Response) -> ResponsePayload:
    return {
        "id": response.id,
        "answer": response.answer,  # type: ignore[typeddict-item]
        "message": response.message,
        "evidence": [_evidence(one) for one in response.evidence.all()],
        "answeredBy": response.answered_by,  # type: ignore[typeddict-item]
        "createdAt": timestamp(response.created_at),
    }


def _evidence(evidence: Evidence) -> EvidencePayload:
    return {
        "id": evidence.id,
        "type": evidence.kind,  # type: ignore[typeddict-item]
        "description": evidence.description,
        "url": evidence.url,
        "fileName": evidence.file_name,
        "contentType": evidence.content_type,
        "size": evidence.size,
    }
