"""Batches of withdrawals for staff: gathered, released by two people, handed over."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext, ngettext, pgettext_lazy
from unfold.decorators import action
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminDateWidget, UnfoldAdminSelectWidget

from accounts import second_factor
from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.base.errors import Refusal
from accounts.models import Proposal
from accounts.proposals.kinds import KINDS
from accounts.proposals.services import require_uninvolved
from gateway.payout_batches import files, services
from gateway.payout_batches.errors import BatchState
from gateway.payout_batches.models import PayoutBatch
from gateway.payout_batches.proposals import ClearDrop, DownloadAgain, PutBack, ReleaseBatch
from gateway.payout_batches.selectors import waiting_by_account
from gateway.providers.models import ProviderAccount
from gateway.staff.kit import refusals
from gateway.staff.kit.amounts import money
from gateway.staff.kit.columns import address, colored, column, day, moment, or_empty, related
from gateway.staff.kit.forms import NoteField, NoteForm
from gateway.staff.kit.pages import TWO_PEOPLE, Done, ReadOnlyAdmin
from gateway.staff.kit.queues import Queue
from gateway.staff.kit.related import Related
from ledger.notation import plain_amount

State = PayoutBatch.State
STATES = {
    "OPEN": "warning", "RELEASED": "warning", "DROPPING": "info", "UNCERTAIN": "danger", "HANDED_OVER": "success",
    "CANCELED": "info",
}  # fmt: skip
POSSIBLE: dict[str, tuple[str, ...]] = {
    State.OPEN: ("release", "cancel"),
    State.RELEASED: ("download", "cancel"),
    State.DROPPING: ("cancel",),
    State.UNCERTAIN: ("clear_drop",),
    State.HANDED_OVER: ("download_again", "put_back"),
    State.CANCELED: (),
}


class GatherForm(forms.Form):
    """For which account, and when it is to pay."""

    way = forms.ChoiceField(label="Account", widget=UnfoldAdminSelectWidget)
    pay_on = forms.DateField(label="To be paid on", widget=UnfoldAdminDateWidget)
    note = NoteField()

    def __init__(self, data: Any = None) -> None:
        waiting = {f"{one.account.pk}:{one.currency}": one for one in waiting_by_account()}
        self._days = {way: _today(one.account) for way, one in waiting.items()}
        working = [_today(one.account, working=True) for one in waiting.values()]
        super().__init__(data, initial={"pay_on": min(working, default=utcnow().date())})
        self.fields["way"].choices = [  # type: ignore[attr-defined]
            ("", "---------"),
            *(
                (way, f"{one.account}: {one.count}, {plain_amount(one.total, one.currency)}")
                for way, one in waiting.items()
            ),
        ]

    def clean_pay_on(self) -> date:
        found: date = self.cleaned_data["pay_on"]
        today = self._days.get(self.cleaned_data.get("way", ""))
        if today and found < today:
            raise forms.ValidationError(gettext("The day has passed: at the bank it is %(day)s.") % {"day": today})
        return found


def _today(account: ProviderAccount, *, working: bool = False) -> date:
    """The date at the bank, or the next one on which banks work."""
    way = files.way_of(account)
    if way is None:
        return utcnow().date()
    return way.next_working_day(utcnow()) if working else way.day(utcnow())


class ClearForm(NoteForm):
    """What the bank said."""

    was_dropped = forms.ChoiceField(
        label="Does the bank have the file?",
        choices=[("", "---------"), ("yes", "Yes"), ("no", "No, it said so in writing")],
        widget=UnfoldAdminSelectWidget,
    )
    field_order = ("was_dropped", "note")


def _waits_for_people() -> Q:
    return Q(state__in=(State.OPEN, State.RELEASED, State.UNCERTAIN), drop_at=None)


@admin.register(PayoutBatch)
class PayoutBatchAdmin(ReadOnlyAdmin):
    """Add permission: gather. Change permission: everything else; releasing takes two people."""

    has_history = True
    permissions_used = ("view", "add", "change")
    ids = {"pac": "account", "wdr": "orders__withdrawal"}
    words = {"file_name": str, "orders__number": str.upper, "digest": str.lower}
    search_help_text = "Batch, account or withdrawal id, number of an order, name or SHA-256 of the file"
    listed_at = ("account",)
    list_select_related = ("account",)
    list_display = (
        "id", colored("state", **STATES), related("account"), "count", money("total"), day("pay_on"), "sequence",
        moment("created_at"),
    )  # fmt: skip
    list_filter = ("state", "currency", "account__provider")
    fieldsets = (
        (None, {"fields": ("id", ("state", day("pay_on")), related("account"), ("count", money("total")))}),
        (
            "File",
            {
                "fields": (
                    (column("file_name", or_empty), column("format", or_empty)),
                    ("sequence", "size"),
                    column("digest", or_empty, "SHA-256"),
                    ("downloads", "downloads_allowed"),
                )
            },
        ),
        (
            "Folder",
            {"fields": (moment("drop_at", "next attempt"), column("drop_failure", or_empty, "last failure"))},
        ),
        (
            "Timestamps",
            {
                "fields": (
                    (moment("created_at"), moment("released_at")),
                    (moment("handed_over_at"), moment("canceled_at")),
                )
            },
        ),
    )
    queues = (
        Queue(
            name="waiting",
            title="Payment files waiting for people",
            icon="outbox",
            waiting=_waits_for_people,
            since="created_at",
            environment="",
        ),
    )
    actions_list = (*ReadOnlyAdmin.actions_list, "gather")
    actions_detail = ("release", "download", "clear_drop", "cancel", "put_back", "download_again")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("sealed_file")

    def related_to(self, record: PayoutBatch) -> Iterable[Related]:
        yield from super().related_to(record)
        yield from Related.found_by(record, Proposal.objects.filter(object_id=record.pk))

    def has_gather_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("gateway.add_payoutbatch")

    def has_decide_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("gateway.change_payoutbatch")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Only what the state allows."""
        batch = self.get_object(request, unquote(str(object_id)))
        possible = set(POSSIBLE[batch.state]) if batch else set()
        if batch and batch.drop_at is not None:
            possible.discard("download")
        if batch and batch.state == State.HANDED_OVER and batch.downloads < batch.downloads_allowed and batch.downloads:
            possible.add("download")
        return [one for one in super().get_actions_detail(request, object_id) if one.path in possible]

    @action(description="Gather withdrawals", permissions=["gather"], icon="playlist_add")
    def gather(self, request: HttpRequest) -> HttpResponse:
        """Into a new batch; nothing is sent before two people have released it."""
        second_factor.require(request)
        form = GatherForm(request.POST if request.method == "POST" else None)
        if form.is_valid():
            account_id, _, currency = form.cleaned_data["way"].partition(":")
            given = form.cleaned_data
            try:
                batch = services.gather(Actor.of(request), account_id, currency, given["pay_on"], given["note"])
                self.log_action(request, batch, "", f"Gathered: {given['note']}")
                message = ngettext(
                    "%(n)s withdrawal waits to be released.", "%(n)s withdrawals wait to be released.", batch.count
                )
                self.message_user(request, message % {"n": batch.count}, messages.SUCCESS)
                return HttpResponseRedirect(address(PayoutBatch, "change", batch.pk))
            except Refusal as refusal:
                form.add_error(None, refusals.in_words(refusal))
        sentence = gettext(
            "The oldest withdrawals that wait for a file of the account. Nothing is sent before two people release it."
        )
        return self.decision(request, None, gettext("Gather withdrawals"), sentence=sentence, form=form)

    @action(
        description=pgettext_lazy("verb", "Release"),
        permissions=["decide"],
        icon="task_alt",
        variant=ActionVariant.PRIMARY,
    )
    def release(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._proposed(request, object_id, ReleaseBatch.name)

    @action(description="File was refused", permissions=["decide"], icon="undo", variant=ActionVariant.DANGER)
    def put_back(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._proposed(request, object_id, PutBack.name)

    @action(description="Download again", permissions=["decide"], icon="warning", variant=ActionVariant.DANGER)
    def download_again(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._proposed(request, object_id, DownloadAgain.name)

    @action(description="Was it dropped?", permissions=["decide"], icon="help", variant=ActionVariant.PRIMARY)
    def clear_drop(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._proposed(request, object_id, ClearDrop.name, ClearForm, "was_dropped")

    def _proposed(
        self, request: HttpRequest, object_id: str, name: str, kind_of_form: type[NoteForm] = NoteForm, *values: str
    ) -> HttpResponse:
        batch, kind = self.record(request, object_id), KINDS[name]
        form = kind_of_form(request.POST if request.method == "POST" else None)
        given = {one: "no" for one in values}
        if not form.is_valid():
            total = plain_amount(batch.total, batch.currency)
            about = gettext("%(account)s: %(amount)s, to be paid on %(day)s.") % {
                "account": batch.account,
                "amount": total,
                "day": batch.pay_on,
            }
            sentence = f"{about} {kind.sentence(batch, given)} {TWO_PEOPLE}"
            return self.decision(request, batch, kind.title, sentence=sentence, form=form)
        given = {one: form.cleaned_data[one] for one in values}
        return self.put(request, batch, kind, given, form.cleaned_data["note"])

    @action(description="Cancel", permissions=["decide"], icon="block", variant=ActionVariant.DANGER)
    def cancel(self, request: HttpRequest, object_id: str) -> HttpResponse:
        batch = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = gettext("Nobody has the file, and nobody will get it. Its withdrawals wait for another batch.")
            return self.decision(request, batch, gettext("Cancel this batch"), sentence=sentence, form=form)

        def act() -> Done:
            note = form.cleaned_data["note"]
            canceled = services.cancel(Actor.of(request), batch.pk, note)
            return Done(canceled, "", f"Canceled: {note}", gettext("The batch was canceled."))

        return self.carry_out(request, batch, act)

    @action(description="Download the file", permissions=["decide"], icon="download", variant=ActionVariant.PRIMARY)
    def download(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Once: from then on the file counts as handed over."""
        batch = self.record(request, object_id)
        second_factor.require(request)
        if batch.downloads >= batch.downloads_allowed:
            return self.refused(request, batch, BatchState())
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = gettext(
                "From now on the file counts as handed over: the batch cannot be canceled, and another download takes "
                "two people. Give it to the bank once."
            )
            return self.decision(request, batch, gettext("Download the file"), sentence=sentence, form=form)
        try:
            require_uninvolved(request.user, KINDS[ReleaseBatch.name].company_ids(batch))  # type: ignore[arg-type]
            taken, content = services.take_download(Actor.of(request), batch.pk, form.cleaned_data["note"])
        except Refusal as refusal:
            return self.refused(request, batch, refusal)
        self.log_action(request, taken, "", f"Downloaded: {form.cleaned_data['note']}")
        answer = HttpResponse(content, content_type="application/octet-stream")
        answer["Content-Disposition"] = f'attachment; filename="{taken.file_name}"'
        answer["X-Content-Type-Options"] = "nosniff"
        return answer
