"""A cluster of Valkey: three masters, the first of them with a replica. Each is killed, or stands still."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Any

from redis import Redis, RedisError
from redis.crc import key_slot

from tests.support.network import free_ports
from tests.support.servers import Process
from tests.support.waiting import until

PASSWORD = "of-a-test"
MASTERS, SLOTS = 3, 16384
SILENT_MS = 1000
"""After which a node is taken to be lost."""


class Node(Process):
    """One server."""

    def __init__(self, folder: Path, number: int, port: int, bus: int) -> None:
        own = folder / f"valkey{number}"
        own.mkdir()
        self.port = port
        settings = {
            "port": port,
            "cluster-port": bus,
            "bind": "127.0.0.1",
            "dir": own,
            "requirepass": PASSWORD,
            "masterauth": PASSWORD,
            "cluster-enabled": "yes",
            "cluster-node-timeout": SILENT_MS,
            "cluster-require-full-coverage": "no",
            "cluster-replica-no-failover": "yes",
            "repl-diskless-sync-delay": 0,
            "appendonly": "no",
        }
        words = [word for name, value in settings.items() for word in (f"--{name}", value)]
        super().__init__(
            folder, (os.geteuid(), os.getegid()), f"valkey{number}", ["redis-server", "--save", "", *words]
        )

    def asks(self, *words: Any) -> Any:
        with Redis(port=self.port, password=PASSWORD, socket_timeout=5, decode_responses=True) as client:
            return client.execute_command(*words)

    def misses(self) -> bool:
        """Whether it believes that another one may have failed."""
        flags = (line.split()[2].split(",") for line in self.asks("CLUSTER", "NODES").splitlines())
        return any({"fail", "fail?"} & {*some} for some in flags)

    def role(self) -> str:
        return str(self.asks("INFO", "replication")["role"])

    def takes_over(self, answer: str) -> None:
        """Whether a replica does so when its master is lost. At first it does not: a slow one may seem lost."""
        self.asks("CONFIG", "SET", "cluster-replica-no-failover", {"yes": "no", "no": "yes"}[answer])

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        self.signal(SIGSTOP)
        try:
            yield
        finally:
            self.signal(SIGCONT)


class ClusterOfValkey:
    """Its nodes. All slots are given away evenly."""

    def __init__(self, folder: Path) -> None:
        ports = [*islice(free_ports(), 2 * MASTERS + 2)]
        self.nodes = [Node(folder, n, *ports[2 * n : 2 * n + 2]) for n in range(MASTERS + 1)]
        *self.masters, self.replica = self.nodes
        self.bus = dict(zip(self.nodes, ports[1::2], strict=True))

    @property
    def address(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.masters)

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        for number, node in enumerate(self.masters):
            self.until(lambda node=node: node.asks("PING"))  # type: ignore[misc]
            first, after = (SLOTS * n // MASTERS for n in (number, number + 1))
            node.asks("CLUSTER", "ADDSLOTSRANGE", first, after - 1)
            node.asks("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        self.until(lambda: self.replica.asks("PING"))
        for node in self.nodes[1:]:
            node.asks("CLUSTER", "MEET", "127.0.0.1", self.nodes[0].port, self.bus[self.nodes[0]])
        self.until(lambda: all(self.knows_all(node) for node in self.nodes))
        self.replica.asks("CLUSTER", "REPLICATE", self.id(self.masters[0]))
        self.until(self.is_whole)

    def stop(self) -> None:
        for node in self.nodes:
            node.kill()

    def knows_all(self, node: Node) -> bool:
        known = node.asks("CLUSTER", "INFO")
        told = ("cluster_state:ok", f"cluster_known_nodes:{len(self.nodes)}", f"cluster_slots_ok:{SLOTS}")
        return all(f"{one}\r\n" in known for one in told)

    def is_whole(self) -> bool:
        """All nodes answer, agree that none has failed, and the replica has what its master has."""
        told = [node.asks("INFO", "replication") for node in (self.masters[0], self.replica)]
        follows = any("master_link_status" in one and one["master_link_status"] == "up" for one in told)
        return follows and all(self.knows_all(one) and not one.misses() for one in self.nodes)

    def id(self, node: Node) -> str:
        return str(node.asks("CLUSTER", "MYID"))

    def master_of(self, key: str) -> Node:
        """Where no slot has moved."""
        return next(node for n, node in enumerate(self.masters) if key_slot(key.encode()) < SLOTS * (n + 1) // MASTERS)

    def replaced(self) -> None:
        """From now on the replica is the first master, and the other way round."""
        self.masters[0], self.replica = self.replica, self.masters[0]

    def move(self, slot: int, here: Node, there: Node, meanwhile: Callable[[], object]) -> None:
        """Gives a slot with its keys to another master. `meanwhile` is called before its keys are there, and after."""
        there.asks("CLUSTER", "SETSLOT", slot, "IMPORTING", self.id(here))
        here.asks("CLUSTER", "SETSLOT", slot, "MIGRATING", self.id(there))
        meanwhile()
        for key in here.asks("CLUSTER", "GETKEYSINSLOT", slot, 1000):
            here.asks("MIGRATE", "127.0.0.1", there.port, key, 0, 5000, "AUTH", PASSWORD)
        meanwhile()
        for node in (there, here):
            node.asks("CLUSTER", "SETSLOT", slot, "NODE", self.id(there))
        meanwhile()

    def until(self, holds: Callable[[], Any], seconds: float = 30) -> None:
        def answered() -> Any:
            with suppress(RedisError):
                return holds()

        until(answered, seconds, self._last_said)

    def _last_said(self) -> str:
        return "\n".join(f"{node.name}: {node.log.read_text(errors='replace')[-500:]}" for node in self.nodes)
