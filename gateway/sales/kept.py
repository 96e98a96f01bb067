"""Where the sums of a period are read: days where they are kept, else quarters of an hour, and the latest changes."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby, pairwise
from typing import Any

from accounts.base.periods import DAY, Period
from accounts.base.rows import table
from accounts.models import Merchant
from gateway.sales.models import DAY_STARTS, SalesChange, SalesDay, SalesSum

_COLUMNS = "kind, currency, method, reason, count, amount, fee"
KEPT = f"""(
    SELECT found.*
      FROM unnest(%(hours)s::smallint[], %(days_from)s::timestamptz[], %(days_to)s::timestamptz[]) run(hour, since, til)
     CROSS JOIN LATERAL (
           SELECT day AS at, {_COLUMNS} FROM {table(SalesDay)}
            WHERE merchant_id = %(merchant)s AND hour = run.hour AND day >= since AND day < til OFFSET 0) found
     UNION ALL
    SELECT found.*
      FROM unnest(%(quarters_from)s::timestamptz[], %(quarters_to)s::timestamptz[]) run(since, til)
     CROSS JOIN LATERAL (
           SELECT quarter, {_COLUMNS} FROM {table(SalesSum)}
            WHERE merchant_id = %(merchant)s AND quarter >= since AND quarter < til OFFSET 0) found
     UNION ALL
    SELECT quarter, {_COLUMNS}
      FROM {table(SalesChange)} WHERE merchant_id = %(merchant)s AND quarter >= %(begins)s AND quarter < %(ends)s
) kept"""
"""The sums of the periods that `values_of` names.

OFFSET 0 keeps each run a read of the index. `at` lies on the day of what was summed up."""


def values_of(merchant: Merchant, *periods: Period) -> dict[str, Any]:
    """The values of `KEPT`. The periods follow each other; changes of what lies between them are read, too."""
    found = [run for period in periods for run in _runs(period)]
    days = [(hour, since, til) for hour, since, til in found if hour is not None]
    others = [(since, til) for hour, since, til in found if hour is None]
    return {
        "merchant": merchant.pk,
        "hours": [hour for hour, *_ in days],
        "days_from": [since for _, since, _ in days],
        "days_to": [til for *_, til in days],
        "quarters_from": [since for since, _ in others],
        "quarters_to": [til for _, til in others],
        "begins": periods[0].begins,
        "ends": periods[-1].ends,
    }


def _runs(period: Period) -> Iterator[tuple[int | None, datetime, datetime]]:
    """Days on end that begin at the same hour of UTC; None for those that are not kept."""
    days: Iterable[tuple[datetime, datetime]] = pairwise(period.borders)
    for hour, run in groupby(days, key=lambda day: _hour(*day)):
        together = list(run)
        yield hour, together[0][0], together[-1][1]


def _hour(begins: datetime, ends: datetime) -> int | None:
    start = begins.astimezone(UTC)
    is_kept = ends - begins == DAY and start.hour in DAY_STARTS and not (start.minute or start.second)
    return start.hour if is_kept else None
