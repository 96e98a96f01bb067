"""How long a payment takes at half of what the service can do, for five minutes of constant arrivals."""

import json
import subprocess
import sys

from tests.bench import stage
from tests.bench.results import record
from tests.bench.scale import scaled
from tests.bench.throughput import Load, warm_up
from tests.support.companies import Shop

SECONDS, CAPACITY_SECONDS = scaled(300, 2), scaled(15, 1)


def measure(shop: Shop) -> None:
    port = stage.free_port()
    with stage.running("web", stage.web(port), port):
        load = Load(port, shop.sandbox_key, shop.company.id)
        warm_up(load)
        capacity = float(load.send("create", 8, CAPACITY_SECONDS)["rate"])
        plan = {
            "kind": "create", "port": port, "key": shop.sandbox_key, "company": shop.company.id, "ids": [],
            "at_most": 10_000_000, "arrivals": capacity / 2, "seconds": SECONDS,
        }  # fmt: skip
        told = subprocess.run(
            [sys.executable, "-m", "tests.bench.arrivals"],
            input=json.dumps(plan), stdout=subprocess.PIPE, text=True, check=True,
        ).stdout  # fmt: skip
    found = json.loads(told)
    assert found["answered"] and not found["refused"], found
    print(
        f"{capacity / 2:,.0f} arrivals a second, half of {capacity:,.0f}, for {SECONDS} s: "
        f"p50 {found['p50_ms']:.1f} ms, the longest {found['max_ms']:.0f} ms"
    )
    record("open, p99", f"{found['p99_ms']:.1f} ms")
    record("open, p99.9", f"{found['p999_ms']:.1f} ms")
