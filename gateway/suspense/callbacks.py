"""What an institution tells about a return of money in suspense: it is queried at once, and the answer counts.

One that cannot be queried is believed: then what it tells is the answer.
"""

from functools import partial

import structlog
from django.db import transaction

from accounts.base.rows import retry_on_deadlock
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.providers.asking import is_leased
from gateway.providers.models import ProviderAccount
from gateway.providers.notices import register
from gateway.providers.provider import Notice
from gateway.providers.returning import NOT_RETURNED, Question
from gateway.providers.selectors import rail_of as rail_at
from gateway.suspense.holding import hold_what_came_back
from gateway.suspense.models import State, SuspenseItem
from gateway.suspense.provider import lock, now_of, order_of
from gateway.suspense.questions import apply, ask_and_take, prepare

log = structlog.get_logger()


@register("sus")
def hear(notice: Notice, account: ProviderAccount) -> bool:
    """Queries the account about a return under way, known by the id of its last order; any other stays as it is."""
    found = SuspenseItem.objects.filter(return_id=notice.object_id, account=account).first()
    if found and notice.outcome:
        retry_on_deadlock(partial(_believe, found.pk, notice.object_id, notice.outcome))
        return True
    if found and found.state == State.RETURNED and found.sent_at:
        _look(found)
    if found is None or not _is_sent(found, notice.object_id):
        return found is not None
    question = retry_on_deadlock(partial(_begin, found.pk, notice.object_id))
    if question:
        ask_and_take(question)
    return True


def _look(item: SuspenseItem) -> None:
    """The sender's bank may send it back days later: it is held again, and people decide. Raises NotSent and
    Unclear.
    """
    if item.account is None or item.payment is None:
        return
    order = order_of(item)
    told = rail_at(item.account, item.method, item.currency, of=item.merchant).ask_refund(order, now_of(item))
    if told.answered in NOT_RETURNED:
        log.critical("suspense.told_otherwise", item=item.id, told=told.answered, reference=told.reference)
        hold_what_came_back(order, told, item.account, item.payment)


@transaction.atomic
def _begin(item_id: str, return_id: str) -> Question | None:
    """None: it has ended, or a process is asking; then it is asked again afterwards."""
    item = lock(item_id)
    if not _is_sent(item, return_id):
        return None
    now = now_of(item)
    if is_leased(item):
        item.ask_at = now
        item.save(update_fields=["ask_at"])
        return None
    return prepare(item, now)


def _is_sent(item: SuspenseItem, return_id: str) -> bool:
    return item.state == State.RETURNING and item.return_id == return_id and item.sent_at is not None


@transaction.atomic
def _believe(item_id: str, return_id: str, told: PaymentOutcome) -> None:
    """What contradicts the item changes nothing: people look it up."""
    item = lock(item_id)
    is_other = told.amount is not None and (told.amount, told.currency) != (item.amount_exact, item.currency)
    is_returning = item.state == State.RETURNING and item.return_id == return_id
    is_known = (told.answered == PaymentResult.DONE) == (item.state == State.RETURNED)
    if is_other or not (is_returning or is_known):
        log.critical("suspense.told_otherwise", item=item.id, told=told.answered, reference=told.reference)
    elif is_returning:
        apply(item, told, now_of(item))
