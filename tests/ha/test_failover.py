"""Whichever host is lost, the service goes on within seconds, and nothing that was answered is lost or doubled."""

import time
from collections.abc import Callable, Sequence

import pytest

from tests.ha.cluster import KILLS, SHORT, Cluster, Host, may_mount
from tests.support.backends import Backends
from tests.support.service import Service, are_charged_once

BACK_WITHIN_S = 60 if SHORT else 10
"""The short form shares its machine, and says nothing of times."""
LASTS_S = 8
"""For how long a host hangs, or cannot be reached: another one has its place by then."""


def nothing_was_lost(
    service: Service, backends: Backends, what: str, backs: Sequence[float] = (), *, faults: int = 1
) -> None:
    """`backs`: after how many seconds each fault was over, where it is at once that nobody answers."""
    worst = max([*backs, backends.longest_gap])
    assert worst < BACK_WITHIN_S, f"{what}: back after {sorted(backs)}, at most {worst} s without an answer"
    assert backends.answers.keys() <= {200, 201, 503}
    service.until(service.is_well, 60)
    usual = f"{sorted(backs)[len(backs) // 2]:.1f} s, " if backs else ""
    note = f"no write answered for {usual}at most {worst:.1f} s; {backends.answers[503]} answered 503"
    are_charged_once(service, what, backends.prefix, backends.made, faults=faults, note=note)


@pytest.mark.parametrize("lose", [Host.kill, Host.crash], ids=["host", "database"])
def test_the_primary_is_killed(service: Service, cluster: Cluster, lose: Callable[[Host], None]) -> None:
    kills, backs = max(1, KILLS // 2), []
    backends = Backends(service, "killed")
    with backends.at_work():
        for _ in range(kills):
            lost = cluster.primary()
            lose(lost)
            backs.append(backends.back_after(time.monotonic()))
            lost.start()
            cluster.until(cluster.is_whole, 120)
    what = "host of the primary killed" if lose is Host.kill else "database of the primary killed"
    nothing_was_lost(service, backends, what, backs, faults=kills)


@pytest.mark.parametrize("with_database", [True] if SHORT else [True, False], ids=str)
def test_the_primary_hangs(service: Service, cluster: Cluster, *, with_database: bool) -> None:
    """When it goes on it has no place any more, takes no write, and does not take its place back."""
    times, backs = max(1, KILLS // 10), []
    backends = Backends(service, "hangs")
    with backends.at_work():
        for _ in range(times):
            hangs = cluster.primary()
            with hangs.hanging(with_database=with_database):
                backs.append(backends.back_after(time.monotonic()))
                time.sleep(LASTS_S)
            cluster.until(lambda hangs=hangs: cluster.is_whole() and cluster.primary() is not hangs, 120)
    what = "primary hangs" if with_database else "Patroni hangs"
    nothing_was_lost(service, backends, what, backs if with_database else (), faults=times)


def test_the_primary_cannot_be_reached(service: Service, cluster: Cluster) -> None:
    """Neither by clients nor by the other hosts: nobody confirms its commits, and soon it takes no writes."""
    backends, apart = Backends(service, "apart"), cluster.primary()
    with backends.at_work():
        with apart.partitioned():
            back = backends.back_after(time.monotonic())
            time.sleep(LASTS_S)
            assert apart.is_read_only()
        cluster.until(lambda: cluster.is_whole() and cluster.primary() is not apart, 120)
    nothing_was_lost(service, backends, "primary cannot be reached", [back])


def test_the_leader_of_etcd_is_killed(service: Service, cluster: Cluster) -> None:
    """The primary stays, or gives up its place where the others choose more slowly than it may go on without them."""
    backends = Backends(service, "etcd")
    with backends.at_work():
        lost = cluster.leader_of_etcd()
        lost.processes["etcd"].kill()
        time.sleep(LASTS_S)
        lost.start("etcd")
        cluster.until(cluster.is_whole, 120)
    nothing_was_lost(service, backends, "leader of etcd killed")


def test_the_disk_of_the_primary_is_full(service: Service, cluster: Cluster) -> None:
    """It has written what nobody confirmed, and has no room to take it back: it takes everything from the next one."""
    if not may_mount():
        pytest.skip("only root mounts a small disk")
    backends, fills = Backends(service, "full"), cluster.primary()
    with backends.at_work():
        with fills.full():
            fills.processes["network"].kill()
            fills.fill_its_log()
            fills.start("network")
            back = backends.back_after(time.monotonic())
            time.sleep(LASTS_S)
            assert cluster.primary() is not fills
        cluster.until(cluster.is_whole, 120)
    nothing_was_lost(service, backends, "disk of the primary full", [back])


def test_the_primary_of_valkey_is_killed(service: Service, cluster: Cluster) -> None:
    """Payments do not need it; limits and the broker are back with the next one."""
    backends, lost = Backends(service, "valkey"), cluster.primary_valkey()
    with backends.at_work():
        lost.processes["valkey"].kill()
        cluster.until(lambda: cluster.primary_valkey() is not lost, 60)
        service.until(service.is_well, 60)
        lost.start("valkey")
        time.sleep(LASTS_S)
    assert backends.answers[503] == 0
    nothing_was_lost(service, backends, "primary of Valkey killed")
