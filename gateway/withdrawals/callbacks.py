"""What an institution tells about a withdrawal: it is queried at once, and the answer counts."""

from functools import partial

import structlog

from accounts.base import clock
from accounts.base.rows import retry_on_deadlock
from gateway.payouts.rail import PayoutOutcome, PayoutResult
from gateway.providers.errors import CallFailed
from gateway.providers.models import ProviderAccount
from gateway.providers.notices import register
from gateway.providers.provider import Notice
from gateway.withdrawals.due import Later, begin_query
from gateway.withdrawals.models import Status, Withdrawal
from gateway.withdrawals.provider import order_of
from gateway.withdrawals.routing import can_be_asked, rail_of_withdrawal

log = structlog.get_logger()
_LEFT = (PayoutResult.SENT, PayoutResult.DONE)
"""Answers of an order whose money is gone, or on its way."""


@register("wdr")
def hear(notice: Notice, account: ProviderAccount) -> bool:
    """Queries the account about a withdrawal that was sent there; one that has ended stays as it is.

    Nothing is sent because of a message.
    """
    orders = Withdrawal.objects.select_related("merchant__company", "account")
    found = orders.filter(pk=notice.object_id, account=account).first()
    if found is None or found.sent_at is None or not can_be_asked(found):
        return found is not None
    if found.status in (Status.FAILED, Status.RETURNED):
        _look(found)
        return True
    later: Later | None = retry_on_deadlock(partial(begin_query, found.merchant, found.pk))
    if later:
        later()
    return True


def _look(withdrawal: Withdrawal) -> None:
    """Money of a withdrawal that has come back must not leave once more."""
    rail = rail_of_withdrawal(withdrawal)
    assert rail is not None
    try:
        outcome: PayoutOutcome = rail.ask(order_of(withdrawal), clock.now(withdrawal.merchant))
    except CallFailed as failed:
        log.warning("withdrawal.unanswered", withdrawal=withdrawal.id, reason=failed.reason)
        return
    if outcome.answered in _LEFT:
        log.critical(
            "withdrawal.answered_unforeseen",
            withdrawal=withdrawal.id,
            status=withdrawal.status,
            answered=outcome.answered,
            rail_reference=outcome.reference,
        )
