"""A command finds the local service that runs, and never one that does not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.local import processes, running, service

ENVIRONMENT = {
    "ONPAY_BASE_URL": "http://localhost:8000",
    "DATABASE_URL": "postgres://postgres@/onpay?host=/run&port=5432",
    "CELERY_BROKER_URL": "redis+socket:///run/valkey.sock?virtual_host=0",
    "ONPAY_CACHE_URL": "unix:///run/valkey.sock?db=1",
}


@pytest.fixture(autouse=True)
def home(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ONPAY_HOME", str(place))
    return place


def claim_to_be(pid: int, home: Path) -> None:
    service.announce(ENVIRONMENT)
    written = json.loads((home / "service.json").read_text())
    (home / "service.json").write_text(json.dumps(written | {"pid": pid}))


def test_without_a_file_nothing_runs() -> None:
    assert running() is None


def test_a_running_service_is_found_with_all_a_command_needs(home: Path) -> None:
    command = [sys.executable, "-c", "input()", "-m", "gateway.local", "up"]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
    claim_to_be(program.pid, home)

    processes.wait_until(lambda: running() is not None, 5)
    found = running()
    program.communicate("\n")

    assert found
    assert found.environment().items() > ENVIRONMENT.items()
    assert len(found.environment()["ONPAY_SECRET_KEY"]) >= 50
    assert (home / "service.json").stat().st_mode & 0o077 == 0
    assert (home / "secrets.json").stat().st_mode & 0o077 == 0


def test_a_dead_service_and_a_stranger_with_its_number_do_not_count(home: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    stranger = subprocess.Popen(["sleep", "60"])

    answers = []
    for pid in (dead.pid, stranger.pid):
        claim_to_be(pid, home)
        answers.append(running())
    stranger.kill()
    stranger.wait()

    assert answers == [None, None]


def test_a_service_that_ended_is_not_found(home: Path) -> None:
    service.announce(ENVIRONMENT)
    service.withdraw()

    assert running() is None
    assert not (home / "service.json").exists()
