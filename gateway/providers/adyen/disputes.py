"""Disputes at Adyen: told by signed webhooks, and answered by the Disputes API v30 (docs.adyen.com/api-explorer)."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, ClassVar

from pydantic import AliasPath, Field
from pydantic.dataclasses import dataclass

from accounts.base.clock import utcnow
from gateway.providers.adyen.api import CheckoutApi
from gateway.providers.adyen.letters import letter
from gateway.providers.adyen.shapes import Item, Refused
from gateway.providers.disputes import DisputeAnswer, DisputeReport, Disputes, DisputeState
from gateway.providers.errors import AnswerRefused, NotSent, Unclear, Unreadable

LONGEST_DEFENSE = timedelta(days=120)
ANY_MATERIAL = "SupplyDefenseMaterial"
"""The defense reason that suits every dispute, where Adyen offers it."""
_OPEN, _WON, _LOST = DisputeState.OPEN, DisputeState.WON, DisputeState.LOST
STEPS: dict[str, tuple[int, DisputeState, bool | None]] = {
    "REQUEST_FOR_INFORMATION": (10, _OPEN, True),
    "INFORMATION_SUPPLIED": (15, DisputeState.DECIDING, True),
    "NOTIFICATION_OF_CHARGEBACK": (20, _OPEN, False),
    "CHARGEBACK": (30, _OPEN, False),
    "DISPUTE_DEFENSE_PERIOD_ENDED": (40, DisputeState.LAPSED, None),
    "ISSUER_RESPONSE_TIMEFRAME_EXPIRED": (50, _WON, False),
    "CHARGEBACK_REVERSED": (50, _WON, False),
    "SECOND_CHARGEBACK": (60, _LOST, False),
    "PREARBITRATION_ISSUER_WITHDRAWN": (70, _WON, False),
    "PREARBITRATION_WON": (70, _WON, False),
    "PREARBITRATION_LOST": (70, _LOST, False),
    "SCHEME_ARBITRATION_WON": (80, _WON, False),
    "SCHEME_ARBITRATION_LOST": (80, _LOST, False),
}
"""What an event says, in the order in which they can follow each other; whether the card's bank only asks."""
REASONS = {
    "10.": "FRAUD", "4837": "FRAUD", "4870": "FRAUD", "4871": "FRAUD", "4863": "UNRECOGNIZED",
    "12.6": "DUPLICATE", "4834": "DUPLICATE", "13.1": "NOT_RECEIVED", "4855": "NOT_RECEIVED",
    "13.3": "NOT_AS_DESCRIBED", "4853": "NOT_AS_DESCRIBED",
}  # fmt: skip
"""Beginnings of the schemes' reason codes; all others are OTHER."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document that a defense takes. `level` is Required, OneOrMore, AlternativeRequired or Optional."""

    code: Annotated[str, Field(validation_alias="defenseDocumentTypeCode")]
    level: Annotated[str, Field(validation_alias="requirementLevel")]


@dataclass(frozen=True, slots=True)
class Defense:
    reason: Annotated[str, Field(validation_alias="defenseReasonCode")]
    documents: Annotated[Sequence[Document], Field(validation_alias="defenseDocumentTypes")] = ()

    @property
    def required(self) -> list[Document]:
        return [one for one in self.documents if one.level in ("Required", "AlternativeRequired")]


@dataclass(frozen=True, slots=True)
class Served:
    """The answer of the Disputes API."""

    success: Annotated[bool, Field(validation_alias=AliasPath("disputeServiceResult", "success"))]
    error: Annotated[str | None, Field(validation_alias=AliasPath("disputeServiceResult", "errorMessage"))] = None
    defenses: Annotated[Sequence[Defense], Field(validation_alias="defenseReasons")] = ()


def report(item: Item, payment_id: str | None) -> DisputeReport:
    """What a signed notification says. Its deadline and its reason are not signed, and move no money."""
    step, state, is_inquiry = STEPS[item.event]
    extra, amount = item.extra or {}, item.amount.exact
    if not amount:
        raise Unreadable("no amount in a currency of ours")
    if state == DisputeState.OPEN and extra.get("defendable") == "false":
        state = DisputeState.DECIDING
    return DisputeReport(
        reference=item.psp,
        money=item.original or None,
        amount=amount,
        currency=item.amount.currency,
        state=state,
        is_inquiry=is_inquiry,
        payment_id=payment_id,
        reason_code=_reason_code(str(extra.get("chargebackReasonCode") or extra.get("rfiReasonCode") or "").strip()),
        reason=(item.reason or "")[:255],
        due_at=_deadline(extra.get("defensePeriodEndsAt")),
        step=step,
    )


def _reason_code(scheme: str) -> str:
    return next((code for begins, code in REASONS.items() if scheme.startswith(begins)), "OTHER")


def _deadline(told: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(told)).astimezone(UTC)
    except ValueError:
        return None
    return at if at < utcnow() + LONGEST_DEFENSE else None


class AdyenDisputes(Disputes):
    """They cannot be asked about: their signed webhooks are believed."""

    most_files: ClassVar[int] = 5
    most_bytes: ClassVar[int] = 10_000_000
    content_types: ClassVar[tuple[str, ...]] = ("application/pdf", "image/jpeg")

    def __init__(self, api: CheckoutApi) -> None:
        self._api = api

    def accept(self, answer: DisputeAnswer) -> None:
        self._ask("acceptDispute", answer)

    def contest(self, answer: DisputeAnswer) -> None:
        """Documents of the same type replace each other, so that all of it can be repeated."""
        files = [(one.content_type, one.content) for one in answer.files]
        documents = [("application/pdf", letter(answer.text)), *files]
        defense = _suits(self._ask("retrieveApplicableDefenseReasons", answer).defenses, len(documents))
        places = sorted(defense.documents, key=lambda one: one not in defense.required)
        supplied = [
            {"defenseDocumentTypeCode": place.code, "contentType": kind, "content": b64encode(content).decode()}
            for place, (kind, content) in zip(places, documents, strict=False)
        ]
        self._ask("supplyDefenseDocument", answer, {"defenseDocuments": supplied})
        self._ask("defendDispute", answer, {"defenseReasonCode": defense.reason})

    def _ask(self, what: str, answer: DisputeAnswer, body: Mapping[str, Any] | None = None) -> Served:
        told = self._api.dispute(what, answer.reference, answer.id, body or {}, Served)
        if isinstance(told, Refused):
            reason = f"HTTP {told.status}, error {told.code} ({told.type})"
            if told.status in (401, 403):
                raise NotSent(reason)
            raise AnswerRefused(reason) if told.status in (400, 404, 422) else Unclear(reason)
        if not told.success:
            raise AnswerRefused((told.error or "no reason given")[:120])
        return told


def _suits(offered: Sequence[Defense], documents: int) -> Defense:
    """A defense that takes all documents and needs no more of them. Raises AnswerRefused."""
    fit = [one for one in offered if len(one.required) <= documents <= len(one.documents)]
    if not fit:
        raise AnswerRefused(f"no defense takes {documents} documents")
    return min(fit, key=lambda one: (one.reason != ANY_MATERIAL, -len(one.required)))
