"""Serves /metrics to Prometheus, on a port of its own that nothing outside of the network reaches."""

import signal
from argparse import ArgumentParser
from pathlib import Path
from threading import Event
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connection
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from gateway.metrics.state import State

PORT = 9464


class Command(BaseCommand):
    help = "Serves the metrics of the service at /metrics until it is stopped. One for each host is enough."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=PORT)
        parser.add_argument("--without-state", action="store_true", help="only what the processes of this host counted")

    def handle(self, *args: Any, host: str, port: int, without_state: bool, **options: Any) -> None:
        stop = Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        server, thread = start_http_server(port, host, registry_of_host(with_state=not without_state))
        stop.wait()
        server.shutdown()
        thread.join()


class OfItsThread(State):
    """Each scrape has a thread of its own, and so a connection."""

    def collect(self) -> list[Metric]:
        try:
            return super().collect()
        finally:
            connection.close()


class Counted(Collector):
    """The sums over all processes that count below a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> list[Metric]:
        found: list[Metric] = list(MultiProcessCollector.merge([str(file) for file in self._folder.rglob("*.db")]))
        return found


def registry_of_host(*, with_state: bool) -> CollectorRegistry:
    """The state of the service, and what the processes of this host counted if `ONPAY_METRICS_DIR` is set."""
    registry = CollectorRegistry()
    if with_state:
        registry.register(OfItsThread())
    if settings.METRICS_DIR:
        registry.register(Counted(Path(settings.METRICS_DIR)))
    return registry
