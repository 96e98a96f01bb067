"""What no message told of: all money that institutions list is compared with what we know of it."""

from datetime import datetime, timedelta

from gateway.methods.rail import PaymentAction, PaymentResult
from gateway.payments.models import Payment
from gateway.payments.other_money import Cause
from gateway.providers import notices
from gateway.providers.lists import compare_all
from gateway.providers.models import ProviderAccount
from gateway.providers.provider import Arrival, Notice
from gateway.providers.selectors import arrivals
from gateway.suspense.holding import hold
from gateway.suspense.models import SuspenseItem

WINDOW = timedelta(days=2)
"""How far back it looks each time: a day without workers or callbacks is made up for."""


def recover() -> None:
    """Goes through the lists of all accounts with real money. Never call it inside a transaction."""
    compare_all(compare)


def compare(account: ProviderAccount, now: datetime, *, since: datetime | None = None) -> None:
    """Takes in what the account lists for the window, or since then, and is not known. Never inside a transaction."""
    for one in arrivals(account, since or now - WINDOW, now + timedelta(seconds=1)):  # lists know whole seconds
        if not _is_known(one):
            _take_in(account, one, now)


def _is_known(one: Arrival) -> bool:
    """At any account: one at the same bank, entered twice, lists the same money."""
    paid = Payment.objects.filter(account__isnull=False, method=one.method, rail_reference=one.money.reference)
    held = SuspenseItem.objects.filter(method=one.method, reference=one.money.reference)
    return paid.exists() or held.exists()


def _take_in(account: ProviderAccount, one: Arrival, now: datetime) -> None:
    """Queries the institution of the payment that it names. Money of no payment of ours is held.

    What arrives at a company's own account without naming a payment is the company's own business. What was sent back
    is asked for by the order that sent it.
    """
    if one.returned_id:
        notices.apply(Notice(one.returned_id, PaymentAction.REFUND), account)
        return
    payment = Payment.objects.filter(pk=one.payment_id, account__isnull=False).select_related("account").first()
    if payment and payment.account:
        notices.apply(Notice(payment.pk, PaymentAction.PAY, PaymentResult.DONE), payment.account)
        if payment.account == account or _is_known(one):
            return
    if one.payment_id or account.merchant_id is None:
        hold(account, one.money, Cause.UNKNOWN_CHARGE, now, method=one.method)
