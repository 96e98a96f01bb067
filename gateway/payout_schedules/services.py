"""Registering and ending payout schedules."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from accounts.base import clock
from accounts.base.ids import is_well_formed, new_id
from accounts.base.sealing import seal
from accounts.models import Merchant, User
from gateway.payout_schedules import notices
from gateway.payout_schedules.calendar import next_run, zone_of
from gateway.payout_schedules.errors import ScheduleExists, ScheduleState, ScheduleUnknown
from gateway.payout_schedules.models import PayoutSchedule
from gateway.payouts.registry import by_currency
from gateway.withdrawals import gates

COOLING_OFF = timedelta(hours=24)
"""Time for the owners to notice a destination that none of them registered."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A schedule as it is registered; `destination` has the valid members of its rail. Minor units."""

    currency: str
    rail: str
    frequency: str
    hour: int
    destination: Mapping[str, str] = field(repr=False)
    weekday: int | None = None
    above: int | None = None
    keep: int = 0


@transaction.atomic
def register(merchant: Merchant, plan: Plan, *, by: User, starts: bool = True) -> PayoutSchedule:
    """Starts a schedule after the cooling-off; the owners get an e-mail. Without `starts` it waits for `start`.

    Raises ONP403_WITHDRAWAL_DISABLED, ONP403_WITHDRAWALS_WAIT and ONP409_PAYOUT_SCHEDULE.
    """
    _require_gates(merchant, plan.rail, plan.currency)
    now = clock.now(merchant)
    rail = by_currency(plan.rail, merchant.environment)[plan.currency]
    schedule = PayoutSchedule(
        id=new_id("psc"),
        merchant=merchant,
        currency=plan.currency,
        rail=plan.rail,
        destination=rail.shown(rail.destination(plan.destination)),
        sealed_destination=seal(json.dumps(dict(plan.destination)).encode()),
        frequency=plan.frequency,
        weekday=plan.weekday,
        hour=plan.hour,
        time_zone=zone_of(merchant.company.country),
        above=plan.above,
        keep=plan.keep,
        usable_from=now + COOLING_OFF,
        created_by=by,
        created_at=now,
    )
    schedule.next_at = next_run(schedule, now) if starts else None
    try:
        with transaction.atomic():
            schedule.save(force_insert=True)
    except IntegrityError:
        raise ScheduleExists from None
    notices.changed(schedule, by)
    return schedule


def _require_gates(merchant: Merchant, rail: str, currency: str) -> None:
    gates.require_enabled(merchant)
    gates.require_no_wait(merchant)
    gates.require_rail(merchant, rail, currency)


@transaction.atomic
def start(merchant: Merchant, schedule_id: str, *, by: User) -> PayoutSchedule:
    """Starts a schedule that was registered without: its cooling-off begins now, and the owners get an e-mail.

    Raises ONP404_PAYOUT_SCHEDULE, ONP409_PAYOUT_SCHEDULE_STATE, and the refusals of the gates of `register`.
    """
    schedule = _held(merchant, schedule_id)
    if not schedule.is_paused:
        raise ScheduleState
    _require_gates(merchant, schedule.rail, schedule.currency)
    now = clock.now(merchant)
    schedule.usable_from = now + COOLING_OFF
    schedule.next_at = next_run(schedule, now)
    schedule.save(update_fields=["usable_from", "next_at"])
    notices.changed(schedule, by)
    return schedule


@transaction.atomic
def end(merchant: Merchant, schedule_id: str, *, by: User) -> PayoutSchedule:
    """Ends a schedule at once; ending it again changes nothing. Raises ONP404_PAYOUT_SCHEDULE."""
    schedule = _held(merchant, schedule_id)
    if schedule.ended_at is None:
        schedule.ended_by = by
        _end(schedule, clock.now(merchant))
        notices.changed(schedule, by)
    return schedule


def _held(merchant: Merchant, schedule_id: str) -> PayoutSchedule:
    held = PayoutSchedule.objects.select_for_update(no_key=True).filter(merchant=merchant, pk=schedule_id)
    schedule = held.first() if is_well_formed(schedule_id) else None
    if schedule is None:
        raise ScheduleUnknown
    schedule.merchant = merchant
    return schedule


def end_unregistered(schedule: PayoutSchedule, at: datetime) -> None:
    """Ends a locked schedule whose registrant is no longer an owner; the owners get an e-mail."""
    _end(schedule, at)
    notices.changed(schedule, None)


def _end(schedule: PayoutSchedule, at: datetime) -> None:
    schedule.ended_at, schedule.next_at = at, None
    schedule.save(update_fields=["ended_at", "ended_by", "next_at"])
