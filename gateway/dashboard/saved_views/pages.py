"""Saving and deleting views."""

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import Resolver404, resolve
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.models import SavedView
from gateway.dashboard.saved_views.lists import LISTS, LONGEST, MOST, kept


class ViewForm(DashboardForm):
    """Name, query and use of a view."""

    name = forms.CharField(label=gettext_lazy("Name of the view"), max_length=60)
    query = forms.CharField(required=False, widget=forms.HiddenInput)
    is_shared = forms.BooleanField(required=False)
    is_default = forms.BooleanField(required=False)

    def clean_query(self) -> str:
        query = kept(QueryDict(self.cleaned_data["query"]))
        if len(query) > LONGEST:
            raise forms.ValidationError(_("The filter is too long to be saved."))
        return query


@require_POST
@page_view(May.READ_PAYMENTS)
def keep(request: HttpRequest, here: RequestContext, page: str) -> HttpResponse:
    """Saves a view of a list, replacing this person's view of the same name."""
    _require_list(here, page)
    form = ViewForm(request.POST)
    if not form.is_valid():
        wrong = form.errors.get("query") or [_("The name of a view must have 1 to 60 characters.")]
        return _back(here, page, request.POST.get("query", ""), str(wrong[0]))
    given = dict(form.cleaned_data)
    view = save(here, page, given.pop("name"), **given)
    if view is None:
        return _back(here, page, given["query"], _("You already have 20 views of this list. Delete one first."))
    return _back(here, page, view.query, _("The view was saved."))


@transaction.atomic
def save(here: RequestContext, page: str, name: str, **wanted: Any) -> SavedView | None:
    """Saves a view; a person has one default view of a list. None if they already have MOST."""
    User.objects.select_for_update(no_key=True).get(pk=here.user.pk)  # two requests at once make one default
    mine = SavedView.objects.filter(user=here.user, merchant=here.merchant, page=page)
    if not mine.filter(name=name).exists() and mine.count() >= MOST:
        return None
    if wanted["is_default"]:
        mine.update(is_default=False)
    view, _made = SavedView.objects.update_or_create(
        user=here.user, merchant=here.merchant, page=page, name=name, defaults=wanted
    )
    return view


@require_POST
@page_view(May.READ_PAYMENTS)
def delete(request: HttpRequest, here: RequestContext, page: str, view_id: int) -> HttpResponse:
    """Deletes the person's own view; owners also delete what others share."""
    _require_list(here, page)
    views = SavedView.objects.filter(merchant=here.merchant, page=page, pk=view_id)
    mine = views.filter(user=here.user)
    if not (mine.delete()[0] or (here.may(May.MANAGE) and views.filter(is_shared=True).delete()[0])):
        raise Http404
    return _back(here, page, "view=all", _("The view was deleted."))


def _require_list(here: RequestContext, page: str) -> None:
    if page not in LISTS or not here.may(LISTS[page]):
        raise Http404


def _back(here: RequestContext, page: str, query: str, message: str) -> HttpResponse:
    """To the list from which the form was sent: a list of an endpoint has its id in the address."""
    messages.success(here.request, message)
    path = here.request.POST.get("path", "")
    if not _is_page(here, path, page):
        path = here.to(page) if page != "webhook" else here.to("webhooks")
    query = query if query == "view=all" else kept(QueryDict(query))
    return HttpResponseRedirect(f"{path}?{query}")


def _is_page(here: RequestContext, path: str, page: str) -> bool:
    """Whether it is an address of this list, of the same company and environment."""
    try:
        return path.startswith(here.to("home")) and resolve(path).url_name == page
    except Resolver404:
        return False
