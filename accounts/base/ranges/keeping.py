"""Makes the ranges of the days to come, and drops those that are old."""

from datetime import datetime, timedelta
from itertools import pairwise

import structlog
from django.db import connection, transaction

from accounts.base.ranges.briefly import briefly
from accounts.base.ranges.chain import AHEAD, LENGTH, Range, Ranged, chain, newest_in
from accounts.base.rows import columns, first

log = structlog.get_logger()
_OWNER = """
    SELECT pg_get_userbyid(relowner), current_user, pg_has_role(relowner, 'USAGE')
      FROM pg_class WHERE oid = %s::regclass
"""


class NotTheOwner(Exception):
    """Only the owner of a table may make and drop its ranges."""


def keep(of: Ranged, oldest: datetime, now: datetime) -> list[str]:
    """Makes ranges ahead and drops those in which every id is older; returns their names. Harmless when it is repeated.

    Writers wait for it for 50 ms at most. Raises NotTheOwner, and Busy if the table was in use each time.
    """
    _require_owner(of)
    _make_ahead(of, now)
    return _drop(of, oldest)


def overdue(of: Ranged, oldest: datetime) -> timedelta:
    """How long ago its oldest range should have gone; zero: none should have."""
    gone = _due(of, oldest)
    return oldest - gone[0].until if gone and gone[0].until else timedelta(0)


def ahead(of: Ranged, now: datetime) -> timedelta:
    """How far in the future its last range begins; less than zero: it is in use."""
    since = chain(of)[-1].since
    assert since
    return since - now


def _require_owner(of: Ranged) -> None:
    row = first(_OWNER, [of.table])
    assert row
    owner, ours, may = row
    if not may:
        raise NotTheOwner(f"{of.table} belongs to {owner}, and this is {ours}.")


def _make_ahead(of: Ranged, now: datetime) -> None:
    """Ends the last range and adds others.

    Where nobody kept ranges, it has been written to: then its end is far enough ahead that nothing of today is beyond
    it while its rows are read, beside their writers. Strays of a wrong clock are moved on.
    """
    last = chain(of)[-1]
    assert last.since
    if last.since > now + AHEAD:
        return
    newest = newest_in(of, last)
    cuts = _cuts(last.since, now + AHEAD if newest else now, now + AHEAD)
    has_strays = newest is not None and newest >= cuts[0]
    within = f"{last.name}_is_within"
    unpromised = f"ALTER TABLE {last.name} DROP CONSTRAINT IF EXISTS {within}"
    if newest and not has_strays:
        limits = f"{of.column} >= {of.bound(last.since)} AND {of.column} < {of.bound(cuts[0])}"
        promise = f"ALTER TABLE {last.name} ADD CONSTRAINT {within} CHECK ({limits}) NOT VALID"
        briefly(connection, [last.name], [unpromised, promise])
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 0")
            cursor.execute(f"ALTER TABLE {last.name} VALIDATE CONSTRAINT {within}")
    briefly(
        connection,
        [of.table],
        [
            f"ALTER TABLE {of.table} DETACH PARTITION {last.name}",
            *(creation(of, since, until) for since, until in pairwise([*cuts, None])),
            *([_moved_on(of, last, cuts[0])] if has_strays else []),
            f"ALTER TABLE {of.table} ATTACH PARTITION {last.name}"
            f" FOR VALUES FROM ({of.bound(last.since)}) TO ({of.bound(cuts[0])})",
            unpromised,
        ],
    )
    log.info("ranges.made", table=of.table, until=cuts[-1].isoformat())


def _cuts(since: datetime, after: datetime, until: datetime) -> list[datetime]:
    """The ends of the ranges that begin here: of the first one later than `after`, of the last one than `until`."""
    cuts = [since + LENGTH * max(1, (after - since) // LENGTH + 1)]
    while cuts[-1] <= until:
        cuts.append(cuts[-1] + LENGTH)
    return cuts


def _moved_on(of: Ranged, last: Range, end: datetime) -> str:
    names = columns(of.model)
    return (
        f"WITH strays AS (DELETE FROM {last.name} WHERE {of.column} >= {of.bound(end)} RETURNING {names})"
        f" INSERT INTO {of.table} ({names}) SELECT {names} FROM strays"
    )


def _drop(of: Ranged, oldest: datetime) -> list[str]:
    """Drops them and makes the first range again, which has no beginning, in one transaction."""
    gone = _due(of, oldest)
    if not gone:
        return []
    until = gone[-1].until
    assert until
    drops = [f"DROP TABLE {one.name}" for one in gone]
    briefly(connection, [of.table], [*drops, creation(of, None, until)])
    log.info("ranges.dropped", table=of.table, until=until.isoformat())
    return [one.name for one in gone]


def _due(of: Ranged, oldest: datetime) -> list[Range]:
    """The first range is always there: alone it is old only if there is something in it."""
    gone = [one for one in chain(of) if one.until and one.until <= oldest]
    return gone if len(gone) > 1 or (gone and newest_in(of, gone[0])) else []


def creation(of: Ranged, since: datetime | None, until: datetime | None) -> str:
    """The statement that makes a range."""
    begins, ends = (of.bound(since) if since else "MINVALUE"), (of.bound(until) if until else "MAXVALUE")
    return f"CREATE TABLE {name(of, since, until)} PARTITION OF {of.table} FOR VALUES FROM ({begins}) TO ({ends})"


def name(of: Ranged, since: datetime | None, until: datetime | None) -> str:
    """Of a range: by its beginning, since its end may come later; of the first by its end."""
    if since:
        return f"{of.table}_from_{since:%Y%m%d}"
    assert until
    return f"{of.table}_until_{until:%Y%m%d}"
