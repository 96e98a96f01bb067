"""Full charges a second: a payment is created, paid and posted, and its event arrives signed at a receiver.

All processes of the service run, on the same processors as the load, the receiver, the database and the broker. Those
are counted that the receiver has verified. What each costs is kept for `make simulate`.
"""

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.db import connection

from accounts.base.rows import first, table
from gateway.local import home
from gateway.payments import services as payments
from gateway.requests.models import ApiRequest, IdempotencyKey
from tests.bench import deliveries, stage, trees
from tests.bench.budget import timed
from tests.bench.results import record, where
from tests.bench.scale import SHORT, scaled
from tests.bench.throughput import Load
from tests.simulate import document
from tests.simulate.costs import known
from tests.support.companies import Shop
from webhooks import services as webhooks
from webhooks.models import Attempt, Delivery, Event

ROUNDS, SECONDS, CONNECTIONS = scaled(3, 1), scaled(20, 2), 16
PATIENCE_S = 120
RESTS_S = scaled(20, 1)
PAID_ALONE, SYNCS = scaled(300, 10), scaled(200, 10)
WORKERS = ("worker", "background", "beat")
PASSING = [table(model) for model in (Event, Delivery, Attempt, ApiRequest, IdempotencyKey)]

_WRITTEN = """
    SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal_bytes,
           (SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()) AS commits,
           sum(bytes) FILTER (WHERE NOT passes)::float8, sum(bytes) FILTER (WHERE passes)::float8
      FROM (SELECT pg_total_relation_size(oid) AS bytes,
                   coalesce(pg_partition_root(oid), oid)::regclass::text = ANY(%s) AS passes
              FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace) tables
"""


def measure(shop: Shop) -> None:
    port, receiver = stage.free_port(), stage.free_port()
    _, secret = webhooks.register(shop.sandbox, f"http://127.0.0.1:{receiver}/hooks", ["payment.paid"], None)
    with (
        stage.running("receiver", f"-m tests.bench.receiver {receiver} {secret}", receiver) as merchants,
        stage.service(port) as children,
    ):
        load = Load(port, shop.sandbox_key, shop.company.id)
        _charged(load, receiver, scaled(5, 1))
        stage.settle()
        parts = trees.roots([*children, merchants])
        idle = _spent(parts, lambda: time.sleep(RESTS_S))
        written, began = _written(), time.time()
        found: list[tuple[int, float]] = []
        spent = _spent(parts, lambda: found.extend(_charged(load, receiver, SECONDS) for _ in range(ROUNDS)))
        rests = (time.time() - began) / RESTS_S
        written = [after - earlier for after, earlier in zip(_written(), written, strict=True)]
        load.send("create", 8, 60, PAID_ALONE)
    count, rates = sum(count for count, _ in found), [rate for _, rate in found]
    each_us = {name: max(seconds - idle[name] * rests, 0.0) / count * 1e6 for name, seconds in spent.items()}
    costs = ", ".join(f"{name} {us / 1000:.2f}" for name, us in each_us.items())
    whole = sum(each_us.values()) / 1000
    print(f"CPU ms of a full charge, without the load and what is used at rest: {whole:.2f} ({costs})")
    record("charge", f"{statistics.median(rates):,.0f}/s")
    _keep(each_us, [amount / count for amount in written], _locked_us(shop, load.pending[-PAID_ALONE:]))


def _spent(parts: dict[str, int], act: Callable[[], object]) -> dict[str, float]:
    """What each part costs the processors meanwhile, in seconds."""
    before = {name: trees.cpu_s(root) for name, root in parts.items()}
    act()
    return {name: trees.cpu_s(root) - before[name] for name, root in parts.items()}


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


def _keep(each_us: dict[str, float], written: list[float], locked_us: float) -> None:
    wal, commits, kept, passing = written
    costs = replace(
        known(),
        measured_on=where(),
        web_us=round(each_us["web"]),
        workers_us=round(sum(each_us[name] for name in WORKERS)),
        dispatcher_us=round(each_us["dispatcher"]),
        database_us=round(each_us["PostgreSQL"]),
        broker_us=round(each_us["Valkey"]),
        wallet_us=round(locked_us),
        wal_bytes=round(wal),
        commits=round(commits, 1),
        kept_bytes=round(kept),
        passing_bytes=round(passing),
        disk_sync_us=round(_sync_us()),
    )
    print(f"of each: {costs}")
    if not SHORT:
        costs.write()
        document.write(costs)


def _written() -> list[float]:
    """Bytes of log, commits, and the size of what stays and of what passes, so far."""
    first("SELECT pg_stat_force_next_flush()")
    row = first(_WRITTEN, [PASSING])
    assert row
    return list(row)


def _locked_us(shop: Shop, waiting: list[str]) -> float:
    """For how long a payment that is paid alone keeps its wallet: from the call that posts to the end of the commit."""
    with timed() as took, _timed_commits() as commits:
        for payment in waiting:
            payments.simulate(shop.sandbox, payment, "PAID")
    posting = sum(seconds for sql, seconds in took.items() if sql.startswith("SELECT posted"))
    assert posting and len(commits) == len(waiting), (took, len(commits))
    return (posting + sum(commits)) / len(waiting) * 1e6


@contextmanager
def _timed_commits() -> Iterator[list[float]]:
    watched: Any = connection
    commit, took = watched._commit, list[float]()

    def measured() -> None:
        began = time.perf_counter()
        commit()
        took.append(time.perf_counter() - began)

    watched._commit = measured
    try:
        yield took
    finally:
        del watched._commit


def _sync_us() -> float:
    """How long the disk of the measurement takes to keep eight kilobytes, the median of many."""
    file = home.folder() / "synced"
    took, page = [], b"0" * 8192
    with file.open("wb", buffering=0) as writes:
        for _ in range(SYNCS):
            began = time.perf_counter()
            writes.write(page)
            os.fdatasync(writes.fileno())
            took.append(time.perf_counter() - began)
    file.unlink()
    return statistics.median(took) * 1e6
