"""A file that is made piece by piece leaves whole or not at all, and waits on the disk for a slow reader."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support import wire
from tests.support.file_server import BREAKS, MEGABYTE
from tests.support.network import free_port
from tests.support.web_server import ROOT, Server, received, wait_until_it_answers

LARGE, ENDS = 200, b"00000199"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, int]]:
    """The server, and the process that makes the files."""
    log, port = tmp_path_factory.mktemp("files") / "log", free_port()
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "gateway.settings", "ONPAY_LOCAL": "1"}
    command = [sys.executable, "-m", "tests.support.file_server", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=output, stderr=output)
    try:
        wait_until_it_answers(process, port, log)
        yield Server(port, log), process.pid
    finally:
        process.terminate()
        process.wait(40)


def memory_of(pid: int) -> int:
    """The bytes that the worker of a server has in memory."""
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(Path(f"/proc/{child}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_who_does_not_read_fills_no_memory_and_then_gets_the_whole_file(files: tuple[Server, int]) -> None:
    server, pid = files
    assert wire.status(server.ask(wire.head("GET", "/1"))) == 200
    before = memory_of(pid)

    with closing(server.connect()) as client:
        client.sendall(wire.head("GET", f"/{LARGE}"))
        time.sleep(3)
        beside = server.ask(wire.head("GET", "/1"))
        held = memory_of(pid) - before
        answer = received(client)

    assert held < LARGE * MEGABYTE / 4
    assert wire.status(beside) == 200
    assert wire.headers(answer)["content-length"] == str(LARGE * MEGABYTE)
    content = answer.partition(b"\r\n\r\n")[2]
    assert (len(content), content[-8:]) == (LARGE * MEGABYTE, ENDS)


def test_a_file_that_breaks_off_is_no_file(files: tuple[Server, int]) -> None:
    answer = files[0].ask(wire.head("GET", BREAKS))

    assert wire.status(answer) == 500
    assert b"the first piece" not in answer


def test_an_empty_file_is_a_file(files: tuple[Server, int]) -> None:
    answer = files[0].ask(wire.head("GET", "/0"))

    assert wire.status(answer) == 200
    assert wire.headers(answer)["content-length"] == "0"
