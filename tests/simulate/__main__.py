"""`make simulate`: RATE charges a second over NODES nodes, from the costs that `make bench T=--charge` measured.

It says how busy each part would be, which one is saturated first and at which rate, and how many hosts and nodes
are enough. Nothing is run: what was only computed is not a promise.
"""

import argparse
import sys
from dataclasses import replace

from tests.simulate.costs import known
from tests.simulate.model import Plan, fitting
from tests.simulate.report import report


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--rate", type=float, default=10_000, help="charges a second (RATE=)")
    parser.add_argument("--nodes", type=int, default=0, help="nodes of PostgreSQL; 0: as many as it takes (NODES=)")
    parser.add_argument("--cores", type=int, default=16, help="processors of each host (CORES=)")
    parser.add_argument("--coordinator", type=int, default=0, help="those of the coordinator of Citus (COORDINATOR=)")
    parser.add_argument("--merchants", type=int, default=10_000, help="merchants (MERCHANTS=)")
    parser.add_argument("--skew", type=float, default=0.8, help="how unequal they are: 0 is equal (SKEW=)")
    parser.add_argument("--speed", type=float, default=1.0, help="of a processor beside the measured one (SPEED=)")
    given = parser.parse_args(arguments)
    if (
        min(given.rate, given.cores, given.merchants, given.speed) <= 0
        or min(given.nodes, given.coordinator, given.skew) < 0
    ):
        parser.error("a rate, processors, merchants and a speed are above zero, everything else is not below")
    if given.nodes > given.merchants:
        parser.error("a merchant is on one node: more nodes than merchants stay empty")
    costs = known()
    plan = Plan(
        given.rate, given.nodes or 1, 1, 1, given.cores, given.merchants, given.skew,
        speed=given.speed, coordinator_cores=given.coordinator,
    )  # fmt: skip
    try:
        fit = fitting(plan, costs)
    except ValueError as error:
        print(f"{error}.", file=sys.stderr)
        return 1
    print(report(replace(fit, nodes=given.nodes) if given.nodes else fit, costs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
