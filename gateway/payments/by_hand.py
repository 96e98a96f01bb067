"""What staff may do about a payment that waits: query its provider before it is due, and end the payer's time.

Neither decides an outcome: the provider's answer is applied as always.
"""

from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import audit
from accounts.audit import Actor
from accounts.base import clock
from accounts.base.rows import retry_on_deadlock
from accounts.base.wire import optional_timestamp
from accounts.models import Merchant
from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments.authorizations import is_captured
from gateway.payments.calls import Question, prepare
from gateway.payments.errors import PaymentState
from gateway.payments.manual import is_manual
from gateway.payments.models import UNDECIDED, Payment, Status
from gateway.payments.provider import finish, lock, order_of, rail_of
from gateway.payments.questions import ask_and_take
from gateway.providers.asking import is_leased

BEING_ASKED = gettext_lazy("Another process is querying the provider right now. Look again in a minute.")


def why_not_queried(payment: Payment) -> str:
    """Why the provider cannot be queried about it now; "" if it can. Of a payment that ended it is asked for money."""
    if payment.status in (Status.PAID, Status.REFUNDED):
        return _("It is paid: there is nothing to ask.")
    if payment.account is None:
        return _("The sandbox has no provider to ask: its outcome is simulated.")
    if is_manual(payment.account) or not rail_of(payment).calls_provider(order_of(payment)):
        return _("%(account)s cannot be asked: only its statements tell what was paid.") % {"account": payment.account}
    return str(BEING_ASKED) if is_leased(payment) else ""


def why_not_expired(payment: Payment) -> str:
    """Why the payer's time cannot be ended now; "" if it can."""
    if payment.status not in UNDECIDED:
        status = payment.get_status_display().lower()
        return _("It is %(status)s: only a payment that waits can expire.") % {"status": status}
    if is_captured(payment):
        return _("Its card has been charged: the acquirer's answer decides.")
    if payment.account is None:
        return ""
    if is_manual(payment.account) or not rail_of(payment).calls_provider(order_of(payment)):
        told = _("%(account)s cannot be told to take no money for it any more: it ends when its time is over.")
        return told % {"account": payment.account}
    return str(BEING_ASKED) if is_leased(payment) else ""


def query_now(merchant: Merchant, payment_id: str) -> Payment:
    """Queries the provider and applies its answer. Raises ONP404_PAYMENT and ONP409_PAYMENT_STATE: `why_not_queried`.

    Never call it inside a transaction.
    """
    return ask_and_take(merchant, retry_on_deadlock(partial(_begin_query, merchant, payment_id)))


@transaction.atomic
def _begin_query(merchant: Merchant, payment_id: str) -> Question:
    payment = lock(merchant, payment_id)
    if why_not_queried(payment):
        raise PaymentState
    return prepare(payment, clock.now(merchant))


def expire_now(merchant: Merchant, payment_id: str, *, by: Actor, note: str) -> Payment:
    """Ends the payer's time. A provider is told first to take no more money: if it has some, the payment is paid.

    The audit entry is written before the provider is called. Raises ONP404_PAYMENT and ONP409_PAYMENT_STATE:
    `why_not_expired`. Never call it inside a transaction.
    """
    payment, question = retry_on_deadlock(partial(_begin_expiry, merchant, payment_id, by, note))
    return ask_and_take(merchant, question) if question else payment


@transaction.atomic
def _begin_expiry(merchant: Merchant, payment_id: str, by: Actor, note: str) -> tuple[Payment, Question | None]:
    payment = lock(merchant, payment_id)
    if why_not_expired(payment):
        raise PaymentState
    at: datetime = clock.now(merchant)
    before, after = ({"expires_at": optional_timestamp(time)} for time in (payment.expires_at, at))
    audit.record(
        by,
        "payment.expired",
        merchant=merchant,
        object_id=payment.pk,
        before=before,
        after=after,
        note=note,
        by_staff=True,
    )
    payment.expires_at = at
    if payment.account is not None:
        return payment, prepare(payment, at)
    return finish(payment, PaymentAction.EXPIRE, PaymentOutcome(PaymentResult.DONE), at), None
