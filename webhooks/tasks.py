"""What the timetable asks of webhooks."""

from celery import shared_task

from webhooks import notices, retention


@shared_task
def look_after_endpoints() -> None:
    """Warns about endpoints that fail, and switches them off in the end."""
    notices.look_after_endpoints()


@shared_task
def forget() -> None:
    retention.forget_old()
