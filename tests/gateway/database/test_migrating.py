"""Migrations of which the statements are written down first: whole or not at all, and known as applied."""

import time
from threading import Event, Thread, Timer

import psycopg
import pytest
from django.db import DataError, connection, transaction
from django.db.migrations import Migration, RunSQL
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState

from gateway.database.migrating import BriefExecutor

pytestmark = pytest.mark.django_db


def applied(*statements: str, atomic: bool = True) -> None:
    migration = Migration("a_try", "gateway")
    migration.atomic = atomic
    migration.operations = [RunSQL(one, hints={"in_cells": False}) for one in statements]
    BriefExecutor(connection).apply_migration(ProjectState(), migration)


def is_known() -> tuple[bool, bool]:
    """Whether the migration counts as applied, and whether its table is there."""
    known = ("gateway", "a_try") in MigrationRecorder(connection).applied_migrations()
    return known, "a_try" in connection.introspection.table_names()


def test_a_migration_is_carried_out_and_known() -> None:
    applied("-- a remark\nCREATE TABLE a_try (n integer);", "INSERT INTO a_try VALUES (100 % 30)")

    assert is_known() == (True, True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT n FROM a_try")
        assert cursor.fetchall() == [(10,)]


def test_a_migration_that_fails_leaves_nothing() -> None:
    with pytest.raises(DataError), transaction.atomic():
        applied("CREATE TABLE a_try (n integer)", "SELECT 1 / 0")

    assert is_known() == (False, False)


@pytest.mark.django_db(transaction=True)
def test_a_migration_lets_writers_pass_while_it_waits_for_its_turn() -> None:
    """Whoever comes behind one that waits for a table waits as well."""
    waited_ms: list[float] = []
    begun, written = Event(), Event()

    def write() -> None:
        begun.set()
        with psycopg.connect(**ours) as writer:
            while not written.wait(0.02):
                since = time.perf_counter()
                writer.execute("LOCK TABLE a_try IN ROW EXCLUSIVE MODE")
                waited_ms.append((time.perf_counter() - since) * 1000)
                writer.commit()

    ours = connection.get_connection_params()
    ours = {name: ours[name] for name in ("dbname", "user", "host", "port") if name in ours}
    with psycopg.connect(**ours) as reader, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE public.a_try (n integer)")
        reader.execute("SELECT * FROM a_try")
        others = [Thread(target=write), Timer(1, reader.rollback)]
        for other in others:
            other.start()
        begun.wait()
        try:
            applied("ALTER TABLE a_try ADD COLUMN m integer")
        finally:
            written.set()
            for other in others:
                other.join()
            cursor.execute("DROP TABLE public.a_try")
            cursor.execute("DELETE FROM django_migrations WHERE name = 'a_try'")

    assert max(waited_ms) < 500


@pytest.mark.django_db(transaction=True)
def test_each_statement_of_a_migration_without_a_transaction_stays() -> None:
    with pytest.raises(DataError):
        applied("CREATE TABLE a_try (n integer)", "SELECT 1 / 0", atomic=False)

    assert is_known() == (False, True)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE a_try")
