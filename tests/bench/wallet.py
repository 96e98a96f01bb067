"""One hot wallet: payments of one merchant that are paid all at once, by coalesced postings and over HTTP."""

import json
import statistics
import subprocess
import sys
from contextlib import ExitStack

from tests.bench import stage
from tests.bench.results import record
from tests.bench.scale import scaled
from tests.bench.throughput import Load, warm_up
from tests.support.companies import Shop

ROUNDS, PAID, PROCESSES, CONNECTIONS = scaled(3, 1), scaled(3000, 480), 2, 32


def measure(shop: Shop) -> None:
    port = stage.free_port()
    over_http, by_services = [], []
    with stage.running("web", stage.web(port), port):
        load = Load(port, shop.sandbox_key, shop.company.id)
        warm_up(load)
        load.pending.clear()
        for _ in range(ROUNDS):
            load.send("create", 8, 600, 2 * PAID)
            over_http.append(float(load.send("paid", CONNECTIONS, 600, PAID)["rate"]))
            by_services.append(_by_services(shop.sandbox_key, load.pending))
            load.pending.clear()
    record("hot, services", f"{statistics.median(by_services):,.0f}/s")
    record("hot, http", f"{statistics.median(over_http):,.0f}/s")


def _by_services(key: str, payments: list[str]) -> float:
    with ExitStack() as stack:
        payers = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "tests.bench.paying"],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                )
            )
            for _ in range(PROCESSES)
        ]  # fmt: skip
        for number, payer in enumerate(payers):
            assert payer.stdin and payer.stdout
            payer.stdin.write(json.dumps({"key": key, "payments": payments[number::PROCESSES]}) + "\n")
            payer.stdin.flush()
        for payer in payers:
            assert payer.stdout and payer.stdout.readline() == "ready\n"
        for payer in payers:
            assert payer.stdin
            payer.stdin.write("go\n")
            payer.stdin.flush()
        told = [json.loads(payer.stdout.readline()) for payer in payers if payer.stdout]
    seconds = max(one["ended"] for one in told) - min(one["began"] for one in told)
    return float(sum(one["paid"] for one in told)) / seconds
