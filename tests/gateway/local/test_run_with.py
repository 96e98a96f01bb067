"""One command with a database and a broker of its own, and nothing left when it ends, however it ends."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from gateway.local import home, processes

pytestmark = pytest.mark.a_third_a_day
RUN_WITH = ["-m", "gateway.local", "run-with", "--"]
SHOW = 'echo "$DATABASE_URL"; echo "$CELERY_BROKER_URL"; echo "$ONPAY_CACHE_URL"'
TELL_AND_WAIT = "echo started; read -r _"


def run_with(*command: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    whole = [sys.executable, *RUN_WITH, *command]
    return subprocess.run(whole, env=env, capture_output=True, text=True, timeout=60, check=False)


def begin(env: dict[str, str]) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    whole = [sys.executable, *RUN_WITH, "sh", "-c", TELL_AND_WAIT]
    begun = subprocess.Popen(whole, env=env, stdin=pipe, stdout=pipe, text=True, start_new_session=True)
    assert begun.stdout
    assert begun.stdout.readline() == "started\n"
    return begun


def servers_in(place: Path) -> list[int]:
    pids = [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]
    return [pid for pid in pids if str(place) in processes.arguments(pid)]


def test_the_command_gets_addresses_and_its_exit_code_is_ours(place: Path, bare_environment: dict[str, str]) -> None:
    ended = run_with("sh", "-c", f"{SHOW}; exit 7", env=bare_environment)

    database, broker, cache = ended.stdout.split()
    assert ended.returncode == 7
    assert database == f"postgres://postgres@/onpay?host={place}/test/postgres/run&port=5432"
    assert broker == f"redis+socket://{place}/test/valkey/run/valkey.sock?virtual_host=0"
    assert cache == f"unix://{place}/test/valkey/run/valkey.sock?db=1"
    assert servers_in(place) == []


def test_addresses_that_are_set_are_used(place: Path, bare_environment: dict[str, str]) -> None:
    given = {
        "DATABASE_URL": "postgres://db",
        "CELERY_BROKER_URL": "redis://mq",
        "ONPAY_CACHE_URL": "redis://c",
    }
    unused = place / "unused"

    ended = run_with("sh", "-c", SHOW, env=bare_environment | given | {"ONPAY_HOME": str(unused)})

    assert ended.stdout.split() == list(given.values())
    assert sorted(path.name for path in (unused / "test").iterdir()) == ["lock", "secrets.json"]


def test_two_at_once_do_not_meet(place: Path, bare_environment: dict[str, str]) -> None:
    first = begin(bare_environment)

    second = run_with("sh", "-c", SHOW, env=bare_environment)
    first.communicate("\n")

    assert second.returncode == 0
    assert f"{place}/test-2/" in second.stdout


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux ends children with their parent")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_it_is_told_to_stop(place: Path, bare_environment: dict[str, str], number: int) -> None:
    begun = begin(bare_environment)
    running = servers_in(place)

    begun.send_signal(number)
    begun.wait()

    assert len(running) >= 2
    assert processes.wait_until(lambda: servers_in(place) == [], 5)


@pytest.mark.skipif(os.geteuid() != 0, reason="we are an ordinary user already")
def test_an_ordinary_user_needs_nothing_else(place: Path, bare_environment: dict[str, str]) -> None:
    nobody = pwd.getpwnam("nobody")
    python = python_for(nobody)
    own = place / "own"
    own.mkdir()
    os.chown(own, nobody.pw_uid, nobody.pw_gid)
    paths = os.pathsep.join([str(home.CHECKOUT), *sys.path])
    env = bare_environment | {"ONPAY_HOME": str(own), "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}

    ended = subprocess.run(
        [python, *RUN_WITH, "sh", "-c", f"{SHOW}; id -un"],
        env=env,
        cwd="/",
        user=nobody.pw_uid,
        group=nobody.pw_gid,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.stderr == ""
    assert ended.stdout.split()[-1] == "nobody"
    assert (own / "test" / "postgres" / "data").owner() == "nobody"
    assert not list((own / "test" / "postgres").glob("pixeltable*"))


def python_for(user: pwd.struct_passwd) -> str:
    """An interpreter, new enough, that this user can start and that finds our code."""
    known = os.pathsep.join(["/usr/bin", "/usr/local/bin"])
    for found in filter(None, (sys.executable, shutil.which("python3", path=known))):
        probe = [
            "-c",
            f"import sys; assert sys.version_info[:2] == {sys.version_info[:2]}; import gateway.local",
        ]
        env = {"PYTHONPATH": os.pathsep.join([str(home.CHECKOUT), *sys.path]), "PYTHONDONTWRITEBYTECODE": "1"}
        with suppress(PermissionError):
            if processes.run([found, *probe], (user.pw_uid, user.pw_gid), env).returncode == 0:
                return found
    pytest.skip("no Python here that an ordinary user can start: the checkout or the interpreter is closed to others")
