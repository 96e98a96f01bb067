"""The retry schedule of webhooks."""

import math
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

DELAYS_S = (0, 5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600)
JITTER = 0.1
LONGEST_ASKED_WAIT_S = 24 * 3600
STATUSES_THAT_MAY_ASK = frozenset({429, 503})


def next_attempt_after(
    attempts_made: int, retry_after_s: int | None, random01: float, scale: float
) -> timedelta | None:
    """The delay before the next attempt, or None if all attempts were made.

    `random01` in [0, 1) varies the delay by ±10 %. `retry_after_s` can only postpone, by at most 24 h. `scale`
    shrinks our own schedule and that limit, but not the seconds that a receiver asks for.
    """
    if attempts_made >= len(DELAYS_S):
        return None
    planned_s = DELAYS_S[attempts_made] * scale * (1 - JITTER + 2 * JITTER * random01)
    asked_s = min(retry_after_s or 0, LONGEST_ASKED_WAIT_S * scale)
    return timedelta(seconds=max(planned_s, asked_s))


def requested_wait_s(status: int | None, retry_after: str | None, now: datetime) -> int | None:
    """The delay requested by a 429 or 503 response in seconds, or None if it is missing or unreadable."""
    if status not in STATUSES_THAT_MAY_ASK or retry_after is None:
        return None
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        # Nine digits are 31 years; Python refuses to convert thousands of them.
        return int(text) if len(text) <= 9 else LONGEST_ASKED_WAIT_S
    return _seconds_until(text, now)


def _seconds_until(http_date: str, now: datetime) -> int | None:
    try:
        moment = parsedate_to_datetime(http_date)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return max(0, math.ceil((moment - now).total_seconds()))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
