"""Creates the two roles and grants the service role the minimum it needs."""

from collections.abc import Mapping
from typing import Any

from psycopg import Connection, Cursor, Error, connect, sql

from accounts.base import cells
from accounts.base.rows import table as table_of
from accounts.models import AuditEntry
from gateway.database.limits import Limits
from ledger.books.models import Account, Balance, Entry, Transfer
from ledger.closings.models import ClosedDay, Closing, ReplacedSeal, Resealing, Seal
from ledger.proofs.models import ProvedAccount, ProvedBlock

_FINAL = (AuditEntry, Account, ClosedDay, Closing, Entry, ReplacedSeal, Resealing, Seal, Transfer)
WRITTEN_ONCE = [table_of(model) for model in _FINAL]
"""Append-only tables, like those of every history."""
KEPT = [table_of(model) for model in (Balance, ProvedAccount, ProvedBlock)]
"""Tables whose rows are updated but never deleted."""

_OWNERS = """
    SELECT format('ALTER %%s %%I.%%I OWNER TO %%I', CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW'
                  WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END, nspname, relname, %(owner)s::text)
      FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = ANY(%(schemas)s) AND relkind IN ('r', 'p', 'v', 'm', 'S') AND relowner <> %(owner)s::regrole
       AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid
                          AND (deptype = 'e' OR relkind = 'S' AND deptype IN ('a', 'i')))
    UNION ALL
    SELECT format('ALTER ROUTINE %%s OWNER TO %%I', pg_proc.oid::regprocedure, %(owner)s::text)
      FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
     WHERE nspname = ANY(%(schemas)s) AND proowner <> %(owner)s::regrole
       AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid
                          AND deptype = 'e')
"""
_TABLES = """
    SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = ANY(%s) AND relkind IN ('r', 'p')
"""
_SCHEMAS = f"""
    SELECT array_agg(nspname ORDER BY nspname) FROM pg_namespace
     WHERE nspname IN ('public', '{cells.ALL}') OR nspname ~ '^{cells.NAME.pattern}$'
"""
_GRANTS = (
    "GRANT USAGE ON SCHEMA {schema} TO {app}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {app}",
    "REVOKE TRUNCATE, REFERENCES, TRIGGER ON ALL TABLES IN SCHEMA {schema} FROM {app}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {app}",
    "GRANT EXECUTE ON ALL ROUTINES IN SCHEMA {schema} TO {app}",
    "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {schema}"
    " GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {app}",
    "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {schema} GRANT USAGE, SELECT ON SEQUENCES TO {app}",
)
# A role that can create tables could create a trigger, inside which the guard of balances is not effective.
_DATABASE = (
    "ALTER DATABASE {database} OWNER TO {owner}",
    "REVOKE ALL ON DATABASE {database} FROM PUBLIC, {app}",
    "GRANT CONNECT ON DATABASE {database} TO {app}",
)
_SCHEMA = (
    "ALTER SCHEMA {schema} OWNER TO {owner}",
    "REVOKE ALL ON SCHEMA {schema} FROM PUBLIC, {app}",
)
# Roles and rights to parameters belong to the server, and an advisory lock to one of its databases only.
_ALONE = "LOCK TABLE pg_authid IN SHARE ROW EXCLUSIVE MODE"
# Rows that are written once are moved to another cell as they are, past the triggers that keep them.
_MOVES_ROWS = "GRANT SET ON PARAMETER session_replication_role TO {owner}"


class SameRole(Exception):
    """Two of the three roles are the same."""


def prepare(admin: Mapping[str, Any], owner: Mapping[str, Any], app: Mapping[str, Any], limits: Limits) -> None:
    """Creates the roles of the settings, transfers the tables to the owner and grants the service role access.

    Idempotent and atomic; done one after the other on a server, also for several databases of it. Raises SameRole, and
    psycopg.Error without administrator rights.
    """
    if len({role["USER"] for role in (admin, owner, app)}) < 3:
        raise SameRole
    way = _parameters(admin, app["NAME"])
    with connect(**way) as connection, connection.cursor() as cursor:
        cursor.execute(_ALONE)
        for role in (owner, app):
            _make(connection, cursor, role, way)
        names = {"database": app["NAME"], "owner": owner["USER"], "app": app["USER"]}
        cursor.execute(_sql("GRANT {owner} TO CURRENT_USER", names))
        for statement in _DATABASE:
            cursor.execute(_sql(statement, names))
        for schema in _schemas(cursor):
            for statement in _SCHEMA:
                cursor.execute(_sql(statement, names | {"schema": schema}))
        asked = {"owner": owner["USER"], "schemas": _schemas(cursor)}
        for (statement,) in cursor.execute(_OWNERS, asked).fetchall():
            cursor.execute(statement)
        for name, value in vars(limits).items():
            cursor.execute(sql.SQL("ALTER ROLE {} SET {} = {}").format(_name(app), sql.Identifier(name), value))
        cursor.execute(sql.SQL("ALTER ROLE {} SET lock_timeout = {}").format(_name(owner), limits.lock_timeout))
        cursor.execute(_sql(_MOVES_ROWS, names))
        grant(cursor, owner["USER"], app["USER"])


def grant(cursor: Any, owner: str, app: str) -> None:
    """Grants the service role access to existing and future tables. Run as the owner."""
    names = {"owner": owner, "app": app}
    schemas = _schemas(cursor)
    for schema in schemas:
        for statement in _GRANTS:
            cursor.execute(_sql(statement, names | {"schema": schema}))
    cursor.execute(_TABLES, [schemas])
    for schema, table in cursor.fetchall():
        if refused := _refused(table):
            cursor.execute(
                sql.SQL("REVOKE {} ON {} FROM {}").format(
                    sql.SQL(refused), sql.Identifier(schema, table), sql.Identifier(app)
                )
            )


def _schemas(cursor: Any) -> list[str]:
    """`public`, and those of cells."""
    (found,) = cursor.execute(_SCHEMAS).fetchone()
    return list(found)


def _refused(table: str) -> str:
    if table == "django_migrations":
        return "INSERT, UPDATE, DELETE"
    if table in WRITTEN_ONCE or "_historical" in table:
        return "UPDATE, DELETE"
    return "DELETE" if table in KEPT else ""


def _is_let_in(role: Mapping[str, Any], way: Mapping[str, Any]) -> bool:
    """Whether PostgreSQL, reached the administrator's way, asks the role for a password and takes this one."""
    try:
        with connect(**{**way, "user": role["USER"], "password": role["PASSWORD"]}) as connection:
            return connection.pgconn.used_password
    except Error:
        return False


def _make(connection: Connection[Any], cursor: Cursor[Any], role: Mapping[str, Any], way: Mapping[str, Any]) -> None:
    """Sends the password hashed, so that no server log contains it.

    One that is valid is not set again: its hash would be another, and PgBouncer, which has a copy of it, locked out.
    """
    known = cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = %s", [role["USER"]]).fetchone()
    if known is None:
        cursor.execute(sql.SQL("CREATE ROLE {}").format(_name(role)))
    attributes = "LOGIN NOCREATEROLE NOCREATEDB" + (" NOSUPERUSER" if known and known[0] else "")
    cursor.execute(sql.SQL("ALTER ROLE {} " + attributes).format(_name(role)))
    if role["PASSWORD"] and not (known and _is_let_in(role, way)):
        sealed = connection.pgconn.encrypt_password(
            role["PASSWORD"].encode(), role["USER"].encode(), b"scram-sha-256"
        ).decode()
        cursor.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(_name(role), sealed))


def _name(role: Mapping[str, Any]) -> sql.Identifier:
    return sql.Identifier(role["USER"])


def _sql(statement: str, names: Mapping[str, str]) -> sql.Composed:
    return sql.SQL(statement).format(**{name: sql.Identifier(value) for name, value in names.items()})


def _parameters(settings: Mapping[str, Any], database: str) -> dict[str, Any]:
    named = {"dbname": database, "user": settings["USER"], "password": settings["PASSWORD"]}
    where = {"host": settings["HOST"], "port": settings["PORT"]} | {
        name: value for name, value in settings["OPTIONS"].items() if name in ("host", "port", "sslmode", "sslrootcert")
    }
    return {name: value for name, value in (named | where).items() if value}
