"""Celery task of the notification centre."""

from celery import shared_task

from accounts.notifications import services


@shared_task
def forget_notifications() -> None:
    services.forget_old()
