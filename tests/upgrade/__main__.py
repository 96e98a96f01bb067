"""`make upgrade`: 0.2.0 serves, its tables are filled, it is upgraded under load, and rolled back to.

ROWS= is how many rows the tables have that grow with each payment (1,000,000; none beside those of the load with
SHORT=1).
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from string import ascii_lowercase
from urllib.parse import urlsplit

import psycopg

from gateway.local import home
from tests.support.tally import Count, keep
from tests.upgrade import filling
from tests.upgrade.locks import watched

RELEASE, DATABASE = "0.2.0", "onpay_upgrade"
SHORT = bool(os.environ.get("SHORT"))
ROWS = int(os.environ.get("ROWS") or (0 if SHORT else 1_000_000))
LONGEST_LOCK_MS = 1000 if SHORT else 100
"""Of the short form on a busy machine: it finds a lock that is held while something else is done."""
STEP_S = 3 if SHORT else 15
MARIA = {"name": "Maria Silva", "taxId": "52998224725"}
PROOFS = """
from django.core.management import call_command
from ledger.tasks import prove_books
prove_books()
call_command("verify_ledger")
"""
LIMITS = {f"ONPAY_RATE_LIMIT_{scope}": "1000000" for scope in ("ALL", "PAYMENTS", "REFUNDS")}
SETTINGS = LIMITS | {"ONPAY_LOCAL": "1", "ONPAY_WEB_WORKERS": "1", "ONPAY_LOG_LEVEL": "error"}


def main() -> None:
    before = _released(home.folder() / RELEASE)
    if before is None:
        print(f"No upgrade: this clone does not have the commit of {RELEASE}")
        return
    url = _fresh_database()
    load = _acme(before)
    with _web(before, 0) as old:
        load.port = old
        load.once()
        if ROWS:
            filling.fill(url, ROWS)
        with load.running():
            time.sleep(STEP_S)
            begun = time.monotonic()
            with watched(url, [*filling.REPEATED]) as locks:
                _manage(home.CHECKOUT, "migrate", "--verbosity=0")
            took = time.monotonic() - begun
            with _web(home.CHECKOUT, 1) as new:
                load.port = new
                time.sleep(STEP_S)
                load.port = old
                time.sleep(STEP_S)
    print(f"{RELEASE} to now, {ROWS:,} rows, migrated in {took:.0f} s under load, and the code rolled back\n")
    for table, kept in sorted(locks.kept.items(), key=lambda one: -one[1].by_the_lock_ms):
        print(
            f"  {table:<24} kept writers out for {kept.least_ms:.1f} to {kept.most_ms:.1f} ms, of it"
            f" {kept.unscheduled_ms:.1f} ms for want of a processor ({kept.migration});"
            f" a writer waited {locks.waited[table]:.1f} ms"
        )
    print(f"\n  requests {sum(load.answers.values())}: {dict(load.answers)}; failed: {load.failed[:5] or 'none'}")
    keep(Count("requests during an upgrade and back", sum(load.answers.values()), 1, len(load.failed)))
    if load.failed or locks.worst > LONGEST_LOCK_MS:
        sys.exit("The upgrade is not smooth.")
    _proved_by_both(before, _upgraded(before) if ROWS else load)  # filled books do not add up


def _upgraded(before: Path) -> "Load":
    """Acme's load on another database, which was upgraded when it had one payment."""
    _fresh_database()
    load = _acme(before)
    with _web(before, 0) as load.port:
        load.once()
    _manage(home.CHECKOUT, "migrate", "--verbosity=0")
    return load


def _proved_by_both(before: Path, load: "Load") -> None:
    """Workers of both versions prove the same books by turns: neither finds anything wrong, then or afterwards."""
    for code in (home.CHECKOUT, before, home.CHECKOUT):
        with _web(code, 0) as load.port:
            for _ in range(20):
                load.once()
        _manage(code, "shell", "-c", PROOFS)
    if load.failed:
        sys.exit(f"Not answered while both versions proved: {load.failed[:5]}")


def _acme(before: Path) -> "Load":
    """Acme's load on a database of the release."""
    _manage(before, "migrate", "--verbosity=0")
    return Load(json.loads(_manage(before, "provision", "--company", "Acme", "--json"))["sandboxApiKey"])


class Load:
    """A backend that creates payments and has them paid. It does not repeat what fails."""

    def __init__(self, key: str) -> None:
        self.key, self.port = key, 0
        self.answers: Counter[int] = Counter()
        self.failed: list[str] = []

    def once(self) -> None:
        order = {"method": "PIX", "amount": 10, "currency": "BRL", "reference": _reference(), "payer": MARIA}
        made = self._post("/payments", order, 201)
        if made:
            self._post(f"/simulations/payments/{made['data']['id']}", {"status": "PAID"}, 200)

    @contextmanager
    def running(self) -> Iterator[None]:
        over = threading.Event()

        def run() -> None:
            while not over.wait(0.02):
                self.once()

        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def _post(self, path: str, body: object, wanted: int) -> dict[str, dict[str, str]]:
        port = self.port
        http = HTTPConnection("127.0.0.1", port, timeout=30)
        headers = {"x-api-key": self.key, "idempotency-key": str(uuid.uuid4()), "content-type": "application/json"}
        try:
            http.request("POST", f"/api/v2{path}", json.dumps(body), headers | {"host": f"localhost:{port}"})
            answer = http.getresponse()
            status, told = answer.status, answer.read()
        except (OSError, HTTPException) as broken:
            status, told = 0, str(broken).encode()
        finally:
            http.close()
        self.answers[status] += 1
        if status != wanted:
            self.failed.append(f"{path}: {status} {told[:300].decode()}")
            return {}
        answered: dict[str, dict[str, str]] = json.loads(told)
        return answered


def _reference() -> str:
    """Without digits, which may be a card number by chance."""
    return "".join(random.choices(ascii_lowercase, k=20))


def _released(folder: Path) -> Path | None:
    """The code of the release. None: the clone does not have its commit."""
    named = re.search(rf"^{RELEASE} is commit ([0-9a-f]+)", (home.CHECKOUT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert named, "the changelog names the commit of a release"
    packed = subprocess.run(["git", "-C", home.CHECKOUT, "archive", named[1]], capture_output=True, check=False)
    if packed.returncode:
        return None
    folder.mkdir(exist_ok=True)
    subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout, check=True)
    return folder


def _fresh_database() -> str:
    """Makes it anew on the server that DATABASE_URL names; its address, which it names from now on."""
    url = os.environ["DATABASE_URL"]
    with psycopg.connect(url, dbname="postgres", autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {DATABASE}")
    os.environ["DATABASE_URL"] = urlsplit(url)._replace(path=f"/{DATABASE}").geturl()
    return os.environ["DATABASE_URL"]


def _manage(code: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=code,
        env=os.environ | SETTINGS,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"manage.py {command[0]} in {code}: {done.stdout} {done.stderr}")
    return done.stdout


@contextmanager
def _web(code: Path, number: int) -> Iterator[int]:
    """A web process of this code; its port."""
    port = _free_port()
    env = os.environ | SETTINGS | {"PORT": str(port), "ONPAY_BASE_URL": f"http://localhost:{port}"}
    with (home.folder() / f"web-{number}.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "gateway.serving", "--host", "127.0.0.1", "--port", str(port)],
            cwd=code, env=env, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not _answers(port):
            if time.monotonic() > deadline or process.poll() is not None:
                sys.exit(f"The web process of {code} does not answer: see {log.name}")
            time.sleep(0.2)
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _answers(port: int) -> bool:
    http = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        http.request("GET", "/api/v2/payment-methods", headers={"host": f"localhost:{port}"})
        return http.getresponse().status == 401
    except (OSError, HTTPException):
        return False
    finally:
        http.close()


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()
