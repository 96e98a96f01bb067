"""`make test` runs where there is loopback and nothing else, and says so where it cannot."""

import os
import re
import subprocess
import sys

import pytest

from gateway.local.offline import INSIDE, SERVERS

WAY_OUT = """
import errno, socket
for family, address in ((socket.AF_INET, "1.1.1.1"), (socket.AF_INET6, "2606:4700:4700::1111")):
    try:
        with socket.socket(family) as connection:
            connection.settimeout(1)
            connection.connect((address, 443))
            print("out")
    except OSError as refused:
        print(errno.errorcode[refused.errno or 0], end=" ")
"""
NO_WAY = re.compile("ENETUNREACH (ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT)")
LOOPBACK = """
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
"""
LEAVE = "from gateway.local.offline import leave_the_network\nreason = leave_the_network()\nprint(reason, end=';')\n"


def said(code: str, **env: str) -> str:
    """What another process prints: the guard of this one does not hold there, only the kernel does."""
    known = {name: value for name, value in os.environ.items() if name not in SERVERS}
    done = subprocess.run([sys.executable, "-c", code], env=known | env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.skipif(INSIDE not in os.environ, reason="the tests do not run in a network of their own")
def test_from_here_there_is_no_way_out() -> None:
    assert NO_WAY.fullmatch(said(WAY_OUT))


def test_whoever_left_the_network_has_loopback_and_no_way_out() -> None:
    reason, _, codes = said(LEAVE + WAY_OUT + LOOPBACK).partition(";")
    if reason:
        pytest.skip(reason)
    assert NO_WAY.fullmatch(codes)


@pytest.mark.parametrize("name", SERVERS)
def test_servers_that_the_environment_names_keep_the_network(name: str) -> None:
    before = "import os\nbefore = os.readlink('/proc/self/ns/net')\n" if sys.platform == "linux" else "before = 1\n"
    after = "assert os.readlink('/proc/self/ns/net') == before" if sys.platform == "linux" else ""
    reason = said(before + LEAVE + after, **{name: "postgres://db.example/onpay"})
    assert reason == f"{name} may name a server outside;" or sys.platform != "linux"
