"""The functions and triggers of the database are those of the files in `<app>/sql`, which migrations load."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connection
from django.db.migrations import AddIndex, CreateModel
from django.db.migrations.loader import MigrationLoader

from accounts.base import cells
from accounts.base.database_code import ROOT, LoadSql, digest_of

APPS = ("accounts", "webhooks", "ledger", "gateway")
FILES = sorted(path.relative_to(ROOT).as_posix() for app in APPS for path in (ROOT / app / "sql").glob("*.sql"))
_FUNCTIONS = """
    SELECT proname, pg_get_functiondef(oid) FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS (
           SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
"""
_TRIGGERS = """
    SELECT tgname, pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace
"""


def migrations() -> list[tuple[str, str, Any]]:
    """App, name and migration, in order."""
    known = MigrationLoader(None).disk_migrations
    return sorted((app, name, known[app, name]) for app, name in known if app in APPS)


def rows(sql: str) -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return dict(cursor.fetchall())


def spelled_alike(triggers: dict[str, str]) -> dict[str, str]:
    """Without parentheses and casts: a database that was restored from a dump spells conditions with others."""
    return {name: re.sub(r"::(?:text|character varying)|[][()]", "", sql) for name, sql in triggers.items()}


def test_the_migration_that_loads_a_file_last_knows_it_as_it_is() -> None:
    """Whoever changed a file adds a migration: else the databases that exist keep the function of before."""
    loads = [one for *_, migration in migrations() for one in migration.operations if isinstance(one, LoadSql)]
    assert {one.path: one.digest for one in loads} == {path: digest_of(path) for path in FILES}


@pytest.fixture
def in_the_first_cell(db: None) -> Iterator[None]:
    """The others are made from it: tests/gateway/cells."""
    with cells.opened(cells.FIRST):
        yield


def test_the_database_has_the_functions_and_triggers_of_the_files_and_no_others(in_the_first_cell: None) -> None:
    functions, triggers = rows(_FUNCTIONS), rows(_TRIGGERS)
    files = {path: (ROOT / path).read_text() for path in FILES}
    text = "\n".join(files.values())
    assert sorted(functions) == sorted(re.findall(r"^CREATE OR REPLACE FUNCTION (\w+)\(", text, re.M))
    assert sorted(triggers) == sorted(re.findall(r"^CREATE (?:OR REPLACE|CONSTRAINT) TRIGGER (\w+) ", text, re.M))

    with connection.cursor() as cursor:
        for path in FILES:
            cursor.execute(files[path])

    assert rows(_FUNCTIONS) == functions
    assert spelled_alike(rows(_TRIGGERS)) == spelled_alike(triggers)


def test_an_index_on_a_table_that_exists_is_built_while_it_is_written_to() -> None:
    """`AddIndexConcurrently`, in a migration of its own with `atomic = False`: no deployment stops the postings."""
    blocking = []
    for app, name, migration in migrations():
        made = {one.name.lower() for one in migration.operations if isinstance(one, CreateModel)}
        added = [one for one in migration.operations if isinstance(one, AddIndex)]
        held = [one for one in added if not isinstance(one, AddIndexConcurrently) and one.model_name_lower not in made]
        blocking += [f"{app}.{name}: {one.index.name}" for one in held]
    assert {app.label for app in apps.get_app_configs()} >= set(APPS)
    assert blocking == []
