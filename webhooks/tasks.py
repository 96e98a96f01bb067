"""Celery tasks of webhooks."""

from contextlib import suppress

from celery import shared_task

from accounts.base.ranges.keeping import NotTheOwner
from webhooks import dispatch, due, retention

BATCH = 100


@shared_task
def deliver_webhooks() -> None:
    """Delivers if no dispatcher is alive."""
    dispatch.deliver_without_dispatcher()


@shared_task
def check_endpoints() -> None:
    """Warns about endpoints that fail, and switches them off in the end."""
    while due.check_endpoints(BATCH) >= BATCH:
        pass


@shared_task
def forget_events() -> None:
    """Where one role has everything; else `manage.py keep_ranges` does it, as the owner of the tables."""
    with suppress(NotTheOwner):
        retention.forget_old()
