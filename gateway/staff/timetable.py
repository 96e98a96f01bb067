"""The schedule of beat, for staff."""

from collections.abc import Callable, Iterator
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_celery_beat.models import (
    PERIOD_CHOICES,
    SINGULAR_PERIODS,
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from accounts.audit import Actor
from gateway import pausing
from gateway.staff.kit.columns import Colored, InWords, column, moment, related, titled
from gateway.staff.kit.forms import NoteForm
from gateway.staff.kit.headline import Headline
from gateway.staff.kit.names import collect
from gateway.staff.kit.pages import Done, ReadOnlyAdmin

RUNNING, PAUSED = InWords("running", _("Running")), InWords("paused", _("Paused"))
COLORS = {"running": "success", "paused": "danger"}


NAMED = {
    PeriodicTask: ("name", "interval", "total_run_count", "enabled"),
    IntervalSchedule: ("every", "period"),
}
"""The fields of the package that the pages show. It has none of our languages but Spanish."""


def _words() -> Iterator[str]:
    for model, names in NAMED.items():
        yield from (model._meta.verbose_name, model._meta.verbose_name_plural)
        yield from (model._meta.get_field(name).verbose_name for name in names)
    yield "Periodic Tasks"
    yield from ("every {}", "every {} {}", *dict(PERIOD_CHOICES).values(), *dict(SINGULAR_PERIODS).values())


collect(_words())

for unused in (ClockedSchedule, CrontabSchedule, SolarSchedule, PeriodicTask, IntervalSchedule):
    admin.site.unregister(unused)


@admin.register(PeriodicTask)
class PeriodicTaskAdmin(ReadOnlyAdmin):
    """The schedule is defined in `gateway.celery`; beat stores it here. Change permission: pause and resume."""

    permissions_used = ("view", "change")
    words = {"name": str, "task": str}
    search_help_text = "Name or task"
    listed_at = ("interval",)
    list_select_related = ("interval",)
    list_display = ("name", column("task", str), "interval", "state", moment("last_run_at"), "total_run_count")
    list_filter = ("enabled",)
    fieldsets = (
        (None, {"fields": (column("name", str), column("task", str), related("interval"))}),
        ("Runs", {"fields": ((moment("last_run_at"), column("total_run_count", str)),)}),
    )
    actions_detail = ("pause", "resume")

    @display(description="state", label=COLORS)
    def state(self, task: PeriodicTask) -> Colored:
        return RUNNING if task.enabled else PAUSED

    def headline(self, request: HttpRequest, record: PeriodicTask) -> Headline:
        told = next((pause for pause in pausing.pauses() if pause.task == record), None)
        never = () if pausing.may_be_paused(record) else ((gettext("Pause"), str(pausing.UNPAUSABLE)),)
        state, word = self.state(record)
        return Headline(labels=((str(word), COLORS[state]),), waits=tuple(_waits(told)), impossible=never)

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
        sentence = gettext(
            "It is not started any more until somebody resumes it. The first page shows that it is paused."
        )
        return self._switch(request, object_id, gettext("Pause"), sentence, pausing.pause)

    @action(description="Resume", permissions=["pause"], icon="play_arrow", variant=ActionVariant.PRIMARY)
    def resume(self, request: HttpRequest, object_id: str) -> HttpResponse:
        sentence = gettext("It is started again as scheduled. What became due meanwhile is done by its next run.")
        return self._switch(request, object_id, gettext("Resume"), sentence, pausing.resume)

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
            paused = switch is pausing.pause
            told = gettext("%(task)s: paused.") if paused else gettext("%(task)s: resumed.")
            return Done(task, "", f"{'Pause' if paused else 'Resume'}: {note}", told % {"task": task.name})

        return self.carry_out(request, task, act)


def _waits(pause: pausing.Pause | None) -> Iterator[str]:
    if pause and pause.since:
        yield gettext("Paused since %(time)s by %(person)s: %(note)s") % {
            "time": f"{pause.since:%Y-%m-%d %H:%M}Z",
            "person": pause.by,
            "note": pause.note,
        }


@admin.register(IntervalSchedule)
class IntervalScheduleAdmin(ReadOnlyAdmin):
    list_display = ("__str__",)
    fieldsets = ((None, {"fields": (column("every", str), titled(lambda row: row.get_period_display(), "period"))}),)
