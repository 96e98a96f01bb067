"""Rows that raise each time they are changed, and the kinds of due work that meet them."""

from collections.abc import Iterable
from datetime import timedelta

from django.db import connection

from accounts.base.clock import utcnow
from accounts.models import StuckWork


def broken(table: str, ids: Iterable[str], column: str = "id") -> None:
    """From now on every change of these rows is an error, as after a fault that nobody has foreseen."""
    listed = ", ".join(f"'{one}'" for one in ids)
    with connection.cursor() as cursor:
        cursor.execute(f"""
            CREATE FUNCTION pg_temp.breaks() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'this row is broken'; END $$;
            CREATE TRIGGER breaks BEFORE UPDATE ON {table} FOR EACH ROW
                WHEN (OLD.{column} IN ({listed})) EXECUTE FUNCTION pg_temp.breaks();
        """)


def repaired(table: str) -> None:
    """What `broken` did is over."""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER breaks ON {table}")


def the_delay_is_over() -> None:
    """Everything that was put off may be tried again."""
    StuckWork.objects.update(until=utcnow() - timedelta(seconds=1))
