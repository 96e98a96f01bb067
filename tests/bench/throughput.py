"""Requests a second beside the floor: both measured in turn, several times, so that noise shows and favours nobody."""

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from tests.bench import stage
from tests.bench.floor import Floor
from tests.bench.results import LINES, record
from tests.bench.scale import SHORT, scaled

ROUNDS = scaled(3, 1)
SECONDS = scaled(3, 1)
FLOOR_SECONDS = scaled(2, 1)
CONNECTIONS = (8,) if SHORT else (1, 8, 32)
OPERATIONS = {
    "create": "POST /payments",
    "get": "GET /payments/{id}",
    "paid": "POST /simulations/payments/{id} PAID",
    "withdraw": "POST /withdrawals/pix, all out of one wallet",
}
STOCK = scaled(4000, 400)
HEADINGS = ("conn.", "req/s", "p50 ms", "p99 ms", "non-2xx", "client CPU", "floor/s", "ratio", "± req/s", "± floor")


@dataclass
class Cell:
    """One operation at one number of connections."""

    operation: str
    connections: int
    answers: list[dict[str, Any]] = field(default_factory=list)
    floors: list[float] = field(default_factory=list)

    def median(self, name: str) -> float:
        return statistics.median(float(answer[name]) for answer in self.answers)

    @property
    def ratio(self) -> float:
        """Of each round by itself, for what else the machine does changes from round to round."""
        rounds = zip(self.answers, self.floors, strict=True)
        return statistics.median(float(answer["rate"]) / floor for answer, floor in rounds)

    def line(self) -> list[str]:
        return [
            str(self.connections),
            f"{self.median('rate'):,.0f}",
            f"{self.median('p50_ms'):.1f}",
            f"{self.median('p99_ms'):.1f}",
            str(sum(answer["refused"] for answer in self.answers)),
            f"{self.median('cpu'):.0%}",
            f"{statistics.median(self.floors):,.0f}",
            f"{self.ratio:.3f}",
            _spread([answer["rate"] for answer in self.answers]),
            _spread(self.floors),
        ]


class Load:
    """Sends load to the web server, and keeps the payments that came of it for what can be done with them."""

    def __init__(self, port: int, key: str, company: str) -> None:
        self.port, self.key, self.company = port, key, company
        self.pending: list[str] = []
        self.known: list[str] = []

    def send(self, kind: str, connections: int, seconds: float, at_most: int = 1_000_000) -> dict[str, Any]:
        ids = {"get": self.known, "paid": self.pending[:at_most]}.get(kind, [])
        plan = {
            "kind": kind,
            "port": self.port,
            "key": self.key,
            "company": self.company,
            "connections": connections,
            "seconds": seconds,
            "at_most": at_most,
            "ids": ids,
        }
        answer = json.loads(
            subprocess.run(
                [sys.executable, "-m", "tests.bench.load"],
                input=json.dumps(plan),
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout
        )
        self.pending += answer["created"]
        self.known = self.known or answer["created"]
        if kind == "paid":
            del self.pending[: answer["sent"]]
        return answer  # type: ignore[no-any-return]


def warm_up(load: Load) -> None:
    """Every process has seen every request, and there are payments to look up and to pay."""
    load.send("create", 8, 30, STOCK)
    load.send("get", 8, 1)
    load.send("paid", 8, 30, STOCK // 10)
    load.send("withdraw", 8, 1)
    stage.settle()


def measure(load: Load, floor: Floor) -> list[Cell]:
    cells = [Cell(operation, connections) for operation in OPERATIONS for connections in CONNECTIONS]
    for _ in range(ROUNDS):
        with connection.cursor() as cursor:
            cursor.execute("CHECKPOINT")
        for cell in cells:
            cell.floors.append(floor.rate(cell.operation, cell.connections, FLOOR_SECONDS))
            cell.answers.append(load.send(cell.operation, cell.connections, SECONDS))
    return cells


def table(cells: list[Cell]) -> str:
    lines = []
    for operation, title in OPERATIONS.items():
        rows = [list(HEADINGS), *(cell.line() for cell in cells if cell.operation == operation)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines += [title, *("  " + "  ".join(f"{t:>{w}}" for t, w in zip(row, widths, strict=True)) for row in rows), ""]
    return "\n".join(lines)


def keep(cells: list[Cell]) -> None:
    """What the README tells of it."""
    for cell in cells:
        if (name := f"{cell.operation}, {cell.connections}") in LINES:
            rate, floor = (f"{value:,.0f}/s" for value in (cell.median("rate"), statistics.median(cell.floors)))
            record(name, *((f"{cell.ratio:.3f} ×", rate, floor) if LINES[name].beside else (rate,)))
        if (cell.operation, cell.connections) == ("create", 1):
            record("create, p50", f"{cell.median('p50_ms'):.1f} ms")


def summary(cells: list[Cell]) -> str:
    at_8 = [f"{OPERATIONS[cell.operation]} {cell.ratio:.3f}" for cell in cells if cell.connections == 8]
    return f"of the floor at 8 connections: {', '.join(at_8)}"


def _spread(values: list[float]) -> str:
    """Half the distance between the best and the worst round."""
    return f"{(max(values) - min(values)) / 2 / statistics.median(values):.0%}"
