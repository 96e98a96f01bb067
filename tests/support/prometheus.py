"""Debian's Prometheus with our alerts, and a target that shows it what a test has."""

import json
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from django.conf import settings

from tests.support.network import free_port

PROGRAM = shutil.which("prometheus")
FILES = Path(settings.BASE_DIR) / "deploy" / "prometheus"
CONFIGURATION = """
global: {{ scrape_interval: 100ms, scrape_timeout: 100ms, evaluation_interval: 100ms }}
rule_files: [alerts.yml]
scrape_configs: [{{ job_name: onpay, static_configs: [{{ targets: ["127.0.0.1:{port}"] }}] }}]
"""


def in_a_hurry(rules: str) -> str:
    """Alerts that do not wait, and look back at a second in place of minutes."""
    return re.sub(r"\[\d+m\]", "[1s]", re.sub(r"\n +for: .*", "", rules))


@dataclass
class Watched:
    """What the target shows now; None: it does not answer."""

    address: str
    shown: Callable[[], str | None]

    def ask(self, what: str, **params: str) -> Any:
        with urlopen(f"{self.address}/api/v1/{what}?{urlencode(params)}") as answer:
            return json.load(answer)["data"]

    def firing(self) -> set[str]:
        return {one["labels"]["alertname"] for one in self.ask("alerts")["alerts"] if one["state"] == "firing"}

    def value_of(self, expression: str) -> list[Any]:
        found: list[Any] = self.ask("query", query=in_a_hurry(expression))["result"]
        return found

    def until(self, holds: Callable[[], bool], within_s: float = 10) -> bool:
        ends = time.monotonic() + within_s
        while not (held := holds()) and time.monotonic() < ends:
            time.sleep(0.05)
        return held


@contextmanager
def watching(folder: Path) -> Iterator[Watched]:
    port = free_port()
    watched = Watched(f"http://127.0.0.1:{port}", lambda: None)
    with _target(watched) as target:
        (folder / "alerts.yml").write_text(in_a_hurry((FILES / "alerts.yml").read_text()))
        (folder / "prometheus.yml").write_text(CONFIGURATION.format(port=target))
        options = [f"--web.listen-address=127.0.0.1:{port}", f"--storage.tsdb.path={folder / 'data'}"]
        process = subprocess.Popen(
            [str(PROGRAM), f"--config.file={folder / 'prometheus.yml'}", *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            assert watched.until(lambda: _is_ready(watched.address))
            yield watched
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()


def _is_ready(address: str) -> bool:
    try:
        with urlopen(f"{address}/-/ready") as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@contextmanager
def _target(watched: Watched) -> Iterator[int]:
    class Shown(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = watched.shown()
            self.send_response(503 if text is None else 200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write((text or "").encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Shown)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
