"""The e-mail outbox: a row is written in the transaction of the change and sent after its commit."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from smtplib import SMTPRecipientsRefused
from typing import Any

import structlog
from django.core.mail import EmailMessage, get_connection
from django.db.models import QuerySet

from accounts.base.clock import utcnow
from accounts.base.ids import earliest
from accounts.due import Due
from accounts.emails.models import Email

log = structlog.get_logger()

LEASE_S = 120
"""Longer than the mail server can take: an attempt without a result by then is considered lost."""
DELAYS_S = (30, 120, 600, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 12 * 3600, 16 * 3600)
"""Delays after each failed attempt, two days in total. The e-mail fails after the next attempt."""
LONGEST_TURN_S = 60
KEPT_FOR = timedelta(days=30)
BATCH = 1000


def send_due() -> int:
    """Makes one attempt for each due e-mail, oldest first, for at most a minute; returns the number of attempts."""
    begun, attempts = time.monotonic(), 0
    while time.monotonic() - begun < LONGEST_TURN_S and SENDING.sweep(limit=1):
        attempts += 1
    return attempts


def send_again(email: Email) -> bool:
    """Restarts all attempts of a failed e-mail; returns False if it has not failed."""
    again = {"status": Email.Status.PENDING, "attempts": 0, "next_attempt_at": utcnow()}
    return bool(Email.objects.filter(pk=email.pk, status=Email.Status.FAILED).update(**again))


def forget_old() -> int:
    """Deletes e-mails older than thirty days in batches; returns how many."""
    oldest, forgotten = earliest("eml", utcnow() - KEPT_FOR), 0
    while deleted := Email.objects.filter(pk__in=_oldest(oldest)).delete()[0]:
        forgotten += deleted
    return forgotten


def _oldest(before: str) -> QuerySet[Email, Any]:
    return Email.objects.filter(pk__lt=before).order_by("pk").values("pk")[:BATCH]


def _begin(email: Email, _due_at: datetime) -> Callable[[], None]:
    """Attempts are counted when they start: if the process crashes while sending, the next run retries."""
    email.attempts += 1
    email.next_attempt_at = utcnow() + timedelta(seconds=LEASE_S)
    email.save(update_fields=["attempts", "next_attempt_at"])
    return partial(_attempt, email)


SENDING = Due(
    kind="email.sent",
    title="E-mails to send",
    model=Email,
    column="next_attempt_at",
    statuses=(Email.Status.PENDING,),
    run=_begin,
    everywhere=True,
)
DUE = (SENDING,)


def _attempt(email: Email) -> None:
    """Sends the e-mail and records the result. Attempts never overlap, unless one outlives its lease."""
    try:
        EmailMessage(email.subject, email.text, None, [email.recipient], connection=get_connection()).send()
    except (OSError, ValueError) as error:  # includes SMTP errors, and text that is not a valid header
        _failed(email, error)
    else:
        _set(email, status=Email.Status.SENT, next_attempt_at=None, sent_at=utcnow(), last_error="")


def _failed(email: Email, error: Exception) -> None:
    failure = {"last_error": f"{type(error).__name__}: {error}"[:500]}
    if email.attempts > len(DELAYS_S) or _is_final(error):
        log.error(
            "emails.given_up", email=email.pk, kind=email.kind, attempts=email.attempts, error=failure["last_error"]
        )
        _set(email, status=Email.Status.FAILED, next_attempt_at=None, **failure)
        return
    log.warning(
        "emails.not_sent", email=email.pk, kind=email.kind, attempts=email.attempts, error=failure["last_error"]
    )
    _set(email, next_attempt_at=utcnow() + timedelta(seconds=DELAYS_S[email.attempts - 1]), **failure)


def _is_final(error: Exception) -> bool:
    """Whether the mail server rejects this recipient or message permanently."""
    if isinstance(error, SMTPRecipientsRefused):
        return all(code >= 500 for code, _ in error.recipients.values())
    return isinstance(error, ValueError)


def _set(email: Email, **values: object) -> None:
    held = Email.objects.filter(pk=email.pk, status=Email.Status.PENDING, attempts=email.attempts)
    held.update(**values)
