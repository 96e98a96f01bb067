"""Signs of life of the parts that answer no HTTP: the worker with its timetable, the webhook dispatcher."""

from datetime import timedelta

from accounts.clock import wall
from accounts.models import Heartbeat

MAX_AGE = timedelta(seconds=30)


def beat(part: str) -> None:
    now = wall()
    Heartbeat.objects.update_or_create(part=part, defaults={"beat_at": now})


def is_alive(part: str, max_age: timedelta = MAX_AGE) -> bool:
    """Whether the part has said so within the last 30 seconds, or within so long."""
    return Heartbeat.objects.filter(part=part, beat_at__gt=wall() - max_age).exists()


def end(part: str) -> None:
    """The part says that it has stopped: nobody waits until its last sign of life is old."""
    Heartbeat.objects.filter(part=part).delete()
