"""The log line of stuck work says what broke and where, never what is in the row."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from accounts.base.clock import utcnow
from accounts.emails.outbox import SENDING
from accounts.models import Email, StuckWork

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
