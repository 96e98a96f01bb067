"""The event log: every event, whether or not an endpoint was subscribed."""

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.base.csv_export import csv_of, timed
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.events.words import KIND
from gateway.dashboard.moments import PeriodForm, file_name
from gateway.dashboard.paging import in_chunks, page_of
from webhooks import selectors


class EventFilter(PeriodForm):
    type = forms.ChoiceField(
        label=gettext_lazy("Event"),
        required=False,
        choices=[("", gettext_lazy("Any")), *((kind, kind) for kind in KIND)],
    )
    object_id = forms.CharField(
        label=gettext_lazy("Object"),
        required=False,
        max_length=40,
        widget=forms.TextInput(attrs={"placeholder": "pay_…"}),
    )
    field_order = ["type", "object_id", "created_from", "created_to"]


COLUMNS = (
    (timed(gettext_lazy("Occurred")), lambda row: row.occurred_at),
    (gettext_lazy("Event"), lambda row: row.type),
    (gettext_lazy("Object"), lambda row: row.object_id),
    (timed(gettext_lazy("Recorded")), lambda row: row.created_at),
    (gettext_lazy("Id"), lambda row: row.pk),
)


@require_safe
@page_view(May.READ_TECHNICAL)
def events(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    """Newest first. `?format=csv` is the list as a file."""
    form = EventFilter(request.GET)
    wanted = {name: value for name, value in form.cleaned_data.items() if value} if form.is_valid() else {}
    found = selectors.events(here.merchant, **wanted).defer("body")
    if request.GET.get("format") == "csv":
        return csv_of(file_name(slugify(_("Events")), wanted), COLUMNS, in_chunks(found))
    return here.render("events/list.html", filter=form, filtered=bool(wanted), page=page_of(found, request.GET))
