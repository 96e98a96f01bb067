"""Returns of money in suspense at its provider: recorded, put outside any transaction, and the answer applied."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction

from accounts.base.rows import retry_on_deadlock
from gateway.methods.rail import PaymentOutcome, PaymentResult, Rail, RefundOrder
from gateway.providers.asking import LEASE, is_overdue, keep_unclear, lease, settle_outcome
from gateway.providers.errors import NotSent, Unclear
from gateway.providers.selectors import rail_of
from gateway.suspense.lifecycle import SuspenseAction
from gateway.suspense.models import State, SuspenseItem
from gateway.suspense.provider import lock, now_of, order_of, take

log = structlog.get_logger()
SENT_AGAIN_AFTER = timedelta(minutes=1)
NOT_RETURNED = ("PROVIDER_REFUSED", "The provider did not return the money.")
_NOT_PAID = (PaymentResult.DECLINED, PaymentResult.REFUSED)


@dataclass(frozen=True, slots=True)
class Question:
    """The next call to the provider, and the lease during which no other process calls it."""

    item_id: str
    order: RefundOrder
    rail: Rail
    is_new: bool
    leased_until: datetime
    at: datetime

    def put(self) -> PaymentOutcome:
        """Calls the provider, never inside a transaction. An order that was possibly sent is only queried."""
        try:
            return self.rail.refund(self.order, self.at) if self.is_new else self.rail.ask_refund(self.order, self.at)
        except NotSent as failed:
            log.warning("suspense.not_sent", item=self.item_id, reason=failed.reason)
            return PaymentOutcome(PaymentResult.NOT_RECEIVED if self.is_new else PaymentResult.UNKNOWN)
        except Unclear as failed:
            log.warning("suspense.unclear", item=self.item_id, reason=failed.reason)
        except SoftTimeLimitExceeded:  # its lease runs out, and the provider is queried
            raise
        except Exception:
            log.exception("suspense.unclear", item=self.item_id)
        return PaymentOutcome(PaymentResult.UNKNOWN)


def prepare(item: SuspenseItem, at: datetime) -> Question:
    """Records the next call to the provider before it is made. Call it in a transaction that has locked the item."""
    is_new = item.sent_at is None
    if is_new:
        item.sent_at = at
    leased_until = lease(item)
    item.ask_at = at + LEASE
    item.save(update_fields=["sent_at", "leased_until", "ask_at"])
    rail = rail_of(item.account, item.method, item.currency, of=item.merchant)
    return Question(item.id, order_of(item), rail, is_new, leased_until, at)


def ask_and_take(question: Question) -> None:
    """Puts the question and applies the answer. Never call it inside a transaction."""
    outcome = question.put()
    retry_on_deadlock(partial(_take, question, outcome))


@transaction.atomic
def _take(question: Question, outcome: PaymentOutcome) -> None:
    """A late answer without an outcome, after a newer call, changes nothing."""
    item = lock(question.item_id)
    is_returned = outcome.answered == PaymentResult.DONE
    if item.state != State.RETURNING or item.return_id != question.order.refund_id:
        if is_returned and item.state != State.RETURNED:
            log.critical("suspense.answered_too_late", item=item.id, reference=outcome.reference)
        return
    if item.leased_until != question.leased_until and not is_returned:
        return
    item.leased_until = None
    apply(item, outcome, now_of(item))


def apply(item: SuspenseItem, outcome: PaymentOutcome, at: datetime) -> None:
    """Applies what became of the order to return it. Call it in a transaction that has locked the item."""
    if outcome.answered == PaymentResult.DONE:
        item.return_reference = outcome.reference or ""
        take(item, SuspenseAction.RETURNED, at)
    elif outcome.answered in _NOT_PAID:
        item.failure_code, item.failure_message = outcome.failure or NOT_RETURNED
        log.error("suspense.not_returned", item=item.id, code=item.failure_code)
        take(item, SuspenseAction.DECLINED, at)
    elif outcome.answered == PaymentResult.NOT_RECEIVED:
        settle_outcome(item)
        item.sent_at, item.ask_at = None, at + SENT_AGAIN_AFTER
        item.save()
    else:
        keep_unclear(item, at, ask_after_s=outcome.ask_after_s)
        item.save()
        if is_overdue(item, at):
            log.critical("suspense.unclear_past_deadline", item=item.id, since=item.unclear_since)
