"""What Citus adds to the work of PostgreSQL: `make simulate` computes with it."""

import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

from tests.bench.scale import SHORT, scaled
from tests.bench.trees import cpu_s
from tests.cells.nodes import Nodes
from tests.simulate import document
from tests.simulate.costs import known
from tests.support.service import Service, pay, subscribed
from tests.support.tally import Count, keep

ROUNDS, CHARGES, RESTS_S = scaled(5, 2), scaled(150, 30), scaled(10, 2)


def test_what_a_charge_costs_beside_one_without_nodes(service: Service, acmes: Service, nodes: Nodes) -> None:
    alone, there = Counter[str](), Counter[str]()
    with ExitStack() as receivers:
        for shop in (service, acmes):
            receivers.enter_context(subscribed(shop, "payment.paid"))
            charge(shop)
        began = processors(nodes)
        time.sleep(RESTS_S)
        a_second = {name: (seconds - began[name]) / RESTS_S for name, seconds in processors(nodes).items()}
        for _ in range(ROUNDS):
            for shop, spent in ((service, alone), (acmes, there)):
                began, at = processors(nodes), time.monotonic()
                charge(shop)
                took, used = time.monotonic() - at, processors(nodes) - began
                spent.update({name: seconds - a_second[name] * took for name, seconds in used.items()})

    coordinator, node = there["coordinator"] / alone["coordinator"], there["first"] / alone["coordinator"]
    note = f"coordinator {coordinator:.2f} ×, node {node:.2f} ×"
    keep(Count("charges for what Citus costs", ROUNDS * CHARGES, note=note))
    assert coordinator > 0.1  # it passes on every statement
    assert node > 0.2  # and the node does the work
    assert there["second"] < there["first"] / 2
    if not SHORT:
        costs = replace(known(), coordinator=round(coordinator, 2), node=round(node, 2))
        costs.write()
        document.write(costs)


def charge(shop: Service) -> None:
    """Pays some orders; their events are delivered meanwhile."""
    with ThreadPoolExecutor(4) as backends:
        list(backends.map(lambda _: pay(shop, f"cost-{uuid.uuid4().hex}"), range(CHARGES)))


def processors(nodes: Nodes) -> Counter[str]:
    """What each PostgreSQL has used of them so far, in seconds."""
    return Counter({server.name: cpu_s(server.process.child.pid) for server in nodes.servers if server.process.child})
