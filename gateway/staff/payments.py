"""Payments for staff: with customer, events and postings; the outcome of those that no provider tells about."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from accounts.base.errors import Refusal
from accounts.models import AuditEntry, Proposal, User
from accounts.proposals.kinds import KINDS
from accounts.proposals.services import is_still_valid
from accounts.tax_ids import compact
from gateway.methods.rail import PaymentResult
from gateway.payments.by_hand import why_not_queried
from gateway.payments.errors import OtherAmountReceived, PaymentOver
from gateway.payments.expiry import why_not_expired
from gateway.payments.manual import awaits_staff, unasked
from gateway.payments.models import Payment
from gateway.payments.proposals import PaymentOutcomeKind, sentence
from gateway.receipts.selectors import WITH_RECEIPT
from gateway.receipts.verification import link, receipt_id
from gateway.requests.models import ApiRequest
from gateway.settlements.margins import of_payment
from gateway.staff import payment_story
from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import EMPTY, OF_MERCHANT, anchor, colored, moment, pretty, related
from gateway.staff.kit.headline import Headline
from gateway.staff.kit.pages import TWO_PEOPLE, ReadOnlyAdmin
from gateway.staff.kit.queues import Queue
from gateway.staff.kit.readings import amount, customer_with, exactly, last4, payer
from gateway.staff.kit.related import Related
from gateway.staff.kit.search import announced_by
from gateway.staff.kit.unclear import ASKED, unclear
from gateway.staff.payment_decisions import DeclinedForm, PaidForm, PaymentDecisionForm
from gateway.staff.payment_help import PaymentHelp
from gateway.staff.statement_money import form_for, may_be_entered
from ledger.models import Entry, Transfer
from ledger.notation import plain_amount
from webhooks.models import Delivery, Event

DECISIONS: dict[str, tuple[PaymentResult, type[PaymentDecisionForm]]] = {
    "paid": (PaymentResult.DONE, PaidForm),
    "not_paid": (PaymentResult.DECLINED, DeclinedForm),
}


@admin.register(Payment)
class PaymentAdmin(PaymentHelp, ReadOnlyAdmin):
    """Change permission: record what became of a payment that nobody can be asked about."""

    has_history = True
    permissions_used = ("view", "change")
    ids = {
        "cmp": "merchant__company",
        "cus": "customer",
        "ref": "refunds",
        "evt": lambda event_id: announced_by(Event.objects.filter(pk=event_id)),
        "dlv": lambda delivery_id: announced_by(Event.objects.filter(deliveries=delivery_id)),
    }
    words = {"rail_reference": str}
    readings = (
        exactly(reference=str),
        customer_with("customer", tax_id=compact),
        customer_with("customer", email=str.lower),
        payer("customer"),
        amount("amount"),
        last4,
    )
    amounts = ("amount",)
    moments = ("created_at", "paid_at")
    search_help_text = (
        "Amount, day, payer's name, tax id or e-mail, reference, end-to-end id, last digits of the card, or any id. "
        "A day narrows the rest: 475.88 2026-11-22"
    )
    listed_at = ("merchant", "customer")
    list_select_related = ("merchant__company",)
    list_display = (
        "id",
        colored("status", PAID="success", FAILED="danger", EXPIRED="warning", PENDING="info", ACTION_REQUIRED="info"),
        money("amount"),
        "method",
        "reference",
        *OF_MERCHANT,
        moment("created_at"),
    )
    list_filter = ("status", "method", "currency", "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", ("reference", "status"), ("failure_code", "failure_message"))}),
        ("Parties", {"fields": ((related("merchant"), related("customer")),)}),
        (
            "Money",
            {
                "fields": (
                    (money("amount", "gross"), money("fee")),
                    (money("net"), money("refunded_amount", "refunded")),
                    ("method", "requested_method"),
                    ("settlement_days", "receipt"),
                )
            },
        ),
        (
            "Timestamps (merchant's clock)",
            {
                "fields": (
                    (moment("created_at"), moment("updated_at")),
                    (moment("paid_at"), moment("release_at")),
                    (moment("expires_at"), "due_date"),
                )
            },
        ),
        ("Provider", {"fields": (("rail_reference", moment("ask_at", "next query")), *ASKED)}),
        ("As submitted", {"fields": (pretty("payer"), "return_url")}),
        ("Method details", {"fields": (pretty("details"),)}),
    )
    margin_fieldset = (_("Margin, after the fees of its acquirer"), {"fields": (("acquirer_fee", "margin"),)})
    queues = (
        Queue("manual", "Manual payments waiting", "account_balance", unasked, "created_at"),
        unclear(_("Unclear payments")),
    )
    actions_detail = (*DECISIONS, "ask", "expire", "resend")

    def related_to(self, record: Payment) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(
            record,
            Transfer.objects.filter(reference=record.pk),
            Entry.objects.filter(transfer__reference=record.pk),
            Event.objects.filter(object_id=record.pk),
            Delivery.objects.filter(event__object_id=record.pk),
            Proposal.objects.filter(object_id=record.pk),
            ApiRequest.objects.filter(objects_named__contains=[record.pk]).defer("request_body", "response_body"),
            AuditEntry.objects.filter(object_id=record.pk),
        )

    def headline(self, request: HttpRequest, record: Payment) -> Headline:
        return replace(
            super().headline(request, record),
            waits=tuple(payment_story.waits(record)),
            impossible=tuple(payment_story.impossible(record)),
            steps=tuple(payment_story.steps(record)),
        )

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """The margin is for those who may see settlements."""
        shown = super().get_fieldsets(request, obj)
        return (*shown, self.margin_fieldset) if request.user.has_perm("gateway.view_settlementline") else shown

    @display(description="receipt")
    def receipt(self, payment: Payment) -> SafeString | str:
        """As its payer sees it, with later refunds."""
        return anchor(link(payment), receipt_id(payment)) if payment.status in WITH_RECEIPT else EMPTY

    @display(description="acquirer's fees")
    def acquirer_fee(self, payment: Payment) -> str:
        """With those of its refunds and disputes."""
        margin = of_payment(payment)
        return EMPTY if margin is None else plain_amount(margin.acquirer_fee, payment.currency)

    @display(description="margin")
    def margin(self, payment: Payment) -> str:
        margin = of_payment(payment)
        return EMPTY if margin is None else plain_amount(margin.left, payment.currency)

    # ── Deciding ──────────────────────────────────────────────────────────────────────────────────────────────────
    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm(PaymentOutcomeKind.permission)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """What the payment's life allows: outcomes only if it awaits staff, and none while a proposal is pending."""
        payment = self.get_object(request, unquote(str(object_id)))
        if payment is None:
            return []
        open_ones = Proposal.objects.filter(object_id=payment.pk, state=Proposal.State.OPEN)
        is_to_decide = awaits_staff(payment) and not any(map(is_still_valid, open_ones))
        possible = {
            **dict.fromkeys(DECISIONS, is_to_decide),
            "ask": not why_not_queried(payment),
            "expire": not why_not_expired(payment),
            "resend": Event.objects.filter(object_id=payment.pk).exists(),
        }
        return [one for one in super().get_actions_detail(request, object_id) if possible[one.path]]

    @action(description="Record as paid", permissions=["decide"], icon="check", variant=ActionVariant.PRIMARY)
    def paid(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, "paid", gettext("Record as paid"))

    @action(description="Record as not paid", permissions=["decide"], icon="block", variant=ActionVariant.DANGER)
    def not_paid(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._decide(request, object_id, "not_paid", gettext("Record as not paid"))

    def _decide(self, request: HttpRequest, object_id: str, name: str, title: str) -> HttpResponse:
        """Asks for the bank's reference or the reason. The kind refuses what is impossible."""
        payment, kind = self.record(request, object_id), KINDS[PaymentOutcomeKind.name]
        answered, form_class = DECISIONS[name]
        form = form_class(payment, request.POST if request.method == "POST" else None)
        if not form.is_valid():
            assert isinstance(request.user, User)
            is_alone = not kind.takes_two(payment, {}) and kind.allows_alone(payment, {}, request.user)
            two = "" if is_alone else TWO_PEOPLE
            return self.decision(request, payment, title, sentence=f"{sentence(payment, answered)} {two}", form=form)
        return self.put(request, payment, kind, form.values(), form.cleaned_data["note"])

    def way_on(self, request: HttpRequest, record: Payment, refusal: Refusal) -> SafeString | str:
        """Money that cannot pay this payment is held in suspense: the form of that, filled in."""
        if not (isinstance(refusal, OtherAmountReceived | PaymentOver) and may_be_entered(request, record)):
            return ""
        return anchor(form_for(record, request.POST["amount"], request.POST["reference"]), gettext("Enter the money"))
