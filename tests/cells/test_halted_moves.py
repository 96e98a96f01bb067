"""Who moves a cell to another node is killed: the cell stays, its merchants sell, and the next move works."""

import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from tests.cells.nodes import GLOBEXES, Nodes, Server
from tests.support.backends import Backends
from tests.support.service import ROOT, Service, are_charged_once

GIVEN_UP_WITHIN_S = 10
CLEAN_WITHIN_S = 60
"""Citus clears away what is left of a move every 15 seconds."""
# Every node has tables of the cell's names as well, by which it asks where the rows are. Those with rows have a number.
COPIES = (
    f"SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('{GLOBEXES}') AND relname ~ '_[0-9]{{6}}$'"
)
SLOTS = "SELECT count(*) FROM pg_replication_slots"
SUBSCRIPTIONS = "SELECT count(*) FROM pg_subscription"
PUBLICATIONS = "SELECT count(*) FROM pg_publication"
MOVING = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT citus_schema_move%%' AND state = 'active'"
LEFT_OVER = "SELECT count(*) FROM pg_dist_cleanup"


@pytest.mark.takes_minutes
def test_a_move_between_nodes_is_killed(service: Service, globexes: Service, nodes: Nodes) -> None:
    spare, was = nodes.add("spare"), home_of(nodes)
    moments = {
        "as tables are made": lambda: count(spare, COPIES) > 0,
        "as the log is kept": lambda: count(was, SLOTS) > 0,
        "as the log is followed": lambda: count(spare, SUBSCRIPTIONS) > 0,
    }
    there = Backends(globexes, "halts", undecided=True)
    back = []
    with there.at_work(2):
        for moment in moments.values():
            place_and_kill(service, spare, moment)
            service.until(lambda: count(nodes.coordinator, MOVING) == 0, GIVEN_UP_WITHIN_S)
            assert home_of(nodes) is was
            back.append(there.back_after(time.monotonic()))
        service.manage("place_cell", GLOBEXES, f"127.0.0.1:{spare.port}")
        back.append(there.back_after(time.monotonic()))
    assert home_of(nodes) is spare

    service.until(lambda: not left_over(nodes), CLEAN_WITHIN_S)
    assert count(was, COPIES) == 0
    assert there.answers.keys() <= {200, 201, 409, 503}, there.answers
    note = (
        f"killed {', '.join(moments)}; at most {there.longest_gap:.1f} s without an answer, then {max(back):.1f};"
        f" {there.answers[503]} answered 503"
    )
    are_charged_once(globexes, "move killed, its merchants", there.prefix, there.made, faults=len(moments), note=note)
    service.manage("verify_ledger")


def place_and_kill(service: Service, node: Server, is_the_moment: Callable[[], bool]) -> None:
    """Kills the command as soon as the moment has come."""
    command = [sys.executable, "manage.py", "place_cell", GLOBEXES, f"127.0.0.1:{node.port}"]
    with subprocess.Popen(command, cwd=ROOT, env=service.environment(), stdout=subprocess.DEVNULL) as moving:
        service.until(lambda: is_the_moment() or moving.poll() is not None, 120)
        assert moving.poll() is None, "it was over before"
        moving.kill()


def home_of(nodes: Nodes) -> Server:
    return next(one for one in nodes.servers if one.port == nodes.home_of(GLOBEXES))


def left_over(nodes: Nodes) -> dict[str, int]:
    """What Citus makes for a move, where there is any of it."""
    asked = {one.name: (SLOTS, SUBSCRIPTIONS, PUBLICATIONS) for one in nodes.servers}
    asked["coordinator"] = (*asked["coordinator"], LEFT_OVER)
    every = {(one.name, what): count(one, what) for one in nodes.servers for what in asked[one.name]}
    return {f"{name}: {what}": found for (name, what), found in every.items() if found}


def count(server: Server, query: str) -> int:
    ((found,),) = server.run(query)
    return int(found)
