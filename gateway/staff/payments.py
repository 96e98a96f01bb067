"""Payments for staff: with customer, events and postings."""

from collections.abc import Iterable

from django.contrib import admin

from accounts.tax_ids import compact
from gateway.payments.models import Payment
from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import colored, moment, pretty, related
from gateway.staff.kit.pages import ReadOnlyAdmin
from gateway.staff.kit.related import Related
from gateway.staff.kit.search import announced_by
from gateway.staff.kit.unclear import ASKED, unclear
from ledger.models import Entry, Transfer
from webhooks.models import Delivery, Event


@admin.register(Payment)
class PaymentAdmin(ReadOnlyAdmin):
    ids = {
        "cmp": "merchant__company",
        "cus": "customer",
        "ref": "refunds",
        "evt": lambda event_id: announced_by(Event.objects.filter(pk=event_id)),
        "dlv": lambda delivery_id: announced_by(Event.objects.filter(deliveries=delivery_id)),
    }
    words = {"reference": str, "rail_reference": str, "customer__tax_id": compact, "customer__email": str.lower}
    search_help_text = (
        "Payment, company, customer, refund, event or delivery id, reference, end-to-end id, tax id or e-mail"
    )
    listed_at = ("merchant", "customer")
    list_select_related = ("merchant__company",)
    list_display = (
        "id",
        colored("status", PAID="success", FAILED="danger", EXPIRED="warning", PENDING="info", ACTION_REQUIRED="info"),
        money("amount"),
        "method",
        "reference",
        related("merchant"),
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
                    "settlement_days",
                )
            },
        ),
        (
            "Timestamps (merchant's clock)",
            {
                "fields": (
                    (moment("created_at"), moment("updated_at")),
                    (moment("paid_at"), moment("release_at")),
                    moment("expires_at"),
                )
            },
        ),
        ("Provider", {"fields": (("rail_reference", moment("ask_at", "next query")), *ASKED)}),
        ("As submitted", {"fields": (pretty("payer"), "return_url")}),
        ("Method details", {"fields": (pretty("details"),)}),
    )
    queues = (unclear("payments"),)

    def related_to(self, record: Payment) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(
            record,
            Transfer.objects.filter(reference=record.pk),
            Entry.objects.filter(transfer__reference=record.pk),
            Event.objects.filter(object_id=record.pk),
            Delivery.objects.filter(event__object_id=record.pk),
        )
