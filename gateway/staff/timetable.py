"""The schedule of beat, for staff."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from gateway.staff.kit.columns import moment
from gateway.staff.kit.pages import ReadOnlyAdmin


class TimetableAdmin(ReadOnlyAdmin):
    """The schedule is defined in `gateway.celery`; beat stores it here."""

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return ((None, {"fields": [field.name for field in self.model._meta.concrete_fields]}),)


for unused in (ClockedSchedule, CrontabSchedule, SolarSchedule, PeriodicTask, IntervalSchedule):
    admin.site.unregister(unused)


@admin.register(PeriodicTask)
class PeriodicTaskAdmin(TimetableAdmin):
    words = {"name": str, "task": str}
    search_help_text = "Name or task"
    listed_at = ("interval",)
    list_select_related = ("interval",)
    list_display = ("name", "task", "interval", "enabled", moment("last_run_at"), "total_run_count")
    list_filter = ("enabled",)


@admin.register(IntervalSchedule)
class IntervalScheduleAdmin(TimetableAdmin):
    list_display = ("__str__",)
