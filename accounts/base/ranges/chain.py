"""The ranges of a table, as PostgreSQL has them."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Model

from accounts.base.ids import earliest, made_at
from accounts.base.rows import first, table

LENGTH = timedelta(days=5)
"""Of a range. Who knows no id asks every range: with one for each day, claiming deliveries costs twice as much as it
does in one table, with these a tenth more.
"""
AHEAD = LENGTH
"""The last range begins at least so far in the future, as long as ranges are kept."""
_CHAIN = """
    SELECT child.relname, pg_get_expr(child.relpartbound, child.oid)
      FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid WHERE inhparent = %s::regclass
"""
_BOUNDS = re.compile(r"FROM \((?:MINVALUE|'(\w+)')\) TO \((?:MAXVALUE|'(\w+)')\)")


@dataclass(frozen=True, slots=True)
class Ranged:
    """A table in ranges of this column, which has ids with this prefix."""

    model: type[Model]
    prefix: str
    column: str = "id"

    @property
    def table(self) -> str:
        return table(self.model)

    def bound(self, moment: datetime) -> str:
        return f"'{earliest(self.prefix, moment)}'"


@dataclass(frozen=True, slots=True)
class Range:
    """A partition. No `since`: it has no beginning; no `until`: no end, which is exclusive."""

    name: str
    since: datetime | None
    until: datetime | None


def chain(of: Ranged) -> list[Range]:
    """The ranges of the table, the oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(_CHAIN, [of.table])
        found = [Range(name, *_times(bounds)) for name, bounds in cursor.fetchall()]
    return sorted(found, key=lambda one: (one.since is not None, one.since))


def newest_in(of: Ranged, one: Range) -> datetime | None:
    """When the newest id in it was made; None: it is empty."""
    since, until = (of.bound(moment) if moment else None for moment in (one.since, one.until))
    within = [f"{of.column} >= {since}"] if since else []
    within += [f"{of.column} < {until}"] if until else []
    row = first(f"SELECT max({of.column}) FROM {of.table} WHERE {' AND '.join(within)}")
    return made_at(row[0]) if row and row[0] else None


def _times(bounds: str) -> tuple[datetime | None, datetime | None]:
    found = _BOUNDS.search(bounds)
    assert found, bounds
    since, until = (made_at(bound) if bound else None for bound in found.groups())
    return since, until
