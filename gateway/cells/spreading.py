"""Cells on the nodes of Citus, where the database has it.

The schema of a cell is distributed: it is whole on one node, with its triggers and keys. `public` stays on the
coordinator; what statements in cells read of it beside their own tables is on every node, as a reference table. Keys
lead neither from cells to `public` nor to or from a reference table there: Citus would take along all they connect.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from operator import methodcaller
from typing import Any, NamedTuple

from django.apps import apps
from django.db import connection, transaction

from accounts.base.rows import every, first, table
from accounts.models import Cell
from gateway.cells.placement import models_in_cells
from gateway.database.turns import in_turn

ON_EVERY_NODE = ("accounts.Merchant", "accounts.StuckWork", "gateway.AutomaticEvidence")
"""Tables of `public` that statements in cells read beside theirs."""
AT_ONCE = 20_000
"""Transactions of a node that pass within one statement."""
_IS_CITUS = "SELECT FROM pg_extension WHERE extname = 'citus'"
_NODES = """
    SELECT nodename, nodeport FROM pg_dist_node
     WHERE noderole = 'primary' AND isactive AND shouldhaveshards ORDER BY nodeid
"""
_HOME = "SELECT nodename, nodeport FROM citus_shards WHERE table_name = %s::regclass"
_IS_DISTRIBUTED = "SELECT FROM pg_dist_partition WHERE logicalrelid = ('public.' || %s)::regclass"
_IS_SPREAD = "SELECT FROM pg_dist_schema WHERE schemaid = %s::regnamespace"
_KEYS = """
    SELECT format('ALTER TABLE %%1$s DROP CONSTRAINT %%2$I', conrelid::regclass, conname)
      FROM pg_constraint JOIN pg_class here ON here.oid = conrelid JOIN pg_class there ON there.oid = confrelid
     WHERE contype = 'f' AND conparentid = 0 AND
"""
_KEYS_OF = f"{_KEYS} here.relnamespace = 'public'::regnamespace AND %s IN (here.relname, there.relname)"
_KEYS_TO_PUBLIC = f"{_KEYS} here.relnamespace = %s::regnamespace AND there.relnamespace = 'public'::regnamespace"
# A trigger is fired on the node, where the path of the transaction is not known.
_FUNCTIONS = """
    SELECT format('ALTER FUNCTION %%1$s SET search_path = %%2$s, public', pg_proc.oid::regprocedure, nspname)
      FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
     WHERE nspname = %s AND prorettype = 'trigger'::regtype
"""
# A migration replaces functions, and makes tables whose numbers come from the sequence of `public`.
_SETTLING = """
DO $$ DECLARE one text; BEGIN
    FOR one IN
        SELECT format('ALTER FUNCTION %1$s SET search_path = %2$s, public', pg_proc.oid::regprocedure, nspname)
          FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
         WHERE nspname = '{cell}' AND prorettype = 'trigger'::regtype
           AND array_to_string(coalesce(proconfig, '{{}}'), ',') NOT LIKE '%search_path=%'
        UNION ALL
        SELECT format('ALTER TABLE {cell}.%1$I ALTER %2$I SET DEFAULT nextval(%3$L)', here.relname, mine.attname,
                      pg_get_serial_sequence(format('public.%I', there.relname), theirs.attname))
          FROM pg_class there JOIN pg_attribute theirs ON theirs.attrelid = there.oid AND theirs.attidentity <> ''
          JOIN pg_class here ON here.relname = there.relname AND here.relnamespace = '{cell}'::regnamespace
          JOIN pg_attribute mine ON mine.attrelid = here.oid AND mine.attname = theirs.attname
         WHERE there.relnamespace = 'public'::regnamespace AND NOT mine.atthasdef AND mine.attidentity = ''
    LOOP
        EXECUTE one;
    END LOOP;
END $$
"""
_LATEST = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"
_BEGIN_SOME = """
    CREATE TEMPORARY TABLE IF NOT EXISTS passing (is_it boolean) ON COMMIT DROP;
    DO $$ BEGIN FOR one IN 1..{count} LOOP
        BEGIN INSERT INTO passing VALUES (true); EXCEPTION WHEN division_by_zero THEN NULL; END;
    END LOOP; END $$
"""


class Node(NamedTuple):
    """A server of PostgreSQL that has cells."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def is_spread() -> bool:
    """Whether cells are on nodes: whether the database has Citus."""
    return bool(every(_IS_CITUS))


def on_every_node() -> list[str]:
    """The names of the tables of `public` that are on every node."""
    return [table(apps.get_model(label)) for label in ON_EVERY_NODE]


def settling(cell: str) -> str:
    """The statement that ends a migration of the cell, in its transaction."""
    return _SETTLING.format(cell=cell)


def nodes() -> list[Node]:
    """Those that may have cells, in the order in which they came."""
    return [Node(*row) for row in every(_NODES)]


def home_of(cell: str) -> Node:
    """Where the cell is."""
    row = first(_HOME, [f"{cell}.{table(next(models_in_cells()))}"])
    assert row is not None
    return Node(*row)


def spread(cell: str, sequences: list[str]) -> None:
    """Distributes the schema of a cell that was just made, whose ids come from these sequences. Not atomic: Citus tells
    itself of what it makes by a connection of its own, which sees only what is committed. Done again, it goes on.
    """
    if every(_IS_SPREAD, [cell]):
        return
    for sequence in sequences:
        for node in nodes():
            _on(node, f"CREATE SEQUENCE IF NOT EXISTS {sequence}")
    with transaction.atomic(), connection.cursor() as cursor:
        for (statement,) in every(_KEYS_TO_PUBLIC, [cell]) + every(_FUNCTIONS, [cell]):
            cursor.execute(statement)
    for name in on_every_node():
        _put_on_every_node(name)
    with _in_its_time() as cursor:
        cursor.execute("SELECT citus_schema_distribute(%s)", [cell])


def _put_on_every_node(name: str) -> None:
    """Everybody reads and writes these tables, and those whose keys lead to them: each is changed in its turn."""
    if every(_IS_DISTRIBUTED, [name]):
        return
    for (statement,) in every(_KEYS_OF, [name]):
        in_turn(methodcaller("execute", statement))
    in_turn(methodcaller("execute", "SELECT create_reference_table(%s::regclass)", [f"public.{name}"]))


def place(cell: str, node: Node) -> Node:
    """Moves the cell to the node, while its merchants sell; returns where it was. Their writes wait for the last moment
    of it.

    Raises ValueError for a cell or a node that is not there, or a cell that is on the node already.
    """
    if not is_spread():
        raise ValueError("The database has no Citus, so all cells are on one node.")
    if not Cell.objects.filter(name=cell).exists():
        raise ValueError(f"{cell} is no cell.")
    if node not in nodes():
        raise ValueError(f"{node} is no node for cells.")
    home = home_of(cell)
    if home == node:
        raise ValueError(f"{cell} is on {node} already.")
    _let_pass(home, node)
    with _in_its_time() as cursor:
        cursor.execute("SELECT replicate_reference_tables('force_logical')")
        cursor.execute("SELECT citus_schema_move(%s, %s, %s, 'force_logical')", [cell, *node])
    return home


@contextmanager
def _in_its_time() -> Iterator[Any]:
    """A cursor whose statements, which are Citus's own, take as long as they need. They end with who waits for them."""
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0; SET lock_timeout = 0; SET client_connection_check_interval = '1s'")
        try:
            yield cursor
        finally:
            cursor.execute("RESET statement_timeout; RESET lock_timeout; RESET client_connection_check_interval")


def _let_pass(home: Node, node: Node) -> None:
    """Events are followed in the order of the transactions of the node that they are on. So the new node has to have
    begun as many of them as the old one.
    """
    while (behind := _latest(home) - _latest(node)) > 0:
        _on(node, _BEGIN_SOME.format(count=min(AT_ONCE, behind + AT_ONCE // 10)))


def _latest(node: Node) -> int:
    return int(_on(node, _LATEST))


def _on(node: Node, command: str) -> str:
    asked = [[node.host], [node.port], [command]]
    row = first("SELECT success, result FROM master_run_on_worker(%s::text[], %s::int[], %s::text[], false)", asked)
    assert row is not None
    if not row[0]:
        raise RuntimeError(f"{node} refused: {row[1]}")
    return str(row[1])
