"""Signs of life of the parts that answer no HTTP: the worker with its timetable, the webhook dispatcher.

Those in the database tell everybody that a part is alive somewhere. A file on its own machine tells whoever watches
over one process there whether it is that one, also while the database is away.
"""

from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from django.conf import settings

from accounts.base.clock import utcnow
from accounts.models import Heartbeat

MAX_AGE = timedelta(seconds=30)


def beat(part: str) -> None:
    now = utcnow()
    Heartbeat.objects.update_or_create(part=part, defaults={"beat_at": now})


def is_alive(part: str, max_age: timedelta = MAX_AGE) -> bool:
    """Whether the part has said so within the last 30 seconds, or within so long."""
    return Heartbeat.objects.filter(part=part, beat_at__gt=utcnow() - max_age).exists()


def end(part: str) -> None:
    """The part says that it has stopped: nobody waits until its last sign of life is old."""
    Heartbeat.objects.filter(part=part).delete()


def touch(part: str) -> None:
    """This process works. A machine without room for the file does not stop it."""
    with suppress(OSError):
        _file(part).touch()


def is_alive_here(part: str, max_age: timedelta) -> bool:
    """Whether a process of this machine has said so within so long."""
    with suppress(OSError):
        return utcnow().timestamp() - _file(part).stat().st_mtime < max_age.total_seconds()
    return False


def _file(part: str) -> Path:
    return Path(settings.SIGNS_OF_LIFE, f"onpay-{part}.alive")
