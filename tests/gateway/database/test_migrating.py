"""Migrations of which the statements are written down first: whole or not at all, and known as applied."""

import pytest
from django.db import DataError, connection, transaction
from django.db.migrations import Migration, RunSQL
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState

from gateway.database.migrating import BriefExecutor

pytestmark = pytest.mark.django_db


def applied(*statements: str) -> None:
    migration = Migration("a_try", "gateway")
    migration.operations = [RunSQL(one) for one in statements]
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
