"""Due work on payments: provider queries and expiry."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from accounts.base import clock
from accounts.due import Due
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.methods.registry import CARDS
from gateway.payments.calls import prepare
from gateway.payments.lifecycle import open_question
from gateway.payments.models import UNDECIDED, Payment
from gateway.payments.provider import capture_if_authorized, finish, order_of, simulator_of
from gateway.payments.questions import ask_and_take

NO_SESSION = ("CARD_SESSION_UNAVAILABLE", "The card session could not be prepared in time.")


def _expire(payment: Payment, at: datetime) -> None:
    """Expires a payment, as of the time when it was due."""
    finish(payment, PaymentAction.EXPIRE, PaymentOutcome(PaymentResult.DONE), at)


def _query(payment: Payment, at: datetime) -> Callable[[], object] | None:
    """Queries the provider about a payment: a real one after the transaction, the simulator as of when it was due."""
    if payment.account is not None:
        return partial(ask_and_take, payment.merchant, prepare(payment, clock.now(payment.merchant)))
    asked = open_question(payment)
    if payment.is_unanswered and payment.method in CARDS:
        finish(payment, asked, PaymentOutcome(PaymentResult.DECLINED, failure=NO_SESSION), at)
        return None
    outcome = simulator_of(payment).ask(order_of(payment), asked)
    capture_if_authorized(finish(payment, asked, outcome, at))
    return None


QUESTION = Due(
    kind="payment.answered",
    title="Payments to query",
    model=Payment,
    column="ask_at",
    condition="(w.leased_until IS NULL OR w.leased_until <= %(now)s)",
    run=_query,
)
EXPIRY = Due(
    kind="payment.expired",
    title="Payments to expire",
    model=Payment,
    column="expires_at",
    statuses=UNDECIDED,
    condition="(w.account_id IS NULL OR w.ask_at IS NULL)",
    run=_expire,
)
"""Without a provider that can be asked. One that can withdraws the charge first: see `calls.prepare`."""
DUE = (QUESTION, EXPIRY)


def run_due(limit: int = 100, environment: str | None = None) -> int:
    """Queries and expires due payments, at most `limit` of each; returns how many."""
    return sum(due.sweep(limit, environment=environment) for due in DUE)
