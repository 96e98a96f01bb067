"""What a process loads, routes and answers that serves the environments of ONPAY_ENVIRONMENTS; run as a program."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from django.urls import URLPattern, URLResolver, get_resolver

from tests.support.web_server import ROOT, tested_database

NOBODYS = "pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF"
ASKED = ("/docs", "/docs/cards", "/docs/sandbox", "/api/v2/openapi.json", "/api/v2/payments", "/sdk/onpay-card.js",
         "/sdk/v1/session", "/sdk/v1/confirm", "/health/live", "/dashboard/", "/admin/login/")  # fmt: skip
"""Requests that every kind of page and call answers without a record of anybody."""

OF_THE_ADMIN = 5
"""How many of its hundreds of addresses are asked for: all or none are routed."""


@dataclass(frozen=True)
class Process:
    """What one process has loaded after it answered, which addresses it routes, the statuses of its
    answers, and as beat and worker what it schedules and from which queues it takes work."""

    modules: list[str]
    addresses: dict[str, str]
    statuses: dict[str, list[int]]
    scheduled: list[str]
    queues: list[str]


def addresses() -> dict[str, str]:
    """Every address that this process routes: its pattern, and a path that it matches."""
    return dict(_addresses(get_resolver().url_patterns, "", ""))


def _addresses(patterns: Iterable[URLPattern | URLResolver], before: str, path: str) -> Iterator[tuple[str, str]]:
    for one in patterns:
        pattern, filled = before + str(one.pattern), path + _filled(one)
        if isinstance(one, URLResolver):
            yield from _addresses(one.url_patterns, pattern, filled)
        else:
            yield pattern, f"/{filled}"


def _filled(one: URLPattern | URLResolver) -> str:
    text = str(one.pattern)
    for name, converter in one.pattern.converters.items():
        kind = type(converter).__name__
        value = "sandbox" if kind.startswith("Environment") else "1" if "Int" in kind else NOBODYS
        start = text.index("<", text.rindex("<", 0, text.index(f"{name}>") + 1))
        text = text[:start] + value + text[text.index(">", start) + 1 :]
    return text


def process_of(environments: str) -> Process:
    """A process that serves these environments. It was also asked for the addresses of ours that it does not route."""
    done = subprocess.run(
        [sys.executable, "-m", __name__],
        input=json.dumps(addresses()),
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": tested_database(), "ONPAY_ENVIRONMENTS": environments},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Process(**json.loads(done.stdout))


def _tell(known: dict[str, str]) -> None:
    import django

    django.setup()
    from django.conf import settings
    from django.test import Client

    from gateway.celery import app
    from tests.support.api import another_address

    app.loader.import_default_modules()
    routed = addresses()
    origin = urlsplit(settings.SDK_URL).netloc
    statuses = {}
    unrouted = [path for pattern, path in known.items() if pattern not in routed]
    admin = [path for path in unrouted if path.startswith("/admin/")]
    for path in {*ASKED, *unrouted} - set(admin[OF_THE_ADMIN:]):
        host = origin if path.startswith("/sdk/") else "localhost"
        browser = Client(HTTP_HOST=host, REMOTE_ADDR=another_address())
        statuses[path] = [browser.get(path).status_code, browser.post(path).status_code]
    told = Process(sorted(sys.modules), routed, statuses, sorted(app.conf.beat_schedule), sorted(app.amqp.queues))
    json.dump(asdict(told), sys.stdout)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gateway.settings")
    _tell(json.load(sys.stdin))
