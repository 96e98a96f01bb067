"""The whole local service: servers, tables, a demo company, and the processes of the gateway."""

import json
import os
import socket
import sys
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from gateway.local import home, service, stores
from gateway.local.changes import Changes
from gateway.local.child import Child
from gateway.local.errors import LocalError
from gateway.local.forked import Forked
from gateway.local.screen import card, echo, step
from gateway.local.supervisor import Stopped, Supervisor

HEALTH_TIMEOUT_S = 60
APPS = ("accounts", "webhooks", "ledger", "gateway")
THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
DEVELOPING = {"ONPAY_DEBUG": "1", "ONPAY_WEB_WORKERS": "1"}

# While developing, each process loads the code as it is when it starts.
PART = Forked if sys.platform == "linux" else Child
PREPARE = "manage.py prepare"
CELERY = "-m celery -A gateway"
WORKER = f"{CELERY} worker --without-gossip --without-mingle --loglevel WARNING"
GATEWAY = {
    "web": "-m gateway.serving --host {host} --port {port}",
    "worker": f"{WORKER} -Q money,sandbox --concurrency 2",
    "background": f"{WORKER} -Q messages,background,proofs --concurrency 2",
    "beat": f"{CELERY} beat --loglevel WARNING",
    "dispatcher": "manage.py deliver_webhooks",
}


def up(without: Collection[str] = (), *, reload: bool = False) -> int:
    """Starts everything, shows the card, and stays until Ctrl-C or SIGTERM. Returns the exit code.

    The parts of the gateway that are named in `without` are left out. With `reload` they are started again whenever the
    code changes, and their error pages show it, so nobody but this machine may reach them.
    """
    parts = {name: command for name, command in GATEWAY.items() if name not in without}
    place = home.make(home.folder())
    host, port = os.environ.get("ONPAY_HOST", "127.0.0.1"), _port()
    if reload and host not in THIS_MACHINE:
        raise LocalError(f"error pages that show the code are for this machine alone, not for ONPAY_HOST={host}")
    held = home.lock(place / "lock", wait=False)
    if held is None:
        raise LocalError(_running_already())
    home.private(place / "logs", (os.geteuid(), os.getegid()))
    supervisor = Supervisor(place / "sessions.json")
    supervisor.end_leftovers()
    _require_free_port(host, port)
    try:
        _start(supervisor, place, host, port, parts, DEVELOPING if reload else {})
        _wait_for_health(supervisor, host, port, parts)
        card(place)
        changes = Changes(home.CHECKOUT / app for app in APPS) if reload else None
        while True:
            supervisor.watch()
            if changes and changes.any():
                _reload(supervisor, changes)
    except Stopped:
        echo("\n  stopping …")
        return 0
    finally:
        supervisor.stop()
        service.withdraw()
        held.close()


def _reload(supervisor: Supervisor, changes: Changes) -> None:
    """Starts the code as it is when no more files change."""
    while changes.any():
        supervisor.watch()
    with step("the code has changed"):
        supervisor.restart()


def _start(
    supervisor: Supervisor, place: Path, host: str, port: int, parts: Mapping[str, str], options: Mapping[str, str]
) -> None:
    """Starts the parts in order, with a line for each."""
    servers = stores.missing(place, durable=True)
    for server in servers:
        with step(server.name):
            supervisor.start(server)
    env = {
        "ONPAY_LOCAL": "1",
        **options,
        "ONPAY_BASE_URL": f"http://localhost:{port}",
        **stores.environment(place, servers),
        **stores.roles(servers),
        "ONPAY_HOME": str(place),
    }
    service.announce(env)

    def child(name: str, command: str, kind: type[Child] = Child) -> Child:
        words = [sys.executable, *command.format(host=host, port=port).split()]
        return kind(name, words, place / "logs" / f"{name}.log", env)

    with step("tables, demo company"):
        supervisor.once(child("prepare", PREPARE))
    for name, command in parts.items():
        supervisor.start(child(name, command, Child if options else PART))


def _wait_for_health(supervisor: Supervisor, host: str, port: int, parts: Mapping[str, str]) -> None:
    """Waits until everything is up; after a minute reports what is not, and leaves it to the supervisor."""
    deadline = time.monotonic() + HEALTH_TIMEOUT_S
    left_out = GATEWAY.keys() - parts.keys()
    with step(", ".join(parts)):
        while (down := [part for part in _down(host, port) if part not in left_out]) and time.monotonic() < deadline:
            supervisor.watch()
    if down:
        echo(f"  not up yet: {', '.join(down)} (the logs are in {home.folder() / 'logs'})")


def _down(host: str, port: int) -> list[str]:
    """Parts that are down, as /health/ names them."""
    with suppress(OSError, HTTPException, ValueError):
        connection = HTTPConnection("127.0.0.1" if host == "0.0.0.0" else host, port, timeout=5)  # noqa: S104
        connection.request("GET", "/health/")
        answer = connection.getresponse()
        parts: Mapping[str, object] = json.loads(answer.read()).get("parts", {})
        down = [name for name, state in parts.items() if state is not True]
        return down or ([] if answer.status == 200 else ["health"])
    return ["web"]


def _running_already() -> str:
    found = service.running()
    if found is None:
        return f"another start is under way in {home.folder()}"
    return f"already running at {found.baseUrl} (process {found.pid}, state in {home.folder()})"


def _port() -> int:
    chosen = os.environ.get("PORT", "8000")
    if not chosen.isdecimal() or not 0 < int(chosen) < 65536:
        raise LocalError(f"PORT must be a number from 1 to 65535, not {chosen}")
    return int(chosen)


def _require_free_port(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as problem:
            reason = f"port {port} cannot be used ({problem.strerror}): choose another, as in PORT=8001"
            raise LocalError(reason) from None
