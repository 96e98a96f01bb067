"""Events sent again and endpoints switched on by staff: through the services that companies use, told to owners."""

from typing import Any

from django import forms
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminSplitDateTimeWidget

from accounts import audit, notices
from accounts.models import Environment, Merchant
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.pages import Done, ReadOnlyAdmin
from webhooks import services
from webhooks.kinds import KINDS
from webhooks.models import Delivery, Endpoint, Event
from webhooks.services import MOST_AT_ONCE, Filter

NOTHING = _("Nothing was sent: no active endpoint is subscribed to it, or it is on its way already.")
RESENDS = _("It is sent once more to each active endpoint that is subscribed to it, unless it is on its way already.")
RESENDS_THERE = _(
    "Its event is sent to this endpoint once more, if that is active and subscribed, unless it is on its way already."
)
REPLAYS = _(
    "The events of this time that the endpoint is subscribed to are sent again, oldest first, at most %(most)s at "
    "once. What is on its way already is not sent twice."
)
SWITCHES_ON = _("Its failures are forgotten, and new events are delivered. Past ones are not: replay them afterwards.")
LAST = (
    ("FAILED", _("Given up")),
    ("NONE", _("Never sent")),
    ("CANCELED", _("Canceled")),
    ("DELIVERED", _("Delivered")),
    ("", _("Any")),
)


def may_send_again(request: HttpRequest) -> bool:
    return request.user.has_perm("webhooks.resend_event")


def send_again(request: HttpRequest, record: Model, object_id: str, queued: int, note: str) -> Done | str:
    """Audits what was queued of a record and tells the owners."""
    if not queued:
        return str(NOTHING)
    record_and_tell(request, record, "webhook.redelivered", object_id, note, after={"queued": queued})
    return Done(record, "", f"Sent again: {note}", gettext("Queued deliveries: %(n)s.") % {"n": queued})


def record_and_tell(
    request: HttpRequest,
    record: Any,
    action_name: str,
    object_id: str,
    note: str,
    *,
    after: dict[str, Any],
    before: dict[str, Any] | None = None,
) -> None:
    """Writes the audit entry that companies read, and e-mails the owners about production."""
    merchant: Merchant = record.endpoint.merchant if isinstance(record, Delivery) else record.merchant
    audit.record(
        request,
        action_name,
        merchant=merchant,
        object_id=object_id,
        before=before,
        after=after,
        note=note,
        by_staff=True,
    )
    if merchant.environment == Environment.PRODUCTION:
        what = "endpoint_on" if action_name == "webhook.changed" else "sent_again"
        where = str(getattr(record, "url", "") or object_id)
        subject = _("support worked on your webhooks")
        notices.notify_owners(merchant.company, subject, "by_support", "webhooks", what=what, about=where)


class ReplayForm(NoteForm):
    """The time of the events, their type, and how their last delivery to the endpoint ended."""

    created_from = forms.SplitDateTimeField(label="From (UTC)", widget=UnfoldAdminSplitDateTimeWidget)
    created_to = forms.SplitDateTimeField(label="Until (UTC)", widget=UnfoldAdminSplitDateTimeWidget, required=False)
    type = forms.ChoiceField(
        label="Event",
        required=False,
        choices=[("", "Every type it is subscribed to"), *((kind, kind) for kind in KINDS)],
        widget=UnfoldAdminSelectWidget,
    )
    last_status = forms.ChoiceField(
        label="Last delivery", required=False, choices=LAST, initial="FAILED", widget=UnfoldAdminSelectWidget
    )
    counted = forms.IntegerField(required=False, widget=forms.HiddenInput)
    field_order = ("created_from", "created_to", "type", "last_status", "note")

    def count(self, number: int) -> None:
        """Remembers how many events were shown: they are sent when the same number is confirmed."""
        self.data = {**{name: self.data.get(name) for name in self.data}, "counted": str(number)}

    def wanted(self) -> Filter:
        names = ("created_from", "created_to", "type", "last_status")
        return Filter(**{name: self.cleaned_data[name] or None for name in names})


def _matching(count: int) -> str:
    if count > MOST_AT_ONCE:
        return gettext("The oldest %(most)s of more events match. Confirm to send them.") % {
            "most": f"{MOST_AT_ONCE:,}"
        }
    found = ngettext("%(n)s event matches. Confirm to send it.", "%(n)s events match. Confirm to send them.", count)
    return found % {"n": f"{count:,}"}


class SendsAgain(ReadOnlyAdmin):
    """An event or a delivery that is sent again."""

    actions_detail = ("resend",)

    def has_resend_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return may_send_again(request)

    @action(description="Send again", permissions=["resend"], icon="forward_to_inbox")
    def resend(self, request: HttpRequest, object_id: str) -> HttpResponse:
        record = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            sentence = RESENDS if isinstance(record, Event) else RESENDS_THERE
            return self.decision(request, record, gettext("Send again"), sentence=sentence, form=form)

        def act() -> Done | str:
            if isinstance(record, Event):
                queued = services.resend(record.merchant, event_id=record.pk)
            else:
                there: Endpoint = record.endpoint
                queued = services.resend(there.merchant, event_id=record.event_id, endpoint_id=there.pk)
            return send_again(request, record, record.pk, queued, form.cleaned_data["note"])

        return self.carry_out(request, record, act)


class EndpointHelp(ReadOnlyAdmin):
    """Change permission: switch an endpoint on."""

    actions_detail = ("switch_on", "replay")

    def has_resend_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return may_send_again(request)

    def has_enable_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return request.user.has_perm("webhooks.change_endpoint")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        endpoint = self.get_object(request, str(object_id))
        if endpoint is None or endpoint.deleted_at:
            return []
        is_on = endpoint.status == Endpoint.Status.ACTIVE
        possible = {"replay"} if is_on else {"switch_on"}
        possible |= {"switch_on"} if endpoint.is_left_alone else set()
        return [one for one in super().get_actions_detail(request, object_id) if one.path in possible]

    @action(description="Switch on", permissions=["enable"], icon="power_settings_new", variant=ActionVariant.PRIMARY)
    def switch_on(self, request: HttpRequest, object_id: str) -> HttpResponse:
        endpoint: Endpoint = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.decision(request, endpoint, gettext("Switch on"), sentence=SWITCHES_ON, form=form)

        def act() -> Done:
            note, before = form.cleaned_data["note"], {"status": endpoint.status}
            changed = services.change(endpoint.merchant, endpoint.pk, status=Endpoint.Status.ACTIVE)
            after = {"status": changed.status}
            record_and_tell(request, changed, "webhook.changed", changed.pk, note, before=before, after=after)
            return Done(changed, "", f"Switched on: {note}", gettext("The endpoint is on. Its owners are told."))

        return self.carry_out(request, endpoint, act)

    @action(description="Replay events", permissions=["resend"], icon="replay")
    def replay(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Counts first, and sends when the same count is confirmed."""
        endpoint: Endpoint = self.record(request, object_id)
        form = ReplayForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.decision(
                request, endpoint, gettext("Replay events"), sentence=REPLAYS % {"most": f"{MOST_AT_ONCE:,}"}, form=form
            )
        wanted = form.wanted()
        count, _first = services.sample(endpoint.merchant, endpoint.pk, wanted)
        if form.cleaned_data["counted"] != count:
            form.count(count)
            return self.decision(
                request,
                endpoint,
                gettext("Replay events"),
                sentence=_matching(count),
                form=form,
            )

        def act() -> Done | str:
            _matched, queued = services.replay(endpoint.merchant, endpoint.pk, wanted, dry_run=False)
            if not queued:
                return gettext("Nothing matched: nothing is sent.")
            note = form.cleaned_data["note"]
            asked = {name: str(form.cleaned_data[name]) for name in form.field_order[:4] if form.cleaned_data[name]}
            record_and_tell(
                request, endpoint, "webhook.replayed", endpoint.pk, note, before=asked, after={"queued": queued}
            )
            return Done(endpoint, "", f"Replayed: {note}", gettext("Queued deliveries: %(n)s.") % {"n": f"{queued:,}"})

        return self.carry_out(request, endpoint, act)
