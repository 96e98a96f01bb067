"""Disputes at Stripe (docs.stripe.com/disputes): read as they are, and answered with evidence."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import ClassVar, TypeVar

import structlog

from accounts.base.clock import utcnow
from gateway.providers.disputes import DisputeAnswer, DisputeReport, Disputes, DisputeState
from gateway.providers.errors import AnswerRefused, NotSent, Unclear
from gateway.providers.stripe.api import Refused, StripeApi
from gateway.providers.stripe.shapes import Dispute, File, exact
from ledger.money import DECIMALS

FOR_FILES = (
    "uncategorized_file", "service_documentation", "shipping_documentation", "customer_communication", "receipt",
    "refund_policy", "cancellation_policy", "customer_signature", "duplicate_charge_documentation",
)  # fmt: skip
"""Where evidence may have a file, each one: the first ones suit any file."""
REASONS = {
    "fraudulent": "FRAUD",
    "unrecognized": "UNRECOGNIZED",
    "duplicate": "DUPLICATE",
    "product_not_received": "NOT_RECEIVED",
    "product_unacceptable": "NOT_AS_DESCRIBED",
}
"""docs.stripe.com/disputes/categories; all others are OTHER."""
_STATES = {
    "needs_response": DisputeState.OPEN,
    "under_review": DisputeState.DECIDING,
    "appeal_needs_response": DisputeState.DECIDING,
    "appeal_under_review": DisputeState.DECIDING,
    "won": DisputeState.WON,
    "lost": DisputeState.LOST,
    "closed": DisputeState.CLOSED,
}
T = TypeVar("T", Dispute, File)

log = structlog.get_logger()


class StripeDisputes(Disputes):
    """`warning_` stands before the status of an inquiry."""

    most_files: ClassVar[int] = len(FOR_FILES)
    most_bytes: ClassVar[int] = 4_500_000
    most_text: ClassVar[int | None] = 20_000
    content_types: ClassVar[tuple[str, ...]] = ("application/pdf", "image/jpeg", "image/png")

    def __init__(self, api: StripeApi) -> None:
        self._api = api

    def ask(self, reference: str) -> DisputeReport:
        """Raises Unclear, also for an unknown one: those of this account are never deleted."""
        found = self._api.dispute(reference)
        if isinstance(found, Refused):
            raise Unclear(f"HTTP {found.status} {found.code[:40]}".strip())
        return report(found)

    def listed(self, since: datetime, until: datetime) -> Iterator[DisputeReport]:
        """One that cannot be read holds up no other."""
        for one in self._api.disputes(int(since.timestamp()), int(until.timestamp())):
            try:
                yield report(one)
            except Unclear as wrong:
                log.critical("dispute.not_readable", reference=one.id, reason=wrong.reason)

    def accept(self, answer: DisputeAnswer) -> None:
        _require_taken(self._api.give_up(answer.id, answer.reference))

    def contest(self, answer: DisputeAnswer) -> None:
        """Evidence can be handed on once: what has been is not handed on again."""
        known = _require_taken(self._api.dispute(answer.reference))
        if _state(known) == DisputeState.DECIDING and known.evidence_details.submission_count:
            return
        if _state(known) != DisputeState.OPEN:
            raise AnswerRefused(f"it takes no evidence: it is {known.status[:40]}")
        evidence = {"uncategorized_text": answer.text}
        for place, piece in zip(FOR_FILES, answer.files, strict=False):
            evidence[place] = _require_taken(self._api.upload(piece.id, piece.file_name, piece.content)).id
        _require_taken(self._api.defend(answer.id, answer.reference, evidence))


def _require_taken(answered: T | Refused) -> T:
    if not isinstance(answered, Refused):
        return answered
    reason = f"HTTP {answered.status} {answered.code[:40]}".strip()
    raise NotSent(reason) if answered.is_not_started else AnswerRefused(reason)


def report(dispute: Dispute) -> DisputeReport:
    """What it says. Raises Unclear for what is not known."""
    currency, due_by = dispute.currency.upper(), dispute.evidence_details.due_by
    if currency not in DECIMALS or dispute.amount <= 0:
        raise Unclear("a dispute of no amount in a currency of ours")
    due_at = datetime.fromtimestamp(due_by, UTC) if due_by else None
    state = _state(dispute)
    if state == DisputeState.OPEN and (due_at is None or due_at <= utcnow()):
        state = DisputeState.DECIDING
    return DisputeReport(
        reference=dispute.id,
        money=dispute.money,
        amount=exact(dispute.amount, currency),
        currency=currency,
        state=state,
        is_inquiry=dispute.status.startswith("warning_"),
        reason_code=REASONS.get(dispute.reason, "OTHER"),
        reason=dispute.reason,
        due_at=due_at,
    )


def _state(dispute: Dispute) -> DisputeState:
    """A dispute that was prevented has taken the money, or none. Raises Unclear for a status that is not known."""
    if dispute.status == "prevented":
        taken = sum(movement.amount for movement in dispute.balance_transactions) < 0
        return DisputeState.LOST if taken else DisputeState.CLOSED
    found = _STATES.get(dispute.status.removeprefix("warning_"))
    if found is None:
        raise Unclear(f"a dispute that is {dispute.status[:40]}")
    return found
