"""What grows with the tables: requests, pages and background jobs at 1,000, 100,000 and 1,000,000 payments.

Judged by what it costs the processors and by the pages of tables and indexes that PostgreSQL reads: no noise moves
those. Every size has its own database, with as many payments of neighbours.
"""

import json
import os
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.base.garbage import spare_what_is_loaded
from accounts.models import User
from gateway.celery import TIMETABLE, app
from gateway.dashboard import urls
from gateway.payments.models import Payment
from gateway.sales.services import sum_up
from ledger.closings.services import close_days
from tests.bench import history, stage
from tests.bench.results import record
from tests.bench.scale import SHORT, scaled
from tests.bench.timing import Timed, measure, table
from tests.support.companies import Shop, a_shop
from tests.support.people import a_member, browser_of
from webhooks import services as webhooks

SIZES = [int(size) for size in os.environ.get("ROWS", "").split(",") if size] or (
    [50, 400] if SHORT else [1_000, 100_000, 1_000_000]
)
ROUNDS, WARM_UP = scaled(30, 2), scaled(10, 1)
SIZE = 100
MOST = 1.2
PAGES_ROUNDS = scaled(20, 1)

REQUEST_PATH = ("POST /payments", "paid", "GET /payments/{id}", "list", "list after one in the middle", "balance")

_DELIVERIES = """
    INSERT INTO webhooks_delivery (id, event_id, endpoint_id, status, attempts, http_status, delivered_at, object_id,
           sequence, created_at)
    SELECT 'dlv_' || substr(id, 5), id, %(endpoint)s, 'DELIVERED', 1, 200, created_at, object_id, sequence, created_at
      FROM webhooks_event WHERE merchant_id = %(merchant)s ORDER BY created_at
"""
_ATTEMPTS = """
    INSERT INTO webhooks_attempt (delivery_id, number, started_at, elapsed_ms, http_status, excerpt)
    SELECT id, 1, created_at, 12, 200, 'OK' FROM webhooks_delivery ORDER BY created_at
"""
_REQUESTS = """
    INSERT INTO gateway_apirequest (id, merchant_id, api_key_id, method, path, query, status, code, elapsed_ms, origin,
           user_agent, idempotency_key, is_replay, objects_named, request_body, response_body, created_at)
    SELECT 'req_' || substr(id, 5), merchant_id,
           (SELECT min(id) FROM accounts_apikey k WHERE k.merchant_id = p.merchant_id), 'POST',
           '/api/v2/payments', '', 201, 'ONP201', 5, '127.0.0.1', 'bench', gen_random_uuid(), false, ARRAY[id],
           json_build_object('reference', reference, 'payer', payer)::text, details::text, created_at
      FROM gateway_payment p WHERE merchant_id = %(merchant)s AND created_at > now() - interval '30 days'
     ORDER BY created_at
"""
_KEYS = """
    INSERT INTO gateway_idempotencykey (merchant_id, key, fingerprint, method, path, status, sealed_body, request_id,
           created_at)
    SELECT merchant_id, gen_random_uuid(), decode(repeat('00', 32), 'hex'), 'POST', '/api/v2/payments', 201,
           decode(repeat('00', 900), 'hex'), 'req_' || substr(id, 5), created_at
      FROM gateway_payment p WHERE merchant_id = %(merchant)s AND created_at > now() - interval '30 days'
     ORDER BY created_at
"""
_PAGES_READ = "SELECT sum(hits + reads)::bigint FROM pg_stat_get_backend_io(pg_backend_pid())"


@dataclass
class Counted(Timed):
    """Something timed, and the pages that it reads, of tables and indexes, by its own connection."""

    read: list[float] = field(default_factory=list)

    def turn(self) -> None:
        before = _pages_read()
        super().turn()
        self.read.append(_pages_read() - before)

    def forget(self) -> None:
        super().forget()
        self.read.clear()

    @property
    def cpu(self) -> float:
        return statistics.median(cost for costs in self.cost.values() for cost in costs)

    @property
    def pages(self) -> float:
        return statistics.median(self.read)


class Backend:
    """A merchant's backend, which remembers what it made."""

    def __init__(self, shop: Shop) -> None:
        self.client = Client(headers={"x-api-key": shop.sandbox_key, "host": "localhost"})
        self.made: list[str] = []

    def create(self) -> None:
        payer = {"name": "Maria Silva", "taxId": "52998224725", "email": "maria@example.com"}
        order = {"method": "PIX", "amount": 150.00, "currency": "BRL", "reference": str(uuid4()), "payer": payer}
        self.made.append(self._post("/payments", order)["data"]["id"])

    def pay(self) -> None:
        self._post(f"/simulations/payments/{self.made.pop()}", {"status": "PAID"})

    def get(self, path: str, **query: Any) -> None:
        answer = self.client.get(f"/api/v2{path}", query)
        assert answer.status_code == 200, answer.content

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        headers = {"idempotency-key": str(uuid4())}
        answer = self.client.post(f"/api/v2{path}", json.dumps(body), "application/json", headers=headers)
        assert answer.status_code in (200, 201), answer.content
        return answer.json()


def measure_sizes() -> None:
    """Prints a table for each size, and what grew; records the worst of the request path."""
    settings.REQUEST_LOG_DAYS = 30
    app.conf.task_always_eager = True
    found = [_at(size) for size in SIZES]
    first, last = found[0], found[-1]
    for title, one in last.items():
        pages = " → ".join(f"{each[title].pages:,.0f}" for each in found)
        costs = " → ".join(f"{each[title].cpu:.1f}" for each in found)
        grown = max(_ratio(first[title].pages, one.pages), _ratio(first[title].cpu, one.cpu))
        print(f"{title:<44} CPU ms {costs:<28} pages {pages:<28}{' GROWS' if grown > MOST else ''}")
    if SHORT or SIZES[-1] == 1_000_000:
        _record(first, last)


def _record(first: dict[str, Counted], last: dict[str, Counted]) -> None:
    worst = max(REQUEST_PATH, key=lambda title: _ratio(first[title].cpu, last[title].cpu))
    ends = (f"{each[worst].cpu:.1f} ms" for each in (last, first))
    record("growth", f"{_ratio(first[worst].cpu, last[worst].cpu):.2f} × ({worst})", *ends)


def _ratio(before: float, after: float) -> float:
    return after / before if before else 1.0


def _at(size: int) -> dict[str, Counted]:
    stage.fresh_database()
    shop = a_shop("Busy")
    owner, staff = a_member(shop.company), User.objects.create_superuser("root@onpay.example", "a long password")
    began = time.perf_counter()
    _fill(shop, size)
    print(f"{size:,} payments and as many of neighbours were written in {time.perf_counter() - began:.0f} s")
    jobs = list(_jobs())
    for job in jobs:
        job.turn()  # what the filling left behind
    first = max(jobs, key=lambda job: sum(job.whole))
    print(f"the longest first run of a job was {first.title}: {sum(first.whole) / 1000:.1f} s")
    spare_what_is_loaded()
    operations = [*_requests(shop, size), *_pages(shop, owner, staff)]
    measure(operations, ROUNDS, WARM_UP)
    measure(jobs, scaled(3, 1), 0)
    print(table(f"at {size:,} payments", operations + jobs))
    if SHORT or size == 1_000_000:
        _measure_dashboard(shop, owner)
    return {one.title: one for one in operations + jobs}


def _fill(shop: Shop, size: int) -> None:
    """The endpoint answers nobody: what it was sent has arrived, and nothing else is sent to it."""
    endpoint, _ = webhooks.register(shop.sandbox, "http://127.0.0.1:9/hooks", ["payment.refunded"], None)
    neighbours = [a_shop(f"Neighbour {number}").sandbox for number in range(history.NEIGHBOURS)]
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        history.fill(shop.sandbox, neighbours, size)
        told = {"merchant": shop.sandbox.pk, "endpoint": endpoint.pk}
        for statement in (_DELIVERIES, _ATTEMPTS, _REQUESTS, _KEYS):
            cursor.execute(statement, told if "%" in statement else None)
        sum_up()
        close_days()
        stage.settle()
        cursor.execute("RESET statement_timeout")


def _requests(shop: Shop, size: int) -> Iterable[Counted]:
    backend, company = Backend(shop), shop.company.id
    mine = Payment.objects.filter(merchant=shop.sandbox).order_by("-created_at")
    middle, pages = mine[size // 2].pk, max(1, size // SIZE)
    steps: dict[str, Callable[[], object]] = {
        "POST /payments": backend.create,
        "paid": backend.pay,
        "GET /payments/{id}": partial(backend.get, f"/payments/{middle}"),
        "list": partial(backend.get, "/payments", pageSize=SIZE),
        "list after one in the middle": partial(backend.get, "/payments", pageSize=SIZE, after=middle),
        "list, the last page by number": partial(backend.get, "/payments", pageSize=SIZE, pageNumber=pages),
        "balance": partial(backend.get, f"/companies/{company}/balance"),
    }
    return [Counted(title, {"": step}) for title, step in steps.items()]


def _pages(shop: Shop, owner: User, staff: User) -> Iterable[Counted]:
    for_owner, for_staff = _browser(owner), _browser(staff)
    some = Payment.objects.filter(merchant=shop.sandbox, status="PAID").order_by("-created_at")[5]
    for name, query in (("home", {}), ("payments", {}), ("statement", {}), ("explain", {"cause": "FEES"})):
        yield Counted(f"page: {name}", {"": partial(_opened, for_owner, _address(shop, name), query)})
    searches = {"an id": some.pk, "a reference": some.reference, "a name": some.payer["name"], "nothing": "zzzz"}
    for what, text in searches.items():
        found = partial(_opened, for_staff, "/admin/search/", {"s": text, "extended": 1})
        yield Counted(f"staff search: {what}", {"": found})


def _jobs() -> Iterable[Counted]:
    """Every line of the timetable, as a worker runs it."""
    app.loader.import_default_modules()
    return [
        Counted(f"job: {name}", {"": partial(app.tasks[turn.task], *turn.given)}) for name, turn in TIMETABLE.items()
    ]


def _measure_dashboard(shop: Shop, owner: User) -> None:
    """Every page without an id."""
    browser = _browser(owner)
    names = [str(page.name) for page in urls.company if not page.pattern.converters]
    found = {name: _address(shop, name) for name in names}
    shown = [name for name, where in found.items() if browser.get(where).status_code == 200]
    opened = [Timed(name, {"": partial(_opened, browser, found[name], {})}) for name in shown]
    measure(opened, PAGES_ROUNDS, scaled(3, 0))
    print(table("pages of the dashboard", opened))
    slowest = max(opened, key=lambda one: one.p95)
    record("dashboard", f"{slowest.p95:.0f} ms ({slowest.title})")


def _address(shop: Shop, name: str) -> str:
    return reverse(f"dashboard:{name}", kwargs={"company_id": shop.company.id, "environment": "sandbox"})


def _browser(user: User) -> Client:
    browser = browser_of(user)
    browser.defaults["HTTP_HOST"] = "localhost:8000"
    return browser


def _opened(browser: Client, where: str, query: dict[str, Any]) -> None:
    answer = browser.get(where, query)
    assert answer.status_code == 200, (where, answer.status_code)


def _pages_read() -> int:
    """By this connection so far. Only PostgreSQL 18 tells."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(_PAGES_READ)
        (count,) = cursor.fetchone()
    return int(count or 0)
