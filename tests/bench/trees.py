"""What the processes of the service use, with all that they started. Only Linux tells."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import redis
from django.conf import settings
from django.db import connection

from gateway.local.child import Child


def roots(children: Iterable[Child]) -> dict[str, int]:
    """The first process of every part, the database and the broker among them."""
    found = {child.name: child.pid for child in children if child.pid}
    return found | {"PostgreSQL": _postmaster(), "Valkey": _valkey()}


def parent(pid: int) -> int:
    return int(_facts(pid)[1])


def tree(root: int) -> list[int]:
    """A process and all below it."""
    below: dict[int, list[int]] = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        if facts := _facts(int(folder.name)):
            below[int(facts[1])].append(int(folder.name))
    found = [root]
    for pid in found:
        found += below[pid]
    return found


def pss_kb(pid: int) -> int:
    """What it holds alone and its share of what it holds with others, in kilobytes."""
    told = re.search(r"^Pss: +(\d+) kB", _read(f"/proc/{pid}/smaps_rollup"), re.MULTILINE)
    return int(told[1]) if told else 0


def cpu_s(root: int) -> float:
    """What a process and all below it have cost the processors so far; what has ended, once it was waited for."""
    ticks = sum(sum(map(int, facts[11:15])) for pid in tree(root) if (facts := _facts(pid)))
    return ticks / os.sysconf("SC_CLK_TCK")


def _facts(pid: int) -> list[str]:
    """The fields of `stat` from the third on: state, parent, …; none, if it has ended."""
    return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def _read(file: str) -> str:
    try:
        return Path(file).read_text()
    except OSError:
        return ""


def _postmaster() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    return int(_facts(backend)[1])


def _valkey() -> int:
    return int(redis.Redis.from_url(settings.CACHE_URL).info("server")["process_id"])  # type: ignore[index]
