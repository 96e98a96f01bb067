"""Celery tasks of webhooks."""

from celery import shared_task

from webhooks import dispatch, notices, retention


@shared_task
def deliver() -> None:
    """Delivers if no dispatcher is alive."""
    dispatch.stand_in()


@shared_task
def look_after_endpoints() -> None:
    """Warns about endpoints that fail, and switches them off in the end."""
    notices.look_after_endpoints()


@shared_task
def forget() -> None:
    retention.forget_old()
