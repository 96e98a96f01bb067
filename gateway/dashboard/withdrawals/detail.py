"""One withdrawal: status, postings, deliveries; in the sandbox also its outcomes."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.refusals import in_words
from gateway.dashboard.withdrawals.approvals import decisions_of, history_of, may_decide
from gateway.dashboard.withdrawals.words import (
    ACCOUNT_TYPE,
    APPROVAL,
    DESTINATION,
    DOCUMENT_TYPE,
    FAILURE,
    ID_AT_THE_BANK,
    KEY_TYPE,
    PROOF,
    Said,
)
from gateway.payouts.rail import DECLINES, FailureCode
from gateway.payouts.registry import by_currency
from gateway.withdrawals import selectors, services
from gateway.withdrawals.approvals.identities import person
from gateway.withdrawals.approvals.models import Decision
from gateway.withdrawals.models import ApprovalState, Status, Withdrawal
from ledger.wallets.changes import changes
from webhooks.selectors import events

LOOKS = 5
"""How often a page that waits for the bank refreshes itself."""
_CODED = {"accountType": ACCOUNT_TYPE, "documentType": DOCUMENT_TYPE}


class OutcomeForm(DashboardForm):
    """The simulated answer of the bank."""

    status = forms.ChoiceField(choices=[(one, one) for one in (Status.COMPLETED, Status.FAILED, Status.RETURNED)])
    failure_code = forms.ChoiceField(
        label=gettext_lazy("Why"),
        choices=[(code, FAILURE[code][0]) for code in DECLINES],
        initial=FailureCode.BANK_REJECTED,
        required=False,
    )


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """An event in the life of a withdrawal."""

    at: datetime
    title: str
    message: str = ""


@require_safe
@page_view(May.READ_MONEY)
def withdrawal(request: HttpRequest, here: RequestContext, withdrawal_id: str) -> HttpResponse:
    return _shown(here, selectors.get(here.merchant, withdrawal_id), OutcomeForm())


def _proof(one: Withdrawal) -> tuple[Said, str | None]:
    """The provider's id of the money, with what it is."""
    rail = by_currency(one.rail)[one.payout_currency]
    is_proof = not one.rail_reference or rail.proof(one.rail_reference)
    return PROOF[rail.reference_name] if is_proof else ID_AT_THE_BANK, one.rail_reference


def _shown(here: RequestContext, one: Withdrawal, form: OutcomeForm, status: int = 200) -> HttpResponse:
    look = here.request.GET.get("look", "0")
    return here.render(
        "withdrawals/detail.html",
        status=status,
        withdrawal=one,
        destination=_destination(one),
        proof=_proof(one),
        moments=_moments(one),
        failure=FAILURE.get(one.failure_code or ""),
        cep_day=date.fromisoformat(one.details["cep"]["operationDate"]) if "cep" in one.details else None,
        changes=changes(here.merchant, [one.pk]),
        events=events(here.merchant, object_id=one.pk)[:20],
        outcomes=_outcomes(here, one),
        form=form,
        next_look=_next_refresh(one, look),
        market=_bought(one),
        history=history_of(here, one) if one.approval else None,
        decisions=decisions_of(one),
        may_decide=may_decide(here, one),
        is_own=person(here.user.pk) in one.asked_by,
        approval=APPROVAL.get(one.approval or ""),
    )


def _destination(one: Withdrawal) -> list[tuple[Said, Said]]:
    shown: dict[str, Any] = one.destination
    rows: list[tuple[Said, Said]] = [
        (title, _CODED.get(name, {}).get(shown[name], shown[name]))
        for name, title in DESTINATION.items()
        if shown.get(name)
    ]
    kind = one.details.get("pixKeyType")
    return [(gettext_lazy("Kind of key"), KEY_TYPE[kind]), *rows] if kind else rows


def _bought(one: Withdrawal) -> dict[str, Any]:
    """The conversion cost of a crypto withdrawal, in minor units of the asset."""
    if one.market_amount is None or one.gross_amount is None:
        return {}
    return {"cost": one.market_amount - one.gross_amount, "gross": one.gross_amount, "market": one.market_amount}


def _moments(one: Withdrawal) -> list[TimelineEntry]:
    """Its history, newest first."""
    found = [TimelineEntry(one.created_at, _("Requested"), _("Amount and fee are held until the bank answers."))]
    for decision in decisions_of(one):
        title = _("Approved") if decision.decision == Decision.APPROVE else _("Rejected")
        who = str(decision.person or decision.key)
        found.append(TimelineEntry(decision.created_at, title, " · ".join(filter(None, (who, decision.note)))))
    if one.sent_at:
        again = _("Sent again under the same id (%(times)s times in total).") % {"times": one.sent_times}
        found.append(TimelineEntry(one.sent_at, _("Submitted to the bank"), again if one.sent_times > 1 else ""))
    if one.completed_at:
        found.append(TimelineEntry(one.completed_at, _("Arrived"), _("The beneficiary has received the money.")))
    if one.status == Status.FAILED:
        found.append(TimelineEntry(one.updated_at, _("Failed"), _("Amount and fee are available again.")))
    if one.returned_at:
        found.append(TimelineEntry(one.returned_at, _("Returned"), _("The amount is available again; the fee is not.")))
    return found[::-1]


def _outcomes(here: RequestContext, one: Withdrawal) -> list[str]:
    """The outcomes that this person can simulate now."""
    if not (here.is_sandbox and here.may(May.SIMULATE)):
        return []
    if one.approval == ApprovalState.PENDING:
        return []
    if one.status == Status.PROCESSING:
        return [Status.COMPLETED, Status.FAILED]
    return [Status.RETURNED] if one.status == Status.COMPLETED and not one.is_converted else []


def _next_refresh(one: Withdrawal, look: str) -> int | None:
    """Limited refreshes: an abandoned page must not keep its person signed in."""
    looks = int(look) if look.isdecimal() and len(look) < 3 else 0
    is_under_way = one.status == Status.PROCESSING and one.approval != ApprovalState.PENDING
    return looks + 1 if is_under_way and looks < LOOKS else None


@require_POST
@page_view(May.SIMULATE, sandbox_only=True)
def simulate(request: HttpRequest, here: RequestContext, withdrawal_id: str) -> HttpResponse:
    """Simulates the bank's answer."""
    one, form = selectors.get(here.merchant, withdrawal_id), OutcomeForm(request.POST)
    if not form.is_valid():
        return _shown(here, one, form, status=400)
    wanted = form.cleaned_data["status"]
    code = form.cleaned_data["failure_code"] if wanted == Status.FAILED else None
    try:
        with transaction.atomic():
            changed = services.simulate(here.merchant, withdrawal_id, wanted, code or None)
            here.record("withdrawal.simulated", one.pk, before={"status": one.status}, after={"status": changed.status})
    except Refusal as refusal:
        form.add_error(None, in_words(refusal))
        return _shown(here, selectors.get(here.merchant, withdrawal_id), form, status=refusal.status)
    return here.redirect("withdrawal", withdrawal_id, message=_("The sandbox bank has answered."))
