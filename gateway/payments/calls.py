"""Calls to the provider of a payment: recorded first, and then made outside any transaction."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

import structlog
from celery.exceptions import SoftTimeLimitExceeded

from gateway.methods.card.acquirer import AcquirerCard
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentOutcome, PaymentResult, Rail
from gateway.payments.authorizations import is_captured, is_withdrawn
from gateway.payments.lifecycle import open_question
from gateway.payments.models import UNDECIDED, Payment
from gateway.payments.provider import order_of, rail_of, save
from gateway.providers.asking import LEASE, half_time_is_over, lease
from gateway.providers.errors import NotSent, Unclear
from gateway.providers.health import observed
from gateway.providers.models import ProviderAccount

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Answer:
    """A provider's answer, and what it is about: not always what was asked."""

    about: PaymentAction
    outcome: PaymentOutcome


@dataclass(frozen=True, slots=True)
class Question:
    """The next call to the provider, and the lease during which no other process calls it."""

    payment_id: str
    merchant_id: int
    account: ProviderAccount | None
    about: PaymentAction
    order: PaymentOrder
    rail: Rail
    leased_until: datetime | None
    ask_at: datetime | None
    given: Mapping[str, Any] | None = field(default=None, repr=False)
    """What the payer's browser handed over for the acquirer."""
    closes: bool = False
    """The payer's browser could not mount the fields: if nobody has confirmed, nothing has happened there."""

    @property
    def account_id(self) -> str | None:
        return self.account.pk if self.account else None

    def put(self) -> Answer:
        """Calls the provider, never inside a transaction. Without a clear answer the result is UNKNOWN."""
        try:
            return self._put()
        except (NotSent, Unclear) as failed:
            log.warning("payment.unclear", payment=self.payment_id, about=self.about, reason=failed.reason)
        except SoftTimeLimitExceeded:  # its lease runs out, and the provider is queried
            raise
        except Exception:
            log.exception("payment.unclear", payment=self.payment_id, about=self.about)
        return Answer(self.about, PaymentOutcome(PaymentResult.UNKNOWN))

    def _put(self) -> Answer:
        if self.about == PaymentAction.PREPARE:
            return Answer(self.about, self._prepare())
        if self.about == PaymentAction.AUTHORIZE:
            assert isinstance(self.rail, AcquirerCard)
            return Answer(self.about, self._observed(partial(self.rail.confirm, self.order, self.given)))
        if self.about == PaymentAction.CAPTURE:
            return Answer(self.about, self._observed(partial(self.rail.capture, self.order)))
        if self.about == PaymentAction.CANCEL:
            canceled = self._observed(partial(self.rail.cancel, self.order))
            if canceled.answered != PaymentResult.REFUSED:
                return Answer(self.about, canceled)
            return Answer(PaymentAction.PAY, self.rail.ask(self.order, PaymentAction.PAY))  # it was paid
        asked = self.rail.ask(self.order, self.about)
        if self.closes and asked.answered == PaymentResult.WAITING:
            asked = replace(asked, answered=PaymentResult.NOT_RECEIVED)
        return Answer(self.about, asked)

    def _prepare(self) -> PaymentOutcome:
        """An order that was possibly sent is queried, and sent again only if the provider does not know it."""
        if self.order.asked_times > 1:
            known = self.rail.ask(self.order, PaymentAction.PREPARE)
            if known.answered != PaymentResult.NOT_RECEIVED:
                return known
        try:
            return self._observed(partial(self.rail.instruct, self.order))
        except NotSent as failed:
            log.warning("payment.not_sent", payment=self.payment_id, reason=failed.reason)
            return PaymentOutcome(PaymentResult.NOT_RECEIVED)

    def _observed(self, call: Callable[[], PaymentOutcome]) -> PaymentOutcome:
        """An order, in contrast to a query: whether it is served is noted at the account."""
        return observed(self.account, self.merchant_id, self.about, call)


def prepare(payment: Payment, at: datetime) -> Question:
    """Records the next call to the provider before it is made.

    When the payer's time is over, the charge is withdrawn first. About a payment that ended the only question is
    whether more money has arrived. Call it in a transaction that has locked the payment.
    """
    about = _next_question(payment, at)
    if about == PaymentAction.PREPARE:
        payment.asked_times += 1
    return _leased(payment, about, at)


def prepare_confirmation(payment: Payment, given: Mapping[str, Any] | None, at: datetime) -> Question:
    """As `prepare`, when the payer has confirmed in the acquirer's fields: how often is counted in `details.confirmed`.
    What was `given` is stored nowhere.
    """
    payment.details = payment.details | {"confirmed": payment.details.get("confirmed", 0) + 1}
    return _leased(payment, PaymentAction.AUTHORIZE, at, given)


def prepare_closing(payment: Payment, at: datetime) -> Question:
    """As `prepare`, when the payer's browser could not mount the acquirer's fields."""
    return replace(_leased(payment, PaymentAction.PAY, at), closes=True)


def _leased(payment: Payment, about: PaymentAction, at: datetime, given: Mapping[str, Any] | None = None) -> Question:
    begin_to_ask(payment, at)
    return question_of(payment, about, given)


def begin_to_ask(payment: Payment, at: datetime) -> None:
    """Stores that the caller asks the provider now, and nobody else before the lease is over."""
    lease(payment)
    payment.ask_at = at + LEASE
    save(payment)


def look(payment: Payment) -> Question:
    """A look at the money of a payment that has ended: nothing is recorded, and no lease is needed."""
    return question_of(payment, PaymentAction.PAY)


def _next_question(payment: Payment, at: datetime) -> PaymentAction:
    if payment.status not in UNDECIDED:
        return PaymentAction.PAY
    if is_withdrawn(payment) or is_over(payment, at):
        return PaymentAction.CANCEL
    return open_question(payment)


def is_over(payment: Payment, at: datetime) -> bool:
    """Past its time, or unclear for half of the provider's deadline and never payable: nobody waits for it any more."""
    if is_captured(payment):
        return False
    if payment.expires_at is not None and payment.expires_at <= at:
        return True
    return payment.is_unanswered and half_time_is_over(payment, at)


def question_of(payment: Payment, about: PaymentAction, given: Mapping[str, Any] | None = None) -> Question:
    return Question(
        payment_id=payment.id,
        merchant_id=payment.merchant_id,
        account=payment.account,
        about=about,
        order=order_of(payment),
        rail=rail_of(payment),
        leased_until=payment.leased_until,
        ask_at=payment.ask_at,
        given=given,
    )
