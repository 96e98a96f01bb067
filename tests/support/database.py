"""The database of a test run: a copy of a template, which is made once for each state of the migrations.

Migrations take most of a minute of a busy machine. What they made is kept in a file, from which further servers restore
it.
"""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
from django.apps import apps
from django.conf import settings
from django.core.management.sql import emit_post_migrate_signal, emit_pre_migrate_signal
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.transaction import atomic
from psycopg.conninfo import make_conninfo

from gateway.local import home
from gateway.local.postgres import programs

TEMPLATES = "onpay_template_"
UNFINISHED = f"{TEMPLATES}unfinished"
COPIES = "onpay_test_"
KEPT = home.CHECKOUT / ".local" / "templates"
# Tests that commit are cleaned by TRUNCATE, which the books refuse; the test of that refusal turns it on again.
REFUSE_TRUNCATE = {
    "ledger_entry": "entries_stay",
    "ledger_transfer": "transfers_stay",
    "ledger_balance": "balances_stay",
    "accounts_auditentry": "audit_stays",
}
Server = psycopg.Connection[tuple[object, ...]]


@contextmanager
def database_of_this_run() -> Iterator[None]:
    """Connects Django to a database that nobody else uses, and drops it afterwards."""
    with _server() as server:
        name = _claim(server)
        try:
            _copy(server, name)
            yield
        finally:
            _disconnect()
            server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def copy_template(name: str) -> None:
    """Makes the database anew and connects Django to it. It stays."""
    with _server() as server:
        _copy(server, name)


def template() -> str:
    """The name of the database that is copied: it is there once a run has begun."""
    return f"{TEMPLATES}{fingerprint()}"


def fingerprint() -> str:
    """Of all that makes the tables: every app's migrations, the SQL that they load, and this module."""
    folders = [Path(config.path, part) for config in apps.get_app_configs() for part in ("migrations", "sql")]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".sql")]
    digest = hashlib.sha256()
    for path in (*sorted(files), Path(__file__)):
        digest.update(f"{path.name} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _server() -> Server:
    server = psycopg.connect(**connection.get_connection_params() | {"dbname": "postgres", "autocommit": True})
    server.execute("SET statement_timeout = 0; SET lock_timeout = 0")  # another run may be making the template
    return server


def _claim(server: Server) -> str:
    """The first name that no run holds. It is ours until the server sees us gone, however we go."""
    for number in count(1):
        name = f"{COPIES}{number}"
        if server.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name]).fetchone() == (True,):
            return name
    raise AssertionError


@contextmanager
def _alone(server: Server) -> Iterator[None]:
    """One run at a time makes, copies and drops templates."""
    server.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [TEMPLATES])
    try:
        yield
    finally:
        server.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [TEMPLATES])


def _copy(server: Server, name: str) -> None:
    """What follows a migration in Python (permissions, roles, terms) is done here: it changes without a migration."""
    _disconnect()
    with _alone(server):
        template = _template(server)
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    _connect_to(name)
    with atomic():
        emit_post_migrate_signal(verbosity=0, interactive=False, db="default")


def _template(server: Server) -> str:
    """The template of the migrations as they are now; those of other states are dropped when it has to be made."""
    wanted = template()
    found = server.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [TEMPLATES]).fetchall()
    if (wanted,) in found:
        return wanted
    for (name,) in found:
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    server.execute(f"CREATE DATABASE {UNFINISHED}")
    _make_tables(server, home.make(KEPT) / f"{wanted}-{server.info.server_version}.sql")
    server.execute(f"ALTER DATABASE {UNFINISHED} RENAME TO {wanted}")
    return wanted


def _make_tables(server: Server, kept: Path) -> None:
    """Restores them, or migrates and keeps them: one run at a time, whatever its server."""
    held = home.lock(KEPT / "lock", wait=True)
    assert held
    with held:
        if kept.exists():
            _program(server, "psql", "-qX", "-v", "ON_ERROR_STOP=1", "-o", os.devnull, "-f", kept).check_returncode()
            return
        _migrate()
        for old in KEPT.glob("*.sql"):
            if not old.name.startswith(kept.name.partition("-")[0]):
                old.unlink()
        fresh = kept.with_suffix(".new")
        if _program(server, "pg_dump", "-f", fresh).returncode == 0:  # else they do not suit this server
            fresh.replace(kept)


def _migrate() -> None:
    _connect_to(UNFINISHED)
    emit_pre_migrate_signal(verbosity=0, interactive=False, db="default")
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    with connection.cursor() as cursor:
        for table, trigger in REFUSE_TRUNCATE.items():
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {trigger}")
    _disconnect()


def _program(server: Server, name: str, *options: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Runs a program of PostgreSQL on the database that is being made."""
    known = {name: value for name, value in server.info.get_parameters().items() if name in ("host", "port", "user")}
    address = make_conninfo(**known, password=server.info.password or None, dbname=UNFINISHED)
    return subprocess.run([programs() / name, "-d", address, *options], check=False)


def _connect_to(name: str) -> None:
    _disconnect()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name


def _disconnect() -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
