"""Work and scheduled tasks that are late."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django_celery_beat.models import PeriodicTask

from accounts.due import Work
from gateway.sweeps import ALL

COUNTED = 1000
NOTED_EVERY = timedelta(minutes=5)
"""The maximum delay with which beat stores the start of a task."""


def waiting(now: datetime) -> Iterator[tuple[Work[Any], int, datetime]]:
    """Each kind of work of which rows are due: how many, at most `COUNTED`, and since when the oldest."""
    counted = (
        f"""SELECT {number}, count(*), min(due) FROM (
                SELECT w.{work.column} AS due FROM {work.table} w
                 WHERE {work.waits} AND w.{work.column} <= %(now)s ORDER BY w.{work.column} LIMIT {COUNTED}) found"""
        for number, work in enumerate(ALL)
    )
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(counted), {"now": now})
        found = sorted(cursor.fetchall())
    return ((ALL[number], count, oldest) for number, count, oldest in found if count)


def late_tasks(now: datetime) -> Iterator[tuple[PeriodicTask, datetime]]:
    """Scheduled tasks that were not started in time, and when they last were. Paused ones are not late."""
    tasks = PeriodicTask.objects.filter(enabled=True, interval__isnull=False).select_related("interval")
    for task in tasks.order_by("name"):
        if task.last_run_at and now - task.last_run_at > 2 * task.interval.schedule.run_every + NOTED_EVERY:
            yield task, task.last_run_at
