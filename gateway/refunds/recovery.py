"""Money that institutions have taken back, as they tell or list it: of a payment, or of money in suspense."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby

from accounts.base.rows import retry_on_deadlock
from accounts.cells import in_cell_of
from gateway.methods.rail import Clawback
from gateway.payments.models import Payment
from gateway.payments.provider import rail_of
from gateway.providers.lists import compare_all
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import clawbacks
from gateway.providers.selectors import rail_of as rail_at
from gateway.refunds.clawbacks import is_known, settle
from gateway.suspense.services import end_by_clawback, held

WINDOW = timedelta(days=100)
"""How old the money is at most: MED takes claims for 80 days, and ends them after 11 more."""


def recover() -> None:
    """Finds in the lists of all accounts what no message told of. Never call it inside a transaction."""
    compare_all(_compare)


def _compare(account: ProviderAccount, now: datetime) -> None:
    listed = clawbacks(account, now - WINDOW, now + timedelta(seconds=1))  # lists know whole seconds
    for money, told in groupby(listed, key=lambda one: one.money):
        take_in(account, money, told)


def ask(account: ProviderAccount, money: str) -> bool:
    """Asks the account what it took back of money, and records it; False: the money is unknown. Raises CallFailed."""
    payment, item = payment_of(account, money), held(account, money)
    if payment:
        return take_in(account, money, rail_of(payment).clawbacks(money))
    if item is None:
        return False
    return take_in(account, money, rail_at(account, item.method, item.currency, of=item.merchant).clawbacks(money))


def take_in(account: ProviderAccount, money: str, told: Iterable[Clawback]) -> bool:
    """Records what an account took back of money that it had received; False: the money is unknown."""
    payment = payment_of(account, money)
    if payment is None:
        return any([end_by_clawback(account, one) for one in told if one.is_done])
    if news := [one for one in told if one.is_done and not is_known(payment.pk, one)]:
        with in_cell_of(payment.merchant):
            retry_on_deadlock(partial(settle, payment.merchant, payment.pk, news))
    return True


def payment_of(account: ProviderAccount, money: str) -> Payment | None:
    """The payment of an account's money, by the account's own id of the money."""
    paid = Payment.objects.filter(account=account, rail_reference=money, rail_reference__iexact=money)  # for the index
    return paid.select_related("merchant__company").first()
