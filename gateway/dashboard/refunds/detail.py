"""A refund: reason, deadline, outcomes, answers and postings."""

from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from accounts.base.ids import is_well_formed
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.refunds.words import DOCUMENTS, SIMULATED
from gateway.evidence.services import is_waited_for
from gateway.refunds import inbox, selectors
from gateway.refunds.deadlines import evidence_handed_in_at
from gateway.refunds.evidence import download
from gateway.refunds.models import DISPUTED, OPEN, Evidence, Origin, Refund, Status
from gateway.refunds.reasons import ReasonCode
from webhooks import selectors as webhooks

SHOWN_EVENTS = 50
DECISIONS: dict[str, tuple[str, ...]] = {
    Status.AWAITING_RESPONSE: ("CANCELED",),
    Status.UNDER_REVIEW: ("REJECTED", "PROCESSING", "CANCELED"),
    Status.PROCESSING: ("COMPLETED", "FAILED"),
}


class Stage(NamedTuple):
    """A stage, and whether the refund is there now."""

    title: Promise
    is_now: bool


@require_safe
@page_view(May.READ_PAYMENTS)
def refund(request: HttpRequest, here: RequestContext, refund_id: str) -> HttpResponse:
    found = owned(here, refund_id)
    answers = list(inbox.answers(found))
    events = webhooks.events(here.merchant, object_id=found.pk).defer("body")
    return here.render(
        "refunds/detail.html",
        **facts(found),
        answers=answers,
        ending=inbox.ending_of(found, answers),
        stages=stages(found),
        changes=inbox.posted(found),
        events=events[:SHOWN_EVENTS],
        decisions=_decisions(here, found),
    )


def owned(here: RequestContext, refund_id: str) -> Refund:
    """The merchant's refund with its payment. Raises ONP404_REFUND."""
    found = selectors.get(here.merchant, refund_id)
    found.merchant = found.payment.merchant = here.merchant
    return found


def facts(found: Refund) -> dict[str, Any]:
    """The context of every page about a refund."""
    reason = found.reason_code or ReasonCode.OTHER
    return {
        "refund": found,
        "payment": found.payment,
        "is_open": found.status in OPEN,
        "is_disputed": found.status in DISPUTED,
        "by_payer": found.origin == Origin.PAYER,
        "was_found": found.was_found,
        "outcomes": inbox.outcomes(found) if found.status in OPEN else None,
        "can_accept": inbox.can_accept(found),
        "can_contest": inbox.can_contest(found),
        "documents": DOCUMENTS[reason],
        "handed_in_at": evidence_handed_in_at(found) if is_waited_for(found) else None,
    }


def stages(found: Refund) -> list[Stage]:
    """The stages of a payer's request, or of a company's refund."""
    ended = found.status not in OPEN
    if found.origin == Origin.MERCHANT or found.was_found:
        return [Stage(_("Being returned"), not ended), Stage(_("Ended"), ended)]
    return [
        Stage(_("Your answer"), found.status == Status.AWAITING_RESPONSE),
        Stage(_("Review"), found.status == Status.UNDER_REVIEW),
        Stage(_("Being returned"), found.status == Status.PROCESSING),
        Stage(_("Ended"), ended),
    ]


def _decisions(here: RequestContext, found: Refund) -> list[tuple[str, Promise]]:
    """The outcomes that can be simulated next."""
    if not here.is_sandbox or not here.may(May.SIMULATE):
        return []
    offered = DECISIONS.get(found.status, ())
    return [(status, SIMULATED[status]) for status in offered if status != "COMPLETED" or not found.shortfall]


@require_safe
@page_view(May.READ_PAYMENTS)
def evidence(request: HttpRequest, here: RequestContext, refund_id: str, evidence_id: str) -> HttpResponse:
    """Serves an evidence file as an attachment."""
    found = owned(here, refund_id)
    rows = Evidence.objects.filter(response__refund=found, pk=evidence_id, kind=Evidence.Kind.FILE)
    file = rows.first() if is_well_formed(evidence_id) else None
    if file is None:
        raise Http404
    return download(file)
