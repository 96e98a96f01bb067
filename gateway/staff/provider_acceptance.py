"""Acceptance by provider account, over all companies in production."""

from datetime import UTC, timedelta
from typing import ClassVar

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action

from accounts.base.clock import utcnow
from accounts.base.periods import Period
from gateway.database.replica import is_final
from gateway.methods.failures import sentence_of
from gateway.payments.acceptance import LONGEST_DAYS, Attempts, of_everybody
from gateway.staff.kit.pages import ReadOnlyAdmin
from gateway.staff.overview.panels import NONE, WATCH, Panel, PanelTable, lines

SPANS = (1, 7, 30, LONGEST_DAYS)
USUAL = 7
TITLE = _("Acceptance by provider account")
HEADERS = [
    *(_("Account"), _("Method"), _("Attempts"), _("Paid"), _("Declined"), _("Technical"), _("Passed on")),
    *(_("Open"), _("Acceptance"), _("Most frequent reasons")),
]
NOTE = _(
    "Each payment counts at the account that was asked, and one that was passed on at both. Acceptance is the share of "
    "paid ones; payments that are open, or that expired, do not change it."
)


class AccountAcceptance(ReadOnlyAdmin):
    """The page about all accounts, for whoever can view them."""

    actions_list: ClassVar[tuple[str, ...]] = ("acceptance",)

    def has_compare_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_view_permission(request))

    @action(description="Acceptance", permissions=["compare"], icon="percent")
    def acceptance(self, request: HttpRequest) -> HttpResponse:
        days = _days(request.GET.get("days", ""))
        spans = [(number, _span(number), number == days) for number in SPANS]
        here = {"opts": self.model._meta, "title": TITLE, "spans": spans}
        context = self.admin_site.each_context(request) | here | {"panel": _panel(days)}
        return TemplateResponse(request, "admin/acceptance.html", context)


def _span(days: int) -> str:
    return gettext("Today") if days == 1 else ngettext("%(n)s day", "%(n)s days", days) % {"n": days}


def _days(asked: str) -> int:
    return next((days for days in SPANS if asked == str(days)), USUAL)


def _panel(days: int) -> Panel:
    """Today and the last days until now, in UTC."""
    today = utcnow().astimezone(UTC).date()
    try:
        found = of_everybody(Period.of_days(today - timedelta(days=days - 1), today, UTC))
    except OperationalError as failure:
        if not is_final(failure):
            raise
        return Panel(
            str(TITLE),
            label=gettext("Unavailable"),
            state=WATCH,
            note=gettext("The query timed out. Choose fewer days."),
        )
    if not found:
        return Panel(str(TITLE), note=gettext("No payments at providers in this period."))
    table = PanelTable([str(header) for header in HEADERS], [_row(one) for one in found])
    return Panel(str(TITLE), (table,), note=str(NOTE))


def _row(one: Attempts) -> list[object]:
    counts = (one.count, one.paid, one.declined, one.technical, one.moved, one.undecided)
    rate = NONE if one.rate is None else f"{one.rate}%"
    reasons = lines(f"{count:,}: {sentence_of(code)}" for code, count in one.top_reasons)
    return [one.acquirer, f"{one.method} {one.currency}", *(f"{count:,}" for count in counts), rate, reasons]
