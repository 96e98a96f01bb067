"""What this person was told about the company in this environment: the list, and how it is marked as read."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import NoReverseMatch, resolve
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.notifications import services
from accounts.notifications.models import Notification
from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.audit.list import feed
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.notifications.words import ICON, KIND, USUAL_ICON
from gateway.dashboard.paging import page_of


class CentreForm(DashboardForm):
    """By kind, and whether it was read."""

    kind = forms.ChoiceField(label=gettext_lazy("About"), required=False)
    unread = forms.ChoiceField(
        label=gettext_lazy("Show"), choices=[("", gettext_lazy("All")), ("1", gettext_lazy("Unread"))], required=False
    )

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        kinds = sorted(((kind, str(title)) for kind, title in KIND.items()), key=lambda one: one[1])
        self.fields["kind"].choices = [("", _("Everything")), *kinds]  # type: ignore[attr-defined]
        self.is_valid()


@dataclass(frozen=True, slots=True)
class Shown:
    """A notification in the reader's language. Who may not open its page reads only the title."""

    row: Notification
    may_open: bool

    @property
    def icon(self) -> str:
        return ICON.get(self.row.kind, USUAL_ICON)

    @property
    def title(self) -> str:
        return capfirst(self._wording[0])

    @property
    def sentence(self) -> str:
        return self._wording[1] if self.may_open and len(self._wording) > 1 else ""

    @property
    def facts(self) -> str:
        return " · ".join(self._wording[2:]) if self.may_open else ""

    @property
    def _wording(self) -> list[str]:
        found: list[str] | None = self.row.wording.get(get_language()) or next(iter(self.row.wording.values()))
        return found or [self.row.kind]


@require_safe
@page_view(May.READ_PAYMENTS)
def centre(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """Newest first."""
    form = CentreForm(request.GET)
    kind, unread = form.cleaned_data.get("kind", ""), bool(form.cleaned_data.get("unread"))
    page = page_of(services.told(here.membership, here.merchant, kind=kind, unread=unread), request.GET)
    return here.render(
        "notifications/list.html",
        form=form,
        filtered=bool(kind or unread),
        page=page,
        rows=[Shown(row, _address(here, row) is not None) for row in page.rows],
        days=services.KEPT_FOR.days,
        feed=feed(here),
        is_centre=True,
    )


@require_safe
@page_view(May.READ_PAYMENTS)
def opened(request: HttpRequest, here: RequestContext, notification_id: str) -> HttpResponse:
    """Marks it as read and leads to the page it is about."""
    rows = services.told(here.membership, here.merchant).filter(pk=notification_id)
    found = rows.first()
    if found is None:
        raise Http404
    services.mark_read(rows)
    return HttpResponseRedirect(_address(here, found) or here.to("notifications"))


@require_POST
@page_view(May.READ_PAYMENTS)
def read_all(request: HttpRequest, here: RequestContext) -> HttpResponse:
    services.mark_read(services.told(here.membership, here.merchant))
    return here.redirect("notifications", message=_("All notifications are marked as read."))


def _address(here: RequestContext, row: Notification) -> str | None:
    """The URL of its page; None if this person may not open that, or it no longer exists."""
    try:
        path = here.to(row.page, *row.args)
    except NoReverseMatch:
        return None
    if not here.may(resolve(path).func.needs):  # type: ignore[attr-defined]
        return None
    return f"{path}?{row.query}" if row.query else path
