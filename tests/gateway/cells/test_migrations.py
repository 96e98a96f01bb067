"""Migrations change what is in cells in each of them, and everything else once."""

import time
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, OperationalError, connection, migrations, models, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Index
from psycopg.errors import LockNotAvailable

from accounts.base import cells
from accounts.base.ranges.migrating import AddIndexToRanges
from accounts.base.rows import every, execute
from accounts.cells import all_cells, every_cell
from gateway.cells.building import build, keep_alike, look_away
from gateway.cells.placement import models_in_cells
from gateway.database.migrating import BriefExecutor
from gateway.database.turns import PAUSE_S
from gateway.payments.models import Payment
from tests.support.lives import ACMES, FIRST, GLOBEXES, Lives, gone

_COLUMNS = "SELECT table_schema FROM information_schema.columns WHERE table_name = %s AND column_name = %s ORDER BY 1"
_COMMENTED = """
    SELECT nspname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE obj_description(pg_class.oid) = %s
"""
_VIEWS = "SELECT count(*) FROM pg_views WHERE schemaname = 'cells'"
_TABLES = "SELECT schemaname FROM pg_tables WHERE tablename = %s ORDER BY 1"


_VALID = """
    SELECT relnamespace::regnamespace::text FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
     WHERE relname = %s AND indisvalid
"""
_UNATTACHED = """
    SELECT relname FROM pg_class WHERE relkind = 'i' AND relname LIKE %s AND NOT relispartition
"""
TRIES = 100


def everywhere() -> list[tuple[str]]:
    """The schemas of all cells."""
    return sorted((name or "public",) for name in every_cell())


def migrated(*operations: Any, app: str = "gateway", atomic: bool = True) -> None:
    """Tried again here while an autovacuum has one of the tables: within a transaction the executor does it once."""
    migration = type("Migration", (migrations.Migration,), {"operations": list(operations), "atomic": atomic})
    for left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                state = MigrationLoader(connection).project_state()
                BriefExecutor(connection).apply_migration(state, migration("9999_of_a_test", app))
            return
        except OperationalError as busy:
            if not left or not isinstance(busy.__cause__, LockNotAvailable):
                raise
            time.sleep(PAUSE_S)


def forget_the_last() -> None:
    """As if the last migration were still to come."""
    [last] = MigrationLoader(connection).graph.leaf_nodes("gateway")
    MigrationRecorder(connection).record_unapplied(*last)


def test_a_column_of_a_table_in_cells_is_added_in_each(lives: Lives) -> None:
    migrated(migrations.AddField("payment", "colour", models.CharField(max_length=9, default="", db_default="")))
    assert every(_COLUMNS, ["gateway_payment", "colour"]) == everywhere()


def test_a_column_of_a_table_in_public_is_added_once(lives: Lives) -> None:
    migrated(migrations.AddField("company", "colour", models.CharField(max_length=9, null=True)), app="accounts")
    assert every(_COLUMNS, ["accounts_company", "colour"]) == [("public",)]


def test_the_ids_of_a_new_table_come_from_public(lives: Lives) -> None:
    fields = [("id", models.BigAutoField(primary_key=True)), ("merchant", models.BigIntegerField())]
    migrated(migrations.CreateModel("Thing", fields))
    keep_alike()
    assert every(_TABLES, ["gateway_thing"]) == everywhere()
    made = []
    for name in (FIRST, ACMES, GLOBEXES):
        with cells.opened(name):
            made += every("INSERT INTO gateway_thing (merchant) VALUES (1) RETURNING id")
    assert made == [(1,), (2,), (3,)]


def test_sql_says_whether_cells_need_it(lives: Lives) -> None:
    comment = "COMMENT ON TABLE gateway_payment IS 'seen'"
    with pytest.raises(ValueError, match="in_cells"):
        migrated(migrations.RunSQL(comment))
    migrated(migrations.RunSQL(comment, hints={"in_cells": True}))
    assert sorted(every(_COMMENTED, ["seen"])) == everywhere()


def test_python_runs_in_each_cell(lives: Lives) -> None:
    seen: list[str] = []
    note = lambda apps, editor: seen.append(cells.current())  # noqa: E731
    migrated(migrations.RunPython(note, hints={"in_cells": True}))
    assert sorted(seen) == every_cell()
    seen.clear()
    migrated(migrations.RunPython(note, hints={"in_cells": False}))
    assert seen == [FIRST]


def test_python_that_fails_in_one_place_leaves_nothing_in_the_others(lives: Lives) -> None:
    def write(apps: Any, editor: Any) -> None:
        execute("COMMENT ON TABLE gateway_payment IS 'half'")
        assert cells.current(), "public is the last"

    with pytest.raises(AssertionError, match="public is the last"):
        migrated(migrations.RunPython(write, hints={"in_cells": True}))
    assert every(_COMMENTED, ["half"]) == []


def test_apps_of_others_are_in_public_whatever_their_migrations_say(lives: Lives) -> None:
    migrated(migrations.RunPython(lambda apps, editor: None), app="account")


def test_to_look_what_would_be_migrated_takes_no_views_away(lives: Lives) -> None:
    forget_the_last()
    call_command("migrate", plan=True)
    with pytest.raises(SystemExit):
        call_command("migrate", check_unapplied=True)
    assert every(_VIEWS) == [(len(list(models_in_cells())),)]


def test_views_are_away_only_while_there_is_something_to_migrate(lives: Lives) -> None:
    before = every(_VIEWS)
    look_away()
    assert every(_VIEWS) == before == [(len(list(models_in_cells())),)]


def test_nobody_reads_public_instead_of_all_cells_while_views_are_away(lives: Lives) -> None:
    forget_the_last()
    look_away()
    for read in (Payment.objects.exists, Payment.objects.count, lambda: list(Payment.objects.all())):
        with all_cells(), pytest.raises(DatabaseError), transaction.atomic():
            read()
    keep_alike()
    with all_cells():
        assert Payment.objects.count() == 0


def test_who_may_look_over_all_cells_still_may_when_views_are_made_again(lives: Lives) -> None:
    """PostgreSQL passes over a schema that a role may not use, and would find `public`."""
    with connection.cursor() as cursor:
        cursor.execute("GRANT USAGE ON SCHEMA cells TO pg_monitor")
    keep_alike()
    build("cell_13")
    assert every("SELECT has_schema_privilege('pg_monitor', 'cells', 'USAGE')") == [(True,)]


@pytest.mark.django_db(transaction=True)
def test_an_index_is_added_range_by_range_in_a_cell() -> None:
    """Outside every transaction: PostgreSQL builds it beside the writers."""
    build(ACMES)
    index = AddIndexToRanges("event", Index(fields=["type"], name="events_by_type"))
    migration = type("Migration", (migrations.Migration,), {"operations": [index], "atomic": False})
    try:
        state = MigrationLoader(connection).project_state()
        BriefExecutor(connection).apply_migration(state, migration("9999_of_a_test", "webhooks"))
        assert sorted(every(_VALID, ["events_by_type"])) == everywhere()
        assert every(_UNATTACHED, ["events_by_type%"]) == []
    finally:
        for schema, *_ in everywhere():
            execute(f"DROP INDEX IF EXISTS {schema}.events_by_type")
        gone(ACMES)
        MigrationRecorder(connection).record_unapplied("webhooks", "9999_of_a_test")
