"""How PostgreSQL plans what staff read."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def planned_for_values() -> Iterator[None]:
    """Statements are planned for their values. A plan for any value, which a connection settles on after some runs, is
    served neither by partial indexes nor by knowing that a state or an environment is rare.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        yield
