"""The schedule of beat, for staff."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from accounts.audit import Actor
from gateway import pausing
from gateway.staff.kit.columns import moment
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.headline import Headline
from gateway.staff.kit.pages import Done, ReadOnlyAdmin


class TimetableAdmin(ReadOnlyAdmin):
    """The schedule is defined in `gateway.celery`; beat stores it here."""

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return ((None, {"fields": [field.name for field in self.model._meta.concrete_fields]}),)


for unused in (ClockedSchedule, CrontabSchedule, SolarSchedule, PeriodicTask, IntervalSchedule):
    admin.site.unregister(unused)


@admin.register(PeriodicTask)
class PeriodicTaskAdmin(TimetableAdmin):
    """Change permission: pause and resume."""

    permissions_used = ("view", "change")
    words = {"name": str, "task": str}
    search_help_text = "Name or task"
    listed_at = ("interval",)
    list_select_related = ("interval",)
    list_display = ("name", "task", "interval", "state", moment("last_run_at"), "total_run_count")
    list_filter = ("enabled",)
    actions_detail = ("pause", "resume")

    @display(description="state", label={"Running": "success", "Paused": "danger"})
    def state(self, task: PeriodicTask) -> str:
        return "Running" if task.enabled else "Paused"

    def headline(self, request: HttpRequest, record: PeriodicTask) -> Headline:
        told = next((pause for pause in pausing.pauses() if pause.task == record), None)
        waits = (f"Paused since {told.since:%Y-%m-%d %H:%M}Z by {told.by}: {told.note}",) if told and told.since else ()
        never = () if pausing.may_be_paused(record) else (("Pause", pausing.UNPAUSABLE),)
        labels = (("Running", "success") if record.enabled else ("Paused", "danger"),)
        return Headline(labels=labels, waits=waits, impossible=never)

    def has_pause_permission(self, request: HttpRequest, object_id: object = None) -> bool:
        return request.user.has_perm("django_celery_beat.change_periodictask")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        task = self.get_object(request, str(object_id))
        if task is None:
            return []
        possible = "resume" if not task.enabled else "pause" if pausing.may_be_paused(task) else ""
        return [one for one in super().get_actions_detail(request, object_id) if one.path == possible]

    @action(description="Pause", permissions=["pause"], icon="pause", variant=ActionVariant.DANGER)
    def pause(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = "It is not started any more until somebody resumes it. The first page shows that it is paused."
        return self._switch(request, object_id, "Pause", sentence, pausing.pause)

    @action(description="Resume", permissions=["pause"], icon="play_arrow", variant=ActionVariant.PRIMARY)
    def resume(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = "It is started again as scheduled. What became due meanwhile is done by its next run."
        return self._switch(request, object_id, "Resume", sentence, pausing.resume)

    def _switch(
        self, request: HttpRequest, object_id: str, title: str, sentence: str, switch: Callable[..., str]
    ) -> HttpResponse:
        task = self.record(request, object_id)
        form = NoteForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            return self.decision(request, task, title, sentence=sentence, form=form)

        def act() -> Done | str:
            note = form.cleaned_data["note"]
            if why := switch(task.pk, by=Actor.of(request), note=note):
                return why
            return Done(task, "", f"{title}: {note}", f"{task.name}: {title.lower()}d.")

        return self.carry_out(request, task, act)


@admin.register(IntervalSchedule)
class IntervalScheduleAdmin(TimetableAdmin):
    list_display = ("__str__",)
