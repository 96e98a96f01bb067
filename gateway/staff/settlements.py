"""Settlements for staff: reports, their lines, and the sums of days. No company sees any of it."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext
from unfold.decorators import action
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminSelectWidget

from accounts import second_factor
from accounts.audit import Actor
from accounts.base.errors import Refusal
from gateway.providers.models import ProviderAccount
from gateway.serving.limits import takes_files
from gateway.settlements.models import SettlementDay, SettlementDifference, SettlementLine, SettlementReport
from gateway.settlements.reports import settles, upload
from gateway.staff.kit import refusals
from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import address, colored, column, moment, named, or_empty, related
from gateway.staff.kit.forms import NoteField, NoteForm
from gateway.staff.kit.pages import ReadOnlyAdmin
from gateway.staff.kit.readings import amount
from gateway.staff.kit.related import Related, plural
from gateway.staff.margins import MarginReport
from ledger.models import Transfer

STATES = {"WAITING": "info", "MATCHED": "success", "HELD": "warning", "NOT_OURS": "info", "DIFFERENT": "danger"}


class UploadForm(NoteForm):
    """A report as it was downloaded from the acquirer."""

    account = forms.ChoiceField(widget=UnfoldAdminSelectWidget)
    file = forms.FileField(widget=UnfoldAdminFileFieldWidget, help_text="CSV, as it was downloaded")
    note = NoteField()
    field_order = ("account", "file", "note")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        accounts = ProviderAccount.objects.defer("sealed_credentials").order_by("title")
        by_file = [one for one in accounts if (how := settles(one)) and not how.by_day]
        self.fields["account"].choices = [("", "---------"), *((one.pk, str(one)) for one in by_file)]  # type: ignore[attr-defined]


@admin.register(SettlementReport)
class SettlementReportAdmin(ReadOnlyAdmin):
    """Add permission: upload a report."""

    has_history = True
    permissions_used = ("view", "add")
    ids = {"pac": "account"}
    words = {"name": str}
    search_help_text = "Report or account id, day, or name of the file"
    listed_at = ("account",)
    list_select_related = ("account", "uploaded_by")
    list_display = (
        "id",
        "name",
        colored("state", WAITING="info", READ="success", UNREADABLE="danger"),
        related("account"),
        "lines",
        moment("read_at"),
    )
    list_filter = ("state", "account__provider")
    fieldsets = (
        (None, {"fields": ("id", ("name", "state"), related("account"), column("failure", or_empty))}),
        ("Content", {"fields": ("lines", ("digest", related("uploaded_by")))}),
        ("Timestamps", {"fields": ((moment("created_at"), moment("read_at")), moment("due_at", "next reading"))}),
    )
    actions_list = (*ReadOnlyAdmin.actions_list, "upload")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("sealed_content")

    def has_upload_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("gateway.add_settlementreport")

    @takes_files
    @action(description="Upload a report", permissions=["upload"], icon="upload_file")
    def upload(self, request: HttpRequest) -> HttpResponse:
        second_factor.require(request)  # never with a description: a file cannot be kept for later
        form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
        if form.is_valid():
            try:
                return self._uploaded(request, form.cleaned_data)
            except Refusal as refusal:
                form.add_error("file", refusals.in_words(refusal))
        sentence = gettext("It is read within a minute. Lines that are known already change nothing.")
        return self.decision(request, None, gettext("Upload a report"), sentence=sentence, form=form)

    def _uploaded(self, request: HttpRequest, given: dict[str, Any]) -> HttpResponse:
        account = ProviderAccount.objects.select_related("merchant").get(pk=given["account"])
        name, content = given["file"].name, given["file"].read()
        report = upload(Actor.of(request), account, name, content, given["note"])
        self.log_action(request, report, "", f"Uploaded: {given['note']}")
        self.message_user(
            request, gettext("%(report)s is read within a minute.") % {"report": report}, messages.SUCCESS
        )
        return HttpResponseRedirect(address(SettlementReport, "change", report.pk))


@admin.register(SettlementLine)
class SettlementLineAdmin(ReadOnlyAdmin):
    """Only the sweep writes them."""

    ids = {"pay": "payment", "ref": "object_id", "sus": "object_id", "srp": "report", "pac": "account"}
    words = {"reference": str}
    readings = (amount("gross", "gross_currency"),)
    amounts = ("gross",)
    moments = ("at",)
    search_help_text = "Amount, day, line, report, payment, refund or account id, or the acquirer's id of the money"
    listed_at = ("report", "payment")
    list_select_related = ("account", "payment")
    list_display = (
        "id",
        "kind",
        colored("state", **STATES),
        money("gross", of=lambda line: line.gross_currency),
        money("fee"),
        money("net"),
        named("object_id", "about"),
        moment("at", "booked there"),
        "payout",
    )
    list_filter = ("state", ("kind", admin.ChoicesFieldListFilter), "currency")
    fieldsets = (
        (None, {"fields": ("id", ("kind", "state"), related("account"), related("report"))}),
        (
            "Money",
            {
                "fields": (
                    (money("gross", of=lambda line: line.gross_currency), money("fee", "acquirer's fee")),
                    (money("net"), "method"),
                    (column("payout", or_empty), moment("paid_out_at", "booked as paid out")),
                )
            },
        ),
        ("About", {"fields": (related("payment"), named("object_id", "our record"), related("merchant"))}),
        ("There", {"fields": (("reference", "payment_reference"), "line_id", (moment("at"), "day"))}),
        ("Timestamps", {"fields": ((moment("created_at"), moment("booked_at")), moment("due_at", "next look"))}),
    )

    def related_to(self, record: SettlementLine) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(record, Transfer.objects.filter(reference=record.pk))
        rows = SettlementDifference.objects.filter(line=record)
        yield Related(plural(SettlementDifference), rows, {"line__exact": record.pk}, frozenset())


@admin.register(SettlementDay)
class SettlementDayAdmin(MarginReport):
    """What the reports of a day say, and what our books say."""

    ids = {"pac": "account"}
    words = {"day": date.fromisoformat}
    search_help_text = "Account id, or day (YYYY-MM-DD)"
    listed_at = ("account",)
    ordering = ("-day", "-pk")
    actions_list = (*MarginReport.actions_list, "margins")
    list_select_related = ("account",)
    list_display = (
        "day",
        related("account"),
        "method",
        "currency",
        "lines",
        money("gross"),
        money("acquirer_fee", "acquirer's fee"),
        money("net", "reported"),
        money("booked", "in our books"),
        money("difference"),
        money("paid_out"),
        money("our_fee"),
        money("margin"),
    )
    list_filter = ("method", "currency", "account__provider")
    fieldsets = (
        (None, {"fields": ("id", ("day", "method"), related("account"), "lines")}),
        (
            "Money",
            {
                "fields": (
                    (money("gross"), money("acquirer_fee", "acquirer's fee")),
                    (money("net", "reported"), money("booked", "in our books")),
                    (money("difference"), money("paid_out")),
                )
            },
        ),
        ("Margin", {"fields": ((money("our_fee"), money("margin")),)}),
    )

    def related_to(self, record: SettlementDay) -> Iterable[Related]:
        """Its differences first, then its lines."""
        of_day = {"account": record.account_id, "day": record.day, "method": record.method, "currency": record.currency}
        narrowed = {f"{name}__exact": value for name, value in of_day.items()}
        for model in (SettlementDifference, SettlementLine):
            yield Related(plural(model), model.objects.filter(**of_day), narrowed, frozenset(of_day))
