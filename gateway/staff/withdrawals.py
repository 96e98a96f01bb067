"""Withdrawals: staff read them, query the provider, and record its answers."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from accounts.models import AuditEntry, Environment, Proposal
from accounts.proposals.kinds import KINDS
from accounts.proposals.services import is_still_valid
from gateway.payouts.rail import PayoutResult
from gateway.requests.models import ApiRequest
from gateway.staff import withdrawal_story
from gateway.staff.kit.amounts import CurrencyFilter, money
from gateway.staff.kit.columns import EMPTY, OF_MERCHANT, colored, column, moment, related, titled
from gateway.staff.kit.headline import Headline
from gateway.staff.kit.pages import TWO_PEOPLE, Done, ReadOnlyAdmin
from gateway.staff.kit.queues import Queue
from gateway.staff.kit.readings import amount, exactly
from gateway.staff.kit.related import Related
from gateway.staff.kit.search import announced_by
from gateway.staff.kit.unclear import ASKED, unclear
from gateway.staff.withdrawal_decisions import (
    ArrivedForm,
    FailedForm,
    ReturnedForm,
    WithdrawalDecisionForm,
    bought,
    payout_money,
    rate,
    spread,
    stuck,
    words,
)
from gateway.withdrawals.due import query_now
from gateway.withdrawals.errors import WithdrawalState
from gateway.withdrawals.lifecycle import may_be
from gateway.withdrawals.models import ApprovalState, Status, Withdrawal
from gateway.withdrawals.proposals import WithdrawalOutcome, sentence, values_of
from gateway.withdrawals.provider import MEANS
from gateway.withdrawals.routing import can_be_asked
from ledger.models import Hold, Transfer
from webhooks.models import Delivery, Event

DECISIONS: dict[str, tuple[PayoutResult, type[WithdrawalDecisionForm]]] = {
    "arrived": (PayoutResult.DONE, ArrivedForm),
    "failed": (PayoutResult.DECLINED, FailedForm),
    "came_back": (PayoutResult.RETURNED, ReturnedForm),
}

CONVERSION = _("Conversion")


@admin.register(Withdrawal)
class WithdrawalAdmin(ReadOnlyAdmin):
    """Change permission: record results, and query the provider."""

    has_history = True
    permissions_used = ("view", "change")
    ids = {
        "cmp": "merchant__company",
        "blk": lambda hold_id: Q(pk__in=Hold.objects.filter(pk=hold_id).values("withdrawal_id")),
        "evt": lambda event_id: announced_by(Event.objects.filter(pk=event_id)),
        "dlv": lambda delivery_id: announced_by(Event.objects.filter(deliveries=delivery_id)),
    }
    words = {"rail_reference": str}
    readings = (exactly(reference=str), amount("amount"))
    amounts = ("amount",)
    moments = ("created_at",)
    search_help_text = "Amount, day, reference, end-to-end id, or withdrawal, company, hold, event or delivery id"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company", "account")
    list_display = (
        "id",
        colored("status", PROCESSING="info", COMPLETED="success", FAILED="danger", RETURNED="warning"),
        "rail",
        money("amount"),
        titled(bought, "payout_amount", "converted to"),
        "reference",
        *OF_MERCHANT,
        moment("created_at"),
    )
    list_filter = ("status", "rail", CurrencyFilter, "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", ("status", "reference"), "rail")}),
        ("Parties", {"fields": (related("merchant"), column("origin", str, "requested from"))}),
        (
            "Money",
            {
                "fields": (
                    (money("amount"), money("fee")),
                    (money("total", "total debit"), payout_money("payout_amount", "beneficiary receives")),
                )
            },
        ),
        (
            CONVERSION,
            {
                "fields": (
                    (rate("market_rate", "market rate"), rate("applied_rate", "applied rate")),
                    (
                        titled(spread, "spread"),
                        column("spread_percentage", lambda share: f"{share.normalize():f}%", "spread percentage"),
                    ),
                    (payout_money("gross_amount", "before the network fee"), payout_money("network_fee")),
                )
            },
        ),
        (
            "Approval by the company",
            {
                "fields": (
                    ("approval", moment("approval_expires_at", "approval expires")),
                    (
                        column("approvals_required", str, "people required"),
                        column("approvals_given", str, "given"),
                    ),
                )
            },
        ),
        ("Destination (masked)", {"fields": ("goes_to",)}),
        (
            "Provider",
            {
                "fields": (
                    ("connected", "rail_reference"),
                    "receipt",
                    moment("queued_at", "queued for a file or for people"),
                    ("failure_code", "failure_message"),
                    (moment("sent_at", "last submitted"), column("sent_times", str, "submissions")),
                    (moment("ask_at", "next status query"), column("asked_times", str, "status queries since")),
                    *ASKED,
                )
            },
        ),
        ("By staff", {"fields": (column("note", lambda note: note or EMPTY, "last note"),)}),
        (
            "Timestamps (merchant's clock)",
            {
                "fields": (
                    (moment("created_at"), moment("updated_at")),
                    (moment("completed_at"), moment("returned_at")),
                )
            },
        ),
    )
    queues = (
        Queue("stuck", "Stuck withdrawals", "hourglass_top", stuck, "created_at"),
        unclear(_("Unclear withdrawals")),
    )
    actions_detail = (*DECISIONS, "ask")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("sealed_destination")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or obj.is_converted:
            return fieldsets
        return [(title, options) for title, options in fieldsets if title is not CONVERSION]

    def related_to(self, record: Withdrawal) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(
            record,
            Hold.objects.filter(withdrawal_id=record.pk),
            Transfer.objects.filter(reference=record.pk),
            Event.objects.filter(object_id=record.pk),
            Delivery.objects.filter(event__object_id=record.pk),
            Proposal.objects.filter(object_id=record.pk),
            ApiRequest.objects.filter(objects_named__contains=[record.pk]).defer("request_body", "response_body"),
            AuditEntry.objects.filter(object_id=record.pk),
        )

    def headline(self, request: HttpRequest, record: Withdrawal) -> Headline:
        why = _why_not_asked(record)
        return replace(
            super().headline(request, record),
            waits=tuple(withdrawal_story.waits(record)),
            impossible=((gettext("Query the provider now"), why),) if why else (),
            steps=tuple(withdrawal_story.steps(record)),
        )

    @display(description="destination")
    def goes_to(self, withdrawal: Withdrawal) -> Any:
        shown = {**withdrawal.destination, **withdrawal.details}
        shown.pop("cep", None)
        lines = ((words(name), EMPTY if value is None else value) for name, value in shown.items())
        return format_html('<ul class="staff-list">{}</ul>', format_html_join("", "<li>{}: <b>{}</b></li>", lines))

    @display(description="receipt (CEP)")
    def receipt(self, withdrawal: Withdrawal) -> Any:
        """Where Banco de México shows it, and what its page asks for."""
        cep = withdrawal.details.get("cep")
        if not cep:
            return EMPTY
        return format_html(
            '<a href="{}" target="_blank" rel="noopener noreferrer">{}</a><br>{}, {} → {}',
            *(cep["url"], "Banco de México", cep["operationDate"], cep["senderBank"], cep["receiverBank"]),
        )

    @display(description="provider")
    def connected(self, withdrawal: Withdrawal) -> str:
        if withdrawal.merchant.environment == Environment.SANDBOX:
            return gettext("Sandbox simulator")
        return str(withdrawal.account) if withdrawal.account else gettext("Not connected")

    # ── Deciding ──────────────────────────────────────────────────────────────────────────────────────────────────
    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.change_withdrawal")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Only what the withdrawal's status allows, and nothing while a proposal is pending."""
        withdrawal = self.get_object(request, unquote(str(object_id)))
        if withdrawal is None:
            return []
        waits = any(map(is_still_valid, Proposal.objects.filter(object_id=withdrawal.pk, state=Proposal.State.OPEN)))
        possible = set() if waits else {name for name in DECISIONS if _may_be(name, withdrawal)}
        possible |= {"ask"} if _may_be_asked_about(withdrawal) else set()
        return [one for one in super().get_actions_detail(request, object_id) if one.path in possible]

    @action(description="Mark as completed", permissions=["decide"], icon="check", variant=ActionVariant.PRIMARY)
    def arrived(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, "arrived", gettext("Mark as completed"))

    @action(description="Mark as failed", permissions=["decide"], icon="block", variant=ActionVariant.DANGER)
    def failed(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, "failed", gettext("Mark as failed"))

    @action(description="Mark as returned", permissions=["decide"], icon="undo", variant=ActionVariant.DANGER)
    def came_back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, "came_back", gettext("Mark as returned"))

    def _decide(self, request: HttpRequest, object_id: str, name: str, title: str) -> HttpResponse:
        """Asks for a note first. The service checks again whether it is possible, as the provider may have answered."""
        withdrawal = self.record(request, object_id)
        if not _may_be(name, withdrawal):
            return self.refused(request, withdrawal, WithdrawalState())
        answered, form_class = DECISIONS[name]
        takes_two = withdrawal.merchant.environment == Environment.PRODUCTION
        form = form_class(withdrawal, request.POST if request.method == "POST" else None)
        if not form.is_valid():
            text = format_html("{} {}", sentence(withdrawal, answered), TWO_PEOPLE if takes_two else "")
            return self.decision(request, withdrawal, title, sentence=text, form=form)
        values = values_of(form.outcome())
        return self.put(request, withdrawal, KINDS[WithdrawalOutcome.name], values, form.cleaned_data["note"])

    @action(description="Query the provider now", permissions=["decide"], icon="contact_support")
    def ask(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Nothing is set by hand: the provider's answer is applied as always."""
        withdrawal = self.record(request, object_id)
        if not _may_be_asked_about(withdrawal):
            return self.refused(request, withdrawal, WithdrawalState())
        if request.method != "POST":
            text = gettext(
                "The order is submitted, or its status queried, under its own id. It is never submitted under another."
            )
            return self.decision(request, withdrawal, gettext("Query the provider now"), sentence=text)

        def act() -> Done | str:
            if not query_now(withdrawal.merchant, withdrawal.pk):
                return gettext("Another process is querying the provider right now.")
            withdrawal.refresh_from_db(fields=["status"])
            told = {"id": withdrawal.pk, "status": withdrawal.get_status_display().lower()}
            message = gettext("The provider was queried: %(id)s is %(status)s.") % told
            return Done(withdrawal, "asked_about", "Queried the provider", message)

        return self.carry_out(request, withdrawal, act, alone=True)


def _may_be(name: str, withdrawal: Withdrawal) -> bool:
    return may_be(MEANS[DECISIONS[name][0]], withdrawal)


def _may_be_asked_about(withdrawal: Withdrawal) -> bool:
    return not _why_not_asked(withdrawal)


def _why_not_asked(withdrawal: Withdrawal) -> str:
    if withdrawal.status != Status.PROCESSING:
        status = {"status": withdrawal.get_status_display().lower()}
        return gettext("It is %(status)s: its provider's answer is known.") % status
    if withdrawal.approval == ApprovalState.PENDING:
        return gettext("The company has not approved it: no provider knows of it.")
    if can_be_asked(withdrawal):
        return ""
    return gettext("Nobody can be asked: paid by file or by people, or no provider.")
