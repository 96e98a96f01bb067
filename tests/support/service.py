"""A whole local service of its own, whose parts are killed at the worst moments."""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from gateway.local import keys
from tests.support.receiver import Receiver, listening
from tests.support.tally import survived
from tests.support.waiting import until

ROOT = Path(__file__).resolve().parents[2]


KILLS = int(os.environ.get("KILLS") or 3)


FEWER_KILLS = min(KILLS, max(3, KILLS // 10))
"""Of what takes long to come back, or leaves much to be done."""


WEB_PROCESSES = 2


CONNECTIONS = 8 * WEB_PROCESSES


PATIENCE_S = 180
"""How long a definite answer, or a part that was killed, may take on a busy machine."""


SERVERS = {"broker": "valkey-server", "database": "postgres"}


SHORTENED = {"ONPAY_WEBHOOK_TIME_SCALE": "0.05", "ONPAY_DEMO_DAYS": "12"}


# Tests may mount a disk under such a service that nobody else sees, and that goes with it.
_WITHIN = ["unshare", "--mount"] if os.geteuid() == 0 and shutil.which("unshare") else []


@dataclass
class Service:
    """A running gateway with its demo company."""

    home: Path
    port: int
    demo: dict[str, Any]
    process: subprocess.Popen[bytes] | None = None
    options: tuple[str, ...] = ()
    servers: dict[str, str] = field(default_factory=dict)
    """The settings by which it finds its database and its broker, where it does not start them itself."""

    def run(self, *options: str) -> None:
        """Starts it with these options, unless it runs with them already."""
        if not self.runs() or self.options != options:
            self.stop()
            self.start(*options)
        self.until(self.is_well, 60)

    def start(self, *options: str) -> None:
        """Starts it, and waits until it is well and has its demo company."""
        with (self.home / "up.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*_WITHIN, sys.executable, "-m", "gateway.local", "up", *options],
                cwd=ROOT,
                env=self.environment(),
                stdout=log,
                stderr=log,
            )
        self.options = options
        self.until(lambda: self.runs() and self.is_well(), 600)
        self.demo |= json.loads((self.home / "demo.json").read_text())

    @contextmanager
    def beside(self, port: int, **settings: str) -> Iterator[list[int]]:
        """Another web process with the same data and these settings; the ids of its processes."""
        env = self.environment() | {"PORT": str(port), "ONPAY_WEB_WORKERS": "1"} | settings
        command = [sys.executable, "-m", "gateway.serving", "--port", str(port)]
        with (self.home / "beside.log").open("ab") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log, start_new_session=True)
        try:
            self.until(lambda: answers(port), 120)
            yield [pid for pid in _processes() if _group(pid) == process.pid]
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)

    def stop(self) -> None:
        """As Ctrl-C does. Its data stay."""
        if self.process:
            self.process.terminate()
            self.process.wait(30)

    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def call(self, method: str, path: str, body: Any = None, key: str | None = None) -> tuple[int, dict[str, Any]]:
        """One HTTP call; status 0 when no answer came."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=15)
        headers = {"x-api-key": self.demo["sandboxApiKey"], "host": f"localhost:{self.port}"}
        if method in ("POST", "DELETE"):
            headers |= {"content-type": "application/json", "idempotency-key": key or str(uuid.uuid4())}
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, HTTPException, ValueError):
            return 0, {}
        finally:
            connection.close()

    def insist(
        self, path: str, body: Any = None, key: str | None = None, method: str = "POST"
    ) -> tuple[int, dict[str, Any]]:
        """Asks, with one key, until the answer is definite, as a careful backend does."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            status, answer = self.call(method, path, body, key)
            if status and not answer.get("error", {}).get("retryable"):
                return status, answer
            time.sleep(0.1)
        raise AssertionError(f"no definite answer for {path}: {status} {answer}")

    def kill(self, part: str) -> None:
        """kill -9 of every process of the part that this service started."""
        for pid in self.pids(part):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def kill_again_and_again(self, part: str, times: int) -> None:
        """Each time at a random moment after it has come back."""
        for _ in range(times):
            self.until(lambda: self.pids(part) and self.call("GET", "/health/ready")[0] == 200, PATIENCE_S)
            time.sleep(random.uniform(0.2, 1.5))
            self.kill(part)

    @contextmanager
    def frozen(self, part: str) -> Iterator[None]:
        """As long as this lasts the part does nothing, and does not end either: like one that is at long work."""
        pids = self.pids(part)
        assert pids, f"there is no {part}"
        try:
            for pid in pids:
                with suppress(ProcessLookupError):  # a server has processes that end by themselves
                    os.kill(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def pids(self, part: str) -> list[int]:
        """The processes of a part: those of the gateway are known to its supervisor."""
        if part in SERVERS:
            return self._pids(SERVERS[part])
        root = json.loads((self.home / "sessions.json").read_text()).get(part)
        found = [root] if root and Path(f"/proc/{root}").exists() else []
        return [*found, *(pid for pid in _processes() if found and _parent(pid) in found)]

    def _pids(self, words: str) -> list[int]:
        """Processes with the words in their command line and this service's home in environment or arguments, and their
        children: those of PostgreSQL write their title where the environment stood.
        """
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdecimal() or (self.process and int(folder.name) == self.process.pid):
                continue
            with suppress(OSError):
                command = folder.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode()
                ours = str(self.home).encode() in folder.joinpath("environ").read_bytes() or str(self.home) in command
                if ours and words in command and " gateway.local " not in command:
                    found.append(int(folder.name))
        return [*found, *(pid for pid in _processes() if _parent(pid) in found and pid not in found)]

    def manage(self, *command: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def shell(self, code: str) -> Iterator[Callable[[str], None]]:
        """A process that runs this code. What is yielded hands it a line, and returns when it has told a line."""
        command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", code]
        env = self.environment()
        with (
            (self.home / "shell.log").open("ab") as log,
            subprocess.Popen(
                command, cwd=ROOT, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
            ) as process,
        ):
            asked, told = process.stdin, process.stdout
            assert asked and told

            def ask(line: str) -> None:
                print(line, file=asked, flush=True)
                assert told.readline(), (self.home / "shell.log").read_text()[-3000:]

            yield ask

    def until(self, holds: Callable[[], Any], seconds: float = 30) -> Any:
        """What `holds` returned when it first held. If it never does, the error has the last words of the servers."""
        return until(holds, seconds, self._last_words)

    def _last_words(self) -> str:
        logs = sorted(self.home.glob("*.log"))
        return "\n".join(f"{log.name}: {line}" for log in logs for line in log.read_text().splitlines()[-8:])

    def environment(self) -> dict[str, str]:
        """Of its processes, and of commands about it."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("ONPAY_", "DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_"))
        }
        limits = {f"ONPAY_RATE_LIMIT_{scope}": "1000000" for scope in ("ALL", "PAYMENTS", "REFUNDS")}
        own = {"ONPAY_HOME": str(self.home), "PORT": str(self.port)} | SHORTENED
        # With servers of somebody else a command does not look for those of this service, nor for its keys.
        others = {"ONPAY_LOCAL": "1", **self.servers, **keys.of(self.home)} if self.servers else {}
        return kept | limits | own | others

    @property
    def settings(self) -> dict[str, str]:
        """Those of its processes, by their names in the environment."""
        told = json.loads((self.home / "service.json").read_text())
        names = {"DATABASE_URL": "databaseUrl", "CELERY_BROKER_URL": "brokerUrl", "ONPAY_CACHE_URL": "cacheUrl"}
        return {name: told[key] for name, key in names.items()} | {"ONPAY_LOCAL": "1", **keys.of(self.home)}

    @property
    def database_url(self) -> str:
        return str(json.loads((self.home / "service.json").read_text())["databaseUrl"])

    @property
    def admin_url(self) -> str:
        return str(json.loads((self.home / "service.json").read_text())["adminUrl"])

    def is_well(self) -> bool:
        """Every web process says so: each connection meets any of them, and none of many met one that is not."""
        return all(self.call("GET", "/health/")[0] == 200 for _ in range(CONNECTIONS))


def _processes() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdecimal()]


def _group(pid: int) -> int | None:
    with suppress(OSError):
        return os.getpgid(pid)
    return None


def _parent(pid: int) -> int | None:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return None


def answers(port: int) -> bool:
    with suppress(OSError), closing(socket.create_connection(("127.0.0.1", port), timeout=1)):
        return True
    return False


@contextmanager
def subscribed(service: Service, *events: str) -> Iterator[tuple[Receiver, str]]:
    """A receiver, and the id of its endpoint, which is gone afterwards: nobody's deliveries wait for a dead one."""
    with listening() as receiver:
        status, answer = service.insist("/api/v2/webhooks", {"url": receiver.url, "events": list(events)})
        assert status == 201, answer
        endpoint = str(answer["data"]["id"])
        yield receiver, endpoint
        service.insist(f"/api/v2/webhooks/{endpoint}", method="DELETE")


MARIA = {"name": "Maria Silva", "taxId": "52998224725"}


def order(reference: str) -> dict[str, Any]:
    return {"method": "PIX", "amount": 10.00, "currency": "BRL", "reference": reference, "payer": MARIA}


def pay(service: Service, reference: str) -> str:
    """Creates and pays an order, insisting on each step; returns the payment's id."""
    status, created = service.insist("/api/v2/payments", order(reference), str(uuid.uuid4()))
    assert status == 201, created
    payment_id = str(created["data"]["id"])
    status, paid = service.insist(f"/api/v2/simulations/payments/{payment_id}", {"status": "PAID"}, str(uuid.uuid4()))
    assert status == 200, paid
    return payment_id


def matching(service: Service, prefix: str) -> list[str]:
    """Ids of the demo company's payments whose reference starts so, by the API."""
    found, page = [], 1
    while True:
        status, answer = service.insist(f"/api/v2/payments?pageSize=100&pageNumber={page}", method="GET")
        assert status == 200
        found += [p["id"] for p in answer["data"] if p["reference"].startswith(prefix)]
        if answer["pagination"]["total"] < 100:
            return found
        page += 1


def are_charged_once(service: Service, what: str, prefix: str, made: list[str], *, faults: int, note: str = "") -> None:
    """The payments that were made, one of each reference, are those which the service has under such references."""
    charged = Counter(matching(service, prefix))
    missing = len(made) - len({*made})
    lost = [*(one for one in made if one not in charged), *range(missing)]
    survived(what, len(made), faults=faults, lost=lost, doubled=[*(charged - Counter(made))], note=note)
