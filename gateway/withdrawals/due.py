"""Due work on withdrawals: orders are submitted to the provider, and their status queried."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction

from accounts.base import clock
from accounts.base.errors import Refusal
from accounts.base.rows import retry_on_deadlock
from accounts.due import Due
from accounts.models import Environment, Merchant
from accounts.services import hold_settings
from gateway.payouts.rail import PayoutOutcome, PayoutResult
from gateway.providers.asking import is_leased
from gateway.withdrawals.models import Status, Withdrawal
from gateway.withdrawals.provider import Question, call_simulator, prepare, rail_for, take
from gateway.withdrawals.services import lock

log = structlog.get_logger()
HELD_BACK_FOR = timedelta(minutes=1)


Later = Callable[[], object]
"""Runs after the commit."""


def _call_provider(withdrawal: Withdrawal, due_at: datetime) -> Later | None:
    """Submits the order, or queries its status; with a real provider after the transaction.

    Orders not yet submitted wait while the company is suspended or cannot withdraw.
    """
    merchant = withdrawal.merchant
    hold_settings(merchant)
    is_allowed = merchant.withdrawal_enabled and merchant.is_operational
    if withdrawal.sent_at is None and withdrawal.status == Status.PROCESSING and not is_allowed:
        log.warning("withdrawal.held_back", withdrawal=withdrawal.id, company=merchant.company_id)
        withdrawal.ask_at = max(due_at, clock.now(merchant)) + HELD_BACK_FOR
        withdrawal.save(update_fields=["ask_at"])
        return None
    if merchant.environment == Environment.SANDBOX:
        call_simulator(withdrawal, due_at)
        return None
    return partial(_query_and_take, merchant, withdrawal.id, prepare(withdrawal, clock.now(merchant)))


def _query_and_take(merchant: Merchant, withdrawal_id: str, question: Question) -> None:
    try:
        outcome = question.call(rail_for(merchant, question.order), clock.now(merchant))
    except Refusal as refusal:  # it was unreachable, or its answer unusable
        log.warning("withdrawal.unanswered", withdrawal=withdrawal_id, code=refusal.public_code)
        outcome = PayoutOutcome(PayoutResult.UNKNOWN)
    except SoftTimeLimitExceeded:  # its lease runs out, and it is asked about
        raise
    except Exception:
        log.exception("withdrawal.unanswered", withdrawal=withdrawal_id)
        outcome = PayoutOutcome(PayoutResult.UNKNOWN)
    retry_on_deadlock(partial(_take_locked, merchant, withdrawal_id, question, outcome))


@transaction.atomic
def _take_locked(merchant: Merchant, withdrawal_id: str, question: Question, outcome: PayoutOutcome) -> None:
    take(lock(merchant, withdrawal_id), question, outcome, clock.now(merchant))


CALL_PROVIDER = Due(
    kind="withdrawal.answered",
    title="Withdrawals to submit or query",
    model=Withdrawal,
    column="ask_at",
    condition="(w.leased_until IS NULL OR w.leased_until <= %(now)s)",
    run=_call_provider,
)
DUE = (CALL_PROVIDER,)


def run_due(limit: int = 100, environment: str | None = None) -> int:
    """Submits accepted withdrawals and queries those in progress; returns how many."""
    return sum(due.sweep(limit, environment=environment) for due in DUE)


def query_now(merchant: Merchant, withdrawal_id: str) -> bool:
    """Calls the provider before the query is due; False if it is settled, or another process is calling it."""
    taken, later = retry_on_deadlock(partial(_begin_now, merchant, withdrawal_id))
    if later:
        later()
    return taken


@transaction.atomic
def _begin_now(merchant: Merchant, withdrawal_id: str) -> tuple[bool, Later | None]:
    withdrawal = lock(merchant, withdrawal_id)
    if is_leased(withdrawal) or withdrawal.status != Status.PROCESSING:
        return False, None
    return True, _call_provider(withdrawal, clock.now(merchant))
