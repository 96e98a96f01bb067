"""Due work on payout schedules: one run for each period, through the same service as every withdrawal."""

import json
from copy import copy
from datetime import datetime, timedelta

from django.db import transaction

from accounts.base import clock
from accounts.base.errors import Refusal
from accounts.base.sealing import unseal
from accounts.due import Due
from accounts.models import Merchant
from gateway.payout_schedules import notices, services
from gateway.payout_schedules.calendar import local_day, next_look, next_run
from gateway.payout_schedules.models import Frequency, PayoutRun, PayoutSchedule
from gateway.payout_schedules.selectors import due_amount, is_kept
from gateway.payouts import selectors as payouts
from gateway.withdrawals import services as withdrawals
from gateway.withdrawals.approvals.identities import Requester
from gateway.withdrawals.gates import WithdrawalDraft
from ledger.money import to_decimal
from ledger.wallets.selectors import holdings

TRIES = 6
RETRIED_AFTER = timedelta(minutes=10)
TOO_LITTLE = ("NOTHING_AVAILABLE", "Too little was available.")


def _run(schedule: PayoutSchedule, due_at: datetime) -> None:
    """Pays what is available, or says why not. A refusal that can pass by itself is tried again for an hour.

    Before it has paid anything, a schedule whose registrant is no longer an owner ends instead.
    """
    schedule.merchant = merchant = _at_its_time(schedule.merchant, due_at)
    now, period = clock.now(merchant), local_day(schedule, due_at)
    if not is_kept(schedule):
        services.end_unregistered(schedule, now)
        return None
    if schedule.runs.filter(period=period).exists():
        return _plan(schedule, next_run(schedule, now))
    run = PayoutRun(merchant=merchant, schedule=schedule, period=period, ran_at=now)
    try:
        with transaction.atomic():
            _pay(schedule, run)
    except Refusal as refusal:
        schedule.tries += 1
        if refusal.retryable and schedule.tries < TRIES:
            return _plan(schedule, now + RETRIED_AFTER)
        run.amount, run.code, run.message = 0, refusal.public_code, refusal.message[:255]
    if not run.withdrawal_id and not run.code:
        if schedule.frequency == Frequency.ABOVE:
            return _plan(schedule, next_look(schedule, now))
        run.code, run.message = TOO_LITTLE
    run.save(force_insert=True)
    if run.code and run.code != TOO_LITTLE[0]:
        notices.skipped(run)
    schedule.tries = 0
    return _plan(schedule, next_run(schedule, now))


def _at_its_time(merchant: Merchant, due_at: datetime) -> Merchant:
    """The merchant as of the run: a jump of the sandbox clock arrives only after it."""
    there = copy(merchant)
    there.clock_offset = max(merchant.clock_offset, due_at - clock.utcnow())
    return there


def _plan(schedule: PayoutSchedule, at: datetime) -> None:
    schedule.next_at = at
    schedule.save(update_fields=["next_at", "tries"])


def _pay(schedule: PayoutSchedule, run: PayoutRun) -> None:
    """Withdraws what may leave the wallet, if that is enough. Raises what `withdrawals.services.create` raises."""
    merchant, currency = schedule.merchant, schedule.currency
    terms = payouts.terms(merchant, schedule.rail, currency)
    amount = due_amount(schedule, holdings(merchant, currency).currencies[currency].available, terms)
    if not amount:
        return
    draft = WithdrawalDraft(
        company_id=merchant.company_id,
        rail=schedule.rail,
        amount=to_decimal(amount, currency),
        currency=currency,
        payout_currency=currency,
        reference=f"{schedule.pk}-{run.period:%Y-%m-%d}",
        destination=json.loads(unseal(bytes(schedule.sealed_destination))),
        requester=Requester(person_id=schedule.created_by_id),
        is_from_backend=False,
    )
    run.withdrawal_id, run.amount = withdrawals.create(merchant, draft).pk, amount


RUN = Due(
    kind="payout_schedule.run",
    title="Scheduled payouts",
    model=PayoutSchedule,
    column="next_at",
    run=_run,
)
DUE = (RUN,)


def run_due(limit: int = 100, environment: str | None = None) -> int:
    """Runs the schedules that are due; returns how many."""
    return sum(due.sweep(limit, environment=environment) for due in DUE)
