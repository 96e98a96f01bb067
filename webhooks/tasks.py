"""Celery tasks of webhooks."""

from celery import shared_task

from webhooks import dispatch, notices, retention


@shared_task
def deliver_webhooks() -> None:
    """Delivers if no dispatcher is alive."""
    dispatch.stand_in()


@shared_task
def check_endpoints() -> None:
    """Warns about endpoints that fail, and switches them off in the end."""
    notices.check_endpoints()


@shared_task
def forget_events() -> None:
    retention.forget_old()
