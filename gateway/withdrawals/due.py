"""Due work on withdrawals: orders are submitted to the provider, and their status queried."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction

from accounts.base import clock
from accounts.base.rows import retry_on_deadlock
from accounts.cells import where_it_lives_now
from accounts.due import Due
from accounts.models import Environment, Merchant
from accounts.services import hold_settings
from gateway.payouts.rail import PayoutOutcome, PayoutRail, PayoutResult
from gateway.providers.asking import is_leased
from gateway.providers.errors import CallFailed, NotSent
from gateway.providers.health import observed
from gateway.providers.models import ProviderAccount
from gateway.withdrawals.approvals import asking
from gateway.withdrawals.approvals import services as approvals
from gateway.withdrawals.models import ApprovalState, Status, Withdrawal
from gateway.withdrawals.provider import Question, call_simulator, prepare, queue, take
from gateway.withdrawals.routing import rail_of_withdrawal
from gateway.withdrawals.rules import services as rules
from gateway.withdrawals.rules.models import RulesState, WithdrawalRules
from gateway.withdrawals.services import lock

log = structlog.get_logger()
HELD_BACK_FOR = timedelta(minutes=1)
SENT_AGAIN_AFTER_S = 60
"""After nothing could be transmitted."""
PAYOUT = "payout"
"""The kind of call, for the circuit breaker of an account."""


Later = Callable[[], object]
"""Runs after the commit."""


def _call_provider(withdrawal: Withdrawal, due_at: datetime) -> Later | None:
    """Submits the order, or queries its status; with a real provider after the transaction.

    Orders not yet submitted wait while the company is suspended or cannot withdraw, while approvals are missing, and
    while their account is paused, taken out or restored. Orders that are paid by file are queued for a batch instead.
    """
    merchant, account = withdrawal.merchant, withdrawal.account
    hold_settings(merchant)
    rail = rail_of_withdrawal(withdrawal)
    is_unsent = withdrawal.sent_at is None and withdrawal.status == Status.PROCESSING
    if is_unsent and not (_may_withdraw(merchant) and rail and _pays(account)):
        log.warning("withdrawal.held_back", withdrawal=withdrawal.id, company=merchant.company_id)
        withdrawal.ask_at = max(due_at, clock.now(merchant)) + HELD_BACK_FOR
        withdrawal.save(update_fields=["ask_at"])
        return None
    if is_unsent and asking.is_lapsed(withdrawal, max(due_at, clock.now(merchant))):
        return None
    if rail and rail.is_by_batch:
        queue(withdrawal, clock.now(merchant))
        return None
    if merchant.environment == Environment.SANDBOX:
        call_simulator(withdrawal, due_at)
        return None
    question = prepare(withdrawal, clock.now(merchant))
    return _Call(merchant, withdrawal.id, account, rail, question)


def _may_withdraw(merchant: Merchant) -> bool:
    return merchant.withdrawal_enabled and merchant.is_operational


def _pays(account: ProviderAccount | None) -> bool:
    """Whether new orders go there. The simulator's always do."""
    if account is None:
        return True
    is_used = account.status == ProviderAccount.Status.ACTIVE and not account.is_taken_out
    return is_used and not account.sends_nothing_new


@dataclass(frozen=True, slots=True)
class _Call:
    """A call to an institution, made after the transaction that recorded it."""

    merchant: Merchant
    withdrawal_id: str
    account: ProviderAccount | None
    rail: PayoutRail | None
    question: Question

    def __call__(self) -> None:
        outcome = self._outcome()
        apply = partial(_take_locked, self.merchant, self.withdrawal_id, self.question, outcome)
        where_it_lives_now(self.merchant, apply)

    def _outcome(self) -> PayoutOutcome:
        """What could not be transmitted is sent again; every other failure is unclear."""
        try:
            return self._answer()
        except NotSent as failed:
            log.warning("withdrawal.not_sent", withdrawal=self.withdrawal_id, reason=failed.reason)
            if self.question.is_new:
                return PayoutOutcome(PayoutResult.NOT_RECEIVED, ask_after_s=SENT_AGAIN_AFTER_S)
        except CallFailed as failed:
            log.warning("withdrawal.unanswered", withdrawal=self.withdrawal_id, reason=failed.reason)
        except SoftTimeLimitExceeded:  # its lease runs out, and it is asked about
            raise
        except Exception:
            log.exception("withdrawal.unanswered", withdrawal=self.withdrawal_id)
        return PayoutOutcome(PayoutResult.UNKNOWN)

    def _answer(self) -> PayoutOutcome:
        if self.rail is None:
            return PayoutOutcome(PayoutResult.UNKNOWN)
        call = partial(self.question.call, self.rail, clock.now(self.merchant))
        if not self.question.is_new:
            return call()
        return observed(self.account, self.merchant.pk, PAYOUT, call)


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
EXPIRE_APPROVAL = Due(
    kind="withdrawal.approval_expired",
    title="Withdrawals that nobody approved in time",
    model=Withdrawal,
    column="approval_expires_at",
    statuses=(ApprovalState.PENDING,),
    status_column="approval",
    run=approvals.expire,
)
CHANGE_RULES = Due(
    kind="withdrawal_rules.changed",
    title="Withdrawal rules to put in force",
    model=WithdrawalRules,
    column="due_at",
    statuses=(RulesState.PROPOSED,),
    status_column="state",
    run=rules.take_effect,
)
DUE = (CALL_PROVIDER, EXPIRE_APPROVAL, CHANGE_RULES)


def run_due(limit: int = 100, environment: str | None = None) -> int:
    """Submits accepted withdrawals and queries those in progress, ends waits for approval, and puts rules in force."""
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
    is_waiting = withdrawal.approval == ApprovalState.PENDING
    if is_leased(withdrawal) or withdrawal.status != Status.PROCESSING or is_waiting:
        return False, None
    return True, _call_provider(withdrawal, clock.now(merchant))


@transaction.atomic
def begin_query(merchant: Merchant, withdrawal_id: str) -> Later | None:
    """Queries an order that was sent, also one that was paid: it may have been returned. Sends nothing.

    None: a process is asking, and it is asked again afterwards.
    """
    withdrawal, now = lock(merchant, withdrawal_id), clock.now(merchant)
    if withdrawal.sent_at is None or withdrawal.status not in (Status.PROCESSING, Status.COMPLETED):
        return None
    if is_leased(withdrawal):
        withdrawal.ask_at = now
        withdrawal.save(update_fields=["ask_at"])
        return None
    return _call_provider(withdrawal, now)
