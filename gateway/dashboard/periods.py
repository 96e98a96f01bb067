"""Days as their reader lives them: how they are asked for, and when they begin and end."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils import timezone

FIRST, LAST = date(2000, 1, 1), date(2099, 12, 31)


class DayField(forms.DateField):
    """A day that is chosen in the browser's calendar."""

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
