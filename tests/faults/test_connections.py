"""What is between a process and the database breaks or hangs: nothing is lost, doubled or refused for good."""

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from tests.support.network import free_port
from tests.support.service import FEWER_KILLS, Service, are_charged_once, pay
from tests.support.taps import tapped

ORDERS = 24 * FEWER_KILLS
HANGS_S = 12


def test_an_answer_to_commit_that_is_lost_is_asked_for_again(service: Service, tmp_path: Path) -> None:
    """Nobody can tell whether the transaction was committed: the same key finds out."""
    url = urlsplit(service.database_url)
    [folder], [port] = (parse_qs(url.query)[name] for name in ("host", "port"))
    name, prefix = f".s.PGSQL.{port}", f"commit-{uuid.uuid4().hex[:8]}-"
    through = url._replace(query=f"host={quote(str(tmp_path))}&port={port}").geturl()
    with tapped(str(Path(folder, name)), tmp_path / name) as (tap, _):
        beside = free_port()
        own = {"DATABASE_URL": through, "ONPAY_BASE_URL": f"http://localhost:{beside}"}
        with service.beside(beside, **service.settings | own):
            tap.breaks_after, tap.breaks_every = b"COMMIT", 3
            shop = replace(service, port=beside)
            with ThreadPoolExecutor(4) as backends:
                made = [*backends.map(lambda number: pay(shop, f"{prefix}{number}"), range(ORDERS))]

    assert tap.broken >= ORDERS / 2
    are_charged_once(service, "paid orders, answers to COMMIT lost", prefix, made, faults=tap.broken)


def test_a_database_that_hangs_delays_orders_and_loses_none(service: Service) -> None:
    prefix = f"hang-{uuid.uuid4().hex[:8]}-"
    with ThreadPoolExecutor(16) as backends:
        orders = [backends.submit(pay, service, f"{prefix}{number}") for number in range(ORDERS)]
        time.sleep(0.3)
        with service.frozen("database"):
            time.sleep(HANGS_S)
            alive, _ = service.call("GET", "/health/live")
        made = [order.result() for order in orders]

    assert alive == 200
    are_charged_once(service, "paid orders, database frozen", prefix, made, faults=1)
