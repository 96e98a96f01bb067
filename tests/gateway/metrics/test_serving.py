"""`manage.py serve_metrics`: what all processes of a host counted, and the state of the service."""

import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from prometheus_client import REGISTRY

from gateway.metrics import state
from tests.support.api import Api
from tests.support.network import free_port

pytestmark = pytest.mark.a_third_a_day

COUNTING = "from accounts.base.counters import REQUESTS; REQUESTS.labels('GET', 'api/v2/payments', 200).inc(2)"


def requests_of(route: str, status: int, method: str = "GET") -> float:
    found = REGISTRY.get_sample_value("onpay_requests_total", {"method": method, "route": route, "status": str(status)})
    return found or 0


def routes() -> set[str]:
    samples = (sample for metric in REGISTRY.collect() for sample in metric.samples)
    return {sample.labels["route"] for sample in samples if "route" in sample.labels}


@pytest.mark.django_db(transaction=True)
def test_one_process_tells_what_all_counted_and_the_state(tmp_path: Path) -> None:
    port, env = free_port(), os.environ | {"ONPAY_METRICS_DIR": str(tmp_path)}
    for _ in range(3):
        subprocess.run([sys.executable, "-c", COUNTING], env=env, cwd=settings.BASE_DIR, check=True)
    database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    env |= {"DATABASE_URL": database}
    command = [sys.executable, "manage.py", "serve_metrics", "--port", str(port)]
    process = subprocess.Popen(command, env=env, cwd=settings.BASE_DIR)
    try:
        text = read(port)
    finally:
        process.terminate()

    assert 'onpay_requests_total{method="GET",route="api/v2/payments",status="200"} 6.0' in text
    assert 'onpay_state_readable{part="work"} 1.0' in text
    assert process.wait(10) == 0


@pytest.mark.django_db(transaction=True)
def test_the_state_can_be_left_to_another_host(tmp_path: Path) -> None:
    port, env = free_port(), os.environ | {"ONPAY_METRICS_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", COUNTING], env=env, cwd=settings.BASE_DIR, check=True)
    command = [sys.executable, "manage.py", "serve_metrics", "--port", str(port), "--without-state"]
    process = subprocess.Popen(command, env=env, cwd=settings.BASE_DIR)
    try:
        text = read(port)
    finally:
        process.terminate()

    assert "onpay_requests_total" in text
    assert "onpay_state_readable" not in text
    assert process.wait(10) == 0


def read(port: int) -> str:
    ends = time.monotonic() + 30
    while True:
        try:
            with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                return str(answer.read().decode())
        except OSError:
            assert time.monotonic() < ends
            time.sleep(0.1)


def test_a_request_is_counted_by_its_pattern_and_never_by_what_a_caller_writes(api: Api) -> None:
    before, unknown = requests_of("unknown", 404), requests_of("unknown", 404, "other")

    api.get("/payments/pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF")
    Client().get("/nothing/of/ours-4242")
    Client().generic("PROPFIND", "/nothing/of/ours-4242")

    assert requests_of("unknown", 404) == before + 1
    assert requests_of("unknown", 404, "other") == unknown + 1
    assert requests_of("api/v2/payments/<str:payment_id>", 404) > 0
    assert not {route for route in routes() if "pay_0" in route or "4242" in route}


def test_the_state_is_read_once_for_many_who_ask(db: None, django_assert_num_queries: object) -> None:
    collector = state.State()
    first = collector.collect()

    with django_assert_num_queries(0):  # type: ignore[operator]
        assert collector.collect() is first
