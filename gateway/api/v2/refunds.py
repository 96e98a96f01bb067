"""Refunds: create, look up, list, answer (contract §7)."""

import base64
import binascii
from typing import Annotated, Any, ClassVar, Literal

from django.http import HttpRequest
from pydantic import Field

from accounts import audit
from accounts.errors import Fault, Refusal
from accounts.models import Merchant
from accounts.origin import client_address
from accounts.waits.errors import WithdrawalsWait
from gateway.api.errors import PermissionMissing
from gateway.api.fields import Amount, ExactInput, Lines, NotNull, Text
from gateway.api.operations import Resource, operation
from gateway.api.origins import require_registered
from gateway.api.pagination import Filters, Page, page_of
from gateway.methods.pix.keys import is_pix_key, normalized
from gateway.payments import selectors as payments
from gateway.payments.errors import (
    CompanyNotActive,
    DuplicateReference,
    InvalidAmount,
    InvalidReference,
    PaymentState,
    PaymentUnknown,
)
from gateway.payouts.errors import InvalidPixKey, WithdrawalDisabled
from gateway.refunds import errors, payloads, selectors
from gateway.refunds import services as refunds
from gateway.refunds.destinations import Withdrawer, is_foreign, told
from gateway.refunds.evidence import LARGEST, TYPES, type_of
from gateway.withdrawals.errors import UnregisteredOrigin
from ledger.books.errors import InsufficientBalance
from ledger.money import to_minor
from webhooks.addresses import ForbiddenAddress, absolute

MOST_EVIDENCE = 10
WITHDRAWING = "withdrawals:write"
LARGEST_ANSWER = 15 * 1024 * 1024


class DestinationInput(ExactInput):
    """The PIX key that the money of a boleto goes to. One that is not the payer's own tax id needs all that a
    withdrawal needs: the permission `withdrawals:write` and the registered IP address. Other methods ignore it.
    """

    pix_key: Annotated[Text, Field(max_length=77)]
    pix_key_type: Literal["CPF", "CNPJ", "EMAIL", "PHONE", "EVP"]


class RefundInput(ExactInput):
    """How much to give back; nothing: all that is left."""

    codes: ClassVar[dict[str, type[Refusal]]] = {
        "amount": InvalidAmount,
        "reference": InvalidReference,
        "destination": InvalidPixKey,
    }

    amount: Annotated[Amount | None, NotNull] = None
    reason: Annotated[Text, Field(max_length=255)] | None = None
    reference: Annotated[Text, Field(min_length=1, max_length=128)] | None = None
    destination: DestinationInput | None = None

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        sent = content.get("destination")
        key, kind = (sent.get("pixKey"), sent.get("pixKeyType")) if isinstance(sent, dict) else (None, None)
        known = kind in ("CPF", "CNPJ", "EMAIL", "PHONE", "EVP")
        if not isinstance(key, str) or not known or is_pix_key(normalized(key, str(kind)), str(kind)):
            return []
        return [Fault("destination.pixKey", "INVALID", "Is no PIX key of this type.")]


class EvidenceInput(ExactInput):
    """An address, which is stored and never fetched, or a file in base64 of at most 2 MiB."""

    type: Literal["URL", "FILE"]
    url: Annotated[str, Field(max_length=2048)] | None = None
    file_name: Annotated[Text, Field(min_length=1, max_length=255)] | None = None
    content_type: Literal["application/pdf", "image/png", "image/jpeg"] | None = None
    content: str | None = None
    description: Annotated[Text, Field(max_length=255)] | None = None

    def shown(self) -> refunds.Shown:
        if self.type == "URL":
            return refunds.Shown(url=self.url, description=self.description)
        return refunds.Shown(
            description=self.description,
            file_name=self.file_name,
            content_type=self.content_type,
            content=base64.b64decode(self.content or ""),
        )


class AnswerInput(ExactInput):
    """The company's answer to a payer who wants money back."""

    codes: ClassVar[dict[str, type[Refusal]]] = {
        "answer": errors.InvalidAnswer,
        "message": errors.InvalidAnswer,
        "evidence": errors.InvalidEvidence,
    }

    answer: Literal["ACCEPT", "CONTEST"]
    message: Annotated[Lines, Field(min_length=1, max_length=2000)] | None = None
    evidence: Annotated[list[EvidenceInput], Field(max_length=MOST_EVIDENCE)] = []

    @classmethod
    def faults_in(cls, content: dict[str, Any], merchant: Merchant) -> list[Fault]:
        found = []
        message = content.get("message")
        if content.get("answer") == "CONTEST" and (message is None or message == ""):
            found.append(Fault("message", "REQUIRED", "A contest says why."))
        sent = content.get("evidence")
        for n, one in enumerate(sent[:MOST_EVIDENCE] if isinstance(sent, list) else []):
            if isinstance(one, dict):
                found += _evidence_faults(one, f"evidence[{n}]")
        return found


def _evidence_faults(sent: dict[str, Any], path: str) -> list[Fault]:
    """What belongs to its type; the form of each member is said elsewhere."""
    if sent.get("type") == "URL":
        return _url_faults(sent.get("url"), f"{path}.url")
    if sent.get("type") != "FILE":
        return []
    names = ("fileName", "contentType", "content")
    missing = [Fault(f"{path}.{name}", "REQUIRED", "A file has this.") for name in names if sent.get(name) is None]
    return missing + _content_faults(sent.get("content"), sent.get("contentType"), f"{path}.content")


def _url_faults(url: Any, path: str) -> list[Fault]:
    if url is None:
        return [Fault(path, "REQUIRED", "An address has this.")]
    try:
        if not isinstance(url, str) or absolute(url).scheme != "https":
            return [Fault(path, "INVALID", "Must be an https:// address.")]
    except ForbiddenAddress as forbidden:
        return [Fault(path, "INVALID", str(forbidden))]
    return []


def _content_faults(sent: Any, claimed: Any, path: str) -> list[Fault]:
    if not isinstance(sent, str):
        return []
    if len(sent) > LARGEST * 4 // 3 + 4:
        return [Fault(path, "TOO_LONG", "At most 2 MiB.")]
    try:
        content = base64.b64decode(sent, validate=True)
    except (binascii.Error, ValueError):
        return [Fault(path, "INVALID", "Must be base64.")]
    if len(content) > LARGEST:
        return [Fault(path, "TOO_LONG", "At most 2 MiB.")]
    if claimed in TYPES and type_of(content) != claimed:
        return [Fault(path, "INVALID", "Is not what contentType says.")]
    return []


class PaymentRefunds(Resource):
    tag = "Refunds"

    def admit(self, merchant: Merchant, *arguments: Any, **path: str) -> None:
        """Whoever names another key than the payer's document needs what a withdrawal needs, also for a replay."""
        destination = arguments[0].destination
        if not destination or not is_foreign(payments.get(merchant, **path), destination.model_dump(by_alias=True)):
            return
        if not self._may_withdraw:
            raise PermissionMissing(field=WITHDRAWING)
        require_registered(merchant, self._http)

    @property
    def _may_withdraw(self) -> bool:
        return WITHDRAWING in self.request.auth.permissions  # type: ignore[union-attr]

    @property
    def _http(self) -> HttpRequest:
        return self.request._request

    @operation(
        "createRefund",
        "refunds:write",
        takes=RefundInput,
        optional_body=True,
        gives=payloads.RefundPayload,
        status=201,
        said="Refund created.",
        limit="refunds",
        refuses=[
            *RefundInput.codes.values(),
            CompanyNotActive,
            PaymentUnknown,
            PaymentState,
            DuplicateReference,
            errors.RefundInDispute,
            errors.ReceivableReserved,
            errors.RefundAmountExceeded,
            errors.RefundAmountTooSmall,
            errors.RefundWindowClosed,
            InsufficientBalance,
            UnregisteredOrigin,
            WithdrawalDisabled,
            WithdrawalsWait,
        ],
    )
    def post(self, merchant: Merchant, wanted: RefundInput, payment_id: str) -> payloads.RefundPayload:
        """Refund a payment

        In full or in part, as often as something is left. The amount is blocked until the money is back with the payer
        (`refund.completed`) or could not be returned (`refund.failed`); the fee is not given back.

        A boleto goes back to the PIX key that is its payer's tax id. Naming another key in `destination` takes what a
        withdrawal takes: the permission `withdrawals:write` (403 `ONP403`) and the registered IP address
        (403 `ONP403_IP`). The owners of the company are told by e-mail.
        """
        payment = payments.get(merchant, payment_id)
        destination = wanted.destination.model_dump(by_alias=True) if wanted.destination else None
        refund = refunds.create(
            merchant,
            payment_id,
            amount=to_minor(wanted.amount, payment.currency) if wanted.amount is not None else None,
            reason=wanted.reason,
            reference=wanted.reference,
            destination=destination,
            withdrawer=Withdrawer(client_address(self._http)) if self._may_withdraw else None,
        )
        if is_foreign(payment, refund.destination):
            facts = told(refund)
            audit.record(self._http, "refund.sent_elsewhere", merchant=merchant, object_id=refund.id, after=facts)
        return payloads.refund(refund)

    @operation("listRefunds", "refunds:read", query=Filters, gives=payloads.RefundPayload, refuses=[PaymentUnknown])
    def get(self, merchant: Merchant, query: Filters, payment_id: str) -> Page:
        """List the refunds of a payment

        Newest first, those of the payer too: how they are found without webhooks.
        """
        payments.get(merchant, payment_id)
        return page_of(selectors.of_payment(merchant, payment_id), query, payloads.refund)


class Refund(Resource):
    tag = "Refunds"

    @operation("getRefund", "refunds:read", gives=payloads.RefundPayload, refuses=[errors.RefundUnknown])
    def get(self, merchant: Merchant, refund_id: str) -> payloads.RefundPayload:
        """Look a refund up

        With every answer and its evidence.
        """
        return payloads.refund(selectors.get(merchant, refund_id))


class RefundResponses(Resource):
    tag = "Refunds"

    @operation(
        "answerRefund",
        "refunds:write",
        takes=AnswerInput,
        largest_body=LARGEST_ANSWER,
        gives=payloads.RefundPayload,
        status=201,
        said="Response recorded.",
        limit="refunds",
        refuses=[
            *AnswerInput.codes.values(),
            errors.RefundUnknown,
            errors.RefundState,
            errors.RefundResponseDeadline,
        ],
    )
    def post(self, merchant: Merchant, said: AnswerInput, refund_id: str) -> payloads.RefundPayload:
        """Answer a payer's refund

        ACCEPT gives the money back, CONTEST says why not and shows evidence; support then decides. Silence until
        `responseDueAt` accepts.
        """
        evidence = [one.shown() for one in said.evidence]
        return payloads.refund(
            refunds.respond(merchant, refund_id, said.answer, message=said.message, evidence=evidence)
        )
