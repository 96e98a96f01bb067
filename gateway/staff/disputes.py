"""Disputes at acquirers: staff see what an acquirer said, what does not fit, and what was not handed on."""

from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from unfold.decorators import action

from accounts.audit import Actor
from gateway.refunds.disputes.models import Dispute
from gateway.refunds.disputes.services import look_again
from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import EMPTY, OF_MERCHANT, colored, column, moment, or_empty, related
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.pages import Done, ReadOnlyAdmin
from gateway.staff.kit.queues import Queue
from gateway.staff.kit.readings import amount, payer
from gateway.staff.kit.unclear import ASKED

STATE = colored("state", open="danger", deciding="warning", lapsed="danger", won="success", lost="info", closed="info")


def _problem(text: str) -> str:
    """What we say ourselves is translated, what an acquirer says is not."""
    return translation.gettext(text) if text else EMPTY


def to_look_up() -> Q:
    """Disputes that do not fit their payment, and answers that the acquirer did not take."""
    return ~Q(problem="")


@admin.register(Dispute)
class DisputeAdmin(ReadOnlyAdmin):
    """The acquirer decides: what staff know from its statement, two of them record on the page of the refund."""

    has_history = True
    permissions_used = ("view",)
    ids = {"cmp": "merchant__company", "pay": "payment", "ref": "refund", "pac": "account"}
    words = {"reference": str, "money": str}
    readings = (amount("amount"), payer("payment__customer"))
    amounts = ("amount",)
    moments = ("due_at",)
    search_help_text = (
        "Amount, day of the deadline, payer's name, dispute, refund, payment, company or account id, "
        "or the acquirer's own id"
    )
    listed_at = ("merchant", "payment", "account")
    list_select_related = ("merchant__company", "payment", "account", "refund")
    list_display = (
        "id",
        STATE,
        money("amount"),
        *OF_MERCHANT,
        related("account"),
        moment("due_at", "acquirer's deadline"),
        column("problem", _problem),
    )
    list_filter = ("state", "is_inquiry")
    fieldsets = (
        (None, {"fields": ("id", (STATE, "is_inquiry"), (money("amount"), related("refund")))}),
        ("To look up", {"fields": (column("problem", _problem),)}),
        (
            "At the acquirer",
            {
                "fields": (
                    (related("account", "provider account"), "reference"),
                    (column("money", or_empty, "payment there"), related("payment")),
                    ("reason_code", column("reason", or_empty)),
                    moment("due_at", "acquirer's deadline"),
                )
            },
        ),
        (
            "Company's answer",
            {"fields": ((moment("answered_at", "taken at"), moment("ask_at", "next attempt")), *ASKED[1:])},
        ),
        ("Company", {"fields": (related("merchant"),)}),
        ("Timestamps", {"fields": ((moment("created_at"), moment("updated_at")),)}),
    )
    queues = (Queue("problems", "Disputes to look up", "gpp_maybe", to_look_up, "updated_at", environment=""),)
    actions_detail = ("look_again",)

    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.change_refund")

    @action(description="Try again", permissions=["decide"], icon="replay")
    def look_again(self, request: HttpRequest, object_id: str) -> HttpResponse:
        dispute = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = _(
                "An answer that the acquirer has not taken is handed on again, and a dispute that did not fit its "
                "payment is booked if it fits now."
            )
            return self.decision(request, dispute, _("Try again"), sentence=sentence, form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            waiting = look_again(Actor.of(request), dispute.pk, note)
            return Done(
                waiting, "", f"Tried again: {note}", _("%(id)s is tried again within seconds.") % {"id": waiting.pk}
            )

        return self.carry_out(request, dispute, act)
