"""Celery tasks of the e-mail outbox."""

from contextlib import suppress

from celery import shared_task
from kombu.exceptions import OperationalError

from accounts.emails import outbox

WORTH_S = 30
"""How long a wake-up is valid; a worker that is busy for longer finds the e-mail at its next scheduled run."""


@shared_task
def send_emails() -> None:
    """Sends due e-mails."""
    outbox.send_due()


@shared_task
def forget_emails() -> None:
    outbox.forget_old()


def wake() -> None:
    """Wakes a worker for a new e-mail. If the broker is down the scheduled run sends it later."""
    with suppress(OperationalError):
        send_emails.apply_async(expires=WORTH_S, retry=False)
