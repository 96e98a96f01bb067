"""Tables in ranges, as if somebody had kept them for weeks."""

from datetime import timedelta
from itertools import pairwise

from django.db import connection

from accounts.base.clock import utcnow
from accounts.base.ranges.chain import LENGTH, Range, Ranged, chain
from accounts.base.ranges.keeping import creation
from accounts.base.rows import columns
from gateway.requests import retention as of_requests
from webhooks import retention as of_events

RANGES = (*of_events.RANGES, of_requests.RANGES)
WEEKS = 10 * LENGTH


def kept_for_weeks() -> None:
    """Cuts the first range of each table, with what is in it."""
    for of in RANGES:
        first, names = chain(of)[0], columns(of.model)
        assert first.until
        if first.until <= utcnow() - timedelta(days=30):
            continue
        cuts = [first.until - WEEKS + LENGTH * n for n in range(11)]
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {of.table} DETACH PARTITION {first.name}")
            for since, until in pairwise([None, *cuts]):
                cursor.execute(creation(of, since, until))
            cursor.execute(f"INSERT INTO {of.table} ({names}) SELECT {names} FROM {first.name}")
            cursor.execute(f"DROP TABLE {first.name}")


def has_no_gaps(of: Ranged) -> bool:
    """Whether each id has a range."""
    found: list[Range] = chain(of)
    ends = (found[0].since, found[-1].until)
    return ends == (None, None) and all(one.until == next.since for one, next in pairwise(found))
