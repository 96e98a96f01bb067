"""The JSON of a payout schedule (contract §11.9)."""

from typing import Literal

from typing_extensions import TypedDict

from accounts.base.wire import Number, Timestamp, optional_timestamp, timestamp
from gateway.payout_schedules.models import PayoutRun, PayoutSchedule
from gateway.payout_schedules.selectors import last_runs
from gateway.withdrawals.payloads import DestinationPayload, RailLiteral
from ledger.money import to_decimal

FrequencyName = Literal["DAILY", "WEEKLY", "ABOVE"]
WeekdayName = Literal["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]
WEEKDAYS: tuple[WeekdayName, ...] = (
    "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY",
)  # fmt: skip


class PayoutRunPayload(TypedDict):
    """What became of a day: a withdrawal, or the code of the reason why it was skipped."""

    period: str
    withdrawalId: str | None
    amount: Number
    skippedBecause: str | None
    ranAt: Timestamp


class PayoutSchedulePayload(TypedDict):
    """A schedule that runs. `time` is local in `timeZone`."""

    id: str
    currency: str
    rail: RailLiteral
    destination: DestinationPayload
    frequency: FrequencyName
    weekday: WeekdayName | None
    time: str
    timeZone: str
    threshold: Number | None
    keep: Number
    usableFrom: Timestamp
    nextRunAt: Timestamp | None
    lastRuns: list[PayoutRunPayload]
    createdAt: Timestamp


def schedule(one: PayoutSchedule) -> PayoutSchedulePayload:
    """The schedule with its last runs, newest first."""
    return {
        "id": one.pk,
        "currency": one.currency,
        "rail": one.rail,  # type: ignore[typeddict-item]
        "destination": one.destination,
        "frequency": one.frequency,  # type: ignore[typeddict-item]
        "weekday": None if one.weekday is None else WEEKDAYS[one.weekday],
        "time": f"{one.hour:02}:00",
        "timeZone": one.time_zone,
        "threshold": None if one.above is None else to_decimal(one.above, one.currency),
        "keep": to_decimal(one.keep, one.currency),
        "usableFrom": timestamp(one.usable_from),
        "nextRunAt": optional_timestamp(one.next_at),
        "lastRuns": [_run(run, one.currency) for run in last_runs(one)],
        "createdAt": timestamp(one.created_at),
    }


def _run(run: PayoutRun, currency: str) -> PayoutRunPayload:
    return {
        "period": run.period.isoformat(),
        "withdrawalId": run.withdrawal_id or None,
        "amount": to_decimal(run.amount, currency),
        "skippedBecause": run.code or None,
        "ranAt": timestamp(run.ran_at),
    }
