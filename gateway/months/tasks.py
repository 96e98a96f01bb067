"""Celery tasks of months."""

import time

from celery import shared_task

from gateway.months import due

LONGEST_S = 35 * 60
"""The files of a very large month are put together at once, after all was read in slices."""
GOES_ON_S = 30


@shared_task(soft_time_limit=LONGEST_S, time_limit=LONGEST_S + 10)
def close_months() -> None:
    """Works on months that are due, a slice at a time; what is left is done by the next run."""
    begun = time.monotonic()
    while due.run_due(1) and time.monotonic() - begun < GOES_ON_S:
        pass
