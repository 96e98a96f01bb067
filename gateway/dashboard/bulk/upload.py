"""Choosing, downloading and uploading: a file is checked whole before anything of it is stored."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from accounts.base import files
from accounts.base.errors import Refusal
from accounts.roles import May
from gateway.bulk import services, sheets
from gateway.bulk.errors import UnreadableSheet
from gateway.bulk.models import Kind
from gateway.dashboard.access import page_view
from gateway.dashboard.bulk.checking import Checked, check
from gateway.dashboard.bulk.columns import REFUNDS, columns_of
from gateway.dashboard.bulk.rows import CellFault
from gateway.dashboard.bulk.templates import XLSX, csv_template, xlsx_template
from gateway.dashboard.bulk.words import LIMITS, UNREADABLE
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.refusals import in_words
from gateway.dashboard.withdrawals.ways import WAYS
from gateway.serving.limits import takes_files

WITHDRAWALS = [way for way in WAYS.values() if way.wallet]
"""Crypto is withdrawn one at a time: its rate is taken at the time of each withdrawal."""
SHOWN_FAULTS = 500


class FileForm(DashboardForm):
    file = forms.FileField(
        label=gettext_lazy("File"),
        widget=forms.FileInput(attrs={"accept": ".csv,.xlsx"}),
        max_length=255,
    )

    def clean_file(self) -> Any:
        """Checks the size before reading."""
        file = self.cleaned_data["file"]
        if file.size > sheets.LARGEST:
            raise forms.ValidationError(str(UNREADABLE[sheets.Unreadable.TOO_LARGE]) % LIMITS)
        return file


@require_safe
@page_view(May.MOVE_MONEY)
def choose_withdrawals(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Which way the withdrawals of a file are paid."""
    return here.render("bulk/choose.html", ways=WITHDRAWALS)


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.MOVE_MONEY)
def withdrawals(request: HttpRequest, here: RequestContext, way: str) -> HttpResponse:
    """Uploads withdrawals over one way."""
    if way not in {one.slug for one in WITHDRAWALS}:
        raise Http404
    return _page(here, way)


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.REFUND)
def refunds(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Uploads refunds."""
    return _page(here, REFUNDS)


@require_safe
@page_view(May.REFUND)
def template(request: HttpRequest, here: RequestContext, way: str, form: str) -> HttpResponse:
    """The file to fill in."""
    if form not in ("csv", "xlsx") or (way != REFUNDS and way not in {one.slug for one in WITHDRAWALS}):
        raise Http404
    name = slugify(f"onpay-{way}")
    if form == "xlsx":
        return files.download(xlsx_template(way), XLSX, f"{name}.xlsx")
    return files.download(csv_template(way), "text/csv; charset=utf-8", f"{name}.csv")


def _page(here: RequestContext, way: str) -> HttpResponse:
    request = here.request
    form = FileForm(request.POST, request.FILES) if request.method == "POST" else FileForm()
    faults: list[CellFault] = []
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            checked = check(here.merchant, way, file.read())
        except UnreadableSheet as unreadable:
            form.add_error("file", str(UNREADABLE[unreadable.details["reason"]]) % LIMITS)
        except Refusal as refusal:
            form.add_error(None, in_words(refusal))
        else:
            if not checked.faults:
                return here.redirect("bulk_file", _kept(here, way, file.name, checked))
            faults = checked.faults
    return here.render(
        "bulk/upload.html",
        form=form,
        way=way,
        rail=WAYS.get(way),
        columns=columns_of(way),
        faults=faults[:SHOWN_FAULTS],
        count=len(faults),
        limits=LIMITS,
    )


def _kept(here: RequestContext, way: str, name: str, checked: Checked) -> str:
    file = services.keep(
        here.merchant,
        Kind.REFUNDS if way == REFUNDS else Kind.WITHDRAWALS,
        files.safe_name(name, None, _("file")),
        checked.digest,
        checked.lines,
        checked.warnings,
        by=here.user,
        way="" if way == REFUNDS else way,
    )
    return file.pk
