"""Period filters of lists."""

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.base.clock import utcnow
from gateway.dashboard.forms import DashboardForm

EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


def moment_field(label: Any) -> forms.DateTimeField:
    """Date and time in the person's own zone."""
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    limits = [MinValueValidator(EARLIEST), MaxValueValidator(LATEST)]
    return forms.DateTimeField(label=label, required=False, widget=widget, validators=limits)


class PeriodForm(DashboardForm):
    """`created_to` is exclusive; either may be empty."""

    created_from = moment_field(gettext_lazy("From"))
    created_to = moment_field(gettext_lazy("To"))

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        begins, ends = given.get("created_from"), given.get("created_to")
        if isinstance(begins, datetime) and isinstance(ends, datetime) and begins >= ends:
            self.add_error("created_to", _("Must be after the start."))
        return given


def file_name(what: str, wanted: dict[str, Any]) -> str:
    """The name of an export with its period: `events-2026-11-01-2026-11-21`."""
    begins, ends = wanted.get("created_from"), wanted.get("created_to")
    days = [timezone.localtime(moment).date().isoformat() for moment in (begins, ends or utcnow()) if moment]
    return "-".join([what, *days])
