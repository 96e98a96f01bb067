"""Celery beat with its schedule in the database and a heartbeat."""

from typing import Any

from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

from accounts.heartbeats import touch
from gateway.celery import TIMETABLE


class Timetable(DatabaseScheduler):
    def setup_schedule(self) -> None:
        """Writes the schedule into the database, and deletes tasks that this version no longer has."""
        super().setup_schedule()
        PeriodicTask.objects.exclude(name__in=TIMETABLE).exclude(name__startswith="celery.").delete()

    def tick(self, *args: Any, **options: Any) -> Any:
        """Sends due tasks. A broker that is down blocks it, and so the next heartbeat."""
        touch("beat")
        return super().tick(*args, **options)
