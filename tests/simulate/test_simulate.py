"""What `make simulate` computes, held against published values and against queues that are played through."""

import heapq
import random
import re
from dataclasses import replace

import pytest

from tests.simulate.__main__ import main
from tests.simulate.costs import FILE, Costs, known
from tests.simulate.document import DOCUMENT, blocks
from tests.simulate.model import (
    COORDINATOR,
    VALKEY,
    WALLET,
    WISE,
    Part,
    Plan,
    first_to_saturate,
    fitting,
    parts_of,
    waits,
)
from tests.simulate.placement import of_the_largest, placed, volumes
from tests.simulate.report import report

COSTS = Costs(
    measured_on="a test",
    web_us=2_000,
    workers_us=300,
    dispatcher_us=200,
    database_us=1_000,
    broker_us=50,
    wallet_us=400,
    wal_bytes=20_000,
    commits=4,
    kept_bytes=3_000,
    passing_bytes=7_000,
    disk_sync_us=500,
    coordinator=0.05,
    node=1.2,
)
PLAN = Plan(rate=1_000, nodes=2, web_hosts=1, other_hosts=1, cores=8, merchants=1_000, skew=0.5)


@pytest.mark.parametrize(
    ("servers", "offered", "probability"),
    [(1, 0.5, 0.5), (2, 1.0, 1 / 3), (5, 4.0, 0.5541), (10, 8.0, 0.4092), (20, 16.0, 0.2561)],
)
def test_who_waits_is_what_tables_of_erlang_c_say(servers: int, offered: float, probability: float) -> None:
    assert waits(servers, offered) == pytest.approx(probability, abs=1e-4)


@pytest.mark.parametrize(("servers", "busy"), [(1, 0.6), (4, 0.8), (16, 0.9)])
def test_a_queue_that_is_played_through_waits_as_long(servers: int, busy: float) -> None:
    part = Part("played", servers, rate=busy * servers * 1_000, service_us=1_000, remedy="nothing")

    assert _played(part, charges=400_000) == pytest.approx(part.wait_us, rel=0.15)


def test_what_is_busy_all_the_time_waits_for_ever() -> None:
    part = Part("web", 2, rate=2_000, service_us=1_000, remedy="more web hosts")

    assert part.busy == 1
    assert part.wait_us == float("inf")
    assert "Saturated: web. What helps: more web hosts" in report(
        replace(PLAN, rate=10_000), replace(COSTS, workers_us=1, dispatcher_us=1, database_us=1, wallet_us=1)
    )


def test_every_merchant_is_on_one_node_and_no_share_is_lost() -> None:
    shares = volumes(1_000, 1.0)

    assert sum(shares) == pytest.approx(1)
    assert placed(shares, 7) == pytest.approx([1 / 7] * 7, abs=0.02)
    assert max(placed(shares, 20)) == shares[0]  # one alone is more than a twentieth
    assert of_the_largest(volumes(10, 0), 0.5) == 5


def test_the_busiest_part_is_the_first_to_be_saturated() -> None:
    parts = {part.name: part for part in parts_of(PLAN, COSTS)}

    assert parts["web"].busy == pytest.approx(0.25)
    assert parts["processors of the fullest node"].busy == pytest.approx(0.6 / 8, rel=0.01)
    assert first_to_saturate(list(parts.values())).name == "web"
    slow = parts_of(replace(PLAN, wal_disk=1e6), COSTS)
    assert first_to_saturate(slow).name == "disk of the fullest node"


def test_as_much_as_it_takes_is_enough_and_one_less_is_not() -> None:
    plan = fitting(replace(PLAN, rate=20_000), COSTS)

    assert all(part.busy <= WISE for part in parts_of(plan, COSTS) if part.name != WALLET)
    for fewer in ({"nodes": plan.nodes - 1}, {"web_hosts": plan.web_hosts - 1}):
        assert any(part.busy > WISE for part in parts_of(replace(plan, **fewer), COSTS))


@pytest.mark.parametrize(("rate", "masters"), [(10_000, 1), (14_000, 1), (15_000, 3), (50_000, 4), (140_000, 10)])
def test_a_cluster_of_valkey_has_three_masters_or_as_many_more_as_it_takes(rate: float, masters: int) -> None:
    plan = fitting(replace(PLAN, rate=rate, merchants=100_000), COSTS)
    [valkey] = [part for part in parts_of(plan, COSTS) if part.name == VALKEY]

    assert plan.masters == masters
    assert valkey.busy == pytest.approx(rate * COSTS.broker_us / 1e6 / masters)
    assert valkey.busy <= WISE


def test_only_several_nodes_have_a_coordinator_and_it_is_said_when_it_is_full() -> None:
    costs = replace(COSTS, coordinator=1.5)
    assert COORDINATOR not in {part.name for part in parts_of(replace(PLAN, nodes=1), costs)}

    plan = fitting(replace(PLAN, rate=20_000), costs)
    assert f"Saturated: {COORDINATOR}. What helps: a larger host for it" in report(plan, costs)
    larger = replace(plan, coordinator_cores=50)
    [coordinator] = [part for part in parts_of(larger, costs) if part.name == COORDINATOR]
    assert coordinator.busy == pytest.approx(20_000 * 1_500 / 1e6 / 50)
    assert "Saturated" not in report(larger, costs)


def test_a_merchant_too_large_for_a_node_is_said_instead_of_nodes_without_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(ValueError, match="too much for one node"):
        fitting(replace(PLAN, rate=100_000, merchants=2), COSTS)
    assert main(["--rate", "10000000", "--merchants", "1", "--cores", "1"]) == 1
    assert "too much for one node: its processors" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [["--rate", "0"], ["--cores", "-1"], ["--skew", "-1"], ["--nodes", "11000"]])
def test_figures_that_mean_nothing_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(wrong)
    assert "error:" in capsys.readouterr().err


def test_costs_that_are_missing_or_zero_are_refused() -> None:
    written = dict.fromkeys(Costs.__slots__, 1.0) | {"measured_on": "a test"}

    assert Costs.of(written).web_us == 1
    with pytest.raises(ValueError, match="exactly"):
        Costs.of({name: written[name] for name in written if name != "wal_bytes"})
    with pytest.raises(ValueError, match="above zero: broker_us"):
        Costs.of(written | {"broker_us": 0})
    kept = FILE.read_bytes()
    with pytest.raises(ValueError, match="above zero: broker_us"):
        replace(COSTS, broker_us=0).write()
    assert FILE.read_bytes() == kept


def test_ten_thousand_a_second_are_computed_from_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--skew", "0.5"]) == 0

    said = capsys.readouterr().out
    assert said.startswith(f"10,000 charges a second of 10,000 merchants, computed from {known().measured_on}")
    assert re.search("(First to be s|S)aturated: ", said)


def test_the_document_says_what_was_measured_and_what_is_computed_from_it() -> None:
    written = DOCUMENT.read_text()

    for begins, block in blocks(known()).items():
        assert f"{begins}\n\n{block}\n\n" in written


def _played(part: Part, charges: int) -> float:
    """The mean wait of so many charges that come one by one, in microseconds."""
    chance = random.Random(1917)
    free = [0.0] * part.servers
    now = waited = 0.0
    for _ in range(charges):
        now += chance.expovariate(part.rate / 1e6)
        begins = max(now, free[0])
        waited += begins - now
        heapq.heapreplace(free, begins + chance.expovariate(1 / part.service_us))
    return waited / charges
