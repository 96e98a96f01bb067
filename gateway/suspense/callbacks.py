"""What an institution that is believed tells about the return of money in suspense."""

from functools import partial

import structlog
from django.db import transaction

from accounts.base.rows import retry_on_deadlock
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.providers.models import ProviderAccount
from gateway.providers.notices import register
from gateway.providers.provider import Notice
from gateway.suspense.models import State, SuspenseItem
from gateway.suspense.provider import lock, now_of
from gateway.suspense.questions import apply

log = structlog.get_logger()


@register("sus")
def hear(notice: Notice, account: ProviderAccount) -> bool:
    """Applies the outcome of the last order to return an item. Others are queried by the sweep alone."""
    found = SuspenseItem.objects.filter(return_id=notice.object_id, account=account).first()
    if found is None:
        return False
    if notice.outcome:
        retry_on_deadlock(partial(_believe, found.pk, notice.object_id, notice.outcome))
    return True


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
