"""The role that serves owns nothing: whoever has stolen its password cannot make the books look right."""

import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Thread
from urllib.parse import quote, urlsplit

import psycopg
import pytest
from psycopg import errors, sql

from gateway.checks import OWNS
from gateway.database.roles import KEPT, WRITTEN_ONCE
from tests.support.database import template

pytestmark = pytest.mark.a_third_a_day

ROOT = Path(__file__).resolve().parents[3]
_SEEN = """
    SELECT name, has_schema_privilege(name, 'USAGE'), has_table_privilege(name || '.gateway_payment', 'INSERT')
      FROM accounts_cell
"""
PASSWORD = "p@ss:w/o#rd%41 ?&\\'\""  # no address could hold it as it is


@dataclass(frozen=True)
class Installation:
    """A database with all tables that an operator has prepared by the documented command."""

    env: dict[str, str]
    owner: str
    app: str

    def manage(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *command], cwd=ROOT, env=self.env, capture_output=True, text=True, check=False
        )

    def connect(self, name: str = "") -> psycopg.Connection[tuple[object, ...]]:
        url = self.env[f"ONPAY_{name}_DATABASE_URL" if name else "DATABASE_URL"]
        return psycopg.connect(url, autocommit=True)


@pytest.fixture(scope="module")
def installed(django_db_setup: None) -> Iterator[Installation]:
    url, suffix = os.environ["DATABASE_URL"], uuid.uuid4().hex[:8]
    database, owner, app = f"roles_{suffix}", f"owner_{suffix}", f"app_{suffix}"
    parts = urlsplit(url)

    def as_role(role: str) -> str:
        host = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=f"{role}@{host}", path=f"/{database}").geturl()

    env = os.environ | {
        "DATABASE_URL": as_role(app),
        "ONPAY_DATABASE_PASSWORD": PASSWORD,
        "ONPAY_MIGRATIONS_DATABASE_URL": as_role(owner),
        "ONPAY_ADMIN_DATABASE_URL": parts._replace(path=f"/{database}").geturl(),
    }
    with psycopg.connect(url, autocommit=True) as server:
        names = [sql.Identifier(name) for name in (database, template())]
        server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*names))
        made = Installation(env, owner, app)
        done = made.manage("prepare_database")
        assert done.returncode == 0, done.stdout + done.stderr
        yield made
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(database)))
        for role in (app, owner):
            for statement in ("DROP OWNED BY {}", "DROP ROLE {}"):  # the right to set a parameter is of no database
                server.execute(sql.SQL(statement).format(sql.Identifier(role)))


def test_the_owner_owns_every_table_and_the_service_none(installed: Installation) -> None:
    with installed.connect() as app:
        owners = {
            row[0] for row in app.execute("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'")
        }
        facts = app.execute(
            "SELECT rolsuper, rolcreatedb, rolcreaterole, rolbypassrls, pg_has_role(%s, 'MEMBER')"
            " FROM pg_roles WHERE rolname = current_user",
            [installed.owner],
        ).fetchone()

    assert owners == {installed.owner}
    assert facts == (False, False, False, False, False)


@pytest.mark.parametrize(
    "attack",
    [
        "ALTER TABLE ledger_entry DISABLE TRIGGER entry_is_final",
        "ALTER TABLE ledger_balance DISABLE TRIGGER ALL",
        "DROP TRIGGER entry_is_final ON ledger_entry",
        "DROP TABLE ledger_entry CASCADE",
        "DROP FUNCTION ledger_guard_balance() CASCADE",
        "CREATE OR REPLACE FUNCTION ledger_guard_balance() RETURNS trigger LANGUAGE sql AS 'SELECT NULL'",
        "TRUNCATE accounts_auditentry",
        "TRUNCATE ledger_entry CASCADE",
        "SET session_replication_role = replica",
        "UPDATE ledger_entry SET amount = 0",
        "DELETE FROM ledger_entry",
        "UPDATE ledger_transfer SET reference = 'x'",
        "UPDATE ledger_account SET currency = 'BRL'",
        "UPDATE ledger_closing SET amount = 0",
        "UPDATE accounts_auditentry SET action = 'x'",
        "DELETE FROM accounts_auditentry",
        "UPDATE accounts_historicalcompany SET legal_name = 'x'",
        "DELETE FROM ledger_balance",
        "INSERT INTO django_migrations (app, name, applied) VALUES ('gateway', 'x', now())",
        # Inside any trigger the guard of the balances looks away: none can be made.
        "CREATE TABLE mine (n int)",
        "CREATE TEMPORARY TABLE mine (n int)",
        "CREATE FUNCTION mine() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE SCHEMA mine",
        "CREATE TRIGGER mine AFTER INSERT ON gateway_customer FOR EACH ROW EXECUTE FUNCTION ledger_refuse()",
        "ALTER ROLE CURRENT_USER SUPERUSER",
        "COPY ledger_entry TO PROGRAM 'true'",
    ],
)
def test_the_service_may_not(installed: Installation, attack: str) -> None:
    with installed.connect() as app, pytest.raises(errors.InsufficientPrivilege):
        app.execute(attack)


def test_nor_may_it_become_the_owner(installed: Installation) -> None:
    with installed.connect() as app, pytest.raises(errors.InsufficientPrivilege):
        app.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(installed.owner)))


def test_only_the_owner_makes_and_drops_ranges(installed: Installation) -> None:
    serving = replace(installed, env=installed.env | {"ONPAY_MIGRATIONS_DATABASE_URL": ""})

    refused, kept = serving.manage("keep_ranges"), installed.manage("keep_ranges")

    assert refused.returncode == 1
    assert f" belongs to {installed.owner}, and this is {installed.app}." in refused.stderr
    assert (kept.returncode, kept.stdout.splitlines()[-1]) == (0, "Dropped: nothing.")
    with installed.connect() as app:
        ranges = app.execute(
            "SELECT DISTINCT pg_get_userbyid(relowner), count(*) > 8 FROM pg_class WHERE relispartition GROUP BY 1"
        ).fetchall()
        written = app.execute(
            "INSERT INTO webhooks_attempt (delivery_id, number, started_at, elapsed_ms, excerpt)"
            " VALUES ('dlv_01', 1, now(), 1, ''), ('dlv_7Z', 1, now(), 1, '') RETURNING id"
        ).fetchall()
        app.execute("DELETE FROM webhooks_attempt")

    assert ranges == [(installed.owner, True)]
    assert len({*written}) == 2


def test_the_service_works_in_a_cell_as_soon_as_there_is_one(installed: Installation) -> None:
    seen: list[tuple[object, ...]] = []
    over = Event()

    def look() -> None:
        """Until the first merchant could live there, and a little longer."""
        with installed.connect() as app:
            while not (over.is_set() and seen):
                seen.extend(app.execute(_SEEN).fetchall())

    looking = Thread(target=look)
    looking.start()
    try:
        made = installed.manage("add_cell", "cell_01")
    finally:
        over.set()
        looking.join(20)
    assert made.returncode == 0, made.stderr
    assert {*seen} == {("cell_01", True, True)}
    with installed.connect() as app, pytest.raises(errors.InsufficientPrivilege):
        app.execute("DELETE FROM cell_01.ledger_transfer")
    with installed.connect("MIGRATIONS") as owner:
        owner.execute("DELETE FROM accounts_cell")
        owner.execute("DROP SCHEMA cells, cell_01 CASCADE")


def test_the_time_outs_are_the_roles_own_for_a_pooler_keeps_no_others(installed: Installation) -> None:
    names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
    with installed.connect() as app, installed.connect("MIGRATIONS") as owner:
        of_app = [app.execute(f"SHOW {name}").fetchone() for name in names]
        of_owner = [owner.execute(f"SHOW {name}").fetchone() for name in names]

    assert of_app == [("2s",), ("10s",), ("15s",)]
    assert of_owner == [("2s",), ("0",), ("0",)]


def test_tables_that_come_later_are_served_at_once(installed: Installation) -> None:
    with installed.connect("MIGRATIONS") as owner, installed.connect() as app:
        owner.execute("CREATE TABLE later (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text)")
        try:
            app.execute("INSERT INTO later (name) VALUES ('a')")
            app.execute("UPDATE later SET name = 'b'")
            assert app.execute("SELECT id, name FROM later").fetchall() == [(1, "b")]
            with pytest.raises(errors.InsufficientPrivilege):
                app.execute("TRUNCATE later")
        finally:
            owner.execute("DROP TABLE later")


def test_doing_it_again_changes_nothing_and_mends_what_was_changed(installed: Installation) -> None:
    rights = (
        "SELECT relname, relowner::regrole::text, relacl::text FROM pg_class"
        " WHERE relnamespace = 'public'::regnamespace ORDER BY relname"
    )
    with installed.connect("ADMIN") as admin:
        before = admin.execute(rights).fetchall()
        admin.execute("ALTER TABLE ledger_entry OWNER TO CURRENT_USER")
        admin.execute(sql.SQL("GRANT UPDATE, TRUNCATE ON ledger_entry TO {}").format(sql.Identifier(installed.app)))
        admin.execute("CREATE FUNCTION of_the_admin() RETURNS int LANGUAGE sql AS 'SELECT 1'")

        again = installed.manage("prepare_database")

        assert again.returncode == 0, again.stderr
        assert admin.execute(rights).fetchall() == before
        owner = admin.execute("SELECT proowner::regrole::text FROM pg_proc WHERE proname = 'of_the_admin'").fetchone()
        admin.execute("DROP FUNCTION of_the_admin()")
    assert owner == (installed.owner,)


def test_prepared_several_times_at_once_each_waits_for_the_one_before(installed: Installation) -> None:
    """Also those of another database: roles and rights to parameters belong to the server."""
    other = f"{installed.owner}_too"
    beside = {
        name: url._replace(path=f"/{other}").geturl()
        for name, url in ((name, urlsplit(url)) for name, url in installed.env.items() if name.endswith("DATABASE_URL"))
    }
    elsewhere = replace(installed, env=installed.env | beside)
    with installed.connect("ADMIN") as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(other)))
        try:
            with ThreadPoolExecutor() as threads:
                asked = [threads.submit(one.manage, "prepare_database") for one in (installed, elsewhere) * 3]
            assert [done.result().stderr for done in asked] == [""] * 6
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(other)))
        may = "SELECT has_parameter_privilege(%s, 'session_replication_role', 'SET')"
        assert admin.execute(may, [installed.owner]).fetchone() == (True,)


@pytest.fixture
def asked_for_passwords(installed: Installation) -> Iterator[None]:
    """The server asks the service's role for its password, as in production."""
    with installed.connect("ADMIN") as admin:
        [(named,)] = admin.execute("SHOW hba_file").fetchall()
        rules = Path(str(named))
        before = rules.read_text()
        asked = f"{installed.app} scram-sha-256", f"{installed.app} all scram-sha-256"
        rules.write_text(f"local all {asked[0]}\nhost all {asked[1]}\n{before}")
        admin.execute("SELECT pg_reload_conf()")
        yield
        rules.write_text(before)
        admin.execute("SELECT pg_reload_conf()")


def test_a_password_that_is_valid_keeps_its_hash_of_which_a_pooler_has_a_copy(
    installed: Installation, asked_for_passwords: None
) -> None:
    def kept() -> object:
        return admin.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", [installed.app]).fetchone()

    changed = replace(installed, env=installed.env | {"ONPAY_DATABASE_PASSWORD": "another"})
    with installed.connect("ADMIN") as admin:
        before = kept()

        assert installed.manage("prepare_database").returncode == 0
        assert kept() == before
        assert changed.manage("prepare_database").returncode == 0
        assert kept() != before
        assert installed.manage("prepare_database").returncode == 0
    psycopg.connect(installed.env["DATABASE_URL"], password=PASSWORD).close()


def test_a_password_may_hold_any_character_and_no_log_has_it(installed: Installation) -> None:
    with installed.connect("ADMIN") as admin:
        kept = admin.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", [installed.app]).fetchone()
    assert kept is not None
    assert str(kept[0]).startswith("SCRAM-SHA-256$")

    read = (
        "from django.conf import settings; from gateway.celery import app; d = settings.DATABASES['default'];"
        "print(repr((d['USER'], d['PASSWORD'], settings.CACHE_URL,"
        " app.connection_for_read().password, app.connection_for_write().password)))"
    )
    env = installed.env | {
        "CELERY_BROKER_URL": "redis://valkey:6379/0",
        "ONPAY_CACHE_URL": "redis://valkey:6379/1",
        "ONPAY_VALKEY_PASSWORD": PASSWORD,
    }
    told = Installation(env, installed.owner, installed.app).manage("shell", "-v", "0", "-c", read)

    assert told.returncode == 0, told.stderr
    cache = f"redis://:{quote(PASSWORD, safe='')}@valkey:6379/1"
    assert told.stdout.strip() == repr((installed.app, PASSWORD, cache, PASSWORD, PASSWORD))


def test_a_second_role_serves_beside_the_first_until_that_is_dropped(installed: Installation) -> None:
    """How the password of the service changes while processes still connect with the old one."""
    second = f"{installed.app}_b"
    url = installed.env["DATABASE_URL"].replace(f"{installed.app}@", f"{second}@")
    other = Installation(installed.env | {"DATABASE_URL": url}, installed.owner, second)

    assert other.manage("prepare_database").returncode == 0

    for serving in (installed, other):
        with serving.connect() as service, service.transaction(force_rollback=True):
            assert service.execute("UPDATE gateway_payment SET updated_at = updated_at").rowcount >= 0
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                service.execute("UPDATE ledger_entry SET amount = 1")
    with installed.connect("ADMIN") as admin:
        for statement in ("DROP OWNED BY {}", "DROP ROLE {}"):
            admin.execute(sql.SQL(statement).format(sql.Identifier(second)))
    with installed.connect() as service:
        assert service.execute("SELECT 1 FROM pg_tables WHERE tablename = 'gateway_payment'").rowcount == 1


def test_the_check_names_a_role_that_owns_the_tables(installed: Installation) -> None:
    command = ("check", "--deploy", "--database", "default", "--fail-level", "CRITICAL")
    owning = {"DATABASE_URL": installed.env["ONPAY_MIGRATIONS_DATABASE_URL"], "ONPAY_DATABASE_PASSWORD": ""}

    found = Installation(installed.env | owning, installed.owner, installed.app).manage(*command)
    owns = {}
    for role in ("", "MIGRATIONS", "ADMIN"):
        with installed.connect(role) as connection:
            owns[role] = connection.execute(OWNS).fetchone()

    assert "onpay.E014" in found.stderr
    assert owns == {"": (False,), "MIGRATIONS": (True,), "ADMIN": (True,)}


def test_three_names_are_needed(installed: Installation) -> None:
    one = {"DATABASE_URL": installed.env["ONPAY_MIGRATIONS_DATABASE_URL"]}
    refused = Installation(installed.env | one, installed.owner, installed.app).manage("prepare_database")
    missing = Installation(installed.env | {"ONPAY_ADMIN_DATABASE_URL": ""}, installed.owner, installed.app).manage(
        "prepare_database"
    )

    assert (refused.returncode, missing.returncode) == (1, 1)
    assert "three different roles" in refused.stderr
    assert "ONPAY_ADMIN_DATABASE_URL" in missing.stderr


def test_every_table_whose_rows_cannot_change_is_on_the_list(installed: Installation) -> None:
    """A trigger that refuses every update and deletion, and the list of what is never granted, name the same tables."""
    with installed.connect("ADMIN") as admin:
        found = admin.execute(
            """SELECT relname, pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger
                 JOIN pg_class ON pg_class.oid = tgrelid WHERE NOT tgisinternal"""
        ).fetchall()
    refusing = {
        str(table) for table, text in found if re.search(r"BEFORE (?:DELETE OR UPDATE|UPDATE OR DELETE)", str(text))
    }
    assert refusing
    assert refusing <= {*WRITTEN_ONCE, *KEPT}
