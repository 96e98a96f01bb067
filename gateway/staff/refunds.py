"""Refunds: staff read them, open them for payers, and decide."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import path
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from accounts.base.ids import is_well_formed
from accounts.models import Proposal, User
from accounts.proposals.services import is_still_valid
from gateway.refunds import services as refunds
from gateway.refunds.errors import RefundState
from gateway.refunds.evidence import download
from gateway.refunds.lifecycle import RefundAction
from gateway.refunds.models import Evidence, Refund
from gateway.refunds.proposals import OF_CHARGEBACKS, OUTSIDE, ClaimDecision, RefundOutcome, may_be
from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import EMPTY, Column, block, colored, column, moment, pretty, related, titled, unbroken
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.pages import TWO_PEOPLE, Done, EnteredAdmin
from gateway.staff.kit.related import Related
from gateway.staff.kit.search import announced_by
from gateway.staff.kit.unclear import ASKED
from gateway.staff.refund_decisions import OpenForm
from gateway.staff.refund_queues import QUEUES, DueFilter
from ledger.models import Hold, Transfer
from ledger.notation import plain_amount
from webhooks.models import Delivery, Event

DECISIONS = {
    "for_payer": RefundAction.FOR_PAYER,
    "for_company": RefundAction.FOR_COMPANY,
    "withdrawn": RefundAction.WITHDRAW,
    "carried_out": RefundAction.DONE,
    "declined": RefundAction.DECLINED,
    "lost": RefundAction.TAKEN_BACK,
    "won": RefundAction.WON,
}


def wallet_money(name: str, title: str = "") -> Column:
    """An amount in the currency of the wallet that funds the refund."""
    return money(name, title, attrgetter("wallet_currency"))


def _shortfall(refund: Refund) -> Any:
    return unbroken(plain_amount(refund.owed, refund.wallet_currency))


@admin.register(Refund)
class RefundAdmin(EnteredAdmin):
    """View permission: including evidence files. Add: open one for a payer. Change: decide. Settle: outcomes."""

    form = OpenForm
    add_title = "Open a refund for a payer"
    permissions_used = ("view", "add", "change")
    ids = {
        "cmp": "merchant__company",
        "pay": "payment",
        "rsp": "responses",
        "evd": "responses__evidence",
        "evt": lambda event_id: announced_by(Event.objects.filter(pk=event_id)),
        "dlv": lambda delivery_id: announced_by(Event.objects.filter(deliveries=delivery_id)),
    }
    words = {"reference": str, "end_to_end_id": str, "claim_id": str}
    search_help_text = (
        "Refund, payment, company, answer, event or delivery id, reference, end-to-end id, or id of a MED claim"
    )
    listed_at = ("merchant", "payment")
    list_select_related = ("merchant__company",)
    list_display = (
        "id",
        colored(
            "status",
            AWAITING_RESPONSE="warning",
            UNDER_REVIEW="warning",
            PROCESSING="info",
            COMPLETED="success",
            FAILED="danger",
        ),
        money("amount"),
        "origin",
        "dispute_kind",
        moment("response_due_at", "answer due"),
        moment("analysis_due_at", "decision due"),
        related("merchant"),
    )
    list_filter = ("status", "origin", "dispute_kind", "reason_code", DueFilter, "currency", "merchant__environment")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "id",
                    ("status", "reference"),
                    ("origin", column("is_full", lambda full: "Full" if full else "Partial", "type")),
                )
            },
        ),
        ("Parties", {"fields": (related("merchant"), related("payment"))}),
        (
            "Money",
            {
                "fields": (
                    (money("amount"), wallet_money("wallet_amount", "wallet amount")),
                    (wallet_money("blocked", "held"), titled(_shortfall, "shortfall")),
                    (
                        wallet_money("from_releasing", "taken from releasing"),
                        wallet_money("from_available", "taken from available"),
                    ),
                )
            },
        ),
        ("Reason", {"fields": (("reason_code", "reason"), column("payer_statement", block))}),
        (
            "MED claim",
            {
                "fields": (
                    ("dispute_kind", "claim_id"),
                    (money("claimed_amount", "claimed"), money("recovered")),
                    (moment("analysis_due_at", "decision due"), moment("return_due_at", "end of the return window")),
                )
            },
        ),
        ("Company's answers", {"fields": ("answers",)}),
        (
            "Outcome",
            {
                "fields": (
                    ("end_to_end_id", pretty("destination")),
                    ("failure_code", "failure_message"),
                    (related("opened_by"), column("note", lambda note: note or EMPTY, "last staff note")),
                )
            },
        ),
        ("Provider", {"fields": ((moment("sent_at", "last sent"), moment("ask_at", "next query")), *ASKED)}),
        (
            "Timestamps (merchant's clock)",
            {
                "fields": (
                    (moment("created_at"), moment("updated_at")),
                    (moment("response_due_at", "answer due"), moment("remind_at", "reminder at")),
                    moment("completed_at"),
                )
            },
        ),
    )
    add_fieldsets = (
        (
            None,
            {
                "fields": (
                    "payment",
                    ("dispute_kind", "claim_id"),
                    "amount",
                    "reason_code",
                    "payer_statement",
                    "response_due_at",
                    "note",
                )
            },
        ),
    )
    queues = QUEUES
    actions_detail = tuple(DECISIONS)

    def get_urls(self) -> list[Any]:
        served = self.admin_site.admin_view(self.evidence, cacheable=True)
        return [path("evidence/<str:evidence_id>/", served, name="gateway_refund_evidence"), *super().get_urls()]

    def related_to(self, record: Refund) -> Iterable[Related]:
        yield from super().related_to(record)
        posted = [record.pk, *(f"{record.pk}:{n + 1}" for n in range(record.fills))]
        yield from Related.found_by(
            record,
            Hold.objects.filter(refund_id=record.pk),
            Transfer.objects.filter(reference__in=posted),
            Event.objects.filter(object_id=record.pk),
            Delivery.objects.filter(event__object_id=record.pk),
            Proposal.objects.filter(object_id=record.pk),
        )

    @display(description="answers")
    def answers(self, refund: Refund) -> Any:
        """The company's answers, without file contents."""
        evidence = Prefetch("evidence", Evidence.objects.defer("content").order_by("pk"))
        given = refund.responses.select_related("person").prefetch_related(evidence).order_by("created_at", "pk")
        return render_to_string("admin/gateway/refund/answers.html", {"answers": given}) if given else EMPTY

    def evidence(self, request: HttpRequest, evidence_id: str) -> HttpResponse:
        """The file, for those who can view the refund."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        rows = Evidence.objects.filter(pk=evidence_id, kind=Evidence.Kind.FILE)
        found = rows.first() if is_well_formed(evidence_id) else None
        if found is None:
            raise Http404
        return download(found)

    # ── Opening ───────────────────────────────────────────────────────────────────────────────────────────────────
    def save(self, request: HttpRequest, obj: Refund, form: Any, change: bool) -> None:
        person: User = request.user  # type: ignore[assignment]
        members: dict[str, Any] = {
            "amount": obj.amount,
            "reason_code": obj.reason_code,
            "statement": obj.payer_statement,
            "by": person,
            "note": obj.note,
        }
        merchant = obj.payment.merchant
        if obj.is_med:
            opened = refunds.claim(merchant, obj.payment_id, claim_id=str(obj.claim_id), **members)
        else:
            opened = refunds.dispute(merchant, obj.payment_id, response_due_at=obj.response_due_at, **members)
        obj.pk, obj.status = opened.pk, opened.status

    def facts(self, record: Refund) -> dict[str, Any]:
        return super().facts(record) | {"amount": plain_amount(record.amount, record.currency)}

    def log_addition(self, request: HttpRequest, obj: Refund, message: Any) -> Any:
        return super().log_addition(request, obj, f"Opened for the payer: {obj.note}")

    # ── Deciding ──────────────────────────────────────────────────────────────────────────────────────────────────
    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.change_refund")

    def has_settle_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.settle_refund")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Only what the refund's status allows."""
        refund = self.get_object(request, unquote(str(object_id)))
        if refund is None:
            return []
        waits = any(map(is_still_valid, Proposal.objects.filter(object_id=refund.pk, state=Proposal.State.OPEN)))
        offered = [] if waits else super().get_actions_detail(request, object_id)
        return [one for one in offered if may_be(DECISIONS[one.path], refund)]

    @action(description="Decide for the payer", permissions=["decide"], icon="undo", variant=ActionVariant.PRIMARY)
    def for_payer(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = "{amount} is returned to the payer. The money stays on hold until the provider has paid it."
        return self._decide(request, object_id, "for_payer", "Decide for the payer", sentence)

    @action(description="Decide for the company", permissions=["decide"], icon="storefront")
    def for_company(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = "The company keeps {amount}. The held {blocked} becomes available to it immediately."
        return self._decide(request, object_id, "for_company", "Decide for the company", sentence)

    @action(description="Withdrawn by the payer", permissions=["decide"], icon="cancel")
    def withdrawn(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = (
            "The payer no longer claims {amount}. The held {blocked} becomes available to the company immediately."
        )
        return self._decide(request, object_id, "withdrawn", "Withdrawn by the payer", sentence)

    @action(description="Mark as refunded", permissions=["settle"], icon="check", variant=ActionVariant.PRIMARY)
    def carried_out(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, "carried_out", "Mark as refunded")

    @action(description="Mark as declined", permissions=["settle"], icon="block", variant=ActionVariant.DANGER)
    def declined(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, "declined", "Mark as declined by the provider")

    @action(description="Lost at the acquirer", permissions=["settle"], icon="money_off", variant=ActionVariant.DANGER)
    def lost(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, "lost", "Lost at the acquirer")

    @action(description="Won at the acquirer", permissions=["settle"], icon="check")
    def won(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._propose(request, object_id, "won", "Won at the acquirer")

    def _propose(self, request: HttpRequest, object_id: str, name: str, title: str) -> HttpResponse:
        """Results of real money, and decisions about MED claims of real money, are confirmed by a second person."""
        refund, values = self.record(request, object_id), {"asked": DECISIONS[name].value}
        kind = RefundOutcome() if DECISIONS[name] in (*OUTSIDE, *OF_CHARGEBACKS) else ClaimDecision()
        if not may_be(DECISIONS[name], refund):
            return self.refused(request, refund, RefundState())
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            takes_two = kind.takes_two(refund, values)
            sentence = f"{kind.sentence(refund, values)} {TWO_PEOPLE if takes_two else ''}"
            return self.decision(request, refund, title, sentence=sentence, form=form)
        return self.put(request, refund, kind, values, form.cleaned_data["note"])

    def _decide(self, request: HttpRequest, object_id: str, name: str, title: str, sentence: str) -> HttpResponse:
        """Asks for a note first. The service checks again whether it is possible, since the status may have changed."""
        refund, chosen = self.record(request, object_id), DECISIONS[name]
        if refund.is_med:
            return self._propose(request, object_id, name, title)
        if not may_be(chosen, refund):
            return self.refused(request, refund, RefundState())
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            amount = plain_amount(refund.amount, refund.currency)
            text = sentence.format(amount=amount, blocked=plain_amount(refund.blocked, refund.wallet_currency))
            return self.decision(request, refund, title, sentence=f"{text} This cannot be undone.", form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            decided = refunds.decide(refund.merchant, refund.pk, chosen, by=request.user, note=note)  # type: ignore[arg-type]
            status = decided.get_status_display()
            return Done(decided, name, f"{status}: {note}", f"{refund.pk} is {status.lower()}.")

        return self.carry_out(request, refund, act)
