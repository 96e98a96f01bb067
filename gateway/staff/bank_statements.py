"""Statements of our bank accounts, their lines, and what explains each line. No company sees any of it."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from accounts.base.clock import utcnow
from accounts.models import Proposal
from accounts.proposals.kinds import KINDS
from accounts.proposals.services import is_still_valid
from gateway.reconciliation.accounts import word_of
from gateway.reconciliation.explaining import Meaning, claim_id
from gateway.reconciliation.models import LINE_WORDS, BankLine, BankStatement, LinePart
from gateway.reconciliation.proposals import ExplainLine
from gateway.reconciliation.standing import booked_until
from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import (
    EMPTY,
    colored,
    column,
    day,
    link_to_id,
    moment,
    named,
    or_empty,
    related,
    unbroken,
)
from gateway.staff.kit.forms import NoteField, NoteForm
from gateway.staff.kit.names import label_of
from gateway.staff.kit.pages import TWO_PEOPLE, ReadOnlyAdmin
from gateway.staff.kit.readings import amount, naming
from gateway.staff.kit.related import Related
from gateway.staff.overview.panels import ago
from gateway.suspense.models import SuspenseItem
from ledger.chart import AccountKind
from ledger.models import Transfer
from ledger.notation import plain_amount

LINE_STATES = {"WAITING": "info", "UNNAMED": "info", "EXPLAINED": "success", "SUSPENSE": "warning", "REVERSED": "info"}
UNEXPLAINED = (BankLine.State.WAITING, BankLine.State.UNNAMED, BankLine.State.SUSPENSE)


def _party(party: dict[str, str]) -> str:
    return ", ".join(f"{word_of(name)} {text}" for name, text in party.items())


def _of_account(statement: BankStatement) -> str:
    return statement.account.currency


def _kind_of(account: str) -> str:
    """Without what the kind means."""
    return label_of(AccountKind(account)).partition(":")[0]


@admin.register(BankStatement)
class BankStatementAdmin(ReadOnlyAdmin):
    """Only files of the bank write them."""

    ids = {"bnk": "account", "bkf": "file"}
    words = {"number": str, "closed_on": date.fromisoformat}
    search_help_text = "Statement, bank account or file id, the bank's number, or the last day (YYYY-MM-DD)"
    listed_at = ("account", "file")
    list_select_related = ("account", "file")
    list_display = (
        "__str__",
        related("account", "bank account"),
        day("opened_on"),
        day("closed_on"),
        money("opening", of=_of_account),
        money("closing", of=_of_account),
        "lines",
        related("file"),
    )
    list_filter = ("account", "closed_on")
    fieldsets = (
        (None, {"fields": ("id", (related("account", "bank account"), column("number", or_empty)), related("file"))}),
        ("Days", {"fields": ((day("opened_on"), day("closed_on")), ("position", "lines"))}),
        (
            "Money",
            {
                "fields": (
                    (
                        money("opening", "opening balance", _of_account),
                        money("closing", "closing balance", _of_account),
                    ),
                    ("in_our_books", "difference"),
                )
            },
        ),
        ("Content", {"fields": ("digest", moment("created_at", "took effect"))}),
    )

    @display(description="in our books after it")
    def in_our_books(self, statement: BankStatement) -> str:
        return unbroken(plain_amount(booked_until(statement), statement.account.currency))

    @display(description="difference")
    def difference(self, statement: BankStatement) -> str:
        """Lines that are not matched yet."""
        return unbroken(plain_amount(statement.closing - booked_until(statement), statement.account.currency))


class ExplainForm(NoteForm):
    """What a line in suspense is."""

    meaning = forms.ChoiceField(
        label="It is", choices=[("", "---------"), *Meaning.choices], widget=UnfoldAdminSelectWidget
    )
    target = forms.CharField(
        required=False,
        max_length=80,
        widget=UnfoldAdminTextInputWidget,
        help_text="The id of the withdrawal, payment, refund, company or other line, or the code of the bank account. "
        "Empty for a fee, gain or loss",
    )
    note = NoteField("Visible to staff only. Name the bank's proof")
    field_order = ("meaning", "target", "note")


@admin.register(BankLine)
class BankLineAdmin(ReadOnlyAdmin):
    """Only statements write them; matching, and two people, explain them."""

    ids = {"bnk": "account", "bst": "statement"}
    words = {"reference": str, "end_to_end_id": str, "order_number": str}
    readings = (amount("amount", "account__currency"), naming(LINE_WORDS))
    amounts = ("amount",)
    moments = ("booked_on",)
    search_help_text = (
        "Amount, day, name of the other side, words of the text, line, statement or bank account id, the bank's id of "
        "the movement, end-to-end id or our order"
    )
    listed_at = ("statement",)
    list_select_related = ("account", "statement")
    list_display = (
        "id",
        colored("state", **LINE_STATES),
        "kind",
        money("amount"),
        day("booked_on"),
        column("text", or_empty),
        related("account", "bank account"),
        "age",
    )
    list_filter = ("state", ("kind", admin.ChoicesFieldListFilter), "account")
    fieldsets = (
        (None, {"fields": ("id", ("state", "kind"), (money("amount"), "age"))}),
        (
            "In the statement",
            {
                "fields": (
                    (related("account", "bank account"), related("statement")),
                    (day("booked_on"), "position"),
                    column("text", or_empty),
                    (column("code", or_empty), column("reference", or_empty)),
                    (column("end_to_end_id", or_empty), column("order_number", or_empty, "our order")),
                    column("counterparty", _party),
                )
            },
        ),
        ("Reversal", {"fields": (("is_reversal", related("reverses", "reverses")), "reversed_by_line")}),
        ("Timestamps", {"fields": ((moment("matched_at", "matched"), moment("due_at", "next look")),)}),
    )

    actions_detail = ("explain",)

    @display(description="age")
    def age(self, line: BankLine) -> str:
        """How long nothing has explained it."""
        if line.state not in UNEXPLAINED:
            return EMPTY
        since = datetime.combine(line.booked_on, time(), UTC)
        return unbroken(ago(max(0.0, (utcnow() - since).total_seconds())))

    @display(description="reversed by")
    def reversed_by_line(self, line: BankLine) -> str:
        found = BankLine.objects.filter(reverses=line).values_list("pk", flat=True).first()
        return link_to_id(found) if found else EMPTY

    def related_to(self, record: BankLine) -> Iterable[Related]:
        yield from super().related_to(record)
        held = SuspenseItem.objects.filter(line_id=record.pk)
        postings = [name for pair in record.parts.values_list("posting", "undone_by") for name in pair if name]
        booked = Transfer.objects.filter(reference__in={*postings, *held.values_list("pk", flat=True)})
        yield from Related.found_by(record, held)
        yield from Related.found_by(record, booked, the_same=frozenset())
        yield from Related.found_by(record, Proposal.objects.filter(object_id__startswith=record.pk))

    def has_explain_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm(ExplainLine.permission)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Only for a line in suspense, and nothing while a proposal is pending."""
        line = self.get_object(request, unquote(str(object_id)))
        if line is None or line.state != BankLine.State.SUSPENSE:
            return []
        waiting = Proposal.objects.filter(object_id__startswith=line.pk, state=Proposal.State.OPEN)
        return [] if any(map(is_still_valid, waiting)) else super().get_actions_detail(request, object_id)

    @action(description="Explain", permissions=["explain"], icon="check", variant=ActionVariant.PRIMARY)
    def explain(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The kind refuses what is impossible."""
        line, kind = self.record(request, object_id), KINDS[ExplainLine.name]
        form = ExplainForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            amount = plain_amount(line.amount, line.currency)
            text = gettext("%(amount)s of %(day)s leave suspense and are booked as what they are.") % {
                "amount": amount,
                "day": line.booked_on,
            }
            return self.decision(request, line, kind.title, sentence=f"{text} {TWO_PEOPLE}", form=form)
        given = form.cleaned_data
        about = claim_id(line.pk, given["meaning"], given["target"])
        return self.put(request, line, kind, {}, given["note"], about)


@admin.register(LinePart)
class LinePartAdmin(ReadOnlyAdmin):
    """What a line is, and the posting that books it."""

    ids = {"bln": "line", "wdr": "object_id", "pay": "object_id", "ref": "object_id", "sus": "object_id"}
    words = {"posting": str, "object_id": str}
    search_help_text = "Part or line id, our record that it is, or its posting"
    listed_at = ("line",)
    list_select_related = ("account", "line", "merchant__company")
    list_display = (
        "id",
        "kind",
        named("object_id", "our record"),
        money("amount"),
        related("merchant", "book of"),
        column("other", _kind_of, "against"),
        "posting",
        column("undone_by", or_empty, "taken back by"),
    )
    list_filter = (("kind", admin.ChoicesFieldListFilter), "account")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "id",
                    ("kind", named("object_id", "our record")),
                    (money("amount"), column("other", _kind_of, "against")),
                )
            },
        ),
        ("Where", {"fields": ((related("account", "bank account"), related("line")), related("merchant", "book of"))}),
        ("Posting", {"fields": (("posting", column("undone_by", or_empty, "taken back by")),)}),
        ("Timestamps", {"fields": (moment("created_at"),)}),
    )

    def related_to(self, record: LinePart) -> Iterable[Related]:
        yield from super().related_to(record)
        names = {record.posting, record.undone_by} - {""}
        yield from Related.found_by(record, Transfer.objects.filter(reference__in=names), the_same=frozenset())
