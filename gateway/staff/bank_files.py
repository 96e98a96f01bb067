"""Files of banks: staff upload them, and a second person lets them take effect."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from unfold.decorators import action
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminFileFieldWidget, UnfoldAdminSelectWidget

from accounts import second_factor
from accounts.audit import Actor
from accounts.base.errors import Refusal
from accounts.models import Proposal
from accounts.proposals.kinds import KINDS
from gateway.reconciliation.files import clear, turn_down, upload
from gateway.reconciliation.models import BankAccount, ImportedFile
from gateway.reconciliation.proposals import ConfirmFile
from gateway.serving.limits import takes_files
from gateway.staff.kit import refusals
from gateway.staff.kit.columns import address, colored, column, moment, or_empty, related
from gateway.staff.kit.forms import NoteField, NoteForm
from gateway.staff.kit.pages import Done, ReadOnlyAdmin
from gateway.staff.kit.queues import Queue
from gateway.staff.kit.related import Related

State = ImportedFile.State


class UploadForm(NoteForm):
    """A file as it was downloaded from the bank."""

    account = forms.ChoiceField(widget=UnfoldAdminSelectWidget)
    file = forms.FileField(widget=UnfoldAdminFileFieldWidget, help_text="As it was downloaded: a statement or a return")
    note = NoteField()
    field_order = ("account", "file", "note")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        accounts = BankAccount.objects.filter(is_closed=False).order_by("code")
        self.fields["account"].choices = [("", "---------"), *((one.code, str(one)) for one in accounts)]  # type: ignore[attr-defined]


def unconfirmed() -> Q:
    """Files that wait for a second person."""
    return Q(state=State.UPLOADED)


def refused() -> Q:
    """Files that took no effect although nobody turned them down."""
    return Q(state=State.REFUSED, cleared_at=None)


@admin.register(ImportedFile)
class ImportedFileAdmin(ReadOnlyAdmin):
    """Add permission: upload, propose and confirm."""

    has_history = True
    permissions_used = ("view", "add")
    ids = {"bnk": "account"}
    words = {"name": str, "digest": str.lower}
    search_help_text = "File or bank account id, name of the file, or its SHA-256"
    listed_at = ("account",)
    list_select_related = ("account", "uploaded_by")
    list_display = (
        "id",
        "name",
        colored("state", UPLOADED="warning", WAITING="info", TAKEN="success", REFUSED="danger"),
        related("account", "bank account"),
        column("format", or_empty),
        column("cause", or_empty),
        moment("created_at", "imported"),
    )
    list_filter = ("state", "account")
    fieldsets = (
        (None, {"fields": ("id", ("name", "state"), related("account", "bank account"), column("format", or_empty))}),
        ("Why it was refused", {"fields": (column("cause", or_empty), column("reason", or_empty), "failed_line")}),
        ("Content", {"fields": (("size", "digest"), related("uploaded_by"))}),
        (
            "Timestamps",
            {
                "fields": (
                    (moment("created_at", "imported"), moment("taken_at", "took effect")),
                    moment("cleared_at", "dealt with"),
                )
            },
        ),
    )
    queues = (
        Queue("confirm", "Bank files to confirm", "upload_file", unconfirmed, "created_at", environment=""),
        Queue("refused", "Bank files refused", "error", refused, "created_at", environment=""),
    )
    actions_list = (*ReadOnlyAdmin.actions_list, "upload")
    actions_detail = ("propose", "turn_down", "clear")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("sealed_content")

    def related_to(self, record: ImportedFile) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(record, Proposal.objects.filter(object_id=record.pk))

    def has_upload_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm(ConfirmFile.permission)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Only what is possible now."""
        file = self.get_object(request, unquote(str(object_id)))
        if file is None:
            return []
        waits = {"propose": file.state == State.UPLOADED, "turn_down": file.state == State.UPLOADED}
        waits["clear"] = file.state == State.REFUSED and file.cleared_at is None
        return [one for one in super().get_actions_detail(request, object_id) if waits[one.path]]

    @takes_files
    @action(description="Upload a file", permissions=["upload"], icon="upload_file")
    def upload(self, request: HttpRequest) -> HttpResponse:
        second_factor.require(request)  # never with a description: a file cannot be kept for later
        form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
        if form.is_valid():
            try:
                return self._uploaded(request, form.cleaned_data)
            except Refusal as refusal:
                form.add_error("file", refusals.in_words(refusal))
        sentence = _("Nothing changes until you have proposed it and a second person has confirmed it.")
        return self.decision(request, None, _("Upload a file of a bank"), sentence=sentence, form=form)

    def _uploaded(self, request: HttpRequest, given: dict[str, Any]) -> HttpResponse:
        file = upload(Actor.of(request), given["account"], given["file"].name, given["file"].read(), given["note"])
        self.log_action(request, file, "", f"Uploaded: {given['note']}")
        self.message_user(
            request, _("%(file)s was read. Propose now that it takes effect.") % {"file": file}, messages.SUCCESS
        )
        return HttpResponseRedirect(address(ImportedFile, "change", file.pk))

    @action(description="Let it take effect", permissions=["upload"], icon="check", variant=ActionVariant.PRIMARY)
    def propose(self, request: HttpRequest, object_id: str) -> HttpResponse:
        file, kind = self.record(request, object_id), KINDS[ConfirmFile.name]
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.decision(request, file, kind.title, sentence=kind.sentence(file, {}), form=form)
        return self.put(request, file, kind, {}, form.cleaned_data["note"])

    @action(description="Turn down", permissions=["upload"], icon="block", variant=ActionVariant.DANGER)
    def turn_down(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The safe direction, so one person is enough."""
        file = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            text = _("The file takes no effect. It can be uploaded again.")
            return self.decision(request, file, _("Turn the file down"), sentence=text, form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            turn_down(file.pk, note)
            return Done(
                file, "turned_down", f"Turned down: {note}", _("%(file)s takes no effect.") % {"file": file}, note
            )

        return self.carry_out(request, file, act)

    @action(description="Dealt with", permissions=["upload"], icon="done")
    def clear(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """It changes nothing but the queue, so one person is enough."""
        file = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            text = _("The refused file leaves the queue. Nothing of it takes effect; it can be imported again.")
            return self.decision(request, file, _("The refusal was dealt with"), sentence=text, form=form)
        note = form.cleaned_data["note"]

        def act() -> Done:
            return Done(
                clear(file.pk),
                "cleared",
                f"Dealt with: {note}",
                _("%(file)s has left the queue.") % {"file": file},
                note,
            )

        return self.carry_out(request, file, act)
