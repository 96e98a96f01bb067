"""Batches that make themselves at the cut-offs of a bank. They are released by two people, like all others."""

from datetime import datetime

import structlog
from celery.exceptions import SoftTimeLimitExceeded

from accounts.audit import ON_HOST
from accounts.environments import serves
from accounts.models import Environment
from gateway.payout_batches import files, services
from gateway.payout_batches.errors import NotPaidByFile
from gateway.payout_batches.selectors import Waiting, waiting_by_account
from gateway.providers.by_file import SATURDAY, PaysByFile

log = structlog.get_logger()


def gather(now: datetime) -> int:
    """Gathers, for each account, what was queued before its latest cut-off of the day; returns how many batches.

    Banks have no cut-offs on Saturdays and Sundays. Holidays are not known: a batch of one is not released.
    """
    if not serves(Environment.PRODUCTION):
        return 0
    made = 0
    for waiting in waiting_by_account():
        try:
            made += _gathered(waiting, now)
        except NotPaidByFile:  # it is paused, for example
            continue
        except SoftTimeLimitExceeded:
            raise
        except Exception:  # the next account may be fine
            log.exception("payout_batch.not_gathered", account=waiting.account.pk)
    return made


def _gathered(waiting: Waiting, now: datetime) -> int:
    way = files.way_of(waiting.account)
    cut_off = latest(way, now) if way else None
    if way is None or cut_off is None:
        return 0
    note, made = f"At the cut-off of {cut_off:%H:%M} ({way.zone})", 0
    given = (ON_HOST, waiting.account.pk, waiting.currency, cut_off.date(), note)
    while batch := services.gather_before(cut_off, *given):
        log.info("payout_batch.gathered", batch=batch.pk, account=batch.account_id, orders=batch.count)
        made += 1
    return made


def latest(way: PaysByFile, now: datetime) -> datetime | None:
    """The latest cut-off of this day at the bank. None: there was none yet, or banks do not work."""
    day = way.day(now)
    if day.weekday() >= SATURDAY:
        return None
    passed = (datetime.combine(day, one, way.zone) for one in way.cut_offs)
    return max((one for one in passed if one <= now), default=None)
