"""The state of the whole service, read from the database when Prometheus asks.

Ages are in seconds, amounts in minor units. A part that cannot be read costs none of the others.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from math import inf
from threading import Lock
from time import monotonic
from typing import Any

import structlog
from django.db import connection
from django.db.models import Count, Min, Sum
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from accounts import heartbeats
from accounts.base.clock import utcnow
from accounts.base.periods import Period
from accounts.base.ranges.keeping import ahead, overdue
from accounts.cells import all_cells, each_cell
from accounts.models import Environment, StuckWork
from gateway.database.reading import limited
from gateway.overview.late import late_tasks, waiting
from gateway.pausing import pauses
from gateway.payments.acceptance import of_everybody
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount
from gateway.reconciliation.standing import standings
from gateway.refunds.models import Refund
from gateway.requests import retention as of_requests
from gateway.suspense.models import OPEN, SuspenseItem
from gateway.withdrawals.models import Withdrawal
from ledger.proofs import selectors as proofs
from ledger.proofs.rounds import last_round
from webhooks import retention as of_events
from webhooks.dispatch import STAND_IN
from webhooks.selectors import failing

log = structlog.get_logger()
LONGEST_MS = 5000
"""Of one statement."""
KEPT_S = 10.0
"""Several Prometheus servers, or an impatient one, cost no more than one."""
RECENT = timedelta(minutes=15)


def gauge(name: str, says: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"onpay_{name}", says, labels=labels)


def work(now: datetime) -> Iterator[Metric]:
    """Due rows of every kind, the outbox of webhooks and e-mails among them."""
    rows = gauge("due_rows", "Rows that are due, counted up to 1000", "work")
    oldest = gauge("due_oldest_seconds", "How late the oldest due row is", "work")
    for one, count, since in waiting(now):
        rows.add_metric([one.title], count)
        oldest.add_metric([one.title], _age(since, now))
    stuck = gauge("stuck_rows", "Rows whose work raised, and is tried again later", "work")
    for kind, count in StuckWork.objects.values_list("kind").annotate(Count("pk")):
        stuck.add_metric([kind], count)
    yield from (rows, oldest, stuck)


def schedule(now: datetime) -> Iterator[Metric]:
    says = (
        "Since the last heartbeat of a process without HTTP; in a cell, where some processes serve certain cells only"
    )
    beats = gauge("heartbeat_age_seconds", says, "process", "cell")
    for last in heartbeats.last():
        if last.part != STAND_IN:  # whoever is, and where, for as long as it is
            beats.add_metric([last.part, last.cell], _age(last.beat_at, now) if last.beat_at else inf)
    late = gauge("late_task_seconds", "Since the last run of a scheduled task that was not started in time", "task")
    for task, last_run_at in late_tasks(now):
        late.add_metric([task.name], _age(last_run_at, now))
    paused = gauge("paused_task_seconds", "How long staff have paused a scheduled task", "task")
    for one in pauses():
        paused.add_metric([one.task.name], _age(one.since or one.task.date_changed, now))
    yield from (beats, late, paused)


_PROOFS = {
    "proof_age_seconds": "Since the last finished proof of the books began",
    "proof_duration_seconds": "How long it took",
    "proof_violations": "How many invariants it found violated",
    "proofs_not_finished": "Later runs that did not finish",
    "proof_round_seconds": "How long the last round over everything old took",
}


def books(now: datetime) -> Iterator[Metric]:
    """Each figure is that of the cell in which it is worst."""
    worst: dict[str, float] = {}
    for _ in each_cell():
        for name, value in _proved(now):
            worst[name] = max(worst.get(name, 0), value)
    for name, says in _PROOFS.items():
        found = gauge(name, says)
        if name in worst:
            found.add_metric([], worst[name])
        yield found


def _proved(now: datetime) -> Iterator[tuple[str, float]]:
    last = proofs.last()
    yield "proofs_not_finished", proofs.stopped_since(last)
    if last and last.finished_at:
        yield "proof_age_seconds", _age(last.started_at, now)
        yield "proof_duration_seconds", (last.finished_at - last.started_at).total_seconds()
        yield "proof_violations", len(last.violations)
    if ended := last_round():
        assert ended.ended_at
        yield "proof_round_seconds", (ended.ended_at - ended.began_at).total_seconds()


def unclear(now: datetime) -> Iterator[Metric]:
    """Provider calls whose outcome nobody knows yet, in production."""
    count = gauge("unclear", "Records whose outcome at the provider is unclear", "record")
    overdue = gauge("unclear_overdue", "Those past the time by which it had to be certain", "record")
    late = gauge("unclear_overdue_seconds", "How far the oldest of them is past it", "record")
    for model in (Payment, Refund, Withdrawal):
        name = model._meta.model_name or ""
        real = model._default_manager.filter(certain_by__isnull=False, merchant__environment=Environment.PRODUCTION)
        past = real.filter(certain_by__lt=now).aggregate(count=Count("pk"), since=Min("certain_by"))
        count.add_metric([name], real.count())
        overdue.add_metric([name], past["count"])
        late.add_metric([name], _age(past["since"], now) if past["since"] else 0)
    yield from (count, overdue, late)


def suspense(now: datetime) -> Iterator[Metric]:
    items = gauge("suspense_items", "Money that belongs to nobody yet", "cause", "currency")
    amount = gauge("suspense_amount", "Its sum in minor units", "cause", "currency")
    oldest = gauge("suspense_oldest_seconds", "Since the oldest of it arrived", "cause", "currency")
    held = SuspenseItem.objects.filter(state__in=OPEN).values_list("cause", "currency")
    for cause, currency, count, total, since in held.annotate(Count("pk"), Sum("amount"), Min("received_at")):
        items.add_metric([cause, currency], count)
        amount.add_metric([cause, currency], total)
        oldest.add_metric([cause, currency], _age(since, now))
    yield from (items, amount, oldest)


def banks(now: datetime) -> Iterator[Metric]:
    difference = gauge("bank_difference", "Closing balance beyond the books", "bank_account", "currency")
    missing = gauge("bank_statement_missing_seconds", "How long a statement has been missing", "bank_account")
    for one in standings():
        difference.add_metric([one.account.code, one.account.currency], one.difference)
        if one.account.missing_since:
            missing.add_metric([one.account.code], _age(one.account.missing_since, now))
    yield from (difference, missing)


def payments(now: datetime) -> Iterator[Metric]:
    """Real payments that were created in the last quarter of an hour."""
    recent = gauge("recent_payments", "Payments of the last 15 minutes", "account", "method", "currency", "outcome")
    for one in of_everybody(Period(now - RECENT, now, UTC)):
        outcomes = {"paid": one.paid, "declined": one.declined, "technical": one.technical}
        for outcome, count in (outcomes | {"moved": one.moved, "open": one.undecided}).items():
            recent.add_metric([one.acquirer, one.method, one.currency, outcome], count)
    yield recent


def providers(now: datetime) -> Iterator[Metric]:
    ends = gauge("certificate_ends_seconds", "Until the certificate of a provider account ends", "account")
    known = ProviderAccount.objects.defer("sealed_credentials").exclude(status=ProviderAccount.Status.CLOSED)
    for account in known.filter(certificate_expires_at__isnull=False):
        ends.add_metric([str(account)], -_age(account.certificate_expires_at, now))
    yield ends


def endpoints(now: datetime) -> Iterator[Metric]:
    count = gauge("failing_endpoints", "Webhook endpoints that fail; their people are told after a day", "told")
    found = Counter("yes" if one.warned_at else "no" for one in failing().select_related(None).only("warned_at"))
    for told in ("yes", "no"):
        count.add_metric([told], found[told])
    yield count


_SESSIONS = """
    SELECT coalesce(state, 'other'), count(*), coalesce(extract(epoch FROM max(statement_timestamp() - xact_start)), 0)
      FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' GROUP BY 1
"""
_SIZE = "SELECT pg_database_size(current_database()), current_setting('max_connections')::int"


def database(now: datetime) -> Iterator[Metric]:
    sessions = gauge("database_sessions", "Sessions of the database, by state", "state")
    oldest = gauge("database_transaction_seconds", "The longest transaction under way that this role can see")
    longest = 0.0
    with connection.cursor() as cursor:
        cursor.execute(_SESSIONS)
        for state, count, seconds in cursor.fetchall():
            sessions.add_metric([state], count)
            longest = max(longest, float(seconds))
        cursor.execute(_SIZE)
        ((size, most),) = cursor.fetchall()
    oldest.add_metric([], longest)
    yield from (sessions, oldest)
    for name, says, value in (
        ("database_bytes", "Size of the database", size),
        ("database_sessions_limit", "max_connections of the server", most),
    ):
        found = gauge(name, says)
        found.add_metric([], value)
        yield found


def ranges(now: datetime) -> Iterator[Metric]:
    """Of the tables that are kept in ranges of their ids, in the cell in which it is worst."""
    left = gauge("ranges_ahead_seconds", "Until the last range of a table is in use, which has no end", "table")
    late = gauge("ranges_overdue_seconds", "Since the oldest range of a table was to be dropped", "table")
    kept = [*((of, of_events.KEPT_FOR) for of in of_events.RANGES), (of_requests.RANGES, of_requests.kept_for())]
    soonest: dict[str, float] = {}
    latest: dict[str, float] = {}
    for _ in each_cell():
        for of, kept_for in kept:
            soonest[of.table] = min(soonest.get(of.table, inf), ahead(of, now).total_seconds())
            latest[of.table] = max(latest.get(of.table, 0), overdue(of, now - kept_for).total_seconds())
    for table, seconds in soonest.items():
        left.add_metric([table], seconds)
        late.add_metric([table], latest[table])
    yield from (left, late)


Part = Callable[[datetime], Iterator[Metric]]
PARTS: tuple[Part, ...] = (
    work, schedule, books, unclear, suspense, banks, payments, providers, endpoints, database, ranges,
)  # fmt: skip


class State(Collector):
    """All parts, read at most once in `KEPT_S` seconds."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._read_at = -KEPT_S
        self._found: list[Metric] = []

    def describe(self) -> list[Metric]:
        """Nothing is read when it is registered."""
        return []

    def collect(self) -> list[Metric]:
        with self._turn:
            if monotonic() - self._read_at >= KEPT_S:
                self._found, self._read_at = list(_read()), monotonic()
            return self._found


def _read() -> Iterator[Metric]:
    readable = gauge("state_readable", "Whether a part of the state could be read", "part")
    now = utcnow()
    for part in PARTS:
        try:
            with all_cells(), limited(LONGEST_MS):
                found = list(part(now))
        except Exception as error:  # noqa: BLE001  whatever is wrong with one part, the others are told
            log.warning("metrics.not_read", part=part.__name__, error=type(error).__name__)
            readable.add_metric([part.__name__], 0)
            continue
        readable.add_metric([part.__name__], 1)
        yield from found
    yield readable


def _age(since: Any, now: datetime) -> float:
    return float((now - since).total_seconds())
