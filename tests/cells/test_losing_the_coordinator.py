"""The coordinator is killed while payments are committed on it and on a node. What was answered stays, and once."""

import os
import signal
import time
from contextlib import ExitStack, suppress

import psutil
import psycopg
import pytest

from tests.cells.nodes import Nodes, Server
from tests.support.backends import Backends
from tests.support.service import Service, are_charged_once

IN_THE_MIDDLE = 2
"""So many of the kills find a transaction that a node has prepared and the coordinator has not ended."""
KILLS_AT_MOST = 15
DECIDED_WITHIN_S = 15
"""So long after the coordinator is started none of these is left."""
BACK_WITHIN_S = 20
_PREPARED = "SELECT gid FROM pg_prepared_xacts"


@pytest.mark.takes_minutes
def test_the_coordinator_is_killed_between_two_steps(
    service: Service, acmes: Service, globexes: Service, nodes: Nodes
) -> None:
    shops = {"on a node": acmes, "on another node": globexes, "in public": service}
    backends = {
        who: Backends(shop, f"lost{number}", undecided=True) for number, (who, shop) in enumerate(shops.items())
    }
    kills = met = 0
    back, decided = [0.0], [0.0]
    with ExitStack() as until_the_end:
        for one in backends.values():
            until_the_end.enter_context(one.at_work(2))
        while met < IN_THE_MIDDLE:
            assert kills < KILLS_AT_MOST, "no kill came between two steps"
            kills += 1
            killed_while_something_is_prepared(nodes)
            left = prepared(nodes)
            met += bool(left)
            nodes.coordinator.start()
            started = time.monotonic()
            service.until(lambda left=left: not left & prepared(nodes), DECIDED_WITHIN_S)
            decided.append(time.monotonic() - started)
            back += [one.back_after(started) for one in backends.values()]
    service.until(service.is_well, 60)
    service.until(lambda: not prepared(nodes), DECIDED_WITHIN_S)

    assert max(back) < BACK_WITHIN_S
    what = f"{met} of {kills} kills between two steps, decided {max(decided):.1f} s after the start at most"
    for who, one in backends.items():
        assert one.answers.keys() <= {200, 201, 409, 503}, one.answers
        note = f"{what}; back {max(back):.1f} s after it at most; {one.answers[409]} answered 409"
        are_charged_once(shops[who], f"coordinator killed, {who}", one.prefix, one.made, faults=kills, note=note)
    service.manage("verify_ledger")


def killed_while_something_is_prepared(nodes: Nodes) -> None:
    """As soon as one of the nodes has prepared a transaction, which it has for milliseconds."""
    assert nodes.coordinator.process.child
    postmaster = psutil.Process(nodes.coordinator.process.child.pid)
    with ExitStack() as until_then:
        looking = [
            until_then.enter_context(psycopg.connect(one.url("postgres"), autocommit=True)) for one in at_work(nodes)
        ]
        all_of_it = [postmaster.pid, *(one.pid for one in postmaster.children(recursive=True))]
        while not any(one.execute(_PREPARED).fetchone() for one in looking):
            pass
        for one in all_of_it:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
    nodes.coordinator.kill()


def at_work(nodes: Nodes) -> list[Server]:
    return [one for one in nodes.servers if one is not nodes.coordinator]


def prepared(nodes: Nodes) -> set[str]:
    """What the nodes have prepared and not ended."""
    return {gid for one in at_work(nodes) for (gid,) in one.run(_PREPARED)}
