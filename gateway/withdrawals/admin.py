"""Withdrawals, as staff read them, ask about them, and say what the outside party told them."""

import re
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.html import format_html, format_html_join
from django.utils.text import capfirst
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from accounts.clock import wall
from accounts.models import Environment
from accounts.staff.columns import EMPTY, Column, address, colored, column, moment, related, titled, unbroken
from accounts.staff.pages import Done, ReadOnlyAdmin
from accounts.staff.queues import Queue
from accounts.staff.related import Related
from gateway.payouts.rail import Answered, FailureCode, Outcome
from gateway.payouts.registry import by_currency, rail_of
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.errors import WithdrawalState
from gateway.withdrawals.lifecycle import Asked, step
from gateway.withdrawals.models import Status, Withdrawal
from ledger.admin import CurrencyFilter, NoteField, in_words, money
from ledger.models import Hold, Transfer
from webhooks.models import Delivery, Event

DECISIONS = {"arrived": Asked.DONE, "failed": Asked.DECLINED, "came_back": Asked.RETURNED}
STUCK_AFTER = timedelta(minutes=30)
FAILURES = [code.failure for code in FailureCode if code != FailureCode.RETURNED_BY_BANK]


class DecisionForm(forms.Form):
    """What the outside party said, and from where staff know it."""

    note = NoteField()

    def __init__(self, withdrawal: Withdrawal, data: Any = None) -> None:
        super().__init__(data)

    def outcome(self) -> Outcome:
        raise NotImplementedError


class ArrivedForm(DecisionForm):
    reference = forms.CharField(max_length=80, widget=UnfoldAdminTextInputWidget)
    field_order = ("reference", "note")

    def __init__(self, withdrawal: Withdrawal, data: Any = None) -> None:
        super().__init__(withdrawal, data)
        named = by_currency(withdrawal.rail)[withdrawal.payout_currency].reference_name
        self.fields["reference"].label = _words(named)
        self.fields["reference"].help_text = f"The outside party's own id of the money. The company reads it as {named}"
        self.initial["reference"] = withdrawal.rail_reference

    def outcome(self) -> Outcome:
        return Outcome(Answered.DONE, reference=self.cleaned_data["reference"])


class FailedForm(DecisionForm):
    failure_code = forms.ChoiceField(
        label="Why",
        choices=[("", "---------"), *FAILURES],
        widget=UnfoldAdminSelectWidget,
        help_text="Companies read it",
    )
    field_order = ("failure_code", "note")

    def outcome(self) -> Outcome:
        return Outcome(Answered.DECLINED, failure=FailureCode(self.cleaned_data["failure_code"]).failure)


class ReturnedForm(DecisionForm):
    def outcome(self) -> Outcome:
        return Outcome(Answered.RETURNED, failure=FailureCode.RETURNED_BY_BANK.failure)


def may_be(asked: Asked, withdrawal: Withdrawal) -> bool:
    """Whether staff can decide this about the withdrawal as it is now."""
    if asked == Asked.RETURNED and withdrawal.is_converted:
        return False
    try:
        step(asked, withdrawal.status)
    except WithdrawalState:
        return False
    return True


def is_connected(withdrawal: Withdrawal) -> bool:
    """Whether there is somebody outside who can be asked about the withdrawal."""
    return rail_of(withdrawal.rail, withdrawal.payout_currency, withdrawal.merchant.environment) is not None


def stuck() -> Q:
    """What has been on its way for so long that somebody should look, by its merchant's clock."""
    long_ago = F("merchant__clock_offset") + (wall() - STUCK_AFTER)
    return Q(status=Status.PROCESSING, created_at__lte=long_ago)


def payout_money(name: str, title: str = "") -> Column:
    """An amount of a withdrawal in the currency that is paid out."""

    def shown(withdrawal: Withdrawal) -> Any:
        minor = getattr(withdrawal, name)
        return EMPTY if minor is None else unbroken(in_words(minor, withdrawal.payout_currency))

    return titled(shown, name, title)


def rate(name: str, title: str) -> Column:
    """What one unit of the wallet's currency was worth in the one that is paid out."""

    def shown(withdrawal: Withdrawal) -> Any:
        worth = f"{getattr(withdrawal, name).normalize():f} {withdrawal.payout_currency}"
        return unbroken(f"1 {withdrawal.currency} = {worth}")

    return titled(shown, name, title)


def _spread(withdrawal: Withdrawal) -> Any:
    minor = (withdrawal.market_amount or 0) - (withdrawal.gross_amount or 0)
    return unbroken(in_words(minor, withdrawal.payout_currency))


def _bought(withdrawal: Withdrawal) -> Any:
    """What the beneficiary receives, where that is something else than what left the wallet."""
    if not withdrawal.is_converted:
        return EMPTY
    return unbroken(in_words(withdrawal.payout_amount, withdrawal.payout_currency))


def _words(member: str) -> str:
    """`pixKeyType` as people write it."""
    return capfirst(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", member).lower())


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
        titled(_bought, "payout_amount", "converted to"),
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
                        titled(_spread, "spread"),
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
    queues = (Queue("stuck", "Withdrawals stuck", "hourglass_top", stuck, "created_at"),)
    actions_detail = (*DECISIONS, "ask")

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
        lines = ((_words(name), EMPTY if value is None else value) for name, value in shown.items())
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
        """Only what the withdrawal's life allows now."""
        withdrawal = self.get_object(request, unquote(str(object_id)))
        if withdrawal is None:
            return []
        possible = {name for name, asked in DECISIONS.items() if may_be(asked, withdrawal)}
        possible |= {"ask"} if _may_be_asked_about(withdrawal) else set()
        return [one for one in super().get_actions_detail(request, object_id) if one.path in possible]

    @action(description="It arrived", permissions=["decide"], icon="check", variant=ActionVariant.PRIMARY)
    def arrived(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = "The beneficiary has {payout}: {total} leave the company's wallet for good."
        return self._decide(request, object_id, "arrived", "It arrived", sentence, ArrivedForm)

    @action(description="It failed", permissions=["decide"], icon="block", variant=ActionVariant.DANGER)
    def failed(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = "The beneficiary gets nothing: {total} are available to the company again, at once."
        return self._decide(request, object_id, "failed", "It failed", sentence, FailedForm)

    @action(description="It came back", permissions=["decide"], icon="undo", variant=ActionVariant.DANGER)
    def came_back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = "The beneficiary's bank has sent {payout} back: they are available to the company again, at once."
        return self._decide(request, object_id, "came_back", "It came back", sentence, ReturnedForm)

    def _decide(
        self, request: HttpRequest, object_id: str, name: str, title: str, sentence: str, form_class: type[DecisionForm]
    ) -> HttpResponse:
        """Asks for a note first. The service decides again whether this can be: the party may have been faster."""
        withdrawal, asked = self.record(request, object_id), DECISIONS[name]
        if not may_be(asked, withdrawal):
            return self.turned_down(request, withdrawal, WithdrawalState())
        form = form_class(withdrawal, request.POST if request.method == "POST" else None)
        if not form.is_valid():
            said = _sentence(withdrawal, asked, sentence)
            return self.decision(request, withdrawal, title, sentence=said, form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            decided = withdrawals.decide(withdrawal.merchant, withdrawal.pk, form.outcome(), note=note)
            status = decided.get_status_display()
            return Done(decided, f"{status}: {note}", f"{withdrawal.pk} is {status.lower()}.")

        return self.carry_out(request, withdrawal, act)

    @action(description="Ask now", permissions=["decide"], icon="contact_support")
    def ask(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Nothing is set by hand: whatever the outside party answers is taken as it always is."""
        withdrawal = self.record(request, object_id)
        if not _may_be_asked_about(withdrawal):
            return self.turned_down(request, withdrawal, WithdrawalState())
        if request.method != "POST":
            sentence = "The order is handed over, or asked about under its own id. It is never sent under another."
            return self.decision(request, withdrawal, "Ask now", sentence=sentence)
        if withdrawals.pursue(withdrawal.merchant, withdrawal.pk, early=True):
            withdrawal.refresh_from_db(fields=["status"])
            self.log_change(request, withdrawal, "Asked the outside party")
            said = f"The outside party was spoken to: {withdrawal.pk} is {withdrawal.get_status_display().lower()}."
            self.message_user(request, said, messages.SUCCESS)
        else:
            self.message_user(request, "Somebody else is speaking to the outside party just now.", messages.WARNING)
        return HttpResponseRedirect(address(Withdrawal, "change", withdrawal.pk))


def _may_be_asked_about(withdrawal: Withdrawal) -> bool:
    return withdrawal.status == Status.PROCESSING and is_connected(withdrawal)


def _sentence(withdrawal: Withdrawal, asked: Asked, sentence: str) -> Any:
    """What a decision does, with a warning where the money may be somewhere else already."""
    total = in_words(withdrawal.total, withdrawal.currency)
    said = sentence.format(total=total, payout=in_words(withdrawal.payout_amount, withdrawal.payout_currency))
    said = f"{said} This cannot be undone."
    if asked != Asked.DECLINED or withdrawal.merchant.environment != Environment.PRODUCTION:
        return said
    warning = (
        "The money may already be with the bank, and would then be paid twice. "
        "Go on only where the outside party has said in writing that it did not and will not pay this withdrawal."
    )
    return format_html("{} <b>{}</b>", said, warning)
