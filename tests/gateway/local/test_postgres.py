"""The embedded PostgreSQL starts, whatever the last one left behind."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from gateway.local import home, processes
from gateway.local import postgres as module
from gateway.local.errors import LocalError
from gateway.local.postgres import Postgres
from gateway.local.server import Server

pytestmark = pytest.mark.a_third_a_day
START_AND_WAIT = """
import sys
import tempfile
from pathlib import Path
from gateway.local.postgres import Postgres
server = Postgres(Path(sys.argv[1]), durable=False)
server.start()
print(server.pid(), flush=True)
sys.stdin.read()
"""


def ask(server: Postgres, question: str) -> object:
    with psycopg.connect(server.url, autocommit=True) as connection:
        cursor = connection.execute(question.encode())
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def test_a_second_start_finds_the_first_server(postgres: Postgres) -> None:
    second = Postgres(postgres.folder, durable=False)

    second.start()

    assert second.child is None
    assert second.pid() == postgres.pid()
    assert second.url == postgres.url


def test_it_is_the_server_that_production_has(postgres: Postgres) -> None:
    assert ask(postgres, "select current_setting('server_version_num')::int / 10000") == 18
    assert ask(postgres, "select current_setting('timezone') || current_setting('listen_addresses')") == "UTC"
    assert ask(postgres, "select current_setting('data_checksums')") == "on"
    assert ask(postgres, "select datlocale from pg_database where datname = 'onpay'") == "C.UTF-8"


@pytest.mark.parametrize(("durable", "waits"), [(True, "on"), (False, "off")])
def test_only_a_durable_server_waits_for_the_disk(place: Path, durable: bool, waits: str) -> None:
    server = Postgres(place / "postgres", durable=durable)
    server.prepare()

    told = {f"fsync={waits}", f"synchronous_commit={waits}", f"full_page_writes={waits}"}
    assert told < set(server.command())


def test_a_killed_server_comes_back_with_its_data(postgres: Postgres) -> None:
    ask(postgres, "create table kept as select 42 as answer")
    ask(postgres, "checkpoint")  # without fsync only this is certain
    killed = postgres.pid()
    assert killed

    postgres.signal(signal.SIGKILL)
    postgres.start()

    assert postgres.pid() not in {None, killed}
    assert ask(postgres, "select answer from kept") == 42


def test_a_strangers_process_id_is_forgotten_and_the_stranger_lives(postgres: Postgres, place: Path) -> None:
    postgres.stop()
    stranger = processes.spawn(["sleep", "60"], place / "sleep.log", owner=postgres.owner)
    pid_file, _, socket_lock = postgres.leftovers()
    for path in (pid_file, socket_lock):
        path.write_text(f"{stranger.pid}\n{postgres.data}\n1700000000\n5432\n{postgres.sockets}\n\n")
        os.chown(path, *postgres.owner)

    postgres.start()
    alive = stranger.poll() is None
    stranger.kill()
    stranger.wait()

    assert alive
    assert postgres.pid() not in {None, stranger.pid}
    assert ask(postgres, "select 1") == 1


def test_four_starts_at_once_make_one_server(place: Path, bare_environment: dict[str, str]) -> None:
    command = [sys.executable, "-c", START_AND_WAIT, str(place / "four")]
    pipe = subprocess.PIPE
    starts = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=bare_environment) for _ in range(4)]

    pids = {start.stdout.readline() for start in starts if start.stdout}
    for start in starts:
        start.communicate()

    assert len(pids) == 1
    assert int(pids.pop())


def test_a_cluster_cut_short_is_made_again(
    place: Path, postgres: Postgres, started: Callable[[Server], Server]
) -> None:
    server = Postgres(place / "cut", durable=False)
    half = home.private(server.folder, postgres.owner) / "data.new"
    half.mkdir()
    (half / "PG_VERSION").write_text("18")

    started(server)

    assert ask(server, "select 1") == 1


def test_a_deep_folder_gets_a_short_socket(place: Path, started: Callable[[Server], Server]) -> None:
    server = Postgres(place / ("deep" * 30) / "postgres", durable=False)

    started(server)
    answer = ask(server, "select 1")
    server.stop()
    server.sockets.rmdir()

    assert answer == 1
    assert len(str(server.leftovers()[1])) < 107


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs PostgreSQL as somebody else")
def test_root_keeps_data_elsewhere_below_a_closed_folder(
    place: Path, started: Callable[[Server], Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ELSEWHERE", place / "elsewhere")
    monkeypatch.setattr(tempfile, "tempdir", str(place / "temporary"))
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    server = Postgres(closed / "home" / "postgres", durable=False)

    started(server)

    assert ask(server, "select 1") == 1
    assert server.data.is_relative_to(place / "elsewhere")
    assert server.folder.resolve() == server.place
    assert closed.stat().st_mode & 0o777 == 0o700


def test_a_folder_open_to_others_is_refused(place: Path) -> None:
    (place / "open").mkdir(mode=0o755)

    with pytest.raises(LocalError, match="not private"):
        Postgres(place / "open", durable=False).start()
