"""Receivables for staff, and decisions on advances."""

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, ngettext
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from gateway.refunds.models import Origin, Refund
from gateway.staff.kit.amounts import CurrencyFilter, money
from gateway.staff.kit.columns import OF_MERCHANT, Column, Title, colored, column, moment, named, related
from gateway.staff.kit.forms import NoteField
from gateway.staff.kit.pages import Done, ReadOnlyAdmin
from gateway.staff.kit.queues import Queue
from gateway.staff.kit.readings import amount
from gateway.staff.kit.related import Related
from ledger.models import Transfer
from ledger.notation import plain_amount
from ledger.receivables import advances
from ledger.receivables.models import Advance, AdvanceItem, Receivable
from ledger.wallets.selectors import holdings
from webhooks.models import Event


def item_money(name: str, title: Title = "") -> Column:
    """An item's amount in its receivable's currency."""
    return money(name, title, attrgetter("receivable.currency"))


def rate(name: str, title: Title) -> Column:
    return column(name, lambda value: gettext("%(rate)s a month") % {"rate": f"{value.normalize():f}%"}, title)


def containing(receivable_id: str) -> Q:
    return Q(pk__in=AdvanceItem.objects.filter(receivable=receivable_id).values("advance"))


@admin.register(Receivable)
class ReceivableAdmin(ReadOnlyAdmin):
    ids = {
        "cmp": "merchant__company",
        "pay": "payment_id",
        "adv": lambda advance_id: Q(pk__in=AdvanceItem.objects.filter(advance=advance_id).values("receivable")),
    }
    readings = (amount("gross_amount"),)
    amounts = ("gross_amount",)
    moments = ("release_at",)
    search_help_text = "Amount, day of release, or receivable, payment, advance or company id"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    list_display = (
        "id",
        colored("state", SCHEDULED="info", RESERVED_FOR_ADVANCE="warning", ADVANCED="success", RELEASED="success"),
        money("amount", "remaining"),
        moment("release_at"),
        named("payment_id", "payment"),
        *OF_MERCHANT,
    )
    list_filter = ("state", CurrencyFilter, "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", "state", related("merchant"), named("payment_id", "payment"))}),
        (
            "Money",
            {
                "fields": (
                    (money("gross_amount", "gross"), money("fee")),
                    (money("refunded_amount", "refunded"), money("amount", "remaining")),
                )
            },
        ),
        ("Payment", {"fields": (("payment_reference", "method"),)}),
        ("Advance", {"fields": ((rate("advance_monthly_rate", "price"), money("advance_minimum", "minimum")),)}),
        (
            "Timestamps (merchant's clock)",
            {"fields": (moment("release_at"), (moment("created_at"), moment("updated_at")))},
        ),
    )

    def related_to(self, record: Receivable) -> Iterable[Related]:
        yield from super().related_to(record)
        rows = Transfer.objects.filter(reference__in=[record.pk, record.payment_id], merchant=record.merchant_id)
        yield from Related.found_by(record, rows, the_same=frozenset({"merchant"}))


def to_decide() -> Q:
    return Q(state=Advance.State.UNDER_REVIEW)


class AdvanceDecisionForm(forms.Form):
    note = NoteField("Visible to the company")


@admin.register(Advance)
class AdvanceAdmin(ReadOnlyAdmin):
    """The merchant requests, staff decide. Change permission: decide."""

    has_history = True
    permissions_used = ("view", "change")
    ids = {"cmp": "merchant__company", "rcv": containing}
    words = {"requested_by__email": str.lower}
    readings = (amount("gross_amount"),)
    amounts = ("gross_amount",)
    moments = ("requested_at",)
    search_help_text = "Amount, day, advance, receivable or company id, or e-mail of the requester"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company", "requested_by")
    list_display = (
        "id",
        colored("state", UNDER_REVIEW="warning", APPROVED="success", REFUSED="danger"),
        money("gross_amount", "gross"),
        money("fee"),
        money("net"),
        *OF_MERCHANT,
        related("requested_by"),
        moment("requested_at"),
        moment("decided_at"),
    )
    list_filter = ("state", CurrencyFilter, "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", "state", related("merchant"))}),
        ("Price", {"fields": ((money("gross_amount", "gross"), money("fee")), money("net"))}),
        ("Company", {"fields": ("balance",)}),
        ("Requested", {"fields": ((related("requested_by", "by"), moment("requested_at", "at")),)}),
        ("Decided", {"fields": ((related("decided_by", "by"), moment("decided_at", "at")), "note")}),
    )
    queues = (Queue("decide", "Advances to review", "fast_forward", to_decide, "requested_at"),)
    actions_detail = ("approve", "refuse")

    def related_to(self, record: Advance) -> Iterable[Related]:
        yield from super().related_to(record)
        of_company, narrowed = frozenset({"merchant"}), {"merchant__exact": record.merchant_id}
        refunds = Refund.objects.filter(merchant=record.merchant)
        for title, rows, more in (
            (
                gettext("Disputes and requests of payers"),
                refunds.filter(origin=Origin.PAYER),
                {"origin__exact": "PAYER"},
            ),
            (gettext("Refunds by the company"), refunds.filter(origin=Origin.MERCHANT), {"origin__exact": "MERCHANT"}),
            (gettext("Other advances"), Advance.objects.filter(merchant=record.merchant).exclude(pk=record.pk), {}),
        ):
            yield Related(title, rows, narrowed | more, of_company)
        yield from Related.found_by(record, Event.objects.filter(object_id=record.pk))

    @display(description="balance of the company")
    def balance(self, advance: Advance) -> str:
        """Available, releasing and blocked, in the currency of the advance."""
        held = holdings(advance.merchant, advance.currency).currencies[advance.currency]
        named = (
            (gettext("available"), held.available),
            (gettext("releasing"), held.releasing),
            (gettext("blocked"), held.blocked),
        )
        return " · ".join(f"{plain_amount(minor, advance.currency)} {name}" for name, minor in named)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """No actions if there is nothing to decide."""
        advance = self.get_object(request, unquote(str(object_id)))
        undecided = advance is not None and advance.state == Advance.State.UNDER_REVIEW
        return super().get_actions_detail(request, object_id) if undecided else []

    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("ledger.change_advance")

    @action(description="Approve", permissions=["decide"], icon="check")
    def approve(self, request: HttpRequest, object_id: str) -> HttpResponse:
        advance = self.record(request, object_id)
        count = advance.items.count()
        sentence = ngettext(
            "%(n)s receivable: %(net)s becomes available immediately, for a fee of %(fee)s. "
            "The fee is lower if days have passed since the request.",
            "%(n)s receivables: %(net)s becomes available immediately, for a fee of %(fee)s. "
            "The fee is lower if days have passed since the request.",
            count,
        ) % {
            "n": count,
            "net": plain_amount(advance.net, advance.currency),
            "fee": plain_amount(advance.fee, advance.currency),
        }
        return self._decide(request, advance, advances.approve, gettext("Approve this advance"), sentence)

    @action(description="Decline", permissions=["decide"], icon="block", variant=ActionVariant.DANGER)
    def refuse(self, request: HttpRequest, object_id: str) -> HttpResponse:
        advance = self.record(request, object_id)
        sentence = gettext(
            "The receivables return to their release schedule. Those already due are released immediately."
        )
        return self._decide(request, advance, advances.refuse, gettext("Decline this advance"), sentence)

    def _decide(
        self, request: HttpRequest, advance: Advance, decide: Callable[..., Advance], title: str, sentence: str
    ) -> HttpResponse:
        form = AdvanceDecisionForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.decision(request, advance, title, sentence=sentence, form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            decided = decide(advance.pk, request.user, note)
            approved = decided.state == Advance.State.APPROVED
            told = gettext("%(advance)s was approved.") if approved else gettext("%(advance)s was refused.")
            action_name = decided.state.lower()
            return Done(decided, action_name, f"{action_name.capitalize()}: {note}", told % {"advance": decided}, note)

        return self.carry_out(request, advance, act)


@admin.register(AdvanceItem)
class AdvanceItemAdmin(ReadOnlyAdmin):
    """Visible to everybody who can view advances."""

    permissions_used = ()
    ids = {"adv": "advance", "rcv": "receivable"}
    search_help_text = "Advance or receivable id"
    listed_at = ("advance", "receivable")
    list_select_related = ("advance", "receivable")
    list_display = (
        "id",
        related("advance"),
        related("receivable"),
        item_money("amount"),
        item_money("fee"),
        "days",
        "price",
        "release_at",
    )
    fieldsets = (
        (None, {"fields": ("id", (related("advance"), related("receivable")))}),
        ("Price", {"fields": ((item_money("amount"), item_money("fee")), ("days", "price"))}),
    )

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("ledger.view_advance") or request.user.has_perm("ledger.change_advance")

    @display(description="price")
    def price(self, item: AdvanceItem) -> Any:
        return rate("advance_monthly_rate", "price")(item.receivable)

    @display(description="release at")
    def release_at(self, item: AdvanceItem) -> Any:
        return moment("release_at")(item.receivable)
