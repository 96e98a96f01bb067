"""Tables of a released version, filled: what there is of a company is repeated under other ids and references.

For measurements alone: constraints and triggers are off, and the books do not add up.
"""

import psycopg
from psycopg import sql

REPEATED = {
    "gateway_payment": ("id", "reference"),
    "gateway_idempotencykey": ("key",),
    "webhooks_event": ("id",),
    "webhooks_delivery": ("id",),
    "ledger_transfer": ("reference",),
}
"""Tables that grow with each payment, and the columns that tell their rows apart."""
_COLUMNS = """
    SELECT column_name, data_type, is_identity = 'YES' FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position
"""


def fill(url: str, rows: int) -> None:
    """Fills each table to about this many rows."""
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("SET session_replication_role = replica")
        for table, distinct in REPEATED.items():
            server.execute(_statement(server, table, distinct), {"rows": rows})
        server.execute("VACUUM ANALYZE")


def _statement(server: psycopg.Connection, table: str, distinct: tuple[str, ...]) -> sql.Composed:
    columns = [(name, kind) for name, kind, identity in server.execute(_COLUMNS, [table]).fetchall() if not identity]
    picked = [_repeated(kind) if name in distinct else sql.Identifier(name) for name, kind in columns]
    values = [
        one.format(sql.Identifier(name)) if isinstance(one, sql.SQL) else one
        for (name, _), one in zip(columns, picked, strict=True)
    ]
    return sql.SQL(
        "INSERT INTO {table} ({names}) SELECT {values} FROM (SELECT * FROM {table} LIMIT 1) one,"
        " generate_series(1, %(rows)s) n"
    ).format(
        table=sql.Identifier(table),
        names=sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns),
        values=sql.SQL(", ").join(values),
    )


def _repeated(kind: str) -> sql.SQL:
    if kind == "uuid":
        return sql.SQL("gen_random_uuid() /* {} */")
    return sql.SQL("left({}, 4) || lpad(n::text, 26, '0')")
