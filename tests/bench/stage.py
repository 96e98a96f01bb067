"""The stage: a database of its own, the web server as `make run` starts it, a receiver, and the shops that measure."""

import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from urllib.parse import urlsplit

import django
import psycopg
from django.conf import settings
from django.db import connection

from gateway.local import home, processes
from gateway.local.child import Child
from gateway.local.up import GATEWAY, PART

DATABASE = "onpay_bench"
NEVER_REACHED = "100000000"
START_TIMEOUT_S = 120


def set_up() -> None:
    """Sets Django up on the database of the measurements, beside the one that DATABASE_URL names."""
    os.environ.update(
        DATABASE_URL=urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{DATABASE}").geturl(),
        DJANGO_SETTINGS_MODULE="gateway.settings",
        ONPAY_LOCAL="1",  # receivers on the loopback
        ONPAY_RATE_LIMIT_ALL=NEVER_REACHED,  # counted all the same
        ONPAY_RATE_LIMIT_PAYMENTS=NEVER_REACHED,
    )
    django.setup()
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # of the owners of many companies


def fresh_database() -> None:
    """Makes it anew."""
    from tests.support.database import copy_template

    copy_template(DATABASE)


def settle(address: str | None = None) -> None:
    """As after a visit of autovacuum, which comes once a minute: plans made for empty tables are the worst there are.

    `address`: somebody else's database.
    """
    with psycopg.connect(address or os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute("VACUUM ANALYZE")
        server.execute("CHECKPOINT")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(name: str, command: str, port: int | None = None, kind: type[Child] = Child, **env: str) -> Iterator[Child]:
    """A process of the service, or of ours, until the block ends; it begins when the port answers."""
    logs = home.make(home.folder() / "logs")
    child = kind(name, [sys.executable, *command.split()], logs / f"{name}.log", os.environ | env)
    child.start()
    try:
        if port and not processes.wait_until(lambda: not child.alive() or _answers(port), START_TIMEOUT_S):
            raise RuntimeError(f"{name} does not answer: see {child.log}")
        yield child
    finally:
        child.signal(signal.SIGTERM)
        if not processes.wait_until(lambda: not child.alive(), 20):
            child.signal(signal.SIGKILL)


def empty_database(name: str) -> str:
    """Makes one anew on the server of the measurements, for somebody else's tables. Its address."""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        cursor.execute(f"CREATE DATABASE {name}")
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


def web(port: int) -> str:
    """The command of the web server, as `make run` has it."""
    return GATEWAY["web"].format(host="127.0.0.1", port=port)


@contextmanager
def service(port: int) -> Iterator[list[Child]]:
    """Every process of the gateway that `make run` starts, in its order."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                running(name, command.format(host="127.0.0.1", port=port), port if name == "web" else None, PART)
            )
            for name, command in GATEWAY.items()
        ]


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    time.sleep(0.05)
    return False
