"""Heartbeats of processes without HTTP: the worker with its schedule, and the webhook dispatcher.

A database heartbeat shows that a part is alive somewhere, and in which cells if not in all. A file on the local machine
shows its supervisor that one process, also while the database is down.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from accounts.base.clock import utcnow
from accounts.cells import PUBLIC, every_cell, served
from accounts.models import Environment, Heartbeat

WORKERS: dict[str, str] = {Environment.PRODUCTION: "worker", Environment.SANDBOX: "sandbox"}
"""The parts that do the due work of each environment; one process may be both."""
MAX_AGE = timedelta(seconds=30)


class Last(NamedTuple):
    """The last heartbeat of a part. `cell`: what people call the cell that it is about; "": it is about all."""

    part: str
    cell: str
    beat_at: datetime | None


def beat(part: str, cells: Iterable[str] | None = None) -> None:
    """Of the cells that this process serves, or of these."""
    now = utcnow()
    rows = [Heartbeat(part=name, beat_at=now) for name in _names(part, cells)]
    Heartbeat.objects.bulk_create(rows, update_conflicts=True, unique_fields=["part"], update_fields=["beat_at"])


def is_alive(part: str, max_age: timedelta = MAX_AGE) -> bool:
    """Whether the part has sent a heartbeat within `max_age`, 30 seconds by default, in every cell."""
    return not silent(part, max_age)


def silent(part: str, max_age: timedelta = MAX_AGE) -> list[str]:
    """The cells in which it has not."""
    heard = {*Heartbeat.objects.filter(beat_at__gt=utcnow() - max_age).values_list("part", flat=True)}
    return [] if part in heard else [cell for cell in every_cell(lately=True) if _name(part, cell) not in heard]


def last() -> list[Last]:
    """Of each part; of one that somebody has been for certain cells only, in each cell. None: there was none."""
    beats = dict(Heartbeat.objects.order_by("part").values_list("part", "beat_at"))
    by_cell = {name.partition("@")[0] for name in beats if "@" in name}
    found = [Last(name, "", beat_at) for name, beat_at in beats.items() if "@" not in name and name not in by_cell]
    for part in sorted(by_cell):
        for cell in every_cell(lately=True):
            both = [beats[name] for name in (part, _name(part, cell)) if name in beats]
            found.append(Last(part, cell or PUBLIC, max(both, default=None)))
    return found


def end(part: str, cells: Iterable[str] | None = None) -> None:
    """Ends the part's heartbeat immediately, so that nobody waits for it to expire."""
    Heartbeat.objects.filter(part__in=_names(part, cells)).delete()


def _names(part: str, cells: Iterable[str] | None) -> list[str]:
    """Under which it is kept: one for all cells, or one for each. In one order, so that nobody waits for each other."""
    if cells is None and not settings.CELLS:
        return [part]
    return sorted(_name(part, cell) for cell in (served() if cells is None else cells))


def _name(part: str, cell: str) -> str:
    return f"{part}@{cell or PUBLIC}"


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
