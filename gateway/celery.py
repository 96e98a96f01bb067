"""The worker and its schedule. Tasks only trigger sweeps: work is claimed from rows, so a duplicate is harmless."""

import os
from contextlib import suppress
from datetime import timedelta
from typing import Any, NamedTuple

from celery import Celery
from celery.contrib.django.task import DjangoTask
from celery.exceptions import SoftTimeLimitExceeded
from celery.signals import beat_init
from django.conf import settings
from kombu import Queue
from kombu.exceptions import OperationalError

from accounts.base.cells import FIRST
from accounts.base.retryable import is_refused_by_move
from accounts.clock_check import clock_check

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gateway.settings")

TASKS = [
    "accounts.emails",
    "accounts.notifications",
    "accounts.proposals",
    "accounts.viewing",
    "gateway",
    "gateway.boletos",
    "gateway.bulk",
    "gateway.evidence",
    "gateway.months",
    "gateway.payments",
    "gateway.payout_schedules",
    "gateway.payout_batches",
    "gateway.providers",
    "gateway.readiness",
    "gateway.refunds",
    "gateway.reports",
    "gateway.sales",
    "gateway.saved_cards",
    "gateway.reconciliation",
    "gateway.settlements",
    "gateway.suspense",
    "gateway.withdrawals",
    "ledger",
    "ledger.closings",
    "ledger.holds",
    "ledger.rates",
    "ledger.receivables",
    "webhooks",
]  # every package with a tasks.py


class PunctualTask(DjangoTask):
    """Does nothing where the clock is wrong, not even a heartbeat: another host does it when it is sent again.

    What is about rows in cells is done in one after the other of those that this process serves; everything else sees
    all of them, and is done by processes that serve the first one.
    """

    abstract = True

    def __call__(self, *args: Any, **given: Any) -> Any:
        from accounts.cells import all_cells, each_of, served  # noqa: PLC0415  there are no models yet when tasks are declared

        if not clock_check.is_right():
            return
        cells = served()
        if self.name not in IN_CELLS:
            if FIRST in cells or self.name in OF_EACH:
                with all_cells():
                    super().__call__(*args, **given)
            return
        raised: Exception | None = None
        for _ in each_of(cells):
            try:
                super().__call__(*args, **given)
            except SoftTimeLimitExceeded:
                raise
            except Exception as error:  # noqa: BLE001  one cell holds up no other: it raises at the end
                raised = raised if is_refused_by_move(error) else error  # the next run finds what has moved
        if raised:
            raise raised


app = Celery("onpay", task_cls=PunctualTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(TASKS)
MONEY, SANDBOX, MESSAGES, BACKGROUND, PROOFS = QUEUES = ("money", "sandbox", "messages", "background", "proofs")
"""Long tasks never delay money: each queue has its own workers (docs/operations.md)."""
OF_ENVIRONMENT = {MONEY: "PRODUCTION", SANDBOX: "SANDBOX"}
"""Queues with the work of one environment. The others are everybody's."""


class Turn(NamedTuple):
    """A scheduled task: its name, queue and interval, what it is given, whether it is about what is in cells, and
    whether it knows itself which of them its process serves.
    """

    task: str
    queue: str
    every: timedelta
    given: tuple[str, ...] = ()
    in_cells: bool = True
    of_each: bool = False


def _heartbeat(task: str, queue: str, given: tuple[str, ...] = ()) -> Turn:
    return Turn(task, queue, timedelta(seconds=5), given, in_cells=False, of_each=True)


def _of_merchants(queue: str, before: str = "") -> dict[str, Turn]:
    """The sweeps over records of merchants, and the heartbeat of the worker that does them."""
    environment = OF_ENVIRONMENT[queue]
    swept = {
        "payments": ("gateway.payments.tasks.sweep_payments", 2),
        "refunds": ("gateway.refunds.tasks.sweep_refunds", 2),
        "evidence": ("gateway.evidence.tasks.sweep_evidence", 30),
        "withdrawals": ("gateway.withdrawals.tasks.sweep_withdrawals", 2),
        "payout-schedules": ("gateway.payout_schedules.tasks.sweep_payout_schedules", 30),
        "reports": ("gateway.reports.tasks.sweep_reports", 30),
        "reserves": ("ledger.holds.tasks.sweep_reserves", 30),
        "bulk-lines": ("gateway.bulk.tasks.sweep_bulk_lines", 5),
        "receivables": ("ledger.receivables.tasks.sweep_receivables", 10),
    }
    return {
        f"{before}heartbeat": _heartbeat("gateway.tasks.heartbeat", queue, (environment,)),
        **{
            f"sweep-{before}{name}": Turn(task, queue, timedelta(seconds=seconds), (environment,))
            for name, (task, seconds) in swept.items()
        },
    }


def _is_served(queue: str) -> bool:
    return OF_ENVIRONMENT.get(queue) in (None, *settings.ENVIRONMENTS)


ALL_TURNS = {
    **_of_merchants(SANDBOX, "sandbox-"),
    **_of_merchants(MONEY),
    "sweep-suspense": Turn("gateway.suspense.tasks.sweep_suspense", MONEY, timedelta(seconds=10), in_cells=False),
    "sweep-provider-messages": Turn(
        "gateway.providers.tasks.sweep_provider_messages", MONEY, timedelta(seconds=2), in_cells=False
    ),
    "sweep-payout-batches": Turn(
        "gateway.payout_batches.tasks.sweep_batches", MONEY, timedelta(seconds=10), in_cells=False
    ),
    "gather-payout-batches": Turn(
        "gateway.payout_batches.tasks.gather_batches", MONEY, timedelta(seconds=30), in_cells=False
    ),
    "remove-saved-cards": Turn("gateway.saved_cards.tasks.sweep_removals", MONEY, timedelta(seconds=30)),
    "fetch-rates": Turn("ledger.rates.tasks.fetch_rates", MESSAGES, timedelta(minutes=1), in_cells=False),
    "deliver-webhooks": Turn(
        "webhooks.tasks.deliver_webhooks", MESSAGES, timedelta(seconds=1), in_cells=False, of_each=True
    ),
    "check-endpoints": Turn("webhooks.tasks.check_endpoints", MESSAGES, timedelta(minutes=1)),
    "send-emails": Turn("accounts.emails.tasks.send_emails", MESSAGES, timedelta(seconds=10), in_cells=False),
    "summarize-withdrawals": Turn("gateway.withdrawals.tasks.summarize_withdrawals", MESSAGES, timedelta(minutes=10)),
    "messages-heartbeat": _heartbeat("gateway.tasks.messages_heartbeat", MESSAGES),
    "background-heartbeat": _heartbeat("gateway.tasks.background_heartbeat", BACKGROUND),
    "end-staff-views": Turn("accounts.viewing.tasks.end_views", BACKGROUND, timedelta(minutes=1), in_cells=False),
    "expire-proposals": Turn(
        "accounts.proposals.tasks.expire_proposals", BACKGROUND, timedelta(minutes=10), in_cells=False
    ),
    "recover-money": Turn("gateway.suspense.tasks.recover_money", BACKGROUND, timedelta(minutes=10), in_cells=False),
    "recover-clawbacks": Turn(
        "gateway.refunds.tasks.recover_clawbacks", BACKGROUND, timedelta(hours=1), in_cells=False
    ),
    "sweep-settlements": Turn(
        "gateway.settlements.tasks.sweep_settlements", BACKGROUND, timedelta(minutes=1), in_cells=False
    ),
    "sweep-bank-files": Turn(
        "gateway.reconciliation.tasks.sweep_bank_files", BACKGROUND, timedelta(minutes=1), in_cells=False
    ),
    "watch-evidence": Turn("gateway.evidence.tasks.watch_evidence", BACKGROUND, timedelta(minutes=1)),
    "watch-statements": Turn(
        "gateway.reconciliation.tasks.watch_statements", BACKGROUND, timedelta(hours=1), in_cells=False
    ),
    "fetch-bank-files": Turn(
        "gateway.reconciliation.tasks.fetch_bank_files", BACKGROUND, timedelta(hours=1), in_cells=False
    ),
    "sweep-readiness-checks": Turn("gateway.readiness.tasks.sweep_readiness_checks", BACKGROUND, timedelta(seconds=30)),
    "sweep-boletos": Turn("gateway.boletos.tasks.sweep_boletos", BACKGROUND, timedelta(seconds=20), in_cells=False),
    "write-registration-files": Turn(
        "gateway.boletos.tasks.write_registration_files", BACKGROUND, timedelta(minutes=15), in_cells=False
    ),
    "open-settlement-days": Turn(
        "gateway.settlements.tasks.open_settlement_days", BACKGROUND, timedelta(hours=1), in_cells=False
    ),
    "prove-books": Turn("ledger.tasks.prove_books", PROOFS, timedelta(minutes=5)),
    "prove-all-books": Turn("ledger.tasks.prove_all_books", PROOFS, timedelta(minutes=10)),
    "watch-proofs": Turn("ledger.tasks.watch_proofs", MESSAGES, timedelta(minutes=5)),
    "sum-up-sales": Turn("gateway.sales.tasks.sum_up_sales", BACKGROUND, timedelta(minutes=1)),
    "close-days": Turn("ledger.closings.tasks.close_days", BACKGROUND, timedelta(minutes=10)),
    "close-months": Turn("gateway.months.tasks.close_months", BACKGROUND, timedelta(seconds=5)),
    "forget-rates": Turn("ledger.rates.tasks.forget_rates", BACKGROUND, timedelta(hours=6), in_cells=False),
    "forget-events": Turn("webhooks.tasks.forget_events", BACKGROUND, timedelta(minutes=10)),
    "forget-emails": Turn("accounts.emails.tasks.forget_emails", BACKGROUND, timedelta(hours=1), in_cells=False),
    "forget-notifications": Turn(
        "accounts.notifications.tasks.forget_notifications", BACKGROUND, timedelta(hours=1), in_cells=False
    ),
    "forget-cards": Turn("gateway.tasks.forget_cards", BACKGROUND, timedelta(hours=1), in_cells=False),
    "forget-idempotency-keys": Turn("gateway.tasks.forget_idempotency_keys", BACKGROUND, timedelta(hours=1)),
    "forget-sessions": Turn("gateway.tasks.forget_sessions", BACKGROUND, timedelta(hours=1), in_cells=False),
    "forget-requests": Turn("gateway.tasks.forget_requests", BACKGROUND, timedelta(minutes=10)),
    "forget-provider-messages": Turn(
        "gateway.providers.tasks.forget_provider_messages", BACKGROUND, timedelta(minutes=10), in_cells=False
    ),
    "forget-stuck-work": Turn("gateway.tasks.forget_stuck_work", BACKGROUND, timedelta(hours=1), in_cells=False),
}
IN_CELLS = {turn.task for turn in ALL_TURNS.values() if turn.in_cells}
OF_EACH = {turn.task for turn in ALL_TURNS.values() if turn.of_each}
TIMETABLE = {name: turn for name, turn in ALL_TURNS.items() if _is_served(turn.queue)}
# A worker started without -Q serves all of its environments.
app.conf.task_queues = [Queue(name) for name in QUEUES if _is_served(name)]
app.conf.task_default_queue = MESSAGES
app.conf.task_routes = {turn.task: {"queue": turn.queue} for turn in TIMETABLE.values()}
# A run that no worker picked up in time is dropped: the next one finds the same rows.
app.conf.beat_schedule = {
    name: {
        "task": turn.task,
        "schedule": turn.every,
        "args": turn.given,
        "options": {"queue": turn.queue, "expires": turn.every.total_seconds()},
    }
    for name, turn in TIMETABLE.items()
}


AT_ONCE = tuple(name for name in TIMETABLE if name.endswith("heartbeat") or name == "prove-books")


@beat_init.connect
def beat_at_once(**_: object) -> None:
    """The first heartbeat and the first proof of the books run at startup."""
    with suppress(OperationalError):  # if the broker is down, the scheduled run does it
        for turn in map(TIMETABLE.__getitem__, AT_ONCE):
            app.send_task(turn.task, turn.given, queue=turn.queue, retry=False)
