"""A file: its review, its confirmation, its progress, and its result."""

from typing import Any

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import translation
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.base.csv_export import CsvColumn, csv_of, timed
from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.bulk import selectors, services
from gateway.bulk.approvals import withdrawals_of
from gateway.bulk.models import BulkFile, BulkLine, Kind, LineDecision, State
from gateway.dashboard.access import page_view
from gateway.dashboard.actions import Facts, action
from gateway.dashboard.bulk.words import LINE_STATE, WARNING
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import OnceForm
from gateway.dashboard.paging import in_chunks, page_of
from gateway.dashboard.refusals import IN_WORDS, in_words
from gateway.dashboard.withdrawals.list import account_line
from gateway.dashboard.withdrawals.words import FAILURE
from gateway.dashboard.words import STATUS
from ledger.money import to_decimal
from ledger.notation import written
from ledger.wallets.selectors import holdings

MOST_ROWS = 30
"""Rows of a warning that are named; more are counted."""


class ConfirmForm(OnceForm):
    """`reviewed` is required if the file has warnings."""

    reviewed = forms.BooleanField(label=gettext_lazy("I have compared these lines; this is intended."), required=False)


def needs(file: BulkFile) -> May:
    """What a person needs to read and confirm the file."""
    return May.MOVE_MONEY if file.kind == Kind.WITHDRAWALS else May.REFUND


@require_safe
@page_view(May.REFUND)
def bulk_files(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """The confirmed files, newest first."""
    kinds = Kind.values if here.may(May.MOVE_MONEY) else [Kind.REFUNDS]
    return here.render("bulk/list.html", page=page_of(selectors.listed(here.merchant, kinds), request.GET))


@require_safe
@page_view(May.REFUND)
def bulk_file(request: HttpRequest, here: RequestContext, file_id: str) -> HttpResponseBase:
    """The review of a file that waits, or the progress of one that was confirmed. `?format=csv` is the result."""
    file = selectors.get(here.merchant, file_id)
    if not here.may(needs(file)):
        return here.render("forbidden.html", status=403, needs=needs(file))
    if request.GET.get("format") == "csv":
        return csv_of("-".join([file.pk, slugify(_("Result"))]), COLUMNS, in_chunks(selectors.lines(file)))
    return _page(here, file, ConfirmForm())


def _about(here: RequestContext, file_id: str) -> Facts:
    file = selectors.get(here.merchant, file_id)
    sums = [
        (code, _("%(count)s lines, %(amount)s") % {"count": count, "amount": in_currency(amount + fee, code)})
        for code, count, amount, fee in selectors.totals(file)
    ]
    return [(_("File"), file.name), *sums]


@require_POST
@page_view(May.REFUND, steps_up=action(gettext_lazy("Confirm a bulk file"), about=_about))
def confirm(request: HttpRequest, here: RequestContext, file_id: str) -> HttpResponse:
    """Lets the lines be carried out."""
    file = selectors.get(here.merchant, file_id)
    if not here.may(needs(file)):
        return here.render("forbidden.html", status=403, needs=needs(file))
    form = ConfirmForm(request.POST)
    if not form.is_valid():
        return _page(here, file, form)
    try:
        _confirm(here, file, form)
    except Refusal as refusal:
        form.add_error("reviewed" if refusal.field == "reviewed" else None, in_words(refusal))
        return _page(here, file, form)
    return here.redirect("bulk_file", file.pk, message=_("The file was confirmed. Its lines are carried out now."))


@transaction.atomic
def _confirm(here: RequestContext, file: BulkFile, form: ConfirmForm) -> None:
    here.claim(form, back=here.to("bulk_file", file.pk))
    services.confirm(here.merchant, file.pk, by=here.user, reviewed=form.cleaned_data["reviewed"])
    sums = {code: str(to_decimal(amount + fee, code)) for code, _n, amount, fee in selectors.totals(file)}
    here.record("bulk_file.confirmed", file.pk, after={"name": file.name, "kind": file.kind, **sums})


@require_POST
@page_view(May.REFUND)
def stop(request: HttpRequest, here: RequestContext, file_id: str) -> HttpResponse:
    """Discards a file that waits, or stops the lines that were not carried out yet."""
    file = selectors.get(here.merchant, file_id)
    if not here.may(needs(file)):
        return here.render("forbidden.html", status=403, needs=needs(file))
    count = services.stop(here.merchant, file.pk)
    here.record("bulk_file.stopped", file.pk, after={"name": file.name, "lines": count})
    if file.confirmed_at is None:
        return here.redirect("bulk_files", message=_("The file was discarded; nothing was sent."))
    return here.redirect("bulk_file", file.pk, message=_("Lines stopped: %(count)s.") % {"count": count})


def _page(here: RequestContext, file: BulkFile, form: ConfirmForm) -> HttpResponse:
    """The review, or the progress."""
    services.look_again(file)
    counts = selectors.counts(file)
    lines = page_of(selectors.lines(file), here.request.GET)
    warnings = [
        (WARNING[name], rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS)) for name, rows in file.warnings.items()
    ]
    return here.render(
        "bulk/detail.html",
        file=file,
        form=form,
        lines=lines,
        sums=[_sum(here, file, *one) for one in selectors.totals(file)],
        warnings=warnings,
        counts=[(LINE_STATE[state], count) for state, count in counts.items() if count],
        outcomes=selectors.outcomes(file),
        is_under_way=file.confirmed_at is not None and counts[State.WAITING] > 0,
        total=sum(counts.values()),
        finished=sum(counts.values()) - counts[State.WAITING],
        is_withdrawals=file.kind == Kind.WITHDRAWALS,
        waits_for_approval=_waits_for_approval(file),
    )


def _waits_for_approval(file: BulkFile) -> bool:
    """Whether anybody has to approve its withdrawals, or had to."""
    return file.kind == Kind.WITHDRAWALS and withdrawals_of(file).exclude(approval=None).exists()


def _sum(here: RequestContext, file: BulkFile, code: str, count: int, amount: int, fee: int) -> dict[str, Any]:
    held = holdings(here.merchant, code).currencies.get(code)
    available = held.available if held else 0
    left = available - amount - fee
    return {
        "currency": code, "count": count, "amount": amount, "fee": fee, "total": amount + fee,
        "available": available, "left": max(left, 0), "missing": max(-left, 0),
    }  # fmt: skip


def in_currency(minor: int, code: str) -> str:
    """The amount as pages write it, with the code of its currency."""
    return written(to_decimal(minor, code), code, coded=True)


def destination(line: BulkLine) -> str:
    """The beneficiary or the payment in one line."""
    return line.shown.get("payment") or account_line(line.shown)


def reason(line: BulkLine | LineDecision) -> str:
    """Why a line or a decision about it was refused, or its withdrawal failed, in words."""
    if failed := FAILURE.get(getattr(line, "result_failure", None) or ""):
        return str(failed[0])
    return str(IN_WORDS.get(line.code) or (line.message and translation.gettext(line.message)))


COLUMNS: list[CsvColumn[Any]] = [
    (gettext_lazy("Row"), lambda one: one.row),
    (gettext_lazy("Outcome"), lambda one: LINE_STATE[one.state][0]),
    (gettext_lazy("Status"), lambda one: STATUS[one.result_status][0] if one.result_status else ""),
    (gettext_lazy("Goes to"), destination),
    (gettext_lazy("Amount"), lambda one: one.amount_exact),
    (gettext_lazy("Fee"), lambda one: to_decimal(one.fee, one.currency)),
    (gettext_lazy("Currency"), lambda one: one.currency),
    (gettext_lazy("Reference"), lambda one: one.reference),
    (gettext_lazy("Id"), lambda one: one.result_id),
    (gettext_lazy("Code"), lambda one: one.code),
    (gettext_lazy("Why not"), reason),
    (timed(gettext_lazy("When")), lambda one: one.done_at),
]
