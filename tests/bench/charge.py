"""Full charges a second: a payment is created, paid and posted, and its event arrives signed at a receiver.

All processes of the service run, on the same processors as the load, the receiver, the database and the broker. Those
are counted that the receiver has verified.
"""

import statistics
import time

from tests.bench import deliveries, stage, trees
from tests.bench.results import record
from tests.bench.scale import scaled
from tests.bench.throughput import Load
from tests.support.companies import Shop
from webhooks import services as webhooks

ROUNDS, SECONDS, CONNECTIONS = scaled(3, 1), scaled(20, 2), 16
PATIENCE_S = 120


def measure(shop: Shop) -> None:
    port, receiver = stage.free_port(), stage.free_port()
    _, secret = webhooks.register(shop.sandbox, f"http://127.0.0.1:{receiver}/hooks", ["payment.paid"], None)
    with (
        stage.running("receiver", f"-m tests.bench.receiver {receiver} {secret}", receiver) as merchants,
        stage.service(port) as children,
    ):
        load = Load(port, shop.sandbox_key, shop.company.id)
        _charged(load, receiver, scaled(5, 1))
        parts = trees.roots([*children, merchants])
        before = {name: trees.cpu_s(root) for name, root in parts.items()}
        found = [_charged(load, receiver, SECONDS) for _ in range(ROUNDS)]
        spent = {name: trees.cpu_s(root) - before[name] for name, root in parts.items()}
    count, rates = sum(count for count, _ in found), [rate for _, rate in found]
    costs = ", ".join(f"{name} {seconds / count * 1000:.2f}" for name, seconds in spent.items())
    print(f"CPU ms of a full charge, without the load: {sum(spent.values()) / count * 1000:.2f} ({costs})")
    record("charge", f"{statistics.median(rates):,.0f}/s")


def _charged(load: Load, receiver: int, seconds: int) -> tuple[int, float]:
    """How many, and how many a second from the first request to the arrival of the last event."""
    deliveries.seen(receiver)
    began = time.time()
    answer = load.send("charge", CONNECTIONS, seconds)
    assert answer["charged"] and not answer["refused"], answer
    arrived = 0
    while arrived < answer["charged"]:
        assert time.time() < began + seconds + PATIENCE_S, f"{arrived} of {answer['charged']} arrived"
        time.sleep(0.2)
        seen = deliveries.seen(receiver)
        assert not seen["forged"], seen["forged"]
        arrived += seen["count"]
        last = float(seen["last_at"] or 0)
    return arrived, arrived / (last - began)
