"""The bodies of refunds and of answers (contract §7)."""

import base64
import binascii
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from accounts.base.addresses import ForbiddenAddress, absolute
from accounts.base.errors import Fault, Refusal
from accounts.models import Merchant
from gateway.api.inputs.fields import Amount, ExactInput, Lines, NotNull, Text
from gateway.methods.pix.keys import is_pix_key, normalized
from gateway.payments.errors import (
    InvalidAmount,
    InvalidReference,
)
from gateway.payouts.errors import InvalidPixKey
from gateway.refunds import errors
from gateway.refunds import services as refunds
from gateway.refunds.evidence import LARGEST, MOST_EVIDENCE, TYPES, type_of

LARGEST_ANSWER = 15 * 1024 * 1024


class DestinationInput(ExactInput):
    """The PIX key that a boleto refund goes to. One that is not the payer's own tax id requires everything that a
    withdrawal requires: the permission `withdrawals:write` and the registered IP address. Other methods ignore it.
    """

    pix_key: Annotated[Text, Field(max_length=77)]
    pix_key_type: Literal["CPF", "CNPJ", "EMAIL", "PHONE", "EVP"]


class RefundInput(ExactInput):
    """How much to refund; without an amount the full remaining amount."""

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
    """A URL, which is stored and never fetched, or a file in base64 of at most 2 MiB."""

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
    """The company's answer to a payer's refund request."""

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
    """Members required by the type; the format of each member is checked elsewhere."""
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
        return [Fault(path, "INVALID", forbidden.sentence, forbidden.facts)]
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
