"""The memory of all processes of the service after a warm-up (PSS: its own, and its share of what several hold)."""

import os
import time

from tests.bench import deliveries, stage, trees
from tests.bench.results import record
from tests.bench.scale import scaled
from tests.bench.throughput import Load
from tests.support.companies import Shop

RESTS_S = scaled(20, 3)
"""Long enough for every queue to have had its tasks."""


def measure(shop: Shop) -> None:
    """Our own connections to PostgreSQL count: they are few."""
    port, receiver = stage.free_port(), stage.free_port()
    deliveries.subscribe(shop.sandbox, receiver)
    with stage.running("receiver", f"-m tests.bench.receiver {receiver}", receiver), stage.service(port) as children:
        load = Load(port, shop.sandbox_key, shop.company.id)
        load.send("create", 8, scaled(10, 1))
        load.send("charge", 8, scaled(10, 1))
        load.send("get", 8, 1)
        time.sleep(RESTS_S)
        forkers = {trees.parent(child.pid) for child in children if child.pid} - {os.getpid()}
        used = {name: [trees.pss_kb(pid) for pid in trees.tree(root)] for name, root in trees.roots(children).items()}
        used["forked from"] = [trees.pss_kb(pid) for pid in forkers]
    for name, kilobytes in used.items():
        each = ", ".join(f"{one / 1024:.0f}" for one in kilobytes[:4])
        print(f"  {name:<12} {len(kilobytes):>3} processes {sum(kilobytes) / 1024:>6.0f} MB ({each} …)")
    record("memory", f"{sum(map(sum, used.values())) / 1024:,.0f} MB")
