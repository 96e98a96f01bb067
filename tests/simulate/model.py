"""Each part of an installation as servers with one queue: how busy they are, and how long a charge waits there.

Arrivals are random and independent, and so are the times of service (M/M/c; the formula is Erlang's of 1917). A part
whose servers are busy all the time is saturated: what waits there grows without end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.simulate.costs import Costs
from tests.simulate.placement import placed, volumes

SECOND_US = 1e6
NODES = "more nodes"
COORDINATOR = "processors of the coordinator"
WALLET, VALKEY = "the largest merchant's wallet", "each master of Valkey"
"""Of a wallet there is one. The windows of the limits are those of many addresses, and so on all masters alike."""
FEWEST_MASTERS = 3
"""Of a cluster of Valkey."""
WISE = 0.7
"""Of its time a part should be busy at most: beyond that, waits grow faster than the load."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An installation. Each of its hosts has so many processors, and those of its nodes are PostgreSQL's alone. Several
    nodes are those of Citus, with a coordinator on a host of its own.
    """

    rate: float
    """Charges a second."""
    nodes: int
    web_hosts: int
    other_hosts: int
    """For workers and dispatchers."""
    cores: int
    merchants: int
    skew: float
    masters: int = 1
    """Of Valkey, for the limits: one, or a cluster of them. Celery's messages are on another one, and no more with more
    charges.
    """
    speed: float = 1.0
    """How fast a processor is beside those of the measurement."""
    wal_disk: float = 200e6
    """Bytes that a node's disk takes in a second."""
    link: float = 1.25e9
    """Bytes a second of a node's network (10 Gbit)."""
    coordinator_cores: int = 0
    """0: as many as each other host has."""
    standbys: int = 2
    standby_us: float = 500
    """How long the nearest standby takes to keep what is committed: the way there and back, and its disk."""


@dataclass(frozen=True, slots=True)
class Part:
    """`servers` that each take `service_us` for one charge, of which `rate` a second arrive at the busiest place."""

    name: str
    servers: int
    rate: float
    service_us: float
    remedy: str
    """What helps when it is saturated."""

    @property
    def busy(self) -> float:
        """The part of the time in which a server is busy; 1 and more: saturated."""
        return self.rate * self.service_us / SECOND_US / self.servers

    @property
    def wait_us(self) -> float:
        """How long a charge waits here on average before it is served. Infinite if it is saturated."""
        if self.busy >= 1:
            return float("inf")
        offered = self.busy * self.servers
        return waits(self.servers, offered) * self.service_us / (self.servers - offered)

    @property
    def most(self) -> float:
        """The rate at which it is as busy as it should be at most."""
        return self.rate * WISE / self.busy


def waits(servers: int, offered: float) -> float:
    """Erlang's C: the probability that all `servers` are busy, where `offered` of them are on average."""
    blocked = 1.0
    for count in range(1, servers + 1):
        blocked = offered * blocked / (count + offered * blocked)
    return blocked / (1 - offered / servers * (1 - blocked))


def parts_of(plan: Plan, costs: Costs) -> list[Part]:
    """Every part of the installation that a charge passes, the busiest of several alike."""
    shares = volumes(plan.merchants, plan.skew)
    fullest = plan.rate * max(placed(shares, plan.nodes))
    others = plan.other_hosts * plan.cores
    wal_us = costs.wal_bytes / plan.wal_disk * SECOND_US
    link_us = costs.wal_bytes * plan.standbys / plan.link * SECOND_US
    on_citus = plan.nodes > 1
    coordinators = [
        Part(
            COORDINATOR, plan.coordinator_cores or plan.cores, plan.rate,
            costs.database_us * costs.coordinator / plan.speed, "a larger host for it",
        )
    ] if on_citus else []  # fmt: skip
    node_us = costs.database_us * (costs.node if on_citus else 1)
    return [
        Part("web", plan.web_hosts * plan.cores, plan.rate, costs.web_us / plan.speed, "more web hosts"),
        Part(
            "workers and dispatchers", others, plan.rate,
            (costs.workers_us + costs.dispatcher_us) / plan.speed, "more hosts for them",
        ),
        *coordinators,
        Part("processors of the fullest node", plan.cores, fullest, node_us / plan.speed, NODES),
        Part("disk of the fullest node", 1, fullest, wal_us, NODES),
        Part("network of the fullest node", 1, fullest, link_us, NODES),
        Part(WALLET, 1, plan.rate * shares[0], _locked_us(plan, costs), "a second merchant for it"),
        Part(VALKEY, 1, plan.rate / plan.masters, costs.broker_us / plan.speed, "more masters, in a cluster"),
    ]  # fmt: skip


def _locked_us(plan: Plan, costs: Costs) -> float:
    """Faster processors make no disk faster, and a commit is over once a standby has it, too."""
    works_us = max(costs.wallet_us - costs.disk_sync_us, 0)
    return works_us / plan.speed + costs.disk_sync_us + (plan.standby_us if plan.standbys else 0)


def first_to_saturate(parts: Sequence[Part]) -> Part:
    """Whatever the rate, it is the busiest: each part's load grows with the rate alone."""
    return max(parts, key=lambda part: part.busy)


def fitting(plan: Plan, costs: Costs) -> Plan:
    """The plan with as many hosts and nodes as it takes for each to be busy as much as it should be at most. Of the
    coordinator and of the largest wallet there is one.

    Raises ValueError if no number of nodes is enough, because the largest merchant alone is too much for one.
    """
    largest = plan.rate * volumes(plan.merchants, plan.skew)[0]
    alone = first_to_saturate(_of_a_node(replace(plan, rate=largest, nodes=2, merchants=1), costs))
    if alone.busy > WISE:
        raise ValueError(f"the largest merchant alone is too much for one node: its {alone.name.split()[0]}")
    nodes = plan.nodes
    while max(part.busy for part in _of_a_node(replace(plan, nodes=nodes), costs)) > WISE:
        nodes += 1
    masters = _needed(plan.rate * costs.broker_us / plan.speed)
    return replace(
        plan,
        nodes=nodes,
        masters=max(masters, FEWEST_MASTERS) if masters > 1 else 1,
        web_hosts=_hosts(plan, costs.web_us),
        other_hosts=_hosts(plan, costs.workers_us + costs.dispatcher_us),
    )


def _of_a_node(plan: Plan, costs: Costs) -> list[Part]:
    return [part for part in parts_of(plan, costs) if part.remedy == NODES]


def _hosts(plan: Plan, service_us: float) -> int:
    return -(-_needed(plan.rate * service_us / plan.speed) // plan.cores)


def _needed(us_a_second: float) -> int:
    """How many servers this many microseconds of work a second are for."""
    return max(1, int(-(-us_a_second // (SECOND_US * WISE))))
