"""What the timetable asks of e-mails, and what wakes it earlier."""

from contextlib import suppress

from celery import shared_task
from kombu.exceptions import OperationalError

from accounts.emails import outbox

WORTH_S = 30
"""A worker that is busy for longer finds the e-mail by its turn in the timetable."""


@shared_task
def send() -> None:
    """Sends the e-mails that are due."""
    outbox.send_due()


@shared_task
def forget() -> None:
    outbox.forget_old()


def wake() -> None:
    """Tells a worker that an e-mail was written. A broker that is away costs time: the timetable looks as well."""
    with suppress(OperationalError):
        send.apply_async(expires=WORTH_S, retry=False)
