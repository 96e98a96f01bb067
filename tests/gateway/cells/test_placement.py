"""Where tables live, and that a cell is like `public`."""

import time
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.base.rows import every
from accounts.models import Cell
from gateway.cells.building import build
from gateway.cells.placement import IN_PUBLIC, OURS, models_in_cells
from tests.support.companies import a_shop
from tests.support.lives import ACMES, Lives, gone

_INDEXES = """
    SELECT replace(pg_get_indexdef(indexrelid), %(schema)s || '.', '') FROM pg_index JOIN pg_class ON oid = indrelid
     WHERE relnamespace = %(schema)s::regnamespace AND NOT relispartition AND relname = ANY(%(tables)s)
"""
_COLUMNS = """
    SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull, attgenerated, attcollation
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = %(schema)s::regnamespace AND attnum > 0 AND NOT attisdropped AND relname = ANY(%(tables)s)
"""
_CONSTRAINTS = """
    SELECT relname, conname, contype, condeferrable, condeferred, convalidated
      FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
     WHERE relnamespace = %(schema)s::regnamespace AND conparentid = 0 AND relname = ANY(%(tables)s)
"""
_TRIGGERS = """
    SELECT relname, tgname, tgtype, tgdeferrable, tginitdeferred, tgenabled FROM pg_trigger
      JOIN pg_class ON pg_class.oid = tgrelid
     WHERE NOT tgisinternal AND tgparentid = 0 AND relnamespace = %(schema)s::regnamespace AND relname = ANY(%(tables)s)
"""
_OPTIONS = """
    SELECT relname, reloptions::text FROM pg_class
     WHERE relnamespace = %(schema)s::regnamespace AND reloptions IS NOT NULL AND relname = ANY(%(tables)s)
"""
_OF_OTHERS = """
    SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
     WHERE NOT tgisinternal AND relnamespace = %(schema)s::regnamespace AND pronamespace <> relnamespace
"""
_OUT_OF_PLACE = """
    SELECT conrelid::regclass::text, conname FROM pg_constraint JOIN pg_class t ON t.oid = conrelid
      JOIN pg_class target ON target.oid = confrelid
     WHERE contype = 'f' AND t.relnamespace = 'public'::regnamespace
       AND t.relname <> ALL(%(tables)s) AND target.relname = ANY(%(tables)s)
"""


def _tables() -> list[str]:
    return sorted(model._meta.db_table for model in models_in_cells())


@pytest.mark.parametrize("query", [_COLUMNS, _CONSTRAINTS, _TRIGGERS, _INDEXES, _OPTIONS])
def test_a_cell_has_what_public_has(lives: Lives, query: str) -> None:
    found = [set(every(query, {"schema": schema, "tables": _tables()})) for schema in ("public", ACMES)]
    if query is _INDEXES:  # what is read back of an index may be written otherwise the second time
        found = [{str(row[0]).partition(" WHERE ")[0] for row in rows} for rows in found]
    assert found[0] == found[1] and len(found[0]) > (1 if query is _OPTIONS else len(_tables()) / 3)


def test_a_cells_triggers_call_its_own_functions(lives: Lives) -> None:
    assert every(_OF_OTHERS, {"schema": ACMES}) == []


def test_no_key_leads_from_public_to_a_cell(db: None) -> None:
    assert every(_OUT_OF_PLACE, {"tables": _tables()}) == []


def test_every_placed_model_exists(db: None) -> None:
    known = {model._meta.label for model in apps.get_models() if model._meta.app_label in OURS}
    assert known >= IN_PUBLIC


def test_a_cell_is_made_once_and_has_a_cells_name(lives: Lives) -> None:
    for name, reason in ((ACMES, "there already"), ("public", "no name of a cell"), ("cell_1; DROP", "no name")):
        with pytest.raises(CommandError, match=reason):
            call_command("add_cell", name)
    assert Cell.objects.filter(name__in=("public", "cell_1; DROP")).count() == 0


def test_the_next_merchant_lives_in_the_emptiest_cell(lives: Lives) -> None:
    Cell.objects.update(is_open=False)
    build("cell_21")
    build("cell_22")
    assert [a_shop(f"Shop {n}").sandbox.cell_id for n in range(4)] == ["cell_21", "cell_22", "cell_21", "cell_22"]


def test_the_command_makes_one_in_which_the_next_company_lives(
    lives: Lives, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.LOCAL = False
    Cell.objects.update(is_open=False)
    call_command("add_cell", "cell_31")
    assert "cell_31" in capsys.readouterr().out
    assert a_shop("Next").production.cell_id == "cell_31"
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM cell_31.gateway_payment")
        assert cursor.fetchone() == (0,)


@pytest.mark.django_db(transaction=True)
def test_who_writes_to_public_waits_for_a_new_cell_for_moments() -> None:
    """And the cell waits until a long transaction is over."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_database()")
        (name,) = cursor.fetchone()
    begun, over = Event(), Event()
    waited_ms: list[float] = []

    def write() -> None:
        with psycopg.connect(**connection.get_connection_params() | {"dbname": name, "autocommit": True}) as writer:
            with writer.transaction():
                writer.execute("UPDATE public.accounts_merchant SET id = id WHERE false")
                begun.set()
                time.sleep(1)
            while not over.wait(0.005):
                since = time.perf_counter()
                writer.execute("UPDATE public.accounts_merchant SET id = id WHERE false")
                waited_ms.append((time.perf_counter() - since) * 1000)

    other = Thread(target=write)
    other.start()
    assert begun.wait(20)
    try:
        began = time.perf_counter()
        build("cell_23")
        assert time.perf_counter() - began > 0.5
    finally:
        over.set()
        other.join()
        gone("cell_23")
    assert max(waited_ms) < 500
