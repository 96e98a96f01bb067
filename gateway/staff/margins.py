"""The report of margins: our fees less those of the acquirers, by month, account, method and currency."""

from datetime import timedelta
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action
from unfold.widgets import UnfoldAdminTextInputWidget

from accounts.base.clock import utcnow
from gateway.methods.registry import Method
from gateway.settlements import margins
from gateway.settlements.margins import LONGEST, PeriodRow
from gateway.staff.kit.columns import EMPTY
from gateway.staff.kit.pages import ReadOnlyAdmin
from gateway.staff.overview.panels import PanelTable
from ledger.notation import plain_amount

HEADERS = (
    _("Month"),
    _("Account"),
    _("Method"),
    _("Gross"),
    _("Our fee"),
    _("Acquirer's fee"),
    _("Margin"),
)


class PeriodForm(forms.Form):
    """A period, both days included."""

    since = forms.DateField(label="From", widget=UnfoldAdminTextInputWidget)
    until = forms.DateField(label="To", widget=UnfoldAdminTextInputWidget)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        since, until = given.get("since"), given.get("until")
        if since and until and not 0 <= (until - since).days <= LONGEST:
            raise forms.ValidationError(
                gettext("The period must end after it begins, within %(days)s days.") % {"days": LONGEST}
            )
        return given


class MarginReport(ReadOnlyAdmin):
    """The action on the list of days."""

    def has_margins_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_view_permission(request))

    @action(description="Margins", permissions=["margins"], icon="percent")
    def margins(self, request: HttpRequest) -> HttpResponse:
        """At first this month and the one before."""
        today = utcnow().date()
        before = (today.replace(day=1) - timedelta(days=1)).replace(day=1)
        form = PeriodForm({"since": before, "until": today} | request.GET.dict())
        rows = margins.of_period(**form.cleaned_data) if form.is_valid() else []
        here = {"opts": self.model._meta, "title": gettext("Margins"), "form": form, "table": _table(rows)}
        return TemplateResponse(request, "admin/margins.html", self.admin_site.each_context(request) | here)


def _table(rows: Any) -> PanelTable:
    return PanelTable(HEADERS, [_row(one) for one in rows])


def _row(one: PeriodRow) -> list[str]:
    amounts = (one.gross, one.our_fee, one.acquirer_fee, one.margin)
    told = [plain_amount(minor, one.currency) for minor in amounts]
    return [f"{one.month:%Y-%m}", one.account, str(Method(one.method).label) if one.method else EMPTY, *told]
