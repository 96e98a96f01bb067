"""What banks answered to payment files, for staff: order by order, and what does not fit."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from unfold.decorators import action
from unfold.enums import ActionVariant

from gateway.payout_batches.models import BatchAnswer, BatchOrder
from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import EMPTY, colored, column, moment, or_empty, related, titled
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.pages import Done, ReadOnlyAdmin
from gateway.staff.kit.queues import Queue

FOUND = {
    "APPLIED": "success", "NOTED": "info", "REPEATED": "info", "UNKNOWN_ORDER": "danger", "OTHER_ACCOUNT": "danger",
    "OTHER_AMOUNT": "danger", "NOT_HANDED_OVER": "danger", "CONTRADICTS": "danger",
}  # fmt: skip


@admin.register(BatchOrder)
class BatchOrderAdmin(ReadOnlyAdmin):
    """Orders of files: written with the batch, ended by answers."""

    ids = {"bat": "batch", "wdr": "withdrawal"}
    words = {"reference": str}
    search_help_text = "Number of the order, batch or withdrawal id, or the bank's id"
    listed_at = ("batch", "withdrawal")
    list_select_related = ("batch", "withdrawal")
    list_display = (
        "number", related("withdrawal"), money("amount", of=lambda one: one.batch.currency), "outcome", "codes",
        "is_live", moment("answered_at"),
    )  # fmt: skip
    list_filter = ("outcome", "is_live")
    fieldsets = (
        (None, {"fields": ("number", related("batch"), related("withdrawal"), "is_live")}),
        ("Money", {"fields": (money("amount", of=lambda one: one.batch.currency),)}),
        (
            "Answered",
            {
                "fields": (
                    titled(lambda one: one.get_outcome_display() or EMPTY, "outcome"),
                    column("codes", or_empty),
                    column("reference", or_empty),
                    moment("answered_at"),
                )
            },
        ),
    )


def _for_staff() -> Q:
    return Q(waits_since__isnull=False)


@admin.register(BatchAnswer)
class BatchAnswerAdmin(ReadOnlyAdmin):
    """What banks said about orders. Change permission: close one that was looked at."""

    has_history = True
    permissions_used = ("view", "change")
    ids = {"wdr": "order__withdrawal", "bat": "order__batch"}
    words = {"number": str, "reference": str, "source": str}
    search_help_text = "Answer, withdrawal or batch id, number of the order, the bank's id, or the file"
    listed_at = ("order",)
    list_select_related = ("order",)
    list_display = (
        "id", "number", "outcome", colored("found", **FOUND), "amount", "codes", "source", moment("created_at"),
    )  # fmt: skip
    list_filter = ("found", "outcome")
    fieldsets = (
        (None, {"fields": ("id", ("number", "found"), related("order"), "source")}),
        (
            "Said",
            {
                "fields": (
                    ("outcome", column("amount", or_empty)),
                    (column("codes", or_empty), column("reference", or_empty)),
                    column("text", or_empty),
                )
            },
        ),
        ("By staff", {"fields": (moment("waits_since"), column("note", or_empty))}),
        ("Timestamps", {"fields": ((moment("created_at"), moment("due_at")),)}),
    )
    queues = (
        Queue(
            name="unfitting",
            title="Answers to payment files that do not fit",
            icon="contact_support",
            waiting=_for_staff,
            since="waits_since",
            environment="",
        ),
    )
    actions_detail = ("close",)

    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.change_batchanswer")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        answer = self.get_object(request, unquote(str(object_id)))
        return super().get_actions_detail(request, object_id) if answer and answer.waits_since else []

    @action(description="Close this answer", permissions=["decide"], icon="check", variant=ActionVariant.PRIMARY)
    def close(self, request: HttpRequest, object_id: str) -> HttpResponse:
        answer = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = gettext("Nothing moves. Say what the bank told, and what was done about it.")
            return self.decision(request, answer, gettext("Close this answer"), sentence=sentence, form=form)

        def act() -> Done:
            answer.waits_since, answer.note = None, form.cleaned_data["note"]
            answer.save(update_fields=["waits_since", "note"])
            return Done(answer, "closed", f"Closed: {answer.note}", gettext("It does not wait any more."), answer.note)

        return self.carry_out(request, answer, act)
