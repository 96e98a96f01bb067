"""Heartbeats of processes without HTTP: the worker with its schedule, and the webhook dispatcher.

A database heartbeat shows that a part is alive somewhere. A file on the local machine shows its supervisor that one
process, also while the database is down.
"""

from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from django.conf import settings

from accounts.base.clock import utcnow
from accounts.models import Environment, Heartbeat

WORKERS: dict[str, str] = {Environment.PRODUCTION: "worker", Environment.SANDBOX: "sandbox"}
"""The parts that do the due work of each environment; one process may be both."""
MAX_AGE = timedelta(seconds=30)


def beat(part: str) -> None:
    now = utcnow()
    Heartbeat.objects.update_or_create(part=part, defaults={"beat_at": now})


def is_alive(part: str, max_age: timedelta = MAX_AGE) -> bool:
    """Whether the part has sent a heartbeat within `max_age`, 30 seconds by default."""
    return Heartbeat.objects.filter(part=part, beat_at__gt=utcnow() - max_age).exists()


def end(part: str) -> None:
    """Ends the part's heartbeat immediately, so that nobody waits for it to expire."""
    Heartbeat.objects.filter(part=part).delete()


def touch(part: str) -> None:
    """Writes the local heartbeat file. A full disk does not stop the process."""
    with suppress(OSError):
        _file(part).touch()


def is_alive_here(part: str, max_age: timedelta) -> bool:
    """Whether a process on this machine has written its heartbeat file recently."""
    with suppress(OSError):
        return utcnow().timestamp() - _file(part).stat().st_mtime < max_age.total_seconds()
    return False


def _file(part: str) -> Path:
    return Path(settings.SIGNS_OF_LIFE, f"onpay-{part}.alive")
