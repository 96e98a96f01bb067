"""The table of the README: what the service is held to, and what the last long run measured.

Each line has its own peer and figure of one run; a run of `SHORT=1` measures nothing and writes nothing.
"""

import os
import platform
import re
import subprocess
from dataclasses import dataclass
from functools import lru_cache

from django.db import connection

from gateway.local.home import CHECKOUT
from tests.bench.scale import SHORT

README = CHECKOUT / "README.md"
BEGINS, ENDS = "<!-- written by make bench -->", "<!-- until here -->"
HEADINGS = ("what", "beside", "must", "measured", "ours", "theirs", "on")
NOT_YET = "not yet"


@dataclass(frozen=True, slots=True)
class Line:
    """What is measured, beside what, and the least (or the most) it must be."""

    what: str
    beside: str
    must: str


ONE_STATEMENT = "pgbench, its rows in one statement"
LINES = {
    "create, 8": Line("`POST /payments`, 8 connections", ONE_STATEMENT, "0.20 ×"),
    "create, 32": Line("`POST /payments`, 32 connections", ONE_STATEMENT, "0.30 ×"),
    "create, p50": Line("`POST /payments`, 1 connection, p50", "", "at most 1.5 ms"),
    "get, 8": Line("`GET /payments/{id}`, 8 connections", "", "2,760/s"),
    "paid, 8": Line("a simulated payment, 8 connections", ONE_STATEMENT, "0.5 ×"),
    "deliveries, 1": Line("deliveries of one dispatcher, 1 endpoint", "a bare loop of its library", "0.4 ×"),
    "deliveries, 20": Line("deliveries of one dispatcher, 20 endpoints", "a bare loop of its library", "0.4 ×"),
    "ordinary": Line("`POST /payments`, 8 connections", "an ordinary DRF and ORM build of it", "7 ×"),
    "localstripe": Line("`POST /payments`, 1 connection", "localstripe, in memory, fresh", "1.5 ×"),
    "localstripe, filled": Line("`POST /payments`, 8 connections", "localstripe after 3,000", "6 ×"),
    "hordak": Line("one transfer after the other", "django-hordak", "3 ×"),
    "django-ledger": Line("one transfer after the other", "django-ledger", "20 ×"),
    "pgledger": Line("one transfer after the other", "pgledger, SQL alone", "0.7 ×"),
    "memory": Line("memory (PSS) of all processes of `make run`", "", "at most 700 MB"),
    "charge": Line("full charges: created, paid, posted, delivered, verified", "", "250/s"),
    "dashboard": Line("slowest page of the dashboard beside 1,000,000 payments, p95", "", "at most 150 ms"),
    "growth": Line("the request path at 1,000,000 payments", "at 1,000", "at most 1.2 ×"),
    "open, p99": Line("p99 at half of the capacity, constant arrivals", "", "less than 15 ms"),
    "open, p99.9": Line("p99.9 of the same", "", "less than 50 ms"),
    "hot, services": Line("payments of one wallet paid by services", "", "1,000/s"),
    "hot, http": Line("payments of one wallet paid over HTTP", "", "400/s"),
}
_measured: dict[str, tuple[str, str, str]] = {}


def record(name: str, measured: str, ours: str = "", theirs: str = "") -> None:
    """Prints it, and keeps it for the README."""
    line = LINES[name]
    beside = f" beside {line.beside}" if line.beside else ""
    figures = f" ({ours} / {theirs})" if theirs else ""
    print(f"{line.what}{beside}: {measured}{figures}; must be {line.must}")
    _measured[name] = (measured, ours, theirs)


def write() -> None:
    """Puts what was measured into the README; the lines of other runs stay."""
    if _measured and not SHORT:
        _write()


def _write() -> None:
    text = README.read_text()
    table = text.partition(BEGINS)[2].partition(ENDS)[0]
    rows = {tuple(row[:3]): row for row in map(cells, table.strip().splitlines()[2:])}
    for name, figures in _measured.items():
        line = LINES[name]
        rows[line.what, line.beside, line.must] = [line.what, line.beside, line.must, *figures, where()]
    known = [rows.get(key, [*key, NOT_YET, "", "", ""]) for key in keys()]
    lines = [HEADINGS, ["---"] * len(HEADINGS), *known]
    written = "\n".join("| " + " | ".join(one) + " |" for one in lines)
    README.write_text(with_block(text, BEGINS, written))


def with_block(text: str, begins: str, block: str) -> str:
    """The text with this between its mark and the next end of a block."""
    before, _, rest = text.partition(begins)
    return f"{before}{begins}\n\n{block}\n\n{ENDS}{rest.partition(ENDS)[2]}"


def keys() -> list[tuple[str, str, str]]:
    """What the table has a row of, in order."""
    return [(line.what, line.beside, line.must) for line in LINES.values()]


def cells(row: str) -> list[str]:
    """Of a row of the table."""
    return [cell.strip() for cell in re.sub(r"^\||\|$", "", row.strip()).split("|")]


@lru_cache(maxsize=1)
def where() -> str:
    """The machine and the commit."""
    told = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
    return f"{os.cpu_count()} cores, PostgreSQL {server()[0]}, {told.strip() or 'unknown'}"


@lru_cache(maxsize=1)
def server() -> tuple[str, str]:
    """The version of the server, and whether it waits for the disk."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version'), current_setting('fsync')")
        return cursor.fetchone()  # type: ignore[no-any-return]


def machine() -> str:
    """All of it, for the head of a run."""
    version, fsync = server()
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return (
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}, "
        f"PostgreSQL {version} with fsync {fsync}, commit {commit.stdout.strip() or 'unknown'}\n"
    )
