"""Saved views of the payment list: personal."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.models import SavedView
from gateway.dashboard.payments.filters import kept

MOST = 20


class ViewForm(DashboardForm):
    """Name and query of a view."""

    name = forms.CharField(label=gettext_lazy("Name of the view"), max_length=60)
    query = forms.CharField(required=False, max_length=2000, widget=forms.HiddenInput)

    def clean_query(self) -> str:
        return kept(QueryDict(self.cleaned_data["query"]))


def saved(here: RequestContext) -> list[SavedView]:
    """This person's views, by name."""
    return list(SavedView.objects.filter(user=here.user, merchant=here.merchant).order_by("name"))


def save(here: RequestContext, name: str, query: str) -> SavedView | None:
    """Saves a view, replacing one of the same name. None if there are already MOST."""
    mine = SavedView.objects.filter(user=here.user, merchant=here.merchant)
    if not mine.filter(name=name).exists() and mine.count() >= MOST:
        return None
    view, _made = SavedView.objects.update_or_create(
        user=here.user, merchant=here.merchant, name=name, defaults={"query": query}
    )
    return view


@require_POST
@page_view(May.READ_PAYMENTS)
def keep(request: HttpRequest, here: RequestContext) -> HttpResponse:
    form = ViewForm(request.POST)
    if not form.is_valid():
        return _back(here, request.POST.get("query", ""), _("The name of a view must have 1 to 60 characters."))
    view = save(here, form.cleaned_data["name"], form.cleaned_data["query"])
    if view is None:
        return _back(here, form.cleaned_data["query"], _("You already have 20 views. Delete one first."))
    return _back(here, view.query, _("The view was saved."))


@require_POST
@page_view(May.READ_PAYMENTS)
def delete(request: HttpRequest, here: RequestContext, view_id: int) -> HttpResponse:
    """Deletes only the person's own view."""
    SavedView.objects.filter(user=here.user, merchant=here.merchant, pk=view_id).delete()
    return here.redirect("payments", message=_("The view was deleted."))


def _back(here: RequestContext, query: str, message: str) -> HttpResponse:
    address: Any = here.redirect("payments", message=message)["Location"]
    return HttpResponseRedirect(f"{address}?{kept(QueryDict(query))}")
