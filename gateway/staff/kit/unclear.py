"""What staff see of a provider whose answer is unclear: the same for payments, refunds and withdrawals."""

from typing import Any

from django.db.models import Q

from accounts.base.clock import utcnow
from gateway.staff.kit.columns import Title, column, moment, named, related
from gateway.staff.kit.queues import Queue


def overdue() -> Q:
    """Outcomes that should be certain by now. Only real money is: a sandbox waits for its simulations."""
    return Q(certain_by__lt=utcnow(), merchant__environment="PRODUCTION")


def unclear(title: Title) -> Queue:
    """The queue of the records whose outcome is unclear past its deadline."""
    return Queue("unclear", title, "help", overdue, "certain_by", deadline=True)


ASKED: tuple[Any, ...] = (
    related("account", "provider account"),
    (moment("unclear_since"), column("unclear_asks", str, "unclear answers")),
    (moment("certain_by"), moment("leased_until", "being called until")),
    named("request_id", "created by request"),
)
"""Fields of a record's provider, and the request that created it."""
