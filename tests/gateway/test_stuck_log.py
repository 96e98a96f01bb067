"""The log line of stuck work says what broke and where, never what is in the row."""

import json
import sys
from datetime import timedelta
from typing import Any

import pytest
import structlog
from django.db import connection

from accounts.base.clock import utcnow
from accounts.emails.outbox import SENDING
from accounts.models import Email, StuckWork
from gateway.celery import app

SECRET = "https://onpay.example/reset/a-link-that-signs-in"
CARD = "4111 1111 1111 1111"


@pytest.mark.django_db
def test_the_log_of_stuck_work_holds_nothing_of_the_row(capfd: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE accounts_email ADD CONSTRAINT never CHECK (attempts = 0)")
    email = Email.objects.create(kind="x", recipient="a@b.example", subject=f"Card {CARD}", text=SECRET)
    Email.objects.update(next_attempt_at=utcnow() - timedelta(minutes=1))
    capfd.readouterr()

    assert SENDING.sweep() == 0

    assert StuckWork.objects.get().object_id == email.pk
    told = capfd.readouterr().err
    [line] = [json.loads(one) for one in told.splitlines() if "sweep.stuck" in one]
    assert (line["id"], line["error"]) == (email.pk, "IntegrityError")
    assert "never" in json.dumps(line["exception"])
    assert [one for one in (SECRET, CARD, "a@b.example") if one in told] == []


def test_a_worker_writes_our_lines_as_they_are(capfd: Any) -> None:
    """As `celery worker` sets its logs up: quoted in a line of Celery's, what is critical would be a warning."""
    before = sys.stdout, sys.stderr
    try:
        app.log.setup("WARNING", redirect_stdouts=app.conf.worker_redirect_stdouts)
        structlog.get_logger().critical("ledger.violation")
    finally:
        sys.stdout, sys.stderr = before

    [line] = [json.loads(one) for one in "".join(capfd.readouterr()).splitlines() if "ledger.violation" in one]
    assert (line["event"], line["level"]) == ("ledger.violation", "critical")
