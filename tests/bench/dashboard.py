"""A company's dashboard beside a history of a hundred thousand payments: what its pages read, and the pages whole."""

import logging
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.roles import Role
from gateway.payments.models import Payment
from ledger.closings.services import close_days
from tests.bench import history, reads
from tests.bench.scale import scaled
from tests.support.companies import Shop, a_shop
from tests.support.people import a_member, signed_in

PAYMENTS = scaled(100_000, 2_000)
ROUNDS = scaled(40, 2)
WARM_UP = scaled(6, 1)
"""So often is a statement planned before it is prepared for good."""
LIMIT_MS = 150
HEADINGS = ("p50 ms", "p95 ms", "max ms")


@dataclass
class Timed:
    """Something that is done in some steps, and how long each took every time."""

    title: str
    steps: dict[str, Callable[[], Any]]
    took: dict[str, list[float]] = field(default_factory=dict)

    def turn(self) -> None:
        for name, step in self.steps.items():
            began = time.perf_counter()
            step()
            self.took.setdefault(name, []).append((time.perf_counter() - began) * 1000)

    @property
    def whole(self) -> list[float]:
        return [sum(parts) for parts in zip(*self.took.values(), strict=True)]

    @property
    def p95(self) -> float:
        return _p95(self.whole)

    def lines(self) -> Iterable[tuple[str, ...]]:
        yield (self.title, *_told(self.whole))
        if len(self.steps) > 1:
            for name, took in self.took.items():
                yield (f"  {name}", *_told(took))


def busy_shop(payments: int = PAYMENTS) -> Shop:
    """A company with so many payments, among neighbours that have as many together; its days are closed."""
    shop = a_shop("Busy")
    history.fill(shop.sandbox, [a_shop(f"Neighbour {n}").sandbox for n in range(history.NEIGHBOURS)], payments)
    close_days()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return shop


def of_reads(shop: Shop) -> list[Timed]:
    return [Timed(title, steps) for title, steps in reads.pages(shop.sandbox)]


def of_pages(shop: Shop) -> list[Timed]:
    """As its owner gets them, without the way over the network."""
    client = signed_in(a_member(shop.company, Role.OWNER))
    client.defaults["HTTP_HOST"] = "127.0.0.1:8000"
    logging.disable(logging.CRITICAL)
    return [Timed(title, {"": partial(_opened, client, address)}) for title, address in _addresses(shop)]


def measure(everything: list[Timed], rounds: int = ROUNDS) -> None:
    """Each as often, in turns, so that what else the machine does favours none."""
    for number in range(WARM_UP + rounds):
        for timed in everything:
            if number == WARM_UP:
                timed.took.clear()
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


def _addresses(shop: Shop) -> Iterable[tuple[str, str]]:
    known = Payment.objects.filter(merchant=shop.sandbox, method="PIX", status="PAID")[50]

    def page(name: str, *args: str, **query: Any) -> str:
        address = reverse(f"dashboard:{name}", args=(shop.company.pk, "sandbox", *args))
        return f"{address}?{urlencode(query)}" if query else address

    yield "home", page("home")
    yield "home, 90 days", page("home", period="90")
    yield "payments", page("payments")
    yield "payments, a rare status", page("payments", status="REFUNDED")
    yield "payments, a reference's beginning", page("payments", q="order-1")
    yield "payments, a common name", page("payments", q="silva")
    yield "payments, an amount", page("payments", q="150,00")
    yield "payment", page("payment", known.pk)
    yield "customers", page("customers")
    yield "customers, a name", page("customers", q="jose mo")
    yield "customer", page("customer", known.customer_id)
    yield "refunds", page("refunds")
    yield "receivables", page("receivables")
    yield "balance", page("balance")
    yield "statement", page("statement")
    yield "statement, everything", page("statement", **{"from": "", "to": ""})
    yield "explain", page("explain")
    yield "explain, fees opened", page("explain", cause="FEES")


def _opened(client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)


def _told(took: list[float]) -> tuple[str, ...]:
    return f"{statistics.median(took):.1f}", f"{_p95(took):.1f}", f"{max(took):.1f}"


def _p95(took: list[float]) -> float:
    return sorted(took)[int(len(took) * 0.95) - 1]
