"""Withdrawals, as staff read them, ask about them, and say what the outside party told them."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from accounts.models import Environment
from accounts.staff.columns import EMPTY, colored, column, moment, related, titled
from accounts.staff.pages import Done, ReadOnlyAdmin
from accounts.staff.queues import Queue
from accounts.staff.related import Related
from gateway.payouts.rail import Answered
from gateway.withdrawals import proposals
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.errors import NothingProposed, WithdrawalState
from gateway.withdrawals.lifecycle import may_be
from gateway.withdrawals.models import Proposal, Status, Withdrawal
from gateway.withdrawals.services import MEANS
from gateway.withdrawals.staff import (
    TWO_PEOPLE,
    ArrivedForm,
    DecisionForm,
    FailedForm,
    ReturnedForm,
    bought,
    is_connected,
    payout_money,
    proposed,
    rate,
    sentence,
    spread,
    stuck,
    to_confirm,
    words,
)
from ledger.admin import CurrencyFilter, NoteForm, money
from ledger.models import Hold, Transfer
from webhooks.models import Delivery, Event

DECISIONS: dict[str, tuple[Answered, type[DecisionForm]]] = {
    "arrived": (Answered.DONE, ArrivedForm),
    "failed": (Answered.DECLINED, FailedForm),
    "came_back": (Answered.RETURNED, ReturnedForm),
}


def _told_of(events: QuerySet[Event]) -> Q:
    return Q(pk__in=events.values("object_id"))


@admin.register(Withdrawal)
class WithdrawalAdmin(ReadOnlyAdmin):
    """Change permission: to say what became of one, and to have the outside party asked."""

    has_history = True
    permissions_used = ("view", "change")
    ids = {
        "cmp": "merchant__company",
        "blk": lambda hold_id: Q(pk__in=Hold.objects.filter(pk=hold_id).values("withdrawal_id")),
        "evt": lambda event_id: _told_of(Event.objects.filter(pk=event_id)),
        "dlv": lambda delivery_id: _told_of(Event.objects.filter(deliveries=delivery_id)),
    }
    words = {"reference": str, "rail_reference": str}
    search_help_text = "Withdrawal, company, block, event or delivery id, reference, or the outside party's own id"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    list_display = (
        "id",
        colored("status", PROCESSING="info", COMPLETED="success", FAILED="danger", RETURNED="warning"),
        "rail",
        money("amount"),
        titled(bought, "payout_amount", "converted to"),
        "reference",
        related("merchant"),
        moment("created_at"),
    )
    list_filter = ("status", "rail", CurrencyFilter, "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", ("status", "reference"), "rail")}),
        ("Who", {"fields": (related("merchant"), column("origin", str, "asked from"))}),
        (
            "Money",
            {
                "fields": (
                    (money("amount"), money("fee")),
                    (money("total", "leaves the wallet"), payout_money("payout_amount", "the beneficiary receives")),
                )
            },
        ),
        (
            "Conversion",
            {
                "fields": (
                    (rate("market_rate", "rate of the market"), rate("applied_rate", "rate of the merchant")),
                    (
                        titled(spread, "spread"),
                        column("spread_percentage", lambda share: f"{share.normalize():f}%", "agreed spread"),
                    ),
                    (payout_money("gross_amount", "before the network fee"), payout_money("network_fee")),
                )
            },
        ),
        ("Where it goes, masked", {"fields": ("goes_to",)}),
        (
            "What the outside party said",
            {
                "fields": (
                    ("connected", "rail_reference"),
                    ("failure_code", "failure_message"),
                    (moment("sent_at", "handed over last"), column("sent_times", str, "times handed over")),
                    (moment("ask_at", "next question"), column("asked_times", str, "times asked since")),
                )
            },
        ),
        ("By staff", {"fields": (column("note", lambda note: note or EMPTY, "last note"),)}),
        (
            "Times, by the merchant's clock",
            {
                "fields": (
                    (moment("created_at"), moment("updated_at")),
                    (moment("completed_at"), moment("returned_at")),
                )
            },
        ),
    )
    queues = (
        Queue("confirm", "Withdrawals to confirm", "done_all", to_confirm, "created_at"),
        Queue("stuck", "Withdrawals stuck", "hourglass_top", stuck, "created_at"),
    )
    actions_detail = ("confirm", "turn_down", *DECISIONS, "ask")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("sealed_destination")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or obj.is_converted:
            return fieldsets
        return [(title, options) for title, options in fieldsets if title != "Conversion"]

    def related_to(self, record: Withdrawal) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(
            record,
            Hold.objects.filter(withdrawal_id=record.pk),
            Transfer.objects.filter(reference=record.pk),
            Event.objects.filter(object_id=record.pk),
            Delivery.objects.filter(event__object_id=record.pk),
        )

    @display(description="destination")
    def goes_to(self, withdrawal: Withdrawal) -> Any:
        shown = {**withdrawal.destination, **withdrawal.details}
        lines = ((words(name), EMPTY if value is None else value) for name, value in shown.items())
        return format_html('<ul class="staff-list">{}</ul>', format_html_join("", "<li>{}: <b>{}</b></li>", lines))

    @display(description="outside party")
    def connected(self, withdrawal: Withdrawal) -> str:
        if withdrawal.merchant.environment == Environment.SANDBOX:
            return "The sandbox, which answers by itself"
        return "Connected" if is_connected(withdrawal) else "None is connected"

    # ── Deciding ──────────────────────────────────────────────────────────────────────────────────────────────────
    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.change_withdrawal")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Only what the withdrawal's life allows now, and what was said waits for somebody else."""
        withdrawal = self.get_object(request, unquote(str(object_id)))
        if withdrawal is None:
            return []
        said = proposals.opened(withdrawal)
        possible = {"turn_down"} if said else {name for name in DECISIONS if _may_be(name, withdrawal)}
        possible |= {"confirm"} if said and said.proposed_by != request.user else set()
        possible |= {"ask"} if _may_be_asked_about(withdrawal) else set()
        return [one for one in super().get_actions_detail(request, object_id) if one.path in possible]

    @action(description="It arrived", permissions=["decide"], icon="check", variant=ActionVariant.PRIMARY)
    def arrived(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, "arrived", "It arrived")

    @action(description="It failed", permissions=["decide"], icon="block", variant=ActionVariant.DANGER)
    def failed(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, "failed", "It failed")

    @action(description="It came back", permissions=["decide"], icon="undo", variant=ActionVariant.DANGER)
    def came_back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, "came_back", "It came back")

    def _decide(self, request: HttpRequest, object_id: str, name: str, title: str) -> HttpResponse:
        """Asks for a note first. The service decides again whether this can be: the party may have been faster."""
        withdrawal = self.record(request, object_id)
        if not _may_be(name, withdrawal):
            return self.turned_down(request, withdrawal, WithdrawalState())
        answered, form_class = DECISIONS[name]
        takes_two = withdrawal.merchant.environment == Environment.PRODUCTION
        form = form_class(withdrawal, request.POST if request.method == "POST" else None)
        if not form.is_valid():
            said = format_html("{} {}", sentence(withdrawal, answered), TWO_PEOPLE if takes_two else "")
            return self.decision(request, withdrawal, title, sentence=said, form=form)
        note, outcome = form.cleaned_data["note"], form.outcome()

        def decide() -> Done:
            decided = withdrawals.decide(withdrawal.merchant, withdrawal.pk, outcome, note=note)
            return _done(decided, name, note)

        def propose() -> Done:
            proposals.propose(withdrawal.merchant, withdrawal.pk, outcome, by=request.user, note=note)  # type: ignore[arg-type]
            return Done(withdrawal, f"{name}_said", f"{title}: {note}", f"Written down. {TWO_PEOPLE}")

        return self.carry_out(request, withdrawal, propose if takes_two else decide)

    @action(description="Confirm", permissions=["decide"], icon="done_all", variant=ActionVariant.PRIMARY)
    def confirm(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """What somebody else has said."""

        def act(withdrawal: Withdrawal, note: str) -> Done:
            decided = proposals.confirm(withdrawal.merchant, withdrawal.pk, by=request.user, note=note)  # type: ignore[arg-type]
            return _done(decided, "confirmed", note)

        return self._answer(request, object_id, "Confirm", proposed, act)

    @action(description="Turn down", permissions=["decide"], icon="close", variant=ActionVariant.DANGER)
    def turn_down(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """What was said is forgotten, and something else can be said."""

        def told(said: Proposal) -> str:
            return f"{said.proposed_by} says: {said.note}. Nothing moves, and something else can be said."

        def act(withdrawal: Withdrawal, note: str) -> Done:
            proposals.turn_down(withdrawal.merchant, withdrawal.pk, by=request.user)  # type: ignore[arg-type]
            return Done(withdrawal, "turned_down", f"Turned down: {note}", "It is turned down. Nothing moved.")

        return self._answer(request, object_id, "Turn down", told, act)

    def _answer(
        self,
        request: HttpRequest,
        object_id: str,
        title: str,
        told: Callable[[Proposal], str],
        act: Callable[[Withdrawal, str], Done],
    ) -> HttpResponse:
        """Asks for a note about what a colleague has said, then acts."""
        withdrawal = self.record(request, object_id)
        said = proposals.opened(withdrawal)
        if said is None:
            return self.turned_down(request, withdrawal, NothingProposed())
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.decision(request, withdrawal, title, sentence=told(said), form=form)
        return self.carry_out(request, withdrawal, lambda: act(withdrawal, form.cleaned_data["note"]))

    @action(description="Ask now", permissions=["decide"], icon="contact_support")
    def ask(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Nothing is set by hand: whatever the outside party answers is taken as it always is."""
        withdrawal = self.record(request, object_id)
        if not _may_be_asked_about(withdrawal):
            return self.turned_down(request, withdrawal, WithdrawalState())
        if request.method != "POST":
            told = "The order is handed over, or asked about under its own id. It is never sent under another."
            return self.decision(request, withdrawal, "Ask now", sentence=told)

        def act() -> Done | str:
            if not withdrawals.pursue(withdrawal.merchant, withdrawal.pk, early=True):
                return "Somebody else is speaking to the outside party just now."
            withdrawal.refresh_from_db(fields=["status"])
            said = f"The outside party was spoken to: {withdrawal.pk} is {withdrawal.get_status_display().lower()}."
            return Done(withdrawal, "asked_about", "Asked the outside party", said)

        return self.carry_out(request, withdrawal, act, alone=True)


def _done(withdrawal: Withdrawal, deed: str, note: str) -> Done:
    status = withdrawal.get_status_display()
    return Done(withdrawal, deed, f"{status}: {note}", f"{withdrawal.pk} is {status.lower()}.")


def _may_be(name: str, withdrawal: Withdrawal) -> bool:
    return may_be(MEANS[DECISIONS[name][0]], withdrawal)


def _may_be_asked_about(withdrawal: Withdrawal) -> bool:
    return withdrawal.status == Status.PROCESSING and is_connected(withdrawal)


@admin.register(Proposal)
class ProposalAdmin(ReadOnlyAdmin):
    """What staff said about withdrawals. Read by whoever reads those."""

    permissions_used = ()
    ids = {"wdr": "withdrawal", "cmp": "withdrawal__merchant__company"}
    search_help_text = "Withdrawal or company id"
    listed_at = ("withdrawal",)
    list_select_related = ("withdrawal", "proposed_by", "decided_by")
    _proposer, _decider = related("proposed_by"), related("decided_by")
    list_display = (
        "answered",
        related("withdrawal"),
        colored("state", OPEN="warning", CONFIRMED="success", TURNED_DOWN="danger"),
        "note",
        _proposer,
        moment("proposed_at"),
        _decider,
    )
    list_filter = ("state",)
    fieldsets = (
        (None, {"fields": (related("withdrawal"), "state")}),
        ("Said", {"fields": ("answered", ("reference", "failure_code"), "note")}),
        (
            "By",
            {
                "fields": (
                    (related("proposed_by"), moment("proposed_at")),
                    (related("decided_by"), moment("decided_at")),
                )
            },
        ),
    )

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("gateway.view_withdrawal") or request.user.has_perm("gateway.change_withdrawal")
