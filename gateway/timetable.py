"""Celery beat with its schedule in the database and a heartbeat."""

from typing import Any

from django_celery_beat.schedulers import DatabaseScheduler

from accounts.heartbeats import touch


class Timetable(DatabaseScheduler):
    def tick(self, *args: Any, **options: Any) -> Any:
        """Sends due tasks. A broker that is down blocks it, and so the next heartbeat."""
        touch("beat")
        return super().tick(*args, **options)
