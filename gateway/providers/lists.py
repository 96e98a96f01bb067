"""Lists of institutions, compared with what we know of them, account by account."""

from collections.abc import Callable
from datetime import datetime

import structlog
from celery.exceptions import SoftTimeLimitExceeded

from accounts.base.clock import utcnow
from accounts.environments import serves
from accounts.models import Environment
from gateway.providers.errors import CallFailed
from gateway.providers.models import ProviderAccount

log = structlog.get_logger()
_USED = (ProviderAccount.Status.ACTIVE, ProviderAccount.Status.PAUSED)


def compare_all(compare: Callable[[ProviderAccount, datetime], None]) -> None:
    """Calls `compare` for each account with real money, where that is served. One that fails delays no other.

    Never call it inside a transaction.
    """
    if not serves(Environment.PRODUCTION):
        return
    used = ProviderAccount.objects.filter(status__in=_USED, system=ProviderAccount.System.PRODUCTION)
    for account in used.select_related("merchant").order_by("pk"):
        try:
            compare(account, utcnow())
        except CallFailed as failed:
            log.warning("provider.not_listed", account=account.pk, reason=failed.reason)
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            log.exception("provider.not_listed", account=account.pk)
