"""Items that need the company's attention, most urgent first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet

from accounts.base import clock
from accounts.models import Merchant
from gateway.methods.registry import Method
from gateway.payments.models import OPEN, Payment
from gateway.refunds.models import Refund, Status
from gateway.refunds.selectors import listed, short_of_money
from gateway.withdrawals import selectors as withdrawals
from gateway.withdrawals.models import Withdrawal
from ledger.holds import selectors as holds
from ledger.holds.models import BY_STAFF, Hold
from ledger.receivables import selectors as receivables
from ledger.receivables.models import Advance
from webhooks import selectors as webhooks
from webhooks.health import switched_off_at
from webhooks.models import Endpoint

SHOWN = 5
COUNTED = 1000
RECENTLY = timedelta(days=7)
SOON = timedelta(days=2)

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Some(Generic[M]):
    """A capped count, and the most urgent items."""

    count: int
    first: Sequence[M]

    @property
    def more(self) -> int:
        return self.count - len(self.first)


@dataclass(frozen=True, slots=True)
class Attention:
    """Open items and recent events of the company.

    `to_answer` by deadline; `short_of_money` wait until the wallet has more; `endpoints` fail or were disabled by
    us; `to_approve`: withdrawals that wait for people; `came_back`: withdrawals that failed or were returned, and
    `decided`: advances, both of the last seven days; `boletos` that can be paid for two more days; `blocked`: legal
    holds.
    """

    to_answer: Some[Refund]
    short_of_money: Some[Refund]
    endpoints: Some[Endpoint]
    to_approve: Some[Withdrawal]
    came_back: Some[Withdrawal]
    decided: Some[Advance]
    boletos: Some[Payment]
    blocked: Some[Hold]

    @property
    def count(self) -> int:
        return sum(getattr(self, name).count for name in self.__slots__)


def attention(merchant: Merchant) -> Attention:
    now = clock.now(merchant)
    return Attention(
        to_answer=_some(listed(merchant, statuses=(Status.AWAITING_RESPONSE,))),
        short_of_money=_some(short_of_money(merchant)),
        endpoints=_failing(webhooks.endpoints(merchant)),
        to_approve=_some(withdrawals.waiting(merchant)),
        came_back=_some(withdrawals.came_back(merchant, now - RECENTLY)),
        decided=_some(receivables.advances(merchant).filter(decided_at__gte=now - RECENTLY)),
        boletos=_some(_ending(merchant)),
        blocked=_some(holds.blocked(merchant).filter(reason__in=BY_STAFF)),
    )


def _ending(merchant: Merchant) -> QuerySet[Payment]:
    until = clock.now(merchant) + SOON
    open_ones = Payment.objects.filter(merchant=merchant, status__in=OPEN, method=Method.BOLETO, expires_at__lt=until)
    return open_ones.order_by("expires_at", "id")


def _failing(endpoints: Iterable[Endpoint]) -> Some[Endpoint]:
    found = [one for one in endpoints if one.status == Endpoint.Status.DISABLED or switched_off_at(one)]
    return Some(len(found), found[:SHOWN])


def _some(rows: QuerySet[M]) -> Some[M]:
    """Counted only if there are more than are shown."""
    first = list(rows[: SHOWN + 1])
    count = len(first) if len(first) <= SHOWN else rows.order_by().values("pk")[:COUNTED].count()
    return Some(count, first[:SHOWN])
