"""Due dates of Brazilian charges: calendar days in São Paulo."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from accounts.base.errors import Fault
from gateway.methods.rail import PaymentDraft

SAO_PAULO = ZoneInfo("America/Sao_Paulo")
"""Where the days begin and end."""
_FURTHEST = timedelta(days=365)
_END_OF_DAY = time(23, 59, 59, 999_000)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def end_of(due_date: date) -> datetime:
    """The last millisecond of the day."""
    return datetime.combine(due_date, _END_OF_DAY, SAO_PAULO).astimezone(UTC)


def faults(draft: PaymentDraft) -> list[Fault]:
    """Faults of the draft's due date, which must be present."""
    due = _date(draft.due_date)
    if due is None:
        return [Fault("dueDate", "INVALID", "Must be a date: YYYY-MM-DD.")]
    today = draft.now.astimezone(SAO_PAULO).date()
    if not today <= due <= today + _FURTHEST:
        return [Fault("dueDate", "OUT_OF_RANGE", "Must be today or one of the next 365 days in São Paulo.")]
    return []


def _date(sent: Any) -> date | None:
    """The date, if it is a calendar date in full form."""
    if not isinstance(sent, str) or not _DATE.fullmatch(sent):
        return None
    try:
        return date.fromisoformat(sent)
    except ValueError:
        return None
