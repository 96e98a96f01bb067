"""Withdrawals of a file that wait for approval, decided together."""

from typing import Any, NamedTuple

from django import forms
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.bulk import approvals, selectors
from gateway.bulk.models import BulkFile, BulkLine, Kind
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.bulk.detail import in_currency, reason
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.paging import page_of
from gateway.dashboard.withdrawals.words import APPROVAL, Said
from gateway.withdrawals.approvals.models import Decision
from gateway.withdrawals.models import Withdrawal
from ledger.money import to_decimal


class DecisionForm(OnceForm):
    """`shown` is the digest of what the person saw."""

    shown = forms.CharField(widget=forms.HiddenInput, max_length=64)


class Row(NamedTuple):
    """A withdrawal of the file with the state of its approval, and why the last decision did not change it."""

    line: BulkLine
    withdrawal: Withdrawal
    state: Said
    refused: str


@require_safe
@page_view(May.READ_MONEY)
def approval(request: HttpRequest, here: RequestContext, file_id: str) -> HttpResponse:
    """What waits, who decided what, and the outcome of each line."""
    file = _file(here, file_id)
    known, decisions = approvals.undecided(file, here.user), list(approvals.decisions_of(file))
    asked = approvals.withdrawals_of(file).exclude(approval=None)
    page = page_of(file.lines.filter(result_id__in=asked.values("pk")).order_by("row", "id"), request.GET)
    return here.render(
        "bulk/approval.html",
        file=file,
        sums=known.sums,
        until=known.until,
        new=len(file.warnings.get("new", ())),
        form=DecisionForm(initial={"shown": known.digest}),
        may_reject=_may(here, known, Decision.REJECT),
        may_approve=_may(here, known, Decision.APPROVE),
        decisions=decisions,
        is_under_way=approvals.is_under_way(file),
        page=page,
        rows=_rows(page.rows),
    )


def _rows(lines: list[BulkLine]) -> list[Row]:
    made = Withdrawal.objects.defer("sealed_destination").in_bulk([line.result_id for line in lines])
    refused = approvals.refusals_of(lines)
    rows = []
    for line in lines:
        withdrawal = made[line.result_id]
        why = reason(refused[line.pk]) if line.pk in refused else ""
        rows.append(Row(line, withdrawal, APPROVAL[str(withdrawal.approval)], why))
    return rows


def _may(here: RequestContext, known: approvals.Undecided, decision: Decision) -> bool:
    if not known.withdrawals:
        return False
    try:
        approvals.require_approver(known, here.merchant, here.user, decision)
    except Refusal:
        return False
    return True


def _file(here: RequestContext, file_id: str) -> BulkFile:
    """A confirmed file of withdrawals. Raises ONP404_BULK_FILE."""
    file = selectors.get(here.merchant, file_id)
    if file.kind != Kind.WITHDRAWALS or file.confirmed_at is None:
        raise Http404
    return file


def _about(here: RequestContext, file_id: str) -> Facts:
    file = _file(here, file_id)
    sums = [
        (code, _("%(count)s withdrawals, %(amount)s") % {"count": count, "amount": in_currency(amount, code)})
        for code, count, amount in approvals.sums_waiting_for(file, here.user)
    ]
    return [(_("File"), file.name), *sums]


@require_POST
@page_view(May.READ_MONEY, steps_up=action(gettext_lazy("Approve all withdrawals of a file"), about=_about))
def approve(request: HttpRequest, here: RequestContext, file_id: str) -> HttpResponse:
    return _decide(here, file_id, Decision.APPROVE, gettext_lazy("Approved. Each withdrawal has its own outcome."))


@require_POST
@page_view(May.READ_MONEY, steps_up=action(gettext_lazy("Reject all withdrawals of a file"), about=_about))
def reject(request: HttpRequest, here: RequestContext, file_id: str) -> HttpResponse:
    return _decide(here, file_id, Decision.REJECT, gettext_lazy("Rejected. The money becomes available again."))


@transaction.atomic
def _decide(here: RequestContext, file_id: str, decision: Decision, message: Promise) -> HttpResponse:
    file, form = _file(here, file_id), DecisionForm(here.request.POST)
    if not form.is_valid():
        return here.redirect("bulk_file_approval", file.pk)
    here.claim(form, back=here.to("bulk_file_approval", file.pk))
    shown: dict[str, Any] = {
        code: {"count": count, "amount": str(to_decimal(amount, code))}
        for code, count, amount in approvals.sums_waiting_for(file, here.user)
    }
    approvals.decide(
        here.merchant, file.pk, decision, by=here.user, shown=form.cleaned_data["shown"], address=here.origin
    )
    what = "approved" if decision == Decision.APPROVE else "rejected"
    here.record(f"bulk_file.{what}", file.pk, after={"name": file.name, **shown})
    return here.redirect("bulk_file_approval", file.pk, message=str(message))
