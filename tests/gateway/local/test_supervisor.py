"""The supervisor restarts what ends, and stops everything."""

import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.local import processes, server
from gateway.local.child import Child
from gateway.local.errors import LocalError
from gateway.local.postgres import Postgres
from gateway.local.supervisor import Stopped, Supervisor

pytestmark = pytest.mark.a_third_a_day
SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
IGNORE = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)",
]


@pytest.fixture
def supervisor(place: Path) -> Iterator[Supervisor]:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    made = Supervisor(place / "sessions.json")
    yield made
    made.stop()
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def child(place: Path, command: list[str]) -> Child:
    return Child("part", command, place / "part.log", dict(os.environ))


def test_a_part_that_ends_is_started_again_after_a_moment(
    place: Path, supervisor: Supervisor, capsys: pytest.CaptureFixture[str]
) -> None:
    part = child(place, SLEEP)
    supervisor.start(part)
    for _ in range(3):  # whoever is killed did nothing wrong: it never waits longer
        assert part.process
        killed = part.process
        killed.kill()
        killed.wait()
        began = time.monotonic()
        while part.process is killed:
            supervisor.watch()

        assert part.alive()
        assert 0.5 <= time.monotonic() - began < 1.5
        assert "part ended; starting it again in 0.5 s" in capsys.readouterr().out


def test_a_part_that_keeps_ending_waits_longer_each_time(
    place: Path, supervisor: Supervisor, capsys: pytest.CaptureFixture[str]
) -> None:
    supervisor.start(child(place, ["true"]))

    told: list[str] = []
    while len(told) < 3:
        supervisor.watch()
        told += re.findall(r"again in (\S+) s", capsys.readouterr().out)

    assert told == ["0.5", "1", "2"]


def test_a_database_that_refuses_everybody_for_long_is_ended_and_started_again(
    place: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As PostgreSQL can after its disk was full: here it waits for a primary that there is not."""
    for name, seconds in (("START_TIMEOUT_S", 1), ("ASKED_EVERY_S", 0.1), ("FIRST_PATIENCE_S", 0.5)):
        monkeypatch.setattr(server, name, seconds)
    postgres = Postgres(place / "postgres", durable=False)
    supervisor.start(postgres)
    waits = postgres.data / "standby.signal"
    waits.touch()
    (postgres.data / "postgresql.auto.conf").write_text("hot_standby = off")
    postgres.signal(signal.SIGKILL)

    def watch_until(told: str) -> None:
        seen, deadline = "", time.monotonic() + 60
        while told not in seen:
            assert time.monotonic() < deadline, seen
            supervisor.watch()
            seen += capsys.readouterr().out

    watch_until("PostgreSQL refuses its clients, and is ended")
    watch_until("PostgreSQL refuses its clients, and is ended")
    waits.unlink()
    deadline = time.monotonic() + 60
    while not postgres.ready():
        assert time.monotonic() < deadline
        supervisor.watch()


def test_being_asked_stops_every_part(place: Path, supervisor: Supervisor) -> None:
    part = child(place, SLEEP)
    supervisor.start(part)

    os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(Stopped):
        supervisor.watch()
    supervisor.stop()

    assert part.code == -signal.SIGTERM


def test_a_command_that_fails_is_told_with_its_last_words(place: Path, supervisor: Supervisor) -> None:
    with pytest.raises(LocalError, match=r"(?s)part failed .exit 3.*no such table"):
        supervisor.once(child(place, ["sh", "-c", "echo no such table; exit 3"]))


def test_what_a_killed_supervisor_left_behind_is_ended(place: Path, supervisor: Supervisor) -> None:
    leftover = child(place, SLEEP)
    supervisor.start(leftover)
    assert leftover.process
    stranger = processes.spawn(["sleep", "60"], place / "sleep.log")
    supervisor.sessions.write_text(json.dumps({"part": leftover.pid, "stranger": stranger.pid}))
    supervisor.watched.clear()

    supervisor.end_leftovers()
    alive = stranger.poll() is None
    stranger.kill()
    stranger.wait()

    assert leftover.process.wait() == -signal.SIGTERM
    assert alive


def test_a_log_stays_small_and_its_writer_goes_on(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "LOG_LIMIT", 10)
    log = place / "long.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"more than ten bytes")
        processes.bound(log)
        writer.write(b"after")

    assert log.read_bytes() == b"after"
    assert (place / "long.old.log").read_bytes() == b"more than ten bytes"


def test_new_code_starts_the_first_part_at_once_and_the_others_a_little_later(
    place: Path, supervisor: Supervisor, capsys: pytest.CaptureFixture[str]
) -> None:
    web, worker = child(place, SLEEP), child(place, IGNORE)
    for part in (web, worker):
        supervisor.start(part)
    old_web, old_worker = web.process, worker.process

    supervisor.restart()
    supervisor.watch()
    assert web.process is not old_web
    assert web.alive()
    assert not worker.alive()

    deadline = time.monotonic() + 10
    while worker.process is old_worker and time.monotonic() < deadline:
        supervisor.watch()
    assert worker.alive()
    assert "ended" not in capsys.readouterr().out
