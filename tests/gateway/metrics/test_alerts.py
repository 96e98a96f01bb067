"""Each alert of deploy/prometheus fires on its cause, and each panel of deploy/grafana shows something."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import structlog
import yaml
from django.conf import settings
from django.db import connection
from django.test import Client
from django_celery_beat.models import IntervalSchedule, PeriodicTask
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from psycopg_pool import PoolTimeout

from accounts.base.clock import utcnow
from accounts.base.counters import REQUEST_SECONDS
from accounts.models import Heartbeat, StuckWork
from gateway.database.pool import PoolCounts
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.metrics.state import State
from gateway.payments.models import Payment
from gateway.providers.client import Call, Identity
from gateway.providers.client import Client as ProviderClient
from gateway.providers.errors import NotSent
from gateway.providers.models import ProviderAccount
from gateway.requests import retention as of_requests
from gateway.tasks import messages_heartbeat
from ledger.models import Proof
from tests.support import suspense
from tests.support.bank_accounts import a_bank_account, imported, statement
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.production import PIX, api_of, live
from tests.support.prometheus import FILES, PROGRAM, Watched, watching
from tests.support.ranges import kept_for_weeks
from tests.support.webhooks import happens
from webhooks import retention as of_events
from webhooks.dispatch import deliver_due
from webhooks.models import Endpoint

pytestmark = [pytest.mark.a_third_a_day, pytest.mark.skipif(PROGRAM is None, reason="needs Debian's prometheus")]
Text = str
Cause = Callable[[Shop], Callable[[Text], Text] | None]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with watching(tmp_path_factory.mktemp("prometheus")) as watched:
        yield watched


def metrics() -> Text:
    state = CollectorRegistry()
    state.register(State())
    return (generate_latest(REGISTRY) + generate_latest(state)).decode()


@pytest.fixture(autouse=True)
def well(db: None) -> None:
    """A service of which nothing is wrong."""
    now = utcnow()
    Proof.objects.create(started_at=now, finished_at=now)
    of_events.forget_old()
    of_requests.forget_old()
    for part in ("worker", "messages", "background"):
        Heartbeat.objects.update_or_create(part=part, defaults={"beat_at": now})


def a_task(**members: Any) -> PeriodicTask:
    every, _ = IntervalSchedule.objects.get_or_create(every=5, period="minutes")
    return PeriodicTask.objects.create(name="close-days", task="close-days", interval=every, **members)


def violated(_: Shop) -> None:
    Proof.objects.update(violations=[{"number": "I1", "claim": "…", "counterexamples": []}])


def not_proved(_: Shop) -> None:
    Proof.objects.update(started_at=utcnow() - timedelta(minutes=20))


def logged(_: Shop) -> None:
    structlog.get_logger().critical("provider.unreadable_deposit")


def bank_says_more(_: Shop) -> Callable[[Text], Text]:
    """The proof of the books finds it as well, and would fail the test."""
    imported(a_bank_account(), statement(opening="100.00"))
    return partial(re.sub, "(?m)^(onpay_bank_difference.*) .*", r"\1 100")


def overdue(shop: Shop) -> None:
    suspense.a_bank(shop)
    past = utcnow() - timedelta(minutes=1)
    Payment.objects.filter(pk=suspense.ordered(shop).pk).update(unclear_since=past, certain_by=past)


def without_a_statement(_: Shop) -> None:
    a_bank_account("BB-BRL-1", missing_since=utcnow() - timedelta(days=1))


def held_for_long(shop: Shop) -> None:
    script = suspense.a_bank(shop)
    suspense.look_again(suspense.expired(shop), script, suspense.arrived())
    suspense.SuspenseItem.objects.update(received_at=utcnow() - timedelta(days=2))


def silent(_: Shop) -> None:
    Heartbeat.objects.filter(part="worker").update(beat_at=utcnow() - timedelta(minutes=5))


def late(shop: Shop) -> None:
    payment = a_payment(shop.sandbox)
    Payment.objects.filter(pk=payment.pk).update(expires_at=utcnow() - timedelta(minutes=20))


def raised(_: Shop) -> None:
    now = utcnow()
    StuckWork.objects.create(kind="payment.expired", object_id="pay_x", times=3, since=now, until=now, error="KeyError")


def not_started(_: Shop) -> None:
    a_task(last_run_at=utcnow() - timedelta(hours=2))


def paused(_: Shop) -> None:
    task = a_task(enabled=False)
    PeriodicTask.objects.filter(pk=task.pk).update(date_changed=utcnow() - timedelta(hours=2))


def failing(shop: Shop) -> None:
    past = utcnow() - timedelta(days=2)
    hook = {"url": "https://shop.example.com", "events": ["*"], "sealed_secret": b"", "failing_since": past}
    Endpoint.objects.create(merchant=shop.sandbox, warned_at=utcnow(), **hook)


def answered_503(_: Shop) -> None:
    Heartbeat.objects.all().delete()
    assert Client().get("/health/").status_code == 503


def slow(_: Shop) -> None:
    REQUEST_SECONDS.labels("POST", "api/v2/payments").observe(3)


def unreachable(_: Shop) -> None:
    with pytest.raises(NotSent):
        ProviderClient("a-bank", Identity()).send(Call("GET", "https://127.0.0.1:1/"))


def nobody_accepts(shop: Shop) -> None:
    refused = PaymentOutcome(PaymentResult.DECLINED, failure=("PROVIDER_ERROR", "The bank is closed."))
    suspense.a_bank(shop, instruct=[refused])
    for number in range(10):
        api_of(shop).post("/payments", PIX | {"reference": f"order-{number}"})
    assert {*Payment.objects.values_list("status", flat=True)} == {"FAILED"}


def ends_soon(shop: Shop) -> None:
    live(shop, "bank")
    ProviderAccount.objects.update(certificate_expires_at=utcnow() + timedelta(days=5))


def delivered(shop: Shop) -> None:
    happens(shop.sandbox)
    deliver_due()


def crowded(_: Shop) -> Callable[[Text], Text]:
    return partial(re.sub, "(?m)^(onpay_database_sessions_limit) .*", r"\1 2")


def exhausted(_: Shop) -> None:
    pool = connection.pool  # type: ignore[attr-defined]
    taken = [pool.getconn() for _ in range(pool.max_size - 1)]
    with pytest.raises(PoolTimeout):
        pool.getconn(timeout=0.01)
    for one in taken:
        pool.putconn(one)
    PoolCounts().take()


def hanging(_: Shop) -> Callable[[Text], Text]:
    return partial(re.sub, "(?m)^(onpay_database_transaction_seconds) .*", r"\1 400")


def nobody_makes_ranges(_: Shop) -> Callable[[Text], Text]:
    return partial(re.sub, '(?m)^(onpay_ranges_ahead_seconds{table="webhooks_event"}) .*', r"\1 7200")


def nobody_drops_ranges(_: Shop) -> None:
    kept_for_weeks()


def unreadable(_: Shop) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE accounts_heartbeat RENAME TO elsewhere")


CAUSES: dict[str, Cause] = {
    "BooksViolated": violated,
    "BooksNotProved": not_proved,
    "CriticalLogLine": logged,
    "BankDiffersFromBooks": bank_says_more,
    "OutcomeOverdue": overdue,
    "StatementMissing": without_a_statement,
    "MoneyInSuspense": held_for_long,
    "ProcessSilent": silent,
    "WorkLate": late,
    "WorkStuck": raised,
    "TaskLate": not_started,
    "TaskPaused": paused,
    "EndpointsFail": failing,
    "ServerErrors": answered_503,
    "SlowRequests": slow,
    "ProviderUnclear": unreachable,
    "PaymentsFailTechnically": nobody_accepts,
    "CertificateEnds": ends_soon,
    "DatabaseSessions": crowded,
    "PoolExhausted": exhausted,
    "RangesRunOut": nobody_makes_ranges,
    "OldRangesStay": nobody_drops_ranges,
    "LongTransaction": hanging,
    "StateUnreadable": unreadable,
}
AGAIN = {"CriticalLogLine", "PoolExhausted", "ServerErrors", "SlowRequests", "ProviderUnclear"}
"""A counter that grows: what has happened once is no rate, and a rate is gone a second later."""


@pytest.mark.parametrize("alert", CAUSES)
def test_an_alert_fires_on_its_cause_only(alert: str, watched: Watched, acme: Shop) -> None:
    text = metrics()
    watched.shown = lambda: text
    assert watched.until(lambda: watched.firing() == set())

    shown = CAUSES[alert](acme) or str

    def fires() -> bool:
        nonlocal text
        if alert in AGAIN:
            CAUSES[alert](acme)
        text = shown(metrics())
        return watched.until(lambda: alert in watched.firing(), within_s=1)

    assert watched.until(fires, within_s=30), watched.firing()


def test_it_is_told_when_prometheus_reads_nothing(watched: Watched) -> None:
    watched.shown = lambda: None
    assert watched.until(lambda: "MetricsAbsent" in watched.firing())


def test_every_alert_has_a_cause_here_and_is_explained_to_operators() -> None:
    rules = yaml.safe_load((FILES / "alerts.yml").read_text())
    alerts = {rule["alert"] for group in rules["groups"] for rule in group["rules"]}
    operations = (Path(settings.BASE_DIR) / "docs" / "operations.md").read_text()

    assert alerts == {*CAUSES, "MetricsAbsent"}
    assert [name for name in sorted(alerts) if f"| {name} |" not in operations] == []


def test_every_panel_has_data(watched: Watched, acme: Shop) -> None:
    dashboard = json.loads((FILES.parent / "grafana" / "onpay.json").read_text())
    wanted = {panel["targets"][0]["expr"] for panel in dashboard["panels"]}
    for happened in (held_for_long, late, raised, failing, ends_soon, bank_says_more):
        happened(acme)

    def all_have_data() -> bool:
        for again in (answered_503, exhausted, slow, unreachable, logged, delivered):
            again(acme)
        Heartbeat.objects.create(part="worker", beat_at=utcnow())
        messages_heartbeat.delay()
        text = metrics()
        watched.shown = lambda: text
        return watched.until(lambda: all(map(watched.value_of, wanted)), within_s=1)

    assert watched.until(all_have_data, within_s=30), [one for one in wanted if not watched.value_of(one)]
