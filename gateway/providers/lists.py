"""Lists of institutions, compared with what we know of them, account by account."""

from collections.abc import Callable
from datetime import datetime, timedelta

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db.models import Q

from accounts.base.clock import utcnow
from accounts.cells import all_cells
from accounts.environments import serves
from accounts.models import Environment
from gateway.providers.errors import CallFailed
from gateway.providers.models import ProviderAccount

log = structlog.get_logger()
_USED = (ProviderAccount.Status.ACTIVE, ProviderAccount.Status.PAUSED)


def compare_all(compare: Callable[[ProviderAccount, datetime], None], closed_for: timedelta = timedelta(0)) -> None:
    """Calls `compare` for each account with real money, where that is served. One that fails delays no other.

    `closed_for`: also for accounts that are closed for less than this. Never call it inside a transaction.
    """
    if not serves(Environment.PRODUCTION):
        return
    just_closed = Q(status=ProviderAccount.Status.CLOSED, updated_at__gt=utcnow() - closed_for)
    accounts = ProviderAccount.objects.filter(system=ProviderAccount.System.PRODUCTION)
    used = accounts.filter(Q(status__in=_USED) | just_closed)
    for account in used.select_related("merchant").order_by("pk"):
        try:
            with all_cells():  # else what is known in another cell would be unknown
                compare(account, utcnow())
        except CallFailed as failed:
            log.warning("provider.not_listed", account=account.pk, reason=failed.reason)
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            log.exception("provider.not_listed", account=account.pk)
