"""Money in suspense: staff read it, keep it from being given back, and decide where it belongs."""

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminTextInputWidget

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.errors import Refusal
from accounts.models import Proposal
from accounts.proposals.kinds import KINDS
from accounts.proposals.services import is_still_valid
from gateway.reconciliation.models import BankAccount
from gateway.staff.kit.amounts import CurrencyFilter, money
from gateway.staff.kit.columns import (
    EMPTY,
    OF_MERCHANT,
    colored,
    column,
    link,
    moment,
    named,
    or_empty,
    related,
    unbroken,
)
from gateway.staff.kit.forms import NoteField, NoteForm, PaymentField
from gateway.staff.kit.pages import TWO_PEOPLE, Done, ReadOnlyAdmin
from gateway.staff.kit.queues import Queue
from gateway.staff.kit.readings import amount
from gateway.staff.kit.related import Related
from gateway.staff.kit.unclear import ASKED
from gateway.staff.overview.panels import ago
from gateway.suspense import services
from gateway.suspense.errors import ItemState
from gateway.suspense.lifecycle import SuspenseAction
from gateway.suspense.models import CAUSES, LONGEST_REFERENCE, OPEN, State, SuspenseItem
from gateway.suspense.proposals import Assign, Attribute, GiveBack, NotReturned, Returned, meant_id
from ledger.models import Transfer

PROOF = "Visible to staff only. Name the statement, or the provider's proof"


class ReturnedForm(NoteForm):
    reference = forms.CharField(
        max_length=LONGEST_REFERENCE,
        label="Reference of the return",
        widget=UnfoldAdminTextInputWidget,
        help_text="The id that the bank's statement gives the return",
    )
    note = NoteField(PROOF)
    field_order = ("reference", "note")


class MeantForm(NoteForm):
    payment = PaymentField()
    note = NoteField(PROOF)
    field_order = ("payment", "note")


class BankAccountFilter(admin.SimpleListFilter):
    """Lines of one bank account."""

    title, parameter_name = _("bank account"), "bank_account"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(code, code) for code in BankAccount.objects.order_by("code").values_list("code", flat=True)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[SuspenseItem]) -> QuerySet[SuspenseItem]:
        return queryset.filter(bank_account=self.value()) if self.value() else queryset


class DirectionFilter(admin.SimpleListFilter):
    """Whether the money arrived or left."""

    title, parameter_name = _("direction"), "direction"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("in", gettext("Received")), ("out", pgettext("money", "Left"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[SuspenseItem]) -> QuerySet[SuspenseItem]:
        signs = {"in": Q(amount__gt=0), "out": Q(amount__lt=0)}
        return queryset.filter(signs.get(self.value() or "", Q()))


def to_decide() -> Q:
    """Money at provider accounts that stays until staff decide."""
    return Q(state=State.HELD, return_at=None, line_id="")


def lines_to_explain() -> Q:
    """Lines of bank statements that nothing explains."""
    return Q(state=State.HELD) & ~Q(line_id="")


def overdue() -> Q:
    """Returns that should be certain by now."""
    return Q(state=State.RETURNING, certain_by__lt=utcnow())


@admin.register(SuspenseItem)
class SuspenseAdmin(ReadOnlyAdmin):
    """Change permission: keep money from being given back, and decide about it."""

    has_history = True
    permissions_used = ("view", "change")
    ids = {"cmp": "merchant__company", "pay": "payment", "pac": "account", "bln": "line_id"}
    words = {"reference": str, "return_reference": str}
    readings = (amount("amount"),)
    amounts = ("amount",)
    moments = ("received_at",)
    search_help_text = (
        "Amount, day, the provider's own id of the money, or item, payment, company, provider account or line id"
    )
    listed_at = ("merchant", "payment", "account")
    list_select_related = ("merchant__company", "payment", "account")
    list_display = (
        "id",
        colored("state", HELD="warning", RETURNING="info", RETURNED="success", ASSIGNED="success", RESOLVED="success"),
        colored("cause", **{value: "info" for value, _ in CAUSES}),
        money("amount"),
        "direction",
        *OF_MERCHANT,
        "where",
        moment("received_at", "received"),
        "age",
    )
    list_filter = ("state", "cause", "method", CurrencyFilter, BankAccountFilter, DirectionFilter)
    fieldsets = (
        (None, {"fields": ("id", ("state", "cause"), (money("amount"), "direction"), ("method", "age"))}),
        (
            "Where",
            {"fields": ("where", ("reference", moment("received_at")), named("line_id", "line of a statement"))},
        ),
        ("Meant for", {"fields": ((related("merchant"), related("payment")),)}),
        (
            "Return",
            {
                "fields": (
                    (moment("return_at", "given back by rule"), column("return_id", or_empty)),
                    (moment("sent_at", "last sent"), moment("ask_at", "next query")),
                    (column("return_reference", or_empty), column("failure_message", or_empty, "why not")),
                    *ASKED[1:],
                )
            },
        ),
        ("By staff", {"fields": (column("note", or_empty, "last note"),)}),
        ("Timestamps", {"fields": ((moment("created_at"), moment("updated_at")),)}),
    )
    queues = (
        Queue("decide", "Money in suspense", "pending", to_decide, "received_at", environment=""),
        Queue("lines", "Lines in suspense", "playlist_remove", lines_to_explain, "received_at", environment=""),
        Queue("unclear", "Unclear returns of money", "help", overdue, "certain_by", deadline=True, environment=""),
    )
    actions_detail = ("give_back", "assign", "attribute", "returned", "not_returned", "keep")

    @display(description="direction")
    def direction(self, item: SuspenseItem) -> str:
        return gettext("Received") if item.amount > 0 else pgettext("money", "Left")

    @display(description="account")
    def where(self, item: SuspenseItem) -> str:
        """The provider account, or the code of the bank account."""
        return link(item.account) if item.account else unbroken(item.bank_account)

    @display(description="age")
    def age(self, item: SuspenseItem) -> str:
        """How long it has been held."""
        if item.state not in OPEN:
            return EMPTY
        return unbroken(ago(max(0.0, (utcnow() - item.received_at).total_seconds())))

    def related_to(self, record: SuspenseItem) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(
            record,
            Transfer.objects.filter(reference=record.pk),
            Proposal.objects.filter(object_id__startswith=record.pk),
        )

    # ── Deciding ──────────────────────────────────────────────────────────────────────────────────────────────────
    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm(GiveBack.permission)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Only what is possible now, and nothing while a proposal is pending."""
        item = self.get_object(request, unquote(str(object_id)))
        if item is None:
            return []
        waiting = Proposal.objects.filter(object_id__startswith=item.pk, state=Proposal.State.OPEN)
        if any(map(is_still_valid, waiting)):
            return []
        return [one for one in super().get_actions_detail(request, object_id) if _is_possible(one.path, item)]

    @action(description="Give back", permissions=["decide"], icon="undo", variant=ActionVariant.PRIMARY)
    def give_back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, GiveBack.name, gettext("Give back"))

    @action(description="Assign", permissions=["decide"], icon="check")
    def assign(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, Assign.name, gettext("Assign to its payment"))

    @action(description="Record as returned", permissions=["decide"], icon="done_all")
    def returned(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, Returned.name, gettext("Record as returned"), ReturnedForm)

    @action(description="Record as not returned", permissions=["decide"], icon="block", variant=ActionVariant.DANGER)
    def not_returned(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, NotReturned.name, gettext("Record as not returned"))

    def _propose(
        self, request: HttpRequest, object_id: str, name: str, title: str, form_class: type[NoteForm] = NoteForm
    ) -> HttpResponse:
        """Asks for a note first. The kind refuses what is impossible."""
        item, kind = self.record(request, object_id), KINDS[name]
        form = form_class(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            text = f"{kind.sentence(item, {})} {TWO_PEOPLE}"
            return self.decision(request, item, title, sentence=text, form=form)
        values = {name: value for name, value in form.cleaned_data.items() if name != "note"}
        return self.put(request, item, kind, values, form.cleaned_data["note"])

    @action(description="Attribute", permissions=["decide"], icon="person_search")
    def attribute(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Nobody knows yet for which payment it was meant."""
        item = self.record(request, object_id)
        form = MeantForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            held = gettext("It is held for the company of the payment until it is given back or assigned.")
            text = f"{held} {TWO_PEOPLE}"
            return self.decision(request, item, gettext("Say which payment it was meant for"), sentence=text, form=form)
        about = meant_id(item.pk, form.cleaned_data["payment"].pk)
        return self.put(request, item, KINDS[Attribute.name], {}, form.cleaned_data["note"], about)

    @action(description="Keep", permissions=["decide"], icon="pause")
    def keep(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The safe direction, so one person is enough."""
        item = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            text = gettext("It is not given back by itself any more, and waits for a decision of two people.")
            return self.decision(request, item, gettext("Keep the money"), sentence=text, form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            kept = services.keep(Actor.of(request), item.pk, note)
            return Done(kept, "", f"Kept: {note}", gettext("%(id)s waits for a decision.") % {"id": kept.pk})

        return self.carry_out(request, item, act)


def _require_unattributed(item: SuspenseItem) -> None:
    if item.state != State.HELD or item.payment_id or item.is_line:
        raise ItemState


def _require_given_back_by_rule(item: SuspenseItem) -> None:
    if item.return_at is None:
        raise ItemState


REQUIRED: dict[str, Callable[[SuspenseItem], object]] = {
    "give_back": services.require_returnable,
    "assign": services.require_assignable,
    "attribute": _require_unattributed,
    "returned": lambda item: services.require_recordable(item, SuspenseAction.RETURNED),
    "not_returned": lambda item: services.require_recordable(item, SuspenseAction.DECLINED),
    "keep": _require_given_back_by_rule,
}


def _is_possible(name: str, item: SuspenseItem) -> bool:
    try:
        REQUIRED[name](item)
    except Refusal:
        return False
    return True
