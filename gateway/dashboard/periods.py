"""Days in the reader's zone: input, start and end; periods of figures."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.base.periods import DAY, Period, months_before
from gateway.dashboard.context import RequestContext
from gateway.dashboard.forms import DashboardForm
from gateway.sales.selectors import LONGEST_DAYS

FIRST, LAST = date(2000, 1, 1), date(2099, 12, 31)
PERIODS: dict[str, str | Promise] = {
    "today": gettext_lazy("Today"),
    "yesterday": gettext_lazy("Yesterday"),
    "7": gettext_lazy("7 days"),
    "30": gettext_lazy("30 days"),
    "90": gettext_lazy("90 days"),
    "month": gettext_lazy("This month"),
    "last_month": gettext_lazy("Last month"),
}
"""The periods of figures besides that between two days."""
USUAL, BETWEEN = "30", "between"


class DayField(forms.DateField):
    """A date with the browser's picker."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("widget", forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"))
        options["validators"] = [MinValueValidator(FIRST), MaxValueValidator(LAST)]
        super().__init__(**options)


class BetweenForm(DashboardForm):
    """Two days, both inclusive; without the second one until today."""

    since = DayField(label=gettext_lazy("From"))
    until = DayField(label=gettext_lazy("To"), required=False)

    def __init__(self, query: QueryDict | None, today: date, longest: int) -> None:
        super().__init__(query)
        self.today, self.longest = today, longest

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        given["until"] = given.get("until") or self.today
        if "since" in given and given["since"] > given["until"]:
            raise ValidationError(_("The first day is after the last one."))
        if "since" in given and (given["until"] - given["since"]).days >= self.longest:
            raise ValidationError(_("Choose at most %(days)s days.") % {"days": self.longest})
        return given


@dataclass(frozen=True, slots=True)
class Chosen:
    """The chosen period, the one it is compared with, and the form for any other one."""

    code: str
    period: Period
    before: Period
    form: BetweenForm

    @property
    def first(self) -> date:
        return self.period.days[0]

    @property
    def last(self) -> date:
        return self.period.days[-1]

    @property
    def choices(self) -> list[tuple[str, str | Promise, bool]]:
        """Each period with its label, and whether it is the chosen one."""
        return [(code, title, code == self.code) for code, title in PERIODS.items()]


def chosen_period(here: RequestContext, longest: int = LONGEST_DAYS) -> Chosen:
    """The period of the query, else the usual one: whole days of the reader, by the merchant's clock."""
    query, zone = here.request.GET, timezone.get_current_timezone()
    today = timezone.localtime(here.now).date()
    code = query.get("period", "")
    form = BetweenForm(query if code == BETWEEN else None, today, longest)
    if code == BETWEEN and form.is_valid():
        period = Period.of_days(form.cleaned_data["since"], form.cleaned_data["until"], zone)
        return Chosen(code, period, period.before, form)
    code = code if code in PERIODS else USUAL
    first, last = _days(code, today)
    period = Period.of_days(first, last, zone)
    if code == "month":
        began = months_before(first, 1)
        return Chosen(code, period, Period.of_days(began, min(began + (last - first), first - DAY), zone), form)
    return Chosen(code, period, period.before, form)


def usual_periods(now: datetime) -> list[tuple[str | Promise, Period]]:
    """The periods that have a name, in the reader's days."""
    zone, today = timezone.get_current_timezone(), timezone.localtime(now).date()
    return [(title, Period.of_days(*_days(code, today), zone)) for code, title in PERIODS.items()]


def presets(now: datetime) -> list[tuple[str, date, date]]:
    """The same as filters of a list by days: label, first and last day."""
    return [(str(title), period.days[0], period.days[-1]) for title, period in usual_periods(now)]


def _days(code: str, today: date) -> tuple[date, date]:
    if code == "yesterday":
        return today - DAY, today - DAY
    if code == "month":
        return today.replace(day=1), today
    if code == "last_month":
        return months_before(today, 1), today.replace(day=1) - DAY
    return today - (1 if code == "today" else int(code)) * DAY + DAY, today


def begin(day: date) -> datetime:
    """The first instant of the day in the reader's zone."""
    return datetime.combine(day, time(), timezone.get_current_timezone())


def end(day: date) -> datetime:
    """The first instant after the day in the reader's zone."""
    return begin(day + timedelta(days=1))


class DaysForm(DashboardForm):
    """List filters with a first and a last day, both inclusive; these fields come last."""

    since = DayField(label=gettext_lazy("From"), required=False)
    until = DayField(label=gettext_lazy("To"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order_fields([*(name for name in self.fields if name not in ("since", "until")), "since", "until"])

    def filters(self, *names: str) -> dict[str, Any]:
        """The named filters, `created_from` and `created_to`, as selectors take them.

        None for no value; an invalid filter is ignored.
        """
        self.is_valid()
        given = self.cleaned_data
        since, until = given.get("since"), given.get("until")
        return {
            **{name: given.get(name) or None for name in names},
            "created_from": begin(since) if since else None,
            "created_to": end(until) if until else None,
        }

    def file_name(self, what: str) -> str:
        """The file name of an export: its subject and the selected days."""
        days = [str(self.cleaned_data[name]) for name in ("since", "until") if self.cleaned_data.get(name)]
        return "-".join([what, *days])
