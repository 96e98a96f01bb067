"""What an acquirer tells about a dispute, and what its list says: it is asked, unless it is believed."""

from datetime import datetime, timedelta
from functools import partial

import structlog
from django.db import transaction

from accounts.base import cells
from accounts.base.rows import retry_on_deadlock
from accounts.cells import cell_of
from gateway.cells.finding import cell_of_row
from gateway.providers import selectors as providers
from gateway.providers.disputes import DISPUTE, DisputeReport
from gateway.providers.lists import compare_all
from gateway.providers.models import ProviderAccount
from gateway.providers.notices import register
from gateway.providers.provider import Notice
from gateway.refunds.disputes.hearing import disputed, record
from gateway.refunds.disputes.models import Dispute

log = structlog.get_logger()
WINDOW = timedelta(days=200)
"""How old a dispute is at most that is looked up in an acquirer's list: until its second round has ended."""


@register(DISPUTE)
def hear(notice: Notice, account: ProviderAccount) -> bool:
    """Records what the acquirer says now, or has told if it is believed. False: the acquirer knows no disputes."""
    told = notice.dispute or _asked(account, notice.object_id.removeprefix(f"{DISPUTE}_"))
    if told is None:
        return False
    _record(account, told)
    return True


def _asked(account: ProviderAccount, reference: str) -> DisputeReport | None:
    at_acquirer = providers.disputes(account)
    return at_acquirer.ask(reference) if at_acquirer else None


def recover() -> None:
    """Finds in the lists of all acquirers what no message told of. Never call it inside a transaction."""
    compare_all(_compare)


def _compare(account: ProviderAccount, now: datetime) -> None:
    at_acquirer = providers.disputes(account)
    for told in at_acquirer.listed(now - WINDOW, now) if at_acquirer else ():
        _record(account, told)


def _record(account: ProviderAccount, told: DisputeReport) -> None:
    """In the cell of the payment. What no payment was known of was recorded in the first one, and moves there."""
    known = Dispute.objects.filter(account=account, reference=told.reference).first()
    home = cell_of_row(Dispute, known.pk) if known else cells.FIRST
    payment = disputed(account, told)
    cell = cell_of(payment.merchant) if payment else home
    if known and known.payment_id and cell != home:
        log.critical("dispute.told_otherwise", dispute=known.pk, told=told.money, known=known.money)
        return
    retry_on_deadlock(partial(_record_in, cell, account, told, stray_in=home if known and cell != home else None))


@transaction.atomic
def _record_in(cell: str, account: ProviderAccount, told: DisputeReport, *, stray_in: str | None) -> None:
    if stray_in is not None:
        with cells.opened(stray_in):
            Dispute.objects.filter(account=account, reference=told.reference, payment=None).delete()
    with cells.opened(cell):
        record(account, told)
