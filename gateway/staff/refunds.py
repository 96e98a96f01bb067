"""Refunds: staff read them and open them for payers."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import path
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from accounts.base.ids import is_well_formed
from accounts.models import Proposal, User
from gateway.refunds import services as refunds
from gateway.refunds.evidence import download
from gateway.refunds.models import Evidence, Refund
from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import (
    EMPTY,
    OF_MERCHANT,
    Column,
    Title,
    block,
    colored,
    column,
    moment,
    pretty,
    related,
    titled,
    unbroken,
)
from gateway.staff.kit.readings import amount, exactly, payer
from gateway.staff.kit.related import Related
from gateway.staff.kit.search import announced_by
from gateway.staff.kit.unclear import ASKED
from gateway.staff.refund_decisions import RefundDecisions
from gateway.staff.refund_opening import OpenForm
from gateway.staff.refund_queues import QUEUES, DueFilter
from ledger.models import Hold, Transfer
from ledger.notation import plain_amount
from webhooks.models import Delivery, Event


def wallet_money(name: str, title: Title = "") -> Column:
    """An amount in the currency of the wallet that funds the refund."""
    return money(name, title, attrgetter("wallet_currency"))


def _shortfall(refund: Refund) -> Any:
    return unbroken(plain_amount(refund.owed, refund.wallet_currency))


@admin.register(Refund)
class RefundAdmin(RefundDecisions):
    """View permission: including evidence files. Add: open one for a payer. Change: decide. Settle: outcomes."""

    form = OpenForm
    add_title = _("Open a refund for a payer")
    permissions_used = ("view", "add", "change")
    ids = {
        "cmp": "merchant__company",
        "pay": "payment",
        "rsp": "responses",
        "evd": "responses__evidence",
        "evt": lambda event_id: announced_by(Event.objects.filter(pk=event_id)),
        "dlv": lambda delivery_id: announced_by(Event.objects.filter(deliveries=delivery_id)),
    }
    words = {"end_to_end_id": str, "claim_id": str}
    readings = (exactly(reference=str), payer("payment__customer"), amount("amount"))
    amounts = ("amount",)
    moments = ("created_at",)
    search_help_text = (
        "Amount, day, payer's name, reference, end-to-end id, MED claim, or refund, payment, company, answer, event or "
        "delivery id"
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
        *OF_MERCHANT,
    )
    list_filter = ("status", "origin", "dispute_kind", "reason_code", DueFilter, "currency", "merchant__environment")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "id",
                    ("status", "reference"),
                    (
                        "origin",
                        column("is_full", lambda full: gettext("Full") if full else gettext("Partial"), "type"),
                    ),
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
                    (
                        moment("analysis_due_at", "decision due"),
                        moment("return_due_at", "end of the return window"),
                    ),
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
                    (moment("completed_at"), moment("evidence_late_at", "evidence not handed in")),
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
