"""Differences between settlement reports and our books: two people accept them."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from unfold.decorators import action
from unfold.enums import ActionVariant

from accounts.models import Proposal
from accounts.proposals.kinds import KINDS
from accounts.proposals.services import is_still_valid
from gateway.settlements.models import Cause, SettlementDifference
from gateway.settlements.proposals import AcceptDifference
from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import colored, moment, named, related
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.pages import TWO_PEOPLE, ReadOnlyAdmin
from gateway.staff.kit.queues import Queue
from gateway.staff.kit.related import Related

State = SettlementDifference.State


def to_explain() -> Q:
    """Differences that nothing has explained."""
    return Q(state=State.OPEN)


@admin.register(SettlementDifference)
class SettlementDifferenceAdmin(ReadOnlyAdmin):
    """Change permission: accept a difference, with a second person."""

    has_history = True
    permissions_used = ("view", "change")
    ids = {"pay": "object_id", "ref": "object_id", "stl": "line", "pac": "account", "cmp": "merchant__company"}
    search_help_text = "Difference, line, payment, refund, company or account id"
    list_select_related = ("account", "line", "merchant__company")
    list_display = (
        "id",
        colored("state", OPEN="danger", EXPLAINED="success", ACCEPTED="warning"),
        colored("cause", **{cause.value: "info" for cause in Cause}),
        money("amount"),
        related("line"),
        named("object_id", "about"),
        related("account"),
        "day",
        moment("found_at", "found"),
    )
    list_filter = ("state", "cause", "currency")
    fieldsets = (
        (None, {"fields": ("id", ("state", "cause"), (money("amount"), "method"))}),
        ("About", {"fields": (related("line"), named("object_id", "our record"), related("account"))}),
        ("Company", {"fields": (related("merchant"),)}),
        ("By staff", {"fields": ("note",)}),
        ("Timestamps", {"fields": ("day", (moment("found_at"), moment("ended_at")))}),
    )
    queues = (Queue("open", "Settlement differences", "difference", to_explain, "found_at", environment=""),)
    actions_detail = ("accept",)

    def related_to(self, record: SettlementDifference) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(record, Proposal.objects.filter(object_id=record.pk))

    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm(AcceptDifference.permission)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Nothing once it has ended, and nothing while a proposal is pending."""
        found = self.get_object(request, unquote(str(object_id)))
        if found is None or found.state != State.OPEN:
            return []
        open_ones = Proposal.objects.filter(object_id=found.pk, state=Proposal.State.OPEN)
        return [] if any(map(is_still_valid, open_ones)) else super().get_actions_detail(request, object_id)

    @action(description="Accept", permissions=["decide"], icon="check", variant=ActionVariant.PRIMARY)
    def accept(self, request: HttpRequest, object_id: str) -> HttpResponse:
        difference, kind = self.record(request, object_id), KINDS[AcceptDifference.name]
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            text = f"{kind.sentence(difference, {})} {TWO_PEOPLE}"
            return self.decision(request, difference, kind.title, sentence=text, form=form)
        return self.put(request, difference, kind, {}, form.cleaned_data["note"])
