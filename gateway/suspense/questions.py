"""Returns of money in suspense at its provider: recorded, put outside any transaction, and the answer applied."""

from datetime import datetime
from functools import partial

import structlog
from django.db import transaction

from accounts.base.rows import retry_on_deadlock
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.providers.asking import is_overdue
from gateway.providers.returning import NOT_RETURNED, Question, ask_again, record
from gateway.providers.selectors import rail_of
from gateway.suspense.lifecycle import SuspenseAction
from gateway.suspense.models import State, SuspenseItem
from gateway.suspense.provider import lock, now_of, order_of, take

log = structlog.get_logger()
PROVIDER_REFUSED = ("PROVIDER_REFUSED", "The provider did not return the money.")


def prepare(item: SuspenseItem, at: datetime) -> Question:
    """Records the next call to the provider before it is made. Call it in a transaction that has locked the item."""
    assert item.account is not None, "a bank is not asked about a line"
    return record(item, order_of, rail_of(item.account, item.method, item.currency, of=item.merchant), at)


def ask_and_take(question: Question) -> None:
    """Puts the question and applies the answer. Never call it inside a transaction."""
    outcome = question.put()
    retry_on_deadlock(partial(_take, question, outcome))


@transaction.atomic
def _take(question: Question, outcome: PaymentOutcome) -> None:
    """A late answer without an outcome, after a newer call, changes nothing."""
    item = lock(question.row_id)
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
    elif outcome.answered in NOT_RETURNED:
        item.failure_code, item.failure_message = outcome.failure or PROVIDER_REFUSED
        log.error("suspense.not_returned", item=item.id, code=item.failure_code)
        take(item, SuspenseAction.DECLINED, at)
    else:
        ask_again(item, outcome, at)
        if is_overdue(item, at):
            log.critical("suspense.unclear_past_deadline", item=item.id, since=item.unclear_since)
