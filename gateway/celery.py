"""The worker and its timetable. Every task only says "look": work is claimed from rows and harmless when doubled."""

import os
from contextlib import suppress
from datetime import timedelta

from celery import Celery
from celery.signals import beat_init
from kombu.exceptions import OperationalError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gateway.settings")

TASKS = [
    "accounts.emails",
    "gateway",
    "gateway.payments",
    "gateway.refunds",
    "gateway.withdrawals",
    "ledger",
    "ledger.closings",
    "ledger.rates",
    "ledger.receivables",
    "webhooks",
]  # every package with a tasks.py

app = Celery("onpay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(TASKS)
TIMETABLE = {
    "heartbeat": ("gateway.tasks.heartbeat", timedelta(seconds=5)),
    "ask-about-payments": ("gateway.payments.tasks.ask", timedelta(seconds=2)),
    "expire-payments": ("gateway.payments.tasks.expire", timedelta(seconds=15)),
    "look-after-refunds": ("gateway.refunds.tasks.look", timedelta(seconds=2)),
    "look-after-withdrawals": ("gateway.withdrawals.tasks.look", timedelta(seconds=2)),
    "sum-up-withdrawals": ("gateway.withdrawals.tasks.sum_up", timedelta(minutes=10)),
    "fetch-rates": ("ledger.rates.tasks.fetch", timedelta(minutes=1)),
    "forget-rates": ("ledger.rates.tasks.forget", timedelta(hours=6)),
    "release-receivables": ("ledger.receivables.tasks.release", timedelta(seconds=10)),
    "deliver-webhooks": ("webhooks.tasks.deliver", timedelta(seconds=1)),
    "look-after-endpoints": ("webhooks.tasks.look_after_endpoints", timedelta(minutes=1)),
    "forget-events": ("webhooks.tasks.forget", timedelta(minutes=10)),
    "send-emails": ("accounts.emails.tasks.send", timedelta(seconds=10)),
    "forget-emails": ("accounts.emails.tasks.forget", timedelta(hours=1)),
    "close-days": ("ledger.closings.tasks.close", timedelta(minutes=10)),
    "verify-ledger": ("ledger.tasks.verify", timedelta(minutes=5)),
    "forget-cards": ("gateway.tasks.forget_cards", timedelta(hours=1)),
    "forget-idempotency-keys": ("gateway.tasks.forget_idempotency_keys", timedelta(hours=1)),
    "forget-sessions": ("gateway.tasks.forget_sessions", timedelta(hours=1)),
    "forget-requests": ("gateway.tasks.forget_requests", timedelta(minutes=10)),
}
# A turn that nobody took in its time is not taken later: the next one looks at the same rows.
app.conf.beat_schedule = {
    name: {"task": task, "schedule": every, "options": {"expires": every.total_seconds()}}
    for name, (task, every) in TIMETABLE.items()
}


AT_ONCE = ("gateway.tasks.heartbeat", "ledger.tasks.verify")


@beat_init.connect
def beat_at_once(**_: object) -> None:
    """The first heartbeat and the first proof of the books run at startup."""
    with suppress(OperationalError):  # a broker that is away gets them by their turn
        for task in AT_ONCE:
            app.send_task(task, retry=False)
