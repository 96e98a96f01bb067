"""Scheduled reports: a person's own, a new one, and the end of one."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from accounts.roles import May
from gateway.dashboard.access import page_view
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.dashboard.models import SavedView
from gateway.dashboard.saved_views.lists import shown
from gateway.reports import services
from gateway.reports.models import Frequency, Subject

_HOURS = [(str(hour), f"{hour:02}:00") for hour in range(24)]


class ReportForm(DashboardForm):
    """A list, as a whole or by a saved view, and when its link is sent."""

    what = forms.ChoiceField(label=gettext_lazy("Report"))
    frequency = forms.ChoiceField(label=gettext_lazy("How often"), choices=Frequency.choices)
    hour = forms.TypedChoiceField(label=gettext_lazy("Time"), choices=_HOURS, coerce=int, initial="8")

    def __init__(self, here: RequestContext, *args: Any) -> None:
        super().__init__(*args)
        self.zone = timezone.get_current_timezone_name()
        self.views: dict[str, SavedView | None] = {}
        choices: list[tuple[str, Any]] = []
        for subject in Subject:
            if not here.may(services.NEEDS[subject]):
                continue
            views = {f"{subject}/{view.pk}": view for view in shown(here.merchant, here.user, subject)}
            self.views |= {str(subject): None, **views}
            choices += [(str(subject), subject.label)]
            choices += [(code, f"{subject.label}: {view.name}") for code, view in views.items()]
        self.fields["what"].choices = choices  # type: ignore[attr-defined]

    def plan(self) -> services.ReportPlan:
        given = self.cleaned_data
        view = self.views[given["what"]]
        return services.ReportPlan(
            subject=given["what"].partition("/")[0],
            frequency=given["frequency"],
            hour=given["hour"],
            time_zone=self.zone,
            name=view.name if view else "",
            query=view.query if view else "",
        )


@require_http_methods(["GET", "HEAD", "POST"])
@page_view(May.READ_PAYMENTS)
def reports(request: HttpRequest, here: RequestContext) -> HttpResponse:
    """The person's reports and the form of a new one."""
    form = ReportForm(here, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        if services.schedule(here.merchant, here.user, form.plan()):
            return here.redirect("reports", message=_("The report was scheduled."))
        form.add_error(None, _("You already have 20 scheduled reports. End one first."))
    mine = services.of_person(here.merchant, here.user)
    rows = [(one, here.may(services.NEEDS[one.subject])) for one in mine]
    return here.render("reports/list.html", form=form, rows=rows)


@require_POST
@page_view(May.READ_PAYMENTS)
def end(request: HttpRequest, here: RequestContext, report_id: str) -> HttpResponse:
    if not services.end(here.merchant, here.user, report_id):
        raise Http404
    return here.redirect("reports", message=_("The report was ended."))
