"""Payment links for staff: what a company takes money for, and the end of a link with a note that the company reads."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, pgettext_lazy
from unfold.decorators import action
from unfold.enums import ActionVariant

from gateway.payment_links import selectors, services
from gateway.payment_links.models import PaymentLink, State
from gateway.payments.models import Payment
from gateway.staff.kit.amounts import CurrencyFilter, money
from gateway.staff.kit.columns import InWords, column, exported, moment, related, titled
from gateway.staff.kit.forms import NoteField, NoteForm
from gateway.staff.kit.pages import Done, ReadOnlyAdmin
from gateway.staff.kit.related import Related

_WORDS = {
    "ACTIVE": pgettext_lazy("payment link", "Active"),
    "PAUSED": pgettext_lazy("payment link", "Paused"),
    "EXPIRED": pgettext_lazy("payment link", "Expired"),
    "USED_UP": pgettext_lazy("payment link", "Fully paid"),
    "ENDED": pgettext_lazy("payment link", "Ended"),
}


def _status(link: Any) -> InWords:
    return InWords(link.status, str(_WORDS[link.status]))


STATUS = exported(
    titled(_status, "status", label=defaultdict(str, ACTIVE="success", PAUSED="warning", USED_UP="info")),
    itself=lambda link: link.status,
)


class EndForm(NoteForm):
    note = NoteField("Visible to the company")


@admin.register(PaymentLink)
class PaymentLinkAdmin(ReadOnlyAdmin):
    permissions_used = ("view", "change")
    ids = {"cmp": "merchant__company"}
    search_help_text = "Payment link or company id"
    listed_at = ("merchant",)
    list_select_related = ("merchant__company",)
    list_display = (
        "id",
        "description",
        money("least", "from"),
        money("most", "to"),
        STATUS,
        related("merchant"),
        moment("created_at"),
    )
    list_filter = ("state", CurrencyFilter, "merchant__environment")
    fieldsets = (
        (None, {"fields": ("id", "description", STATUS, related("merchant"))}),
        ("Money", {"fields": ((money("least", "from"), money("most", "to")), "methods")}),
        (
            "Uses",
            {"fields": ((column("paid", str, "paid"), column("taken", str, "paid or being paid")), "max_uses")},
        ),
        ("Payer", {"fields": (("reference_prefix", "collects_contact"),)}),
        ("By people", {"fields": (related("created_by"), "note")}),
        (
            "Timestamps (merchant's clock)",
            {"fields": (moment("expires_at"), (moment("created_at"), moment("updated_at")))},
        ),
    )
    actions_detail = ("end",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[PaymentLink]:
        return selectors.links()

    def related_to(self, record: PaymentLink) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(record, Payment.objects.filter(payment_link_id=record.pk))

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        link = self.get_object(request, unquote(str(object_id)))
        endable = link is not None and link.state != State.ENDED
        return super().get_actions_detail(request, object_id) if endable else []

    def has_end_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.change_paymentlink")

    @action(description="End the link", permissions=["end"], icon="link_off", variant=ActionVariant.DANGER)
    def end(self, request: HttpRequest, object_id: str) -> HttpResponse:
        link = self.record(request, object_id)
        form = EndForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = gettext("No new payment begins at it. Payments that are open can still be paid.")
            return self.decision(request, link, gettext("End this payment link"), sentence=sentence, form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            ended = services.change(link.merchant, link.pk, State.ENDED, note=note)
            return Done(ended, "ended", f"Ended: {note}", gettext("%(id)s was ended.") % {"id": link.pk}, note)

        return self.carry_out(request, link, act)
