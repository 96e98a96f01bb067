"""The first page: how the service and the money of all companies are, for those who may see it."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.base.clock import utcnow
from accounts.heartbeats import beat
from accounts.models import Heartbeat
from gateway.models import Payment
from gateway.payments.due import EXPIRY
from gateway.reports import services as reports
from gateway.reports.models import Frequency, ScheduledReport, Subject
from gateway.reports.services import ReportPlan
from gateway.staff.kit.columns import address as page_at
from gateway.staff.overview.kept import kept
from ledger.models import Proof
from ledger.proofs.services import prove
from tests.support.cells import CELLS
from tests.support.companies import Shop
from tests.support.ledger import a_cent_too_much
from tests.support.payments import a_payment
from tests.support.people import a_member, browser_of
from tests.support.receivables import a_receivable, stand_at
from tests.support.refunds import later
from tests.support.staff import World, support
from tests.support.staff_overview import cells, panels, take_to_production
from tests.support.sweeps import broken, repaired, the_delay_is_over
from webhooks.models import Endpoint

PANELS = [
    "Waiting for staff",
    "Money",
    "Advances to review",
    "Refund answers",
    "Proof of the books",
    "Bank accounts",
    "Due work",
    "Service health",
    "Failing endpoints",
    "Volumes",
]


@pytest.fixture
def drawn_sidebar() -> None:
    """The whole sidebar."""


@pytest.fixture(autouse=True)
def nothing_is_kept(db: None) -> None:
    cache.clear()


def test_money_is_summed_over_companies_and_production_stands_apart(staff: Client, acme: Shop, globex: Shop) -> None:
    for merchant in (acme.sandbox, acme.sandbox, globex.sandbox):
        a_payment(merchant, "PAID")
    take_to_production(globex.sandbox)

    told = cells(panels(staff)["Money"])

    assert told == {
        "Production: company balances": [["BRL", "148.50", "-", "-", "148.50", "1.50 fees"]],
        "Sandbox: company balances": [["BRL", "297.00", "-", "-", "297.00", "3.00 fees"]],
    }


def test_volumes_and_acceptance_are_of_today_and_the_last_days(staff: Client, acme: Shop) -> None:
    for days_ago, statuses in ((20, ["FAILED"]), (3, ["PENDING"]), (0, ["PAID", "PAID"])):
        stand_at(acme.sandbox, utcnow() - timedelta(days=days_ago))
        for status in statuses:
            a_payment(acme.sandbox, status)

    told = cells(panels(staff)["Volumes"])

    assert told == {
        "Sandbox": [
            ["Today", "2", "2", "0", "100.0%", "300.00 BRL", "-"],
            ["7 days", "3", "2", "0", "100.0%", "300.00 BRL", "-"],
            ["30 days", "4", "2", "1", "66.7%", "300.00 BRL", "-"],
        ]
    }


def test_work_that_is_late_is_told_with_its_age(staff: Client, acme: Shop) -> None:
    beat("worker")
    beat("messages")
    beat("background")
    assert panels(staff)["Due work"].label == "Nothing is late"
    overdue = a_payment(acme.sandbox)
    Payment.objects.filter(pk=overdue.pk).update(expires_at=utcnow() - timedelta(minutes=30))
    plan = ReportPlan(Subject.PAYMENTS, Frequency.WEEKLY, 8, "UTC")
    report = reports.schedule(acme.sandbox, a_member(acme.company), plan)
    ScheduledReport.objects.filter(pk=report.pk).update(next_at=utcnow() - timedelta(minutes=2))

    panel = panels(staff)["Due work"]

    assert (panel.label, panel.state) == ("30 min late", "danger")
    row = next(row for row in cells(panel)[""] if row[0] == "Payments to expire")
    assert (row[1], row[3]) == ("1", "30 min")
    assert ("Scheduled reports", "1") in [(row[0], row[1]) for row in cells(panel)[""]], "which staff have no page of"
    EXPIRY.sweep()
    ScheduledReport.objects.filter(pk=report.pk).delete()
    assert panels(staff)["Due work"].label == "Nothing is late"


def test_work_that_is_stuck_is_named_with_its_error_and_a_way_to_it(staff: Client, acme: Shop) -> None:
    payment = a_payment(acme.sandbox).pk
    broken("gateway_payment", [payment])
    later(acme, days=2)
    EXPIRY.sweep()

    panel = panels(staff)["Due work"]

    assert (panel.label, panel.state) == ("1 stuck", "warning")
    [[what, named, _, tried, _, error]] = cells(panel)["Stuck"]
    assert (what, named, tried, error) == ("Payments to expire", payment, "1 ×", "ProgrammingError")
    [table] = [table for table in panel.tables if table.title == "Stuck"]
    assert page_at(Payment, "change", payment) in str(table.rows[0][1])

    repaired("gateway_payment")
    the_delay_is_over()
    EXPIRY.sweep()
    assert panels(staff)["Due work"].label == "Nothing is late"


def test_a_silent_part_and_a_late_task_are_told(staff: Client, world: World) -> None:
    beat("dispatcher")
    Heartbeat.objects.filter(part="dispatcher").update(beat_at=utcnow() - timedelta(hours=3))

    panel = panels(staff)["Service health"]

    assert (panel.label, panel.state) == ("Dispatcher not responding", "warning")  # the worker delivers in its place
    assert [row[n] for row in cells(panel)[""] for n in (0, 2) if row[0] == "dispatcher"] == ["dispatcher", "3 h"]

    Heartbeat.objects.filter(part="worker").delete()

    panel = panels(staff)["Service health"]
    assert (panel.label, panel.state) == ("Worker and dispatcher not responding", "danger")


def test_no_dispatcher_is_missed_where_none_was_started(staff: Client, world: World) -> None:
    assert panels(staff)["Service health"].label == "Healthy"


def test_endpoints_that_fail_are_told_with_their_company(staff: Client, world: World, acme: Shop) -> None:
    assert panels(staff)["Failing endpoints"].label == "None"
    Endpoint.objects.update(failing_since=utcnow() - timedelta(hours=2), failures=7)

    panel = panels(staff)["Failing endpoints"]

    [[url, merchant, _, failures, _]] = cells(panel)[""]
    assert (panel.label, panel.state) == ("1 failing", "warning")
    assert (url, merchant, failures) == (Endpoint.objects.get().url, "Acme (Sandbox)", "7")


def test_the_last_proof_is_green_or_red_with_counterexamples(staff: Client, acme: Shop) -> None:
    assert panels(staff)["Proof of the books"].label == "Never verified"
    a_receivable(acme.sandbox)
    prove()
    green = panels(staff)["Proof of the books"]
    assert (green.label, green.state) == ("Passed", "success")

    with a_cent_too_much():
        prove()

    red = panels(staff)["Proof of the books"]
    assert (red.label, red.state) == ("Failed", "danger")
    broken = {row[1]: row for row in cells(red)[""]}
    assert broken["I6"][3] == f"{acme.sandbox.pk}, BRL, 19202, 19203"
    proof = Proof.objects.latest("pk")
    assert "19203" in staff.get(page_at(Proof, "change", proof.pk)).content.decode()
    long_ago = utcnow() - timedelta(hours=1)
    Proof.objects.update(started_at=long_ago, finished_at=long_ago, violations=[])
    old = panels(staff)["Proof of the books"]
    assert (old.label, old.state) == ("Passed, but outdated", "danger")

    Proof.objects.create(started_at=utcnow() - timedelta(minutes=16))
    endless = panels(staff)["Proof of the books"]
    assert (endless.label, endless.state) == ("Not finishing", "danger")
    assert endless.note.endswith("1 later run did not finish.")


def test_staff_ask_for_a_proof_and_nobody_asks_twice(staff: Client, acme: Shop) -> None:
    where = panels(staff)["Proof of the books"].asks[1]
    assert "Every invariant" in staff.get(where).content.decode()
    assert not Proof.objects.exists()
    told = staff.post(where, follow=True).content.decode()
    assert "Verification has started" in told
    assert Proof.objects.get().holds

    Proof.objects.create(started_at=utcnow())
    assert "already being verified" in staff.post(where, follow=True).content.decode()
    assert Proof.objects.count() == 2
    assert browser_of(support("view_payment")).post(where).status_code == 403


def test_everybody_sees_what_they_may(staff: Client, world: World) -> None:
    assert list(panels(staff)) == PANELS
    seen = ["Waiting for staff", "Proof of the books", "Volumes"]
    assert list(panels(browser_of(support("view_payment", "view_proof")))) == seen


def test_the_page_costs_a_few_statements(staff: Client, world: World) -> None:
    staff.get("/admin/")
    with CaptureQueriesContext(connection) as asked:
        staff.get("/admin/")
    statements = [one["sql"] for one in asked if not one["sql"].startswith(("SAVEPOINT", "RELEASE", "SET LOCAL"))]
    most = 26 + 4 * CELLS  # one of them for each kind of work that is stuck, and four for the proofs of each cell
    assert len(statements) <= most, statements


def test_what_takes_long_is_kept_and_what_takes_too_long_is_left(db: None) -> None:
    def asks(milliseconds: int) -> float:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT pg_sleep({milliseconds / 1000})")
        return utcnow().timestamp()

    quick, slow = kept("quick", lambda: asks(0)), kept("slow", lambda: asks(60))
    assert kept("quick", lambda: asks(0)) > quick
    assert kept("slow", lambda: asks(60)) == slow
    with pytest.raises(OperationalError):
        kept("endless", lambda: asks(1000), longest_ms=50)
