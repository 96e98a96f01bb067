"""Files that banks put in their folders for us: fetched again and again, each taken in once."""

from collections.abc import Sequence
from random import shuffle

import structlog
from celery.exceptions import SoftTimeLimitExceeded

from accounts.environments import serves
from accounts.models import Environment
from gateway.providers.by_file import Inbox
from gateway.providers.errors import CallFailed
from gateway.providers.models import ProviderAccount
from gateway.providers.selectors import inbox_of
from gateway.reconciliation import files
from gateway.reconciliation.handlers import DocumentRefused
from gateway.reconciliation.models import BankAccount

log = structlog.get_logger()


def fetch() -> int:
    """Looks into the folder of every active account whose bank account is known; returns how many files are new.

    One that fails delays no other. Their order is another one each time, so that neither does one that takes long.
    """
    if not serves(Environment.PRODUCTION):
        return 0
    active = ProviderAccount.objects.filter(
        status=ProviderAccount.Status.ACTIVE, system=ProviderAccount.System.PRODUCTION, bank_accounts__is_closed=False
    )
    accounts = list(active.select_related("merchant").distinct())
    shuffle(accounts)
    return sum(map(_fetched, accounts))


def _fetched(account: ProviderAccount) -> int:
    ours = list(account.bank_accounts.filter(is_closed=False).order_by("code"))
    try:
        inbox = inbox_of(account)
        return _taken_from(inbox, ours) if inbox else 0
    except CallFailed as failed:
        log.warning("bank_folder.unreachable", account=account.pk, reason=failed.reason)
    except SoftTimeLimitExceeded:
        raise
    except Exception:
        log.exception("bank_folder.failed", account=account.pk)
    return 0


def _taken_from(inbox: Inbox, ours: Sequence[BankAccount]) -> int:
    new = 0
    for name, content in inbox.received():
        if files.is_known(ours, content):
            continue
        try:
            new += files.fetched(_named(ours, content), _printable(name), content) is not None
        except SoftTimeLimitExceeded:
            raise
        except Exception:  # the next file may be fine
            log.exception("bank_folder.file_failed", file=_printable(name))
    return new


def _named(ours: Sequence[BankAccount], content: bytes) -> BankAccount:
    """The bank account that the file is about; the first, which then refuses it, if it is about none."""
    for account in ours if len(ours) > 1 else ():
        try:
            files.documents_of(account, content)
        except DocumentRefused:
            continue
        return account
    return ours[0]


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in name)
