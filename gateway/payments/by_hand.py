"""What staff do about a payment that waits: query its provider before it is due. The answer is applied as always."""

from functools import partial

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.base import clock
from accounts.base.rows import retry_on_deadlock
from accounts.models import Merchant
from gateway.payments.calls import Question, prepare
from gateway.payments.errors import PaymentState
from gateway.payments.expiry import BEING_ASKED
from gateway.payments.manual import is_manual
from gateway.payments.models import Payment, Status
from gateway.payments.provider import lock, order_of, rail_of
from gateway.payments.questions import ask_and_take
from gateway.providers.asking import is_leased


def why_not_queried(payment: Payment) -> str:
    """Why the provider cannot be queried about it now; "" if it can. Of a payment that ended it is asked for money."""
    if payment.status in (Status.PAID, Status.REFUNDED):
        return _("It is paid: there is nothing to ask.")
    if payment.account is None:
        return _("The sandbox has no provider to ask: its outcome is simulated.")
    if is_manual(payment.account) or not rail_of(payment).calls_provider(order_of(payment)):
        return _("%(account)s cannot be asked: only its statements tell what was paid.") % {"account": payment.account}
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
