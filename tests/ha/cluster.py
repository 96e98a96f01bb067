"""Three hosts in one machine, with the files of deploy/ha: PostgreSQL under Patroni, etcd, Valkey under Sentinel, and
HAProxy and PgBouncer, by which the service reaches them.

Each host has a network of its own: a process through which everything goes that reaches it from elsewhere, and what it
says to etcd. Stopped, it is a partition: connections are accepted and nothing comes of them.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg

from gateway.local import processes
from tests.support.disk import fill_the_log, without_room
from tests.support.network import free_ports
from tests.support.servers import Process, owner, signal_tree, where_is
from tests.support.serving import wait_until_it_listens
from tests.support.waiting import until

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
POSTGRES = Path("/usr/lib/postgresql/15/bin")
PROGRAMS = {
    "patroni": "patroni",
    "etcd": "etcd-server",
    "haproxy": "haproxy",
    "pgbouncer": "pgbouncer",
    "redis-server": "redis-server",
}
"""With the packages of Debian that have them."""
NAMES = ("1", "2", "3")
KILLS = int(os.environ.get("KILLS") or 50)
SHORT = KILLS < 10
PASSWORD = "ha-of-a-test"
ROOM = 2 << 30
"""What a host's disk has, in bytes. It is memory, of which only what is used is taken."""
NETWORK = """
defaults
    mode tcp
    option redispatch
    timeout connect 2s
    timeout client 1h
    timeout server 1h
"""


def missing() -> str:
    """What this machine lacks for a cluster, or ""."""
    packages = [package for program, package in PROGRAMS.items() if where_is(program) is None]
    if not (POSTGRES / "postgres").exists():
        packages.append("postgresql-15")
    return f"apt-get install {' '.join(packages)}" if packages else ""


def may_mount() -> bool:
    """Whether a host gets a disk of its own: `make ha` sees to that where root may mount one that nobody else sees."""
    return os.environ.get("OWN_MOUNTS") == "1"


class Host:
    """One of the three."""

    def __init__(self, cluster: "Cluster", number: str) -> None:
        self.cluster, self.number, self.name = cluster, number, f"pg{number}"
        self.postgres, self.rest, self.etcd, self.peer, self.valkey, self.sentinel = islice(cluster.ports, 6)
        self.postgres_seen, self.rest_seen, self.etcd_seen = islice(cluster.ports, 3)
        self.disk = cluster.folder / self.name
        self.processes: dict[str, Process] = {}

    @property
    def data(self) -> Path:
        return self.disk / "data"

    def build(self) -> None:
        """Its files. Every host must have its ports."""
        self.disk.mkdir()
        if may_mount():
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", self.name, self.disk], check=True)
        self.cluster.give(self.disk)
        every = self.cluster.hosts
        network = NETWORK + "".join(
            f"listen {name}\n    bind 127.0.0.1:{seen}\n"
            + "".join(f"    server s{n} 127.0.0.1:{port}\n" for n, port in enumerate(real))
            for name, seen, real in (
                ("postgres", self.postgres_seen, [self.postgres]),
                ("rest", self.rest_seen, [self.rest]),
                ("etcd", self.etcd_seen, [host.etcd for host in every]),
            )
        )
        self._process(
            "network", ["haproxy", "-db", "-q", "-f", self.cluster.write(f"network{self.number}.cfg", network)]
        )
        self._process("etcd", ["etcd", "--log-level", "warn"], self._etcd())
        self._process("patroni", ["patroni", self.cluster.patroni], self._patroni())
        self._process("valkey", self._valkey())
        self._process("sentinel", ["redis-server", self._sentinel(), "--sentinel"])

    def _process(self, name: str, command: list[Any], env: Mapping[str, str] | None = None) -> None:
        self.processes[name] = self.cluster.process(f"{self.name}-{name}", command, env)

    def _etcd(self) -> dict[str, str]:
        every = self.cluster.hosts
        return _settings("etcd.env") | {
            "ETCD_NAME": self.name,
            "ETCD_DATA_DIR": str(self.disk / "etcd"),
            "ETCD_LISTEN_PEER_URLS": f"http://127.0.0.1:{self.peer}",
            "ETCD_LISTEN_CLIENT_URLS": f"http://127.0.0.1:{self.etcd}",
            "ETCD_ADVERTISE_CLIENT_URLS": f"http://127.0.0.1:{self.etcd_seen}",
            "ETCD_INITIAL_ADVERTISE_PEER_URLS": f"http://127.0.0.1:{self.peer}",
            "ETCD_INITIAL_CLUSTER": ",".join(f"{host.name}=http://127.0.0.1:{host.peer}" for host in every),
        }

    def _patroni(self) -> dict[str, str]:
        return _settings("patroni.env") | {
            "HOME": str(self.disk),
            "PATRONI_NAME": self.name,
            "PATRONI_ETCD_HOSTS": f"127.0.0.1:{self.etcd_seen}",
            "PATRONI_ETCD_USE_PROXIES": "true",  # it shall not find a way around its own network
            "PATRONI_RESTAPI_LISTEN": f"127.0.0.1:{self.rest}",
            "PATRONI_RESTAPI_CONNECT_ADDRESS": f"127.0.0.1:{self.rest_seen}",
            "PATRONI_RESTAPI_PASSWORD": PASSWORD,
            "PATRONI_POSTGRESQL_LISTEN": f"127.0.0.1:{self.postgres}",
            "PATRONI_POSTGRESQL_CONNECT_ADDRESS": f"127.0.0.1:{self.postgres_seen}",
            "PATRONI_POSTGRESQL_DATA_DIR": str(self.data),
            "PATRONI_POSTGRESQL_BIN_DIR": str(POSTGRES),
            "PATRONI_SUPERUSER_PASSWORD": PASSWORD,
            "PATRONI_REPLICATION_PASSWORD": PASSWORD,
        }

    def _valkey(self) -> list[Any]:
        text = (DEPLOY / "ha/valkey.conf").read_text()
        address = {"bind 10.0.0.31\nport 6379": f"bind 127.0.0.1\nport {self.valkey}"}
        text = _replaced(text, address | {'""\nmasterauth ""': PASSWORD})
        text += f"masterauth {PASSWORD}\ndir {self.disk}\n"
        if self is not self.cluster.hosts[0]:
            text += f"replicaof 127.0.0.1 {self.cluster.hosts[0].valkey}\n"
        return ["redis-server", self.cluster.write(f"valkey{self.number}.conf", text)]

    def _sentinel(self) -> Path:
        first = self.cluster.hosts[0]
        replaced = {
            "bind 10.0.0.31\nport 26379": f"bind 127.0.0.1\nport {self.sentinel}\ndir {self.disk}",
            "monitor onpay valkey1 6379": f"monitor onpay 127.0.0.1 {first.valkey}",
            "set-the-password-here": PASSWORD,
        }
        text = _replaced((DEPLOY / "ha/sentinel.conf").read_text(), replaced)
        return self.cluster.write(f"sentinel{self.number}.conf", text)

    def start(self, *names: str) -> None:
        for name in names or self.processes:
            self.processes[name].start()

    def kill(self) -> None:
        """The database and Patroni."""
        self.processes["patroni"].kill()
        self.crash()

    def crash(self) -> None:
        """Its database alone."""
        self._signal_database(signal.SIGKILL)

    def _signal_database(self, number: int) -> None:
        """PostgreSQL is no child of Patroni, which it outlives."""
        if pid := processes.recorded(self.data / "postmaster.pid", f"-D {self.data}"):
            signal_tree(pid, number)

    @contextmanager
    def hanging(self, *, with_database: bool) -> Iterator[None]:
        """As long as this lasts Patroni does nothing, and does not end; nor does its database, or that goes on."""
        self.processes["patroni"].signal(signal.SIGSTOP)
        if with_database:
            self._signal_database(signal.SIGSTOP)
        try:
            yield
        finally:
            self._signal_database(signal.SIGCONT)
            self.processes["patroni"].signal(signal.SIGCONT)

    @contextmanager
    def partitioned(self) -> Iterator[None]:
        """As long as this lasts nobody reaches it, nor does it reach etcd."""
        self.processes["network"].signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.processes["network"].signal(signal.SIGCONT)

    def full(self) -> AbstractContextManager[None]:
        """As long as this lasts its disk has no room for a further page."""
        return without_room(lambda: shutil.disk_usage(self.disk).used, self._resize, ROOM)

    def _resize(self, size: int) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", self.disk], check=True)

    def fill_its_log(self) -> None:
        fill_the_log(self._address)

    def is_read_only(self) -> bool:
        """Whether its database is down or takes no writes, as one who is on the host sees it."""
        with suppress(psycopg.Error), psycopg.connect(self._address, autocommit=True, connect_timeout=2) as connection:
            row = connection.execute("SELECT pg_is_in_recovery()").fetchone()
            return bool(row and row[0])
        return True

    @property
    def _address(self) -> str:
        """Of its database, for one who is on the host."""
        return self.cluster.url("postgres", self.postgres, "postgres")

    def says(self, path: str) -> tuple[int, Any]:
        """What its Patroni answers; status 0 if it does not."""
        with suppress(OSError, HTTPException, ValueError):
            connection = HTTPConnection("127.0.0.1", self.rest_seen, timeout=1)
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")
        return 0, {}


class Cluster:
    """All of it. What the service needs to know of it is in `settings`."""

    def __init__(self) -> None:
        self.owner = owner()
        self.folder = Path(tempfile.mkdtemp(prefix="onpay-ha-"))
        self.give(self.folder)
        self.ports = free_ports()
        self.primary_port, self.replica_port, self.valkey_port, self.pooler_port = islice(self.ports, 4)
        self.hosts = [Host(self, number) for number in NAMES]
        small = {
            "unix_socket_directories: /var/run/postgresql": 'unix_socket_directories: ""',
            "wal_keep_size: 4GB": "wal_keep_size: 256MB",  # fifty takeovers leave more than the disks have
        }
        self.patroni = self.write("patroni.yml", _replaced((DEPLOY / "ha/patroni.yml").read_text(), small))
        for host in self.hosts:
            host.build()
        haproxy = ["-db", "-q", "-f", self.write("haproxy.cfg", self._haproxy())]
        self.balancer = self.process("haproxy", ["haproxy", *haproxy], {"ONPAY_VALKEY_PASSWORD": PASSWORD})
        self.write("userlist.txt", f'"onpay" "{PASSWORD}"\n')
        self.pooler = self.process("pgbouncer", ["pgbouncer", "-q", self.write("pgbouncer.ini", self._pooler())])

    def process(self, name: str, command: list[Any], env: Mapping[str, str] | None = None) -> Process:
        return Process(self.folder, self.owner, name, command, env)

    def _haproxy(self) -> str:
        replaced = {
            "127.0.0.1:5000": f"127.0.0.1:{self.primary_port}",
            "127.0.0.1:5001": f"127.0.0.1:{self.replica_port}",
            "127.0.0.1:6379": f"127.0.0.1:{self.valkey_port}",
        }
        own = {"    log /dev/log local0\n    user haproxy\n    group haproxy\n": ""}
        text = _replaced((DEPLOY / "ha/haproxy.cfg").read_text(), own)
        for host in self.hosts:
            at = f"127.0.0.1:{host.postgres_seen} check port {host.rest_seen}"
            replaced[f"{host.name}:5432 check port 8008"] = at
            replaced[f"valkey{host.number}:6379"] = f"127.0.0.1:{host.valkey}"
        return _replaced(text, replaced)

    def _pooler(self) -> str:
        replaced = {
            "host=postgres port=5432": f"host=127.0.0.1 port={self.primary_port}",
            "listen_addr = *": "listen_addr = 127.0.0.1",
            "listen_port = 6432": f"listen_port = {self.pooler_port}",
            "/etc/pgbouncer/userlist.txt": str(self.folder / "userlist.txt"),
        }
        return _replaced((DEPLOY / "pgbouncer/pgbouncer.ini").read_text(), replaced)

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.write_text(text)
        self.give(file)
        return file

    def give(self, path: Path) -> None:
        os.chown(path, *self.owner)

    def start(self) -> None:
        for host in self.hosts:
            host.start("network", "etcd", "valkey", "sentinel")
        self.leader_of_etcd()  # without it Patroni ends, which systemd starts again
        for host in self.hosts:
            host.start("patroni")
        self.balancer.start()
        self.until(self.is_whole, 120)
        with psycopg.connect(self.url("postgres", self.primary_port, "postgres"), autocommit=True) as server:
            server.execute("CREATE DATABASE onpay")
        self.pooler.start()
        wait_until_it_listens(self.pooler_port)

    def stop(self) -> None:
        """Everything, and its data."""
        own = [one for host in self.hosts for one in host.processes.values() if one.name.endswith("patroni")]
        others = [one for host in self.hosts for one in host.processes.values() if one not in own]
        for one in [self.pooler, self.balancer, *own, *others]:
            one.stop()
        for host in self.hosts:
            host.crash()
        if may_mount():
            for host in self.hosts:
                subprocess.run(["umount", "--lazy", host.disk], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a service that uses it."""
        valkey = f"redis://:{PASSWORD}@127.0.0.1:{self.valkey_port}"
        return {
            "DATABASE_URL": self.url("onpay", self.pooler_port),
            "ONPAY_DB_POOLER": "transaction",
            "ONPAY_MIGRATIONS_DATABASE_URL": self.url("onpay_owner", self.primary_port),
            "ONPAY_ADMIN_DATABASE_URL": self.url("postgres", self.primary_port),
            "CELERY_BROKER_URL": f"{valkey}/0",
            "ONPAY_CACHE_URL": f"{valkey}/1",
        }

    def url(self, user: str, port: int, database: str = "onpay") -> str:
        return f"postgres://{user}:{PASSWORD}@127.0.0.1:{port}/{database}"

    def members(self) -> list[dict[str, Any]]:
        """The hosts, as one that can be asked knows them."""
        for host in self.hosts:
            status, told = host.says("/cluster")
            if status == 200:
                return list(told["members"])
        return []

    def is_whole(self) -> bool:
        """Three hosts, of which one leads and one has every commit that was answered. All have the leader's timeline: a
        former primary that has yet to be rewound runs, and confirms nothing.
        """
        well = [one for one in self.members() if one["state"] in ("running", "streaming")]
        roles = sorted(one["role"] for one in well)
        return roles == ["leader", "replica", "sync_standby"] and len({one.get("timeline") for one in well}) == 1

    def primary(self) -> Host:
        """The host that HAProxy leads to."""
        return self.until(lambda: next((host for host in self.hosts if host.says("/primary")[0] == 200), None), 60)  # type: ignore[no-any-return]

    def leader_of_etcd(self) -> Host:
        return self.until(lambda: next((host for host in self.hosts if self._leads_etcd(host)), None), 60)  # type: ignore[no-any-return]

    def _leads_etcd(self, host: Host) -> bool:
        with suppress(OSError, HTTPException, ValueError):
            connection = HTTPConnection("127.0.0.1", host.etcd, timeout=2)
            connection.request("POST", "/v3/maintenance/status", "{}")
            told = json.loads(connection.getresponse().read())
            return bool(told["leader"] == told["header"]["member_id"])
        return False

    def primary_valkey(self) -> Host:
        return self.until(lambda: next((host for host in self.hosts if self._leads_valkey(host)), None), 60)  # type: ignore[no-any-return]

    def _leads_valkey(self, host: Host) -> bool:
        from redis import Redis, RedisError

        with suppress(RedisError):
            answer: Any = Redis(port=host.valkey, password=PASSWORD, socket_timeout=1).info("replication")
            return bool(answer["role"] == "master")
        return False

    def until(self, holds: Callable[[], Any], seconds: float) -> Any:
        return until(holds, seconds, lambda: f"{self.members()}\n{self._last_said()}")

    def _last_said(self) -> str:
        logs = sorted(self.folder.glob("*.log"))
        return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-600:]}" for log in logs)


def _settings(name: str) -> dict[str, str]:
    """The file of an environment in deploy/ha."""
    lines = (DEPLOY / "ha" / name).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def _replaced(text: str, replaced: Mapping[str, str]) -> str:
    """The shipped file, with places of our own. What is replaced must be in it."""
    for old, new in replaced.items():
        assert old in text, old
        text = text.replace(old, new)
    return text
