"""Celery's beat, which keeps its timetable in the database and says that it is alive."""

from typing import Any

from django_celery_beat.schedulers import DatabaseScheduler

from accounts.heartbeats import touch


class Timetable(DatabaseScheduler):
    def tick(self, *args: Any, **options: Any) -> Any:
        """Sends what is due. A broker that is away keeps it from returning, and the next sign of life from coming."""
        touch("beat")
        return super().tick(*args, **options)
