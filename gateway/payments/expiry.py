"""Ending the time in which a payment can be paid: for its company, its payer and staff alike.

Nobody decides an outcome: a provider is told first to take no more money, and its answer is applied as always.
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
from gateway.payments.errors import PaymentBusy, PaymentState
from gateway.payments.models import UNDECIDED, Payment, Status
from gateway.payments.provider import finish, lock, order_of, rail_of
from gateway.payments.questions import ask_and_take
from gateway.providers.asking import is_leased

BEING_ASKED = gettext_lazy("Another process is querying the provider right now. Look again in a minute.")


def why_not_expired(payment: Payment) -> str:
    """Why the payer's time cannot be ended now; "" if it can."""
    if payment.status not in UNDECIDED:
        status = payment.get_status_display().lower()
        return _("It is %(status)s: only a payment that waits can expire.") % {"status": status}
    if is_captured(payment):
        return _("Its card has been charged: the acquirer's answer decides.")
    return str(BEING_ASKED) if is_leased(payment) else ""


def expire(
    merchant: Merchant, payment_id: str, *, by: Actor | None = None, note: str = "", by_staff: bool = False
) -> Payment:
    """Ends the payer's time, and tells the provider. EXPIRED, or PAID if the provider has its money; still open if the
    provider has not confirmed: then it is asked again until it has.

    Raises what `begin` raises. Never call it inside a transaction.
    """
    begun = partial(begin, merchant, payment_id, by=by, note=note, by_staff=by_staff)
    payment, question = retry_on_deadlock(begun)
    return ask_and_take(merchant, question) if question else payment


@transaction.atomic
def begin(
    merchant: Merchant, payment_id: str, *, by: Actor | None = None, note: str = "", by_staff: bool = False
) -> tuple[Payment, Question | None]:
    """Ends the payer's time, and records what to ask the provider. No question: it has ended, at once where nobody can
    be told, or another process is asking already. `by` None: the payer.

    Raises ONP404_PAYMENT, ONP409_PAYMENT_STATE if it has ended otherwise or its card was charged, and
    ONP409_PAYMENT_BUSY while its provider is being asked something else.
    """
    payment, at = lock(merchant, payment_id), clock.now(merchant)
    if payment.status == Status.EXPIRED:
        return payment, None
    if payment.status not in UNDECIDED or is_captured(payment):
        raise PaymentState(paymentId=payment.id, paymentStatus=payment.status)
    is_begun = payment.expires_at is not None and payment.expires_at <= at
    if is_leased(payment):
        if is_begun:
            return payment, None
        raise PaymentBusy(paymentId=payment.id)
    if not is_begun:
        _record(payment, at, by, note=note, by_staff=by_staff)
        payment.expires_at = at
    if payment.account is not None and rail_of(payment).calls_provider(order_of(payment)):
        return payment, prepare(payment, at)
    return finish(payment, PaymentAction.EXPIRE, PaymentOutcome(PaymentResult.DONE), at), None


def _record(payment: Payment, at: datetime, by: Actor | None, *, note: str, by_staff: bool) -> None:
    if by is None:
        return
    before, after = ({"expires_at": optional_timestamp(time)} for time in (payment.expires_at, at))
    audit.record(
        by,
        "payment.expired",
        merchant=payment.merchant,
        object_id=payment.pk,
        before=before,
        after=after,
        note=note,
        by_staff=by_staff,
    )
