"""Packs among the evidence of an answer: added by people, or handed in by itself when nobody answers in time."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext as _

from accounts import audit
from accounts.base import clock
from accounts.models import Merchant, User
from gateway.evidence import notices
from gateway.evidence.errors import TooMuchEvidence
from gateway.evidence.facts import facts, language_of
from gateway.evidence.models import AutomaticEvidence
from gateway.evidence.pdf import render
from gateway.refunds import drafts
from gateway.refunds import services as refunds
from gateway.refunds.deadlines import evidence_handed_in_at
from gateway.refunds.drafts import draft_of
from gateway.refunds.errors import InvalidEvidence
from gateway.refunds.evidence import LARGEST, MOST_EVIDENCE
from gateway.refunds.models import Refund, Response, Status
from gateway.refunds.responses import Shown

log = structlog.get_logger()
LONGEST_MESSAGE = 2000
PDF = "application/pdf"


def pack(refund: Refund) -> Shown:
    """The pack of a payer's request as a piece of evidence. Its payment, merchant and company must be loaded."""
    content = render(facts(refund))
    assert len(content) <= LARGEST, "a pack fits where a file does"
    with translation.override(language_of(refund)):
        description = _("What is known of the payment: order, payer, confirmation, deliveries and course")
    return Shown(description=description, file_name=file_name(refund), content_type=PDF, content=content)


def file_name(refund: Refund) -> str:
    return f"evidence-{refund.pk}.pdf"


@transaction.atomic
def add_to_draft(merchant: Merchant, refund_id: str, author: User) -> None:
    """Puts a new pack among the evidence of the draft, in place of an earlier one.

    Raises ONP404_REFUND, ONP409_REFUND_STATE, and ONP422_EVIDENCE where there is no room for another file.
    """
    draft = drafts.held(merchant, refund_id, author)
    refund = refunds.lock(merchant, refund_id)
    draft.evidence.filter(file_name=file_name(refund)).delete()
    if draft.evidence.count() >= MOST_EVIDENCE:
        raise TooMuchEvidence
    made = pack(refund)
    assert made.file_name and made.content
    drafts.add_file(draft, made.file_name, PDF, made.content, made.description)


# ── By itself ─────────────────────────────────────────────────────────────────────────────────────────────────────
def is_automatic(merchant: Merchant) -> bool:
    return AutomaticEvidence.objects.filter(merchant=merchant).exists()


@transaction.atomic
def switch(request: HttpRequest, merchant: Merchant, *, on: bool) -> None:
    """Turns handing in by itself on or off, for all disputes that nobody has answered yet. The same changes nothing."""
    assert isinstance(request.user, User)
    rows = AutomaticEvidence.objects.filter(merchant=merchant)
    is_new = on and rows.get_or_create(merchant=merchant, defaults={"enabled_by": request.user})[1]
    if is_new:
        _forgive_what_passed(merchant)
    if is_new or (not on and rows.delete()[0]):
        audit.record(
            request, "evidence.automatic", merchant=merchant, before={"automatic": not on}, after={"automatic": on}
        )


def _forgive_what_passed(merchant: Merchant) -> None:
    """Nobody is told that evidence was not handed in at a time when nobody had asked for it."""
    passed = Refund.objects.filter(merchant=merchant, evidence_alarm_at__lte=clock.now(merchant))
    passed.exclude(status=Status.AWAITING_RESPONSE).update(evidence_alarm_at=None)
    passed.update(evidence_alarm_at=F("response_due_at"))


def announce_or_hand_in(refund: Refund, due_at: datetime) -> None:
    """Announces by e-mail what happens without an answer; at 90 % of the time it hands the pack in, once.

    Called with payment and refund locked, while the refund awaits an answer: a person who answers at the same moment
    waits for it, or was first. So does whoever turns it off: once that is done, nothing is handed in any more.
    """
    if AutomaticEvidence.objects.select_for_update(no_key=True).filter(merchant=refund.merchant).first() is None:
        return
    hands_in_at = evidence_handed_in_at(refund)
    if due_at < hands_in_at:
        refund.evidence_due_at = hands_in_at
        refund.save(update_fields=["evidence_due_at"])
        notices.announced(refund, hands_in_at)
        return
    refund.evidence_due_at = None
    is_in_time = _is_in_time(refund)
    if is_in_time:
        refund.evidence_alarm_at = refund.evidence_late_at = None
    refund.save(update_fields=["evidence_due_at", "evidence_alarm_at", "evidence_late_at"])
    if is_in_time:
        _hand_in(refund)


def raise_alarm(refund: Refund, _due_at: datetime) -> None:
    """Tells people that evidence was not handed in: while they can still do it, and again when it is too late.

    Due as long as nobody answered and nothing was handed in. The lock is that of `announce_or_hand_in`.
    """
    if not is_automatic(refund.merchant):
        return
    can_answer = refund.status == Status.AWAITING_RESPONSE and _is_in_time(refund)
    refund.evidence_alarm_at = refund.response_due_at if can_answer else None
    refund.evidence_late_at = refund.evidence_late_at or clock.now(refund.merchant)
    refund.save(update_fields=["evidence_alarm_at", "evidence_late_at"])
    if can_answer:
        log.critical("evidence.late", refund=refund.pk, environment=refund.merchant.environment)
        notices.late(refund)
    else:
        log.critical("evidence.missed", refund=refund.pk, environment=refund.merchant.environment)
        notices.missed(refund)


def _is_in_time(refund: Refund) -> bool:
    return refund.response_due_at is not None and clock.now(refund.merchant) < refund.response_due_at


def _hand_in(refund: Refund) -> None:
    """A draft goes along as far as it is taken; what is not taken at all is left to people."""
    for message, evidence, has_draft in _answers(refund):
        try:
            with transaction.atomic():
                refunds.respond(
                    refund.merchant,
                    refund.pk,
                    Response.Answer.CONTEST,
                    message=message,
                    evidence=evidence,
                    answered_by=Response.AnsweredBy.SYSTEM,
                )
        except InvalidEvidence:
            continue
        notices.handed_in(refund, has_draft=has_draft)
        return
    log.error("evidence.not_taken", refund=refund.pk, environment=refund.merchant.environment)
    notices.not_handed_in(refund)


def _answers(refund: Refund) -> Iterator[tuple[str, Sequence[Shown], bool]]:
    """Message and evidence to try, the fullest answer first; whether a draft is in it."""
    made, draft = pack(refund), draft_of(refund)
    kept = [one for one in drafts.shown(draft) if one.file_name != made.file_name] if draft.changed_at else []
    with translation.override(language_of(refund)):
        usual = _("The attached document shows the order, the payer, the confirmation and the course of the payment.")
    written = draft.message.strip()[:LONGEST_MESSAGE]
    if written or kept:
        yield written or usual, [*kept[: MOST_EVIDENCE - 1], made], True
        yield written or usual, [made], True
    yield usual, [made], False


def is_waited_for(refund: Refund) -> bool:
    """Whether the pack of this refund is going to be handed in if nobody answers."""
    awaits = refund.status == Status.AWAITING_RESPONSE and refund.evidence_due_at is not None
    return awaits and is_automatic(refund.merchant)
