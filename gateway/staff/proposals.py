"""Proposals: the list, and the page on which one is confirmed or rejected."""

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from accounts import second_factor
from accounts.base.errors import Refusal
from accounts.models import Proposal
from accounts.proposals import services as proposals
from accounts.proposals.kinds import KINDS, Carried
from gateway.database.replica import on_primary
from gateway.staff.kit import refusals
from gateway.staff.kit.actions import in_words
from gateway.staff.kit.columns import colored, link_to_id, moment, related, titled
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.pages import ReadOnlyAdmin
from gateway.staff.kit.queues import Queue

ANSWERS = ("confirm", "turn_down")


class AnswerForm(NoteForm):
    """`digest` identifies the reviewed proposal. Without it nothing is confirmed."""

    digest = forms.CharField(required=False, widget=forms.HiddenInput)


def title(proposal: Proposal) -> str:
    return str(KINDS[proposal.kind].title)


def _record_link(proposal: Proposal) -> SafeString | str:
    return link_to_id(KINDS[proposal.kind].name_of(proposal.object_id))


def description(proposal: Proposal) -> SafeString:
    """The changes, who proposes them and why, and what confirming does."""
    kind = KINDS[proposal.kind]
    with transaction.atomic():
        record = kind.hold(proposal.object_id)
        sentence, changes = kind.sentence(record, proposal.values), kind.lines(record, proposal.values)
    facts = [
        (_("About"), str(record)),
        *changes,
        (_("Proposed by"), str(proposal.proposed_by)),
        (_("Note"), proposal.note),
    ]
    if proposal.state == Proposal.State.OPEN:
        facts.append((_("To be confirmed until"), f"{proposal.expires_at:%Y-%m-%d %H:%M}Z"))
    listed = format_html_join("", "<li>{}: <b>{}</b></li>", facts)
    return format_html('{}<ul class="staff-list mt-4 mb-4">{}</ul>', sentence, listed)


def _lines(proposal: Proposal) -> list[tuple[str, str]]:
    return proposals.in_words(KINDS[proposal.kind], proposal.object_id, proposal.values)


def open_proposals() -> Q:
    return Q(state=Proposal.State.OPEN)


@admin.register(Proposal)
class ProposalAdmin(ReadOnlyAdmin):
    """Each person sees the kinds they may decide. View permission: all proposals."""

    ids = {"cmp": "company"}
    words = {"object_id": str}
    search_help_text = "Proposal or company id, or id of the record"
    listed_at = ("company",)
    list_select_related = ("company", "proposed_by", "decided_by")
    _about = titled(_record_link, "object_id", "about")
    list_display = (
        "kind_title",
        _about,
        colored("state", OPEN="warning", CONFIRMED="success", TURNED_DOWN="danger", EXPIRED="danger"),
        "note",
        related("proposed_by"),
        moment("proposed_at"),
        related("decided_by"),
    )
    list_filter = ("state",)
    fieldsets = (
        (None, {"fields": ("id", "kind_title", (_about, related("company")), "state")}),
        ("Proposed", {"fields": ("content",)}),
        (
            "By",
            {
                "fields": (
                    (related("proposed_by"), moment("proposed_at")),
                    (related("decided_by"), moment("decided_at")),
                    ("answer", "decided_on_host_by"),
                )
            },
        ),
    )
    queues = (Queue("open", "Proposals to confirm", "done_all", open_proposals, "proposed_at", environment=""),)
    actions_detail: ClassVar[Any] = ANSWERS

    @display(description="decision")
    def kind_title(self, proposal: Proposal) -> str:
        return title(proposal)

    @display(description="content")
    def content(self, proposal: Proposal) -> Any:
        return description(proposal)

    # ── Who sees what ─────────────────────────────────────────────────────────────────────────────────────────────
    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        kinds = _kinds_of(request)
        return obj.kind in kinds if isinstance(obj, Proposal) else bool(kinds)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        found: QuerySet[Any] = super().get_queryset(request).filter(kind__in=_kinds_of(request))
        return found

    def has_answer_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return True  # `_answer` requires the permission of the kind

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        proposal = self.get_object(request, unquote(str(object_id)))
        possible = _possible(request, proposal) if proposal else ()
        return [one for one in super().get_actions_detail(request, object_id) if one.path in possible]

    # ── Answering: what a page shows is locked meanwhile ──────────────────────────────────────────────────────────
    @on_primary
    def change_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().change_view(request, *args, **kwargs)

    @on_primary
    @action(description="Confirm", permissions=["answer"], icon="done_all", variant=ActionVariant.PRIMARY)
    def confirm(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Carries out what somebody else has proposed."""

        def act(proposal: Proposal, digest: str, note: str) -> HttpResponse:
            done = proposals.confirm(request, proposal.pk, digest, note)
            return self.carried(
                request, done, f"{KINDS[proposal.kind].title_in_audit}, proposed by {proposal.proposed_by}: {note}"
            )

        return self._answer(request, object_id, gettext("Confirm"), act)

    @on_primary
    @action(description="Reject", permissions=["answer"], icon="close", variant=ActionVariant.DANGER)
    def turn_down(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Rejects the proposal; nothing moves."""

        def act(proposal: Proposal, digest: str, note: str) -> HttpResponse:
            proposals.turn_down(request, proposal.pk, digest, note)
            self.log_action(request, proposal, "", f"Rejected: {note}")
            return self.carried(
                request, Carried(proposal, gettext("The proposal was rejected. Nothing was changed.")), ""
            )

        return self._answer(request, object_id, gettext("Reject"), act)

    def _answer(
        self,
        request: HttpRequest,
        object_id: str,
        name: str,
        act: Callable[[Proposal, str, str], HttpResponse],
    ) -> HttpResponse:
        """Shows the proposal, asks for a note, then acts on exactly what was shown."""
        proposal = self.record(request, object_id)
        if not request.user.has_perm(KINDS[proposal.kind].permission):
            raise PermissionDenied
        form = AnswerForm(request.POST if request.method == "POST" else None, initial={"digest": proposal.digest})
        heading = f"{name}: {title(proposal)}"
        if not form.is_valid():
            return self.decision(request, proposal, heading, sentence=description(proposal), form=form)
        try:
            second_factor.require(request, lambda: in_words(self, request, heading, proposal, more=_lines(proposal)))
            with transaction.atomic():
                return act(proposal, form.cleaned_data["digest"], form.cleaned_data["note"])
        except Refusal as refusal:
            told = refusals.in_words(refusal)
            refused = self.decision(request, proposal, heading, sentence=told, is_over=True)
            refused.status_code = refusal.status
            return refused


def _kinds_of(request: HttpRequest) -> set[str]:
    if request.user.has_perm("accounts.view_proposal"):
        return set(KINDS)
    return {name for name, kind in KINDS.items() if request.user.has_perm(kind.permission)}


def _possible(request: HttpRequest, proposal: Proposal) -> tuple[str, ...]:
    """Own proposals cannot be confirmed."""
    if proposal.state != Proposal.State.OPEN or not request.user.has_perm(KINDS[proposal.kind].permission):
        return ()
    return ("turn_down",) if proposal.proposed_by == request.user or not proposals.is_still_valid(proposal) else ANSWERS
