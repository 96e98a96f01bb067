"""What the columns of a bank's CSV are: tried on a sample, then entered by two people."""

from decimal import Decimal
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from unfold.decorators import action
from unfold.enums import ActionVariant
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from accounts.base.errors import Refusal
from accounts.proposals.kinds import KINDS
from gateway.bank_files.csv_statement import CsvMapping, read
from gateway.bank_files.shapes import Statement, UnreadableFile
from gateway.reconciliation.accounts import require_mapping
from gateway.reconciliation.models import BankAccount
from gateway.reconciliation.proposals import MEMBERS, SaveMapping
from gateway.serving.limits import takes_files
from gateway.staff.kit.forms import NoteField
from gateway.staff.kit.pages import TWO_PEOPLE, ReadOnlyAdmin
from gateway.staff.overview.panels import Panel, PanelTable

SHOWN_LINES = 10
_TAB = "TAB"
_DELIMITERS = {";": "; semicolon", ",": ", comma", _TAB: "tabulator", "|": "| bar"}
_ENCODINGS = {"utf-8": "UTF-8", "cp1252": "Windows-1252 (Latin-1)", "utf-16": "UTF-16"}
_MARKS = {",": "1.234,56", ".": "1,234.56"}
_DATES = {
    "%d/%m/%Y": "31/12/2026",
    "%d/%m/%y": "31/12/26",
    "%d-%m-%Y": "31-12-2026",
    "%d.%m.%Y": "31.12.2026",
    "%Y-%m-%d": "2026-12-31",
    "%Y%m%d": "20261231",
    "%m/%d/%Y": "12/31/2026",
    "%d/%m/%Y %H:%M": "31/12/2026 23:59",
    "%Y-%m-%d %H:%M:%S": "2026-12-31 23:59:59",
}
_LISTS = ("text", "words_for_out", "opening_words", "closing_words", "ignored_words")
_A_COLUMN = "Title, or number from 1"


def _column(label: Any, text: str = _A_COLUMN, *, required: bool = False) -> forms.CharField:
    return forms.CharField(
        label=label, max_length=80, required=required, help_text=text, widget=UnfoldAdminTextInputWidget
    )


def _words(label: Any, text: str) -> forms.CharField:
    return forms.CharField(
        label=label, max_length=200, required=False, help_text=text, widget=UnfoldAdminTextInputWidget
    )


def _choice(label: Any, choices: dict[str, str]) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=list(choices.items()), widget=UnfoldAdminSelectWidget)


class MappingForm(forms.Form):
    """The members of a `CsvMapping`, a sample to try them on, and whether the preview was right."""

    delimiter = _choice(MEMBERS["delimiter"], _DELIMITERS)
    encoding = _choice(MEMBERS["encoding"], _ENCODINGS)
    decimal_mark = _choice(MEMBERS["decimal_mark"], _MARKS)
    date_format = _choice(MEMBERS["date_format"], _DATES)
    skipped_lines = forms.IntegerField(
        label=MEMBERS["skipped_lines"], min_value=0, max_value=1000, initial=0, widget=UnfoldAdminIntegerFieldWidget
    )
    has_titles = forms.BooleanField(
        label=MEMBERS["has_titles"], required=False, initial=True, widget=UnfoldBooleanWidget
    )
    booked_on = _column(MEMBERS["booked_on"], required=True)
    amount = _column(MEMBERS["amount"], "One column with signs, with C and D, or with the words below; or the next two")
    credit = _column(MEMBERS["credit"])
    debit = _column(MEMBERS["debit"])
    is_out_positive = forms.BooleanField(label=MEMBERS["is_out_positive"], required=False, widget=UnfoldBooleanWidget)
    direction = _column(MEMBERS["direction"], "Column that says by words which way the money went")
    words_for_out = _words(MEMBERS["words_for_out"], "Separated by commas")
    balance = _column(MEMBERS["balance"], "Running balance: every row is checked by it")
    text = _words(MEMBERS["text"], "Columns, separated by commas")
    reference = _column(MEMBERS["reference"])
    order_number = _column(MEMBERS["order_number"])
    end_to_end_id = _column(MEMBERS["end_to_end_id"])
    counterparty_name = _column(MEMBERS["counterparty_name"])
    counterparty_account = _column(MEMBERS["counterparty_account"])
    opening_words = _words(MEMBERS["opening_words"], "In the texts, separated by commas")
    closing_words = _words(MEMBERS["closing_words"], "In the texts, separated by commas")
    ignored_words = _words(MEMBERS["ignored_words"], "In the texts, separated by commas")
    sample = forms.FileField(
        required=False, widget=UnfoldAdminFileFieldWidget, help_text="A CSV file of the bank: it is shown, not kept"
    )
    is_right = forms.BooleanField(
        label="The preview says what the bank's own page says: propose it", required=False, widget=UnfoldBooleanWidget
    )
    note = NoteField()

    def __init__(self, account: BankAccount, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        stored = account.mapping or {}
        self.initial = {name: ", ".join(one) if isinstance(one, list) else one for name, one in stored.items()}
        self.initial["delimiter"] = _TAB if stored.get("delimiter") == "\t" else stored.get("delimiter", ";")
        self.account = account
        self.statement: Statement | None = None

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if self.errors:
            return given
        try:
            mapping = require_mapping(self.account, self.values)
        except Refusal as refusal:
            raise forms.ValidationError([fault.in_words() for fault in refusal.faults]) from None
        if given.get("sample"):
            self._try(mapping, given["sample"].read())
        elif not given["is_right"]:
            self.add_error("sample", _("Choose a sample to see what is read, then confirm that the preview was right."))
        return given

    def _try(self, mapping: CsvMapping, content: bytes) -> None:
        try:
            (self.statement,) = read(content, mapping)
        except UnreadableFile as wrong:
            self.add_error(
                "sample",
                _("Line %(line)s: %(reason)s") % {"line": wrong.line, "reason": wrong.reason}
                if wrong.line
                else str(wrong.reason),
            )

    @property
    def values(self) -> dict[str, Any]:
        """The mapping as it is stored."""
        given = {name: one for name, one in self.cleaned_data.items() if name not in {"sample", "is_right", "note"}}
        lists = {name: [part.strip() for part in given[name].split(",") if part.strip()] for name in _LISTS}
        delimiter = "\t" if given["delimiter"] == _TAB else given["delimiter"]
        return {"currency": self.account.currency, **given, **lists, "delimiter": delimiter}

    def preview(self) -> Panel | None:
        """What was read in the sample."""
        if self.statement is None:
            return None
        return _panel(self.statement)


def _panel(found: Statement) -> Panel:
    rows = [
        [str(line.booked_on), str(line.amount), line.text[:80], line.reference, line.order_number]
        for line in found.lines[:SHOWN_LINES]
    ]
    moved = sum((line.amount for line in found.lines), Decimal(0))
    balances = _("none: nothing proves the sum")
    if found.closing is not None:
        balances = _("%(opening)s to %(closing)s") % {"opening": found.opening, "closing": found.closing}
    counted = {"n": len(found.lines), "amount": f"{moved} {found.currency}", "balances": balances}
    return Panel(
        _("Preview"),
        (PanelTable([_("Date"), _("Amount"), _("Text"), _("Reference"), _("Order")], rows),),
        note=_("%(n)s movements of %(amount)s; balances: %(balances)s.") % counted,
    )


class MappingActions(ReadOnlyAdmin):
    """The action on a bank account."""

    @takes_files
    @action(description="Columns of CSV files", permissions=["decide"], icon="table", variant=ActionVariant.DEFAULT)
    def columns(self, request: HttpRequest, object_id: str) -> HttpResponse:
        account, kind = self.record(request, object_id), KINDS[SaveMapping.name]
        form = MappingForm(account, request.POST, request.FILES) if request.method == "POST" else MappingForm(account)
        if form.is_valid() and not form.statement:
            return self.put(request, account, kind, {"mapping": form.values}, form.cleaned_data["note"], account.code)
        here = {
            "opts": self.model._meta,
            "original": account,
            "title": _("Columns of CSV files of %(account)s") % {"account": account},
            "sentence": " ".join((_("Try them on a sample first."), str(TWO_PEOPLE))),
            "form": form,
            "preview": form.preview(),
        }
        return TemplateResponse(request, "admin/csv_columns.html", self.admin_site.each_context(request) | here)
