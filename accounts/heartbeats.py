"""Signs of life of the parts that answer no HTTP: the worker with its timetable, the webhook dispatcher."""

from datetime import timedelta

from accounts.clock import wall
from accounts.models import Heartbeat

MAX_AGE = timedelta(seconds=30)


def beat(part: str) -> None:
    now = wall()
    Heartbeat.objects.update_or_create(part=part, defaults={"beat_at": now})


def is_alive(part: str) -> bool:
    """Whether the part has said so within the last 30 seconds."""
    return Heartbeat.objects.filter(part=part, beat_at__gt=wall() - MAX_AGE).exists()
