"""A coordinator of Citus and its nodes in one machine, with the file of deploy/citus."""

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg

from gateway.local import processes
from gateway.local.valkey import Valkey
from tests.support.network import free_ports
from tests.support.servers import Process, owner
from tests.support.service import Service

POSTGRES = Path("/usr/lib/postgresql/15/bin")
SETTINGS = Path(__file__).resolve().parents[2] / "deploy/citus/node.conf"
DATABASE = "onpay"
ACMES, GLOBEXES = "cell_01", "cell_02"
_OURS = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = ''
max_connections = 200
shared_buffers = 64MB
jit = off
timezone = UTC
log_statement = none
include '{settings}'
"""


def missing() -> str:
    """What this machine lacks for nodes, or ""."""
    if not (POSTGRES / "postgres").exists():
        return "apt-get install postgresql-15, and build Citus for it"
    libraries = subprocess.run([POSTGRES / "pg_config", "--pkglibdir"], capture_output=True, text=True, check=True)
    return "" if Path(libraries.stdout.strip(), "citus.so").exists() else "Citus is not built for PostgreSQL 15"


class Server:
    """One PostgreSQL with Citus. All of them trust this machine."""

    def __init__(self, place: "Nodes", name: str) -> None:
        self.place, self.name = place, name
        (self.port,) = islice(place.ports, 1)
        self.data = place.folder / name
        self.process = Process(place.folder, place.owner, name, [POSTGRES / "postgres", "-D", self.data], place.home)
        self._make()

    def _make(self) -> None:
        made = [POSTGRES / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        done = processes.run([*made, "--locale=C.UTF-8", "--no-sync"], self.place.owner, self.place.home, "")
        assert done.returncode == 0, done.stderr
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(_OURS.format(port=self.port, settings=self.place.settings_file))

    def start(self) -> None:
        self.process.start()
        ready = [POSTGRES / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        assert processes.wait_until(lambda: subprocess.run(ready, check=False).returncode == 0, 60)

    def kill(self) -> None:
        """All of its processes, as when its host is lost."""
        self.process.kill()

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """As long as this lasts none of its processes does anything, and none of its connections is closed."""
        self.process.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.signal(signal.SIGCONT)

    def run(self, statement: str, *values: object, database: str = DATABASE) -> list[tuple[Any, ...]]:
        """What a node has is seen as well: Citus hides the tables in which the rows are."""
        seen = "-c citus.override_table_visibility=off"
        with psycopg.connect(self.url("postgres", database), autocommit=True, options=seen) as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def url(self, user: str, database: str = DATABASE) -> str:
        return f"postgres://{user}@127.0.0.1:{self.port}/{database}"


class Nodes:
    """A coordinator, which has `public`, two nodes with a cell each, and further ones that are added."""

    def __init__(self) -> None:
        self.owner = owner()
        self.folder = Path(tempfile.mkdtemp(prefix="onpay-cells-"))
        shutil.chown(self.folder, *self.owner)
        self.settings_file = self.folder / "node.conf"
        shutil.copy(SETTINGS, self.settings_file)
        self.home = {"HOME": str(self.folder)}
        self.ports = free_ports()
        self.valkey = Valkey(Path(tempfile.mkdtemp(prefix="onpay-cells-")) / "valkey", durable=False)
        self.servers: list[Server] = []

    def start(self) -> None:
        self.valkey.start()
        self.coordinator = self._server("coordinator")
        self.coordinator.run("SELECT citus_set_coordinator_host('127.0.0.1', %s)", self.coordinator.port)
        self.first, self.second = self.add("first"), self.add("second")

    def add(self, name: str) -> Server:
        """Another node, as an operator adds it."""
        node = self._server(name)
        self.coordinator.run("SELECT citus_add_node('127.0.0.1', %s)", node.port)
        return node

    def _server(self, name: str) -> Server:
        server = Server(self, name)
        self.servers.append(server)
        server.start()
        server.run(f"CREATE DATABASE {DATABASE}", database="postgres")
        server.run("CREATE EXTENSION citus")
        return server

    def database(self, name: str) -> str:
        """The address of another database, of which the first node may have a cell."""
        for server in (self.coordinator, self.first):
            server.run(f"CREATE DATABASE {name}", database="postgres")
            server.run("CREATE EXTENSION citus", database=name)
        told = "SELECT citus_set_coordinator_host('127.0.0.1', %s)", "SELECT citus_add_node('127.0.0.1', %s)"
        for statement, server in zip(told, (self.coordinator, self.first), strict=True):
            self.coordinator.run(statement, server.port, database=name)
        return self.coordinator.url("postgres", name)

    def home_of(self, cell: str) -> int:
        """The port of the node on which all of the cell is."""
        placed = "SELECT DISTINCT nodeport FROM citus_shards WHERE starts_with(table_name::text, %s)"
        ((port,),) = self.coordinator.run(placed, f"{cell}.")
        return int(port)

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a service that uses them."""
        return {
            "DATABASE_URL": self.coordinator.url("onpay"),
            "ONPAY_MIGRATIONS_DATABASE_URL": self.coordinator.url("onpay_owner"),
            "ONPAY_ADMIN_DATABASE_URL": self.coordinator.url("postgres"),
            **self.valkey.variables(),
        }

    def stop(self) -> None:
        """Everything, and its data."""
        for server in self.servers:
            server.kill()
        self.valkey.stop()
        for folder in (self.folder, self.valkey.folder.parent):
            shutil.rmtree(folder, ignore_errors=True)


_TAKE_ON = """
from accounts.models import Company
from tests.support.companies import a_shop
shop = a_shop("{name}")
Company.objects.filter(pk=shop.company.pk).update(withdrawal_ip="127.0.0.1")
print(shop.sandbox_key, shop.sandbox.cell_id)
"""


def taken_on(service: Service, name: str, cell: str) -> Service:
    """The service with the key of a new company, which lives in the cell that is emptiest."""
    key, lives = service.manage("shell", "-v", "0", "-c", _TAKE_ON.format(name=name)).split()
    assert lives == cell
    return replace(service, demo={"sandboxApiKey": key})
