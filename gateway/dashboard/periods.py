"""Days in the reader's zone: input, start and end; periods of figures."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from accounts.base.periods import Period
from accounts.models import Merchant
from gateway.dashboard.forms import DashboardForm

FIRST, LAST = date(2000, 1, 1), date(2099, 12, 31)
PERIODS: dict[str, tuple[str | Promise, int]] = {
    "today": (gettext_lazy("Today"), 1),
    "yesterday": (gettext_lazy("Yesterday"), 1),
    "7": (gettext_lazy("7 days"), 7),
    "30": (gettext_lazy("30 days"), 30),
    "90": (gettext_lazy("90 days"), 90),
}
"""Label and number of days of each period of figures."""
USUAL = "30"


def chosen_period(merchant: Merchant, now: datetime, chosen: str) -> tuple[str, Period]:
    """The chosen one, else the usual: whole days of the reader that end today, by the merchant's clock."""
    chosen = chosen if chosen in PERIODS else USUAL
    zone = timezone.get_current_timezone()
    if chosen == "yesterday":
        yesterday = timezone.localtime(now).date() - timedelta(days=1)
        return chosen, Period.of_days(yesterday, yesterday, zone)
    return chosen, Period.last_days(merchant, PERIODS[chosen][1], zone)


def choices(chosen: str) -> list[tuple[str, str | Promise, bool]]:
    """Each period with its label, and whether it is the chosen one."""
    return [(code, title, code == chosen) for code, (title, _days) in PERIODS.items()]


class DayField(forms.DateField):
    """A date with the browser's picker."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("widget", forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"))
        options["validators"] = [MinValueValidator(FIRST), MaxValueValidator(LAST)]
        super().__init__(**options)


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
