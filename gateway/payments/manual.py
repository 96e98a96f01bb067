"""Money that only people know of: which payments await staff."""

from django.db.models import Q

from accounts.base import clock
from accounts.models import Environment
from gateway.payments.models import OPEN, UNDECIDED, Payment
from gateway.providers.asking import is_overdue
from gateway.providers.models import ProviderAccount
from gateway.providers.registry import declared


def awaits_staff(payment: Payment) -> bool:
    """Whether staff say what became of it: nobody can be asked, or the answer stayed unclear past its deadline."""
    if payment.account is None or payment.status not in UNDECIDED:
        return False
    return is_manual(payment.account) or is_overdue(payment, clock.now(payment.merchant))


def is_manual(account: ProviderAccount) -> bool:
    """Whether people watch the account, because its provider cannot be asked."""
    return account.provider in without_answers()


def unasked() -> Q:
    """Open payments whose provider cannot be asked."""
    return Q(status__in=OPEN, merchant__environment=Environment.PRODUCTION, account__provider__in=without_answers())


def without_answers() -> list[str]:
    """The names of the providers that cannot be asked."""
    return [name for name, provider in declared().items() if not provider.answers]
