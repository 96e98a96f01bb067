"""The request log: requests of the company's servers, responses and results."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts import selectors as accounts
from accounts.base.csv_export import csv_of, timed
from accounts.models import Merchant
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.moments import PeriodForm, file_name
from gateway.dashboard.paging import in_chunks, page_of
from gateway.dashboard.requests.words import meaning_of
from gateway.requests import selectors

METHODS = ("GET", "POST", "PATCH", "DELETE")
CLASSES = (
    ("", gettext_lazy("Any")),
    ("2", gettext_lazy("2xx: succeeded")),
    ("4", gettext_lazy("4xx: rejected")),
    ("5", gettext_lazy("5xx: failed")),
)
MOST_KEYS = 50


class RequestFilter(PeriodForm):
    path_contains = forms.CharField(
        label=gettext_lazy("Path"), required=False, max_length=255, widget=forms.TextInput({"placeholder": "/payments"})
    )
    status_class = forms.TypedChoiceField(
        label=gettext_lazy("Status"), required=False, choices=CLASSES, coerce=int, empty_value=None
    )
    method = forms.ChoiceField(
        label=gettext_lazy("Method"), required=False, choices=[("", gettext_lazy("Any")), *((m, m) for m in METHODS)]
    )
    code = forms.CharField(
        label=gettext_lazy("Code"), required=False, max_length=80, widget=forms.TextInput({"placeholder": "ONP409_…"})
    )
    key_id = forms.ChoiceField(label=gettext_lazy("API key"), required=False)
    origin = forms.GenericIPAddressField(label=gettext_lazy("Origin"), required=False)
    object_id = forms.CharField(
        label=gettext_lazy("Object"), required=False, max_length=40, widget=forms.TextInput({"placeholder": "pay_…"})
    )
    seldom = ("code", "key_id", "origin", "object_id")
    field_order = ["path_contains", "status_class", "method", "created_from", "created_to", *seldom]

    def __init__(self, merchant: Merchant, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        keys = [*accounts.live_keys(merchant)[:MOST_KEYS], *accounts.inactive_keys(merchant)[:MOST_KEYS]]
        self.fields["key_id"].choices = [("", _("Any")), *((key.pk, str(key)) for key in keys)]  # type: ignore[attr-defined]

    @property
    def asks_seldom(self) -> bool:
        return any(self[name].value() for name in self.seldom)


COLUMNS = (
    (timed(gettext_lazy("Time")), lambda row: row.created_at),
    (gettext_lazy("Method"), lambda row: row.method),
    (gettext_lazy("Path"), lambda row: row.path),
    (gettext_lazy("Status"), lambda row: row.status),
    (gettext_lazy("Code"), lambda row: row.code),
    (gettext_lazy("API key"), lambda row: str(row.api_key)),
    (gettext_lazy("Origin"), lambda row: row.origin),
    (gettext_lazy("Duration (ms)"), lambda row: round(row.elapsed_ms)),
    ("RequestId", lambda row: row.pk),
)


@require_safe
@page_view(May.READ_TECHNICAL)
def requests(request: HttpRequest, here: RequestContext) -> HttpResponseBase:
    """Newest first, below recent errors. `?format=csv` exports the list."""
    form = RequestFilter(here.merchant, request.GET)
    wanted = {name: value for name, value in form.cleaned_data.items() if value} if form.is_valid() else {}
    found = selectors.listed(here.merchant, **wanted)
    if request.GET.get("format") == "csv":
        return csv_of(file_name(slugify(_("Requests")), wanted), COLUMNS, in_chunks(found))
    refused = [(one, meaning_of(one.code)) for one in selectors.refused(here.merchant)]
    return here.render(
        "requests/list.html", filter=form, filtered=bool(wanted), page=page_of(found, request.GET), refused=refused
    )
