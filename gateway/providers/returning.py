"""How a provider is asked to return money to a payer: a refund, or money in suspense."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

import structlog
from celery.exceptions import SoftTimeLimitExceeded

from accounts.base.ids import made_at
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult, Rail, RefundOrder
from gateway.providers.asking import LEASE, Asked, keep_unclear, lease, settle_outcome
from gateway.providers.errors import NotSent, Unclear
from gateway.providers.health import observed
from gateway.providers.models import ProviderAccount
from gateway.providers.restored import is_lost

log = structlog.get_logger()
SENT_AGAIN_AFTER = HELD_BACK_FOR = timedelta(minutes=1)
NOT_RETURNED = (PaymentResult.DECLINED, PaymentResult.REFUSED)


class Returned(Asked):
    """What refunds and money in suspense store about their order. The fields are their own."""

    merchant_id: int | None
    sent_at: datetime | None

    class Meta:
        abstract = True


R = TypeVar("R", bound=Returned)


@dataclass(frozen=True, slots=True)
class Question:
    """The next call to the provider, and the lease during which no other process calls it."""

    row_id: str
    merchant_id: int | None
    account: ProviderAccount | None
    order: RefundOrder
    rail: Rail
    is_new: bool
    leased_until: datetime
    at: datetime

    def put(self) -> PaymentOutcome:
        """Calls the provider, never inside a transaction. An order that was possibly sent is only queried."""
        try:
            if not self.is_new:
                return self.rail.ask_refund(self.order, self.at)
            refund = partial(self.rail.refund, self.order, self.at)
            return observed(self.account, self.merchant_id, PaymentAction.REFUND, refund)
        except NotSent as failed:
            log.warning("return.not_sent", about=self.row_id, reason=failed.reason)
            return PaymentOutcome(PaymentResult.NOT_RECEIVED if self.is_new else PaymentResult.UNKNOWN)
        except Unclear as failed:
            log.warning("return.unclear", about=self.row_id, reason=failed.reason)
        except SoftTimeLimitExceeded:  # its lease runs out, and the provider is queried
            raise
        except Exception:
            log.exception("return.unclear", about=self.row_id)
        return PaymentOutcome(PaymentResult.UNKNOWN)


def record(row: R, order_of: Callable[[R], RefundOrder], rail: Rail, at: datetime) -> Question:
    """Records the next call to the provider before it is made. Call it in a transaction that has locked the row."""
    is_unsent, our_id = row.sent_at is None, order_of(row).refund_id
    is_new = is_unsent and not is_lost(our_id)
    if is_unsent:
        row.sent_at = at if is_new else made_at(our_id)
    leased_until = lease(row)
    row.ask_at = at + LEASE
    row.save()
    return Question(row.pk, row.merchant_id, row.account, order_of(row), rail, is_new, leased_until, at)


def waits_after_restore(row: Returned) -> bool:
    """Whether it is not sent yet, because it is not known what else was sent from its account."""
    return row.sent_at is None and row.account is not None and row.account.sends_nothing_new


def ask_again(row: Returned, outcome: PaymentOutcome, at: datetime) -> None:
    """Records an answer that ended nothing. What the provider does not know is sent again under the same id."""
    if outcome.answered == PaymentResult.NOT_RECEIVED:
        settle_outcome(row)
        row.sent_at, row.ask_at = None, at + SENT_AGAIN_AFTER
    else:
        keep_unclear(row, at, ask_after_s=outcome.ask_after_s)
    row.save()
