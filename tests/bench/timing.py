"""How long something takes: by the clock, and what it costs the processors, which is the same however busy they are."""

import math
import statistics
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import connection

from tests.bench.scale import scaled

ROUNDS = scaled(40, 2)
WARM_UP = scaled(6, 1)
"""So often is a statement planned before it is prepared for good."""
LEAST_ROUNDS = (scaled(20, 1), scaled(3, 0))
"""And to warm up, for what there are hundreds of."""
LIMIT_MS = 150
HEADINGS = ("p50 ms", "p95 ms", "max ms", "CPU p50", "CPU p95")


@dataclass
class Timed:
    """Something that is done in some steps, and how long each took every time."""

    title: str
    steps: dict[str, Callable[[], Any]]
    took: dict[str, list[float]] = field(default_factory=dict)
    cost: dict[str, list[float]] = field(default_factory=dict)

    def turn(self) -> None:
        for name, step in self.steps.items():
            cost, began = _cpu_s(), time.perf_counter()
            step()
            took = time.perf_counter() - began
            self.took.setdefault(name, []).append(took * 1000)
            self.cost.setdefault(name, []).append((_cpu_s() - cost) * 1000)

    def forget(self) -> None:
        self.took.clear()
        self.cost.clear()

    @property
    def whole(self) -> list[float]:
        return _sums(self.took)

    @property
    def p95(self) -> float:
        return _p95(self.whole)

    def lines(self) -> Iterable[tuple[str, ...]]:
        yield (self.title, *_told(self.whole, _sums(self.cost)))
        if len(self.steps) > 1:
            for name, took in self.took.items():
                yield (f"  {name}", *_told(took, self.cost[name]))


def measure(everything: list[Timed], rounds: int = ROUNDS, warm_up: int = WARM_UP) -> None:
    """Each as often, in turns, so that what else the machine does favours none."""
    for number in range(warm_up + rounds):
        for timed in everything:
            if number == warm_up:
                timed.forget()
            timed.turn()


def table(title: str, measured: list[Timed]) -> str:
    rows = [(title, *HEADINGS), *(line for timed in measured for line in timed.lines())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        f"{row[0]:<{widths[0]}}  " + "  ".join(f"{t:>{w}}" for t, w in zip(row[1:], widths[1:], strict=True))
        for row in rows
    )
    late = ", ".join(timed.title for timed in measured if timed.p95 >= LIMIT_MS)
    return "\n".join([*lines, f"p95 of {LIMIT_MS} ms or more: {late or 'none'}", ""])


def _cpu_s() -> float:
    """What this process and its backend of PostgreSQL have cost so far; only Linux tells of the backend."""
    cost = time.process_time()
    if connection.connection is not None:
        with suppress(OSError, ValueError, IndexError):
            pid = connection.connection.info.backend_pid
            cost += int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    return cost


def _sums(parts: dict[str, list[float]]) -> list[float]:
    return [sum(each) for each in zip(*parts.values(), strict=True)]


def _told(took: list[float], cost: list[float]) -> tuple[str, ...]:
    costs = (statistics.median(cost), _p95(cost)) if cost else ()
    times = (statistics.median(took), _p95(took), max(took), *costs)
    return (*(f"{one:.1f}" for one in times), *[""] * (5 - len(times)))


def _p95(took: list[float]) -> float:
    return sorted(took)[math.ceil(len(took) * 0.95) - 1]
