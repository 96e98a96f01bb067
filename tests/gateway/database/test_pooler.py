"""The main story through PgBouncer in transaction mode, while connections to PostgreSQL break."""

import json
import os
import pwd
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from psycopg import sql

from accounts.cells import every_cell
from gateway.database.protections import stop_if_unprotected
from gateway.local import processes
from gateway.payments.models import Payment
from gateway.refunds.models import Refund
from gateway.requests.models import ApiRequest
from gateway.withdrawals.models import Withdrawal
from tests.support.companies import Shop
from tests.support.network import free_port
from tests.support.payments import pix
from tests.support.serving import ROOT, Served, served, wait_until_it_listens
from tests.support.withdrawals import register

pytestmark = pytest.mark.a_third_a_day

PGBOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
CONFIG = ROOT / "deploy" / "pgbouncer" / "pgbouncer.ini"
ROLE = "behind_a_pooler"
TIMEOUTS = {"lock_timeout": "2s", "statement_timeout": "10s", "idle_in_transaction_session_timeout": "15s"}
OTHERWISE = """
%include {config}
[databases]
onpay = host={host} port={port} dbname={name} user={role}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
auth_type = any
"""


def terminate() -> int:
    """Every connection of the role to PostgreSQL breaks; returns how many."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = %s", [ROLE])
        return int(cursor.fetchone()[0])


@pytest.fixture
def role(transactional_db: None) -> Iterator[str]:
    """Uses the tables of the test as the service does."""
    name = sql.Identifier(ROLE)
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as server:
        server.execute(sql.SQL("CREATE ROLE {} LOGIN").format(name))
        for setting, value in TIMEOUTS.items():
            server.execute(sql.SQL("ALTER ROLE {} SET {} = {}").format(name, sql.Identifier(setting), value))
        for schema in ("public", *every_cell()[1:]):
            there = f"IN SCHEMA {schema} TO {ROLE}"
            server.execute(f"GRANT USAGE ON SCHEMA {schema} TO {ROLE}")
            server.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES {there}")
            server.execute(f"GRANT USAGE ON ALL SEQUENCES {there}")
        yield ROLE
        terminate()
        server.execute(sql.SQL("DROP OWNED BY {}").format(name))
        server.execute(sql.SQL("DROP ROLE {}").format(name))


@pytest.fixture
def pooler(role: str, tmp_path: Path) -> Iterator[str]:
    """The address of a PgBouncer with the file of deploy/."""
    if PGBOUNCER is None:
        missing = "no PgBouncer found: apt-get install pgbouncer"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    at, port = connection.get_connection_params(), free_port()
    written = tmp_path / "pgbouncer.ini"
    where = {"host": at["host"], "port": at["port"], "name": at["dbname"], "role": role}
    written.write_text(OTHERWISE.format(config=CONFIG, listen=port, **where))
    as_nobody = ["-u", pwd.getpwnam("nobody").pw_name] if os.geteuid() == 0 else []
    process = subprocess.Popen(
        [PGBOUNCER, "-q", *as_nobody, written], preexec_fn=processes.ends_with(os.getpid(), signal.SIGTERM)
    )
    try:
        wait_until_it_listens(port)
        yield f"postgres://{role}@127.0.0.1:{port}/onpay"
    finally:
        process.terminate()
        process.wait(10)


class Backend:
    """Repeats what is to be repeated, with the same key, as a careful backend does."""

    def __init__(self, service: Served, shop: Shop) -> None:
        self.service, self.shop = service, shop

    def insist(self, method: str, path: str, body: Any = None) -> Any:
        key, until = str(uuid.uuid4()), time.monotonic() + 30
        while time.monotonic() < until:
            content = json.dumps(body).encode() if body else b""
            status, _, told = self.service.call(method, f"/api/v2{path}", self.shop.sandbox_key, content, asked_as=key)
            answer = json.loads(told)
            if status < 400:
                return answer["data"]
            assert (status, answer["error"]["retryable"]) == (503, True), answer
            time.sleep(0.05)
        raise AssertionError(path)

    def life(self, number: int) -> str:
        """A payment that is paid, refunded in part, and paid out."""
        payment = self.insist("POST", "/payments", pix(amount=100, reference=f"order-{number}"))["id"]
        assert self.insist("POST", f"/simulations/payments/{payment}", {"status": "PAID"})["status"] == "PAID"
        self.insist("POST", f"/payments/{payment}/refunds", {"amount": 10})
        withdrawal = {
            "companyId": self.shop.company.id, "amount": 20, "currency": "BRL", "pixKey": "52998224725",
            "pixKeyType": "CPF", "reference": f"wd-{number}",
        }  # fmt: skip
        self.insist("POST", "/withdrawals/pix", withdrawal)
        return str(payment)

    def paid_in_events(self, number: int) -> list[str]:
        """The payments that the events name as paid, once there are so many; every page goes on after the last one.

        Events wait for older transactions of the whole server, so also for those of tests in other databases.
        """
        paid: list[str] = []
        last, until = f"evt_{'0' * 26}", time.monotonic() + 60
        while len(paid) < number:
            assert time.monotonic() < until, f"the events name only {paid}"
            for event in self.insist("GET", f"/events?after={last}&pageSize=100&wait=5"):
                last = event["id"]
                if event["type"] == "payment.paid":
                    paid.append(event["objectId"])
        return paid


@contextmanager
def breaking() -> Iterator[list[int]]:
    """Connections to PostgreSQL break four times, as they come."""
    broken: list[int] = []
    with ThreadPoolExecutor(1) as thread:

        def breaks() -> None:
            try:
                for _ in range(4):
                    time.sleep(0.3)
                    broken.append(terminate())
            finally:
                connection.close()

        done = thread.submit(breaks)
        yield broken
        done.result(30)


def test_payments_are_made_paid_refunded_paid_out_and_told_once(pooler: str, acme: Shop) -> None:
    register(acme, "127.0.0.1")
    own = {"DATABASE_URL": pooler, "ONPAY_DB_POOLER": "transaction", "ONPAY_WEB_WORKERS": "1"}
    with served(**own) as service:
        backend = Backend(service, acme)
        first = backend.life(0)  # the service is warm
        with breaking() as broken, ThreadPoolExecutor(4) as shoppers:
            payments = list(shoppers.map(backend.life, range(1, 17)))
        until = time.monotonic() + 30
        while ApiRequest.objects.filter(method="POST", status=201).count() < 3 * 17:
            assert time.monotonic() < until, "requests are missing in the log"
            time.sleep(0.1)
        told = backend.paid_in_events(17)

    assert sum(broken) > 0
    assert (Payment.objects.count(), Refund.objects.count(), Withdrawal.objects.count()) == (17, 17, 17)
    assert sorted(told) == sorted([first, *payments])


def test_a_process_starts_only_with_what_protects_it(
    pooler: str, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER ROLE {ROLE} RESET statement_timeout")
    at = urlsplit(pooler)
    for name, value in {"HOST": at.hostname, "PORT": at.port, "USER": at.username, "NAME": at.path[1:]}.items():
        monkeypatch.setitem(connection.settings_dict, name, value)
    with pytest.raises(ImproperlyConfigured, match=r"onpay\.E026"):
        stop_if_unprotected()  # PgBouncer refuses the options of a connection

    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "options", "")
    with pytest.raises(ImproperlyConfigured, match=r"onpay\.E026"):
        stop_if_unprotected()  # or was told to ignore them

    settings.DATABASE_POOLER = True
    with pytest.raises(ImproperlyConfigured, match=r"statement_timeout is 0 ms.*\n.*prepare_database"):
        stop_if_unprotected()
