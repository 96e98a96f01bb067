"""Holds: staff read, place and release them."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import action
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminSelectWidget

from accounts.base import clock
from accounts.base.errors import Refusal
from gateway.staff.kit import refusals
from gateway.staff.kit.amounts import CurrencyFilter, StaffAmountField, money
from gateway.staff.kit.columns import OF_MERCHANT, colored, moment, named, related
from gateway.staff.kit.forms import NoteField, NoteForm
from gateway.staff.kit.pages import Done, EnteredAdmin
from gateway.staff.kit.readings import amount
from ledger.chart import WALLET_METHOD
from ledger.holds import services as holds
from ledger.holds.models import BY_STAFF, Hold, Reason
from ledger.money import to_minor
from ledger.notation import plain_amount


class HoldForm(forms.ModelForm):
    """A hold placed by staff. `refused`: the service's refusal of this form."""

    refused: Refusal | None = None
    currency = forms.ChoiceField(choices=[(code, code) for code in WALLET_METHOD], widget=UnfoldAdminSelectWidget)
    amount = StaffAmountField("0.01")
    reason = forms.ChoiceField(choices=[(one, one.label) for one in BY_STAFF], widget=UnfoldAdminSelectWidget)
    note = NoteField()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        merchant, ends = cleaned.get("merchant"), cleaned.get("expected_release_at")
        if merchant and ends and ends <= clock.now(merchant):
            self.add_error("expected_release_at", _("This time is in the past by the merchant's clock."))
        if {"amount", "currency"} <= set(cleaned):
            cleaned["amount"] = to_minor(cleaned["amount"], cleaned["currency"])
        if cleaned.get("reason") == Reason.LEGAL_ORDER and not cleaned.get("case_number", "").strip():
            self.add_error("case_number", _("A legal order has the number of its case."))
        if self.refused:
            self.add_error("amount", refusals.in_words(self.refused))
        return cleaned


def _case_number(term: str) -> Q:
    """Hardly any hold has one, and the index has only these."""
    return Q(case_number__iexact=term) & ~Q(case_number="")


@admin.register(Hold)
class HoldAdmin(EnteredAdmin):
    """Holds of refunds and withdrawals are managed by these. Add permission: place, change permission: release."""

    form = HoldForm
    add_title = gettext_lazy("Place a hold on a merchant's money")
    permissions_used = ("view", "add", "change")
    ids = {"cmp": "merchant__company", "ref": "refund_id", "wdr": "withdrawal_id"}
    readings = (_case_number, amount("amount"))
    amounts = ("amount",)
    moments = ("created_at",)
    search_help_text = "Amount, day, case number, or hold, refund, withdrawal or company id"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    list_display = (
        "id",
        colored("reason", COMPLIANCE="warning", LEGAL_ORDER="danger"),
        money("amount"),
        *OF_MERCHANT,
        "case_number",
        moment("created_at", "placed at"),
        moment("expected_release_at", "expected end"),
        moment("ended_at"),
    )
    list_filter = ("reason", ("ended_at", admin.EmptyFieldListFilter), CurrencyFilter, "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", "reason", money("amount"), related("merchant"))}),
        (
            "Related records",
            {
                "fields": (
                    (named("payment_id", "payment"), named("refund_id", "refund")),
                    named("withdrawal_id", "withdrawal"),
                )
            },
        ),
        (
            "By staff",
            {"fields": ((related("placed_by"), related("lifted_by", "released by")), ("case_number", "note"))},
        ),
        (
            "Timestamps (merchant's clock)",
            {
                "fields": (
                    moment("created_at", "placed at"),
                    (moment("expected_release_at", "expected end"), moment("ended_at")),
                )
            },
        ),
    )
    add_fieldsets = (
        (
            None,
            {"fields": ("merchant", ("currency", "amount"), ("reason", "case_number"), "note", "expected_release_at")},
        ),
    )
    autocomplete_fields = ("merchant",)
    actions_detail = ("lift",)

    def facts(self, record: Hold) -> dict[str, Any]:
        return super().facts(record) | {"amount": plain_amount(record.amount, record.currency)}

    def save(self, request: HttpRequest, obj: Hold, form: Any, change: bool) -> None:
        ends: datetime | None = obj.expected_release_at
        placed = holds.place(
            obj.merchant,
            obj.currency,
            obj.amount,
            obj.reason,
            by=request.user,  # type: ignore[arg-type]
            note=obj.note,
            case_number=obj.case_number,
            expected_release_at=ends,
        )
        obj.pk = placed.pk

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        hold = self.get_object(request, unquote(str(object_id)))
        liftable = hold is not None and hold.ended_at is None and hold.reason in BY_STAFF
        return super().get_actions_detail(request, object_id) if liftable else []

    def has_lift_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("ledger.change_hold")

    @action(description="Release", permissions=["lift"], icon="lock_open", variant=ActionVariant.DANGER)
    def lift(self, request: HttpRequest, object_id: str) -> HttpResponse:
        hold = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            told = {"amount": plain_amount(hold.amount, hold.currency)}
            sentence = _("%(amount)s becomes available to the merchant immediately.") % told
            return self.decision(request, hold, _("Release this hold"), sentence=sentence, form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            lifted = holds.lift(hold.pk, by=request.user)  # type: ignore[arg-type]
            return Done(lifted, "lifted", f"Released: {note}", _("%(id)s was released.") % {"id": hold.pk}, note)

        return self.carry_out(request, hold, act)
