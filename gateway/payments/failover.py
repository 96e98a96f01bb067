"""Another account of the route takes a payment over, after one at which nothing has happened."""

from datetime import datetime, timedelta

from gateway.methods.rail import PaymentAction, PaymentOutcome, PaymentResult
from gateway.payments import saved
from gateway.payments.models import Payment
from gateway.payments.provider import finish, save, unclear
from gateway.providers.asking import settle_outcome
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import by_health

REFUSED_BY_ALL = ("PROVIDER_REFUSED", "No provider accepted the payment.")
UNREACHED_FOR = timedelta(minutes=1)
"""Until the providers are asked again if none could be reached."""


def turn_elsewhere(payment: Payment, outcome: PaymentOutcome, at: datetime) -> Payment:
    """Nothing has happened at this provider: the next one is asked. Without one it has failed, or waits for the first.

    An order that was possibly sent before may still arrive there: then only a refusal is definite.
    """
    is_refused = outcome.answered == PaymentResult.REFUSED
    if not is_refused and (payment.unclear_since or payment.asked_times > 1):
        return unclear(payment, at)
    accounts = saved.accounts_of(payment)
    settle_outcome(payment)
    if following := _after(payment.account_id, accounts):
        saved.take(payment, following)
        payment.asked_times, payment.ask_at = 0, at
    elif is_refused:
        failure = outcome.failure or REFUSED_BY_ALL
        return finish(payment, PaymentAction.PREPARE, PaymentOutcome(PaymentResult.DECLINED, failure=failure), at)
    else:
        if accounts:
            saved.take(payment, by_health(accounts)[0])
        payment.asked_times, payment.ask_at = 0, at + UNREACHED_FOR
    save(payment)
    return payment


def _after(account_id: str | None, accounts: list[ProviderAccount]) -> ProviderAccount | None:
    known = [account.pk for account in accounts]
    if account_id not in known:
        return None
    return next(iter(by_health(accounts[known.index(account_id) + 1 :])), None)
