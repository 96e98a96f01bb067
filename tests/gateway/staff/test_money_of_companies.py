"""What the first page tells of money: its course, advances to decide, and answers by their deadline."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.base.clock import utcnow
from accounts.models import User
from gateway.refunds.models import Refund
from ledger.closings.models import ClosedBalance, ClosedDay, Closing, Seal
from ledger.closings.services import SLACK, close_days
from ledger.models import Advance, Transfer
from ledger.receivables import advances
from ledger.verify import verify
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receivables import a_receivable, tamper
from tests.support.refunds import disputed, paid
from tests.support.staff_overview import cells, panels


@pytest.fixture(autouse=True)
def nothing_is_kept(db: None) -> None:
    cache.clear()


def move_postings(by: str) -> None:
    """Every posting so far was written at another time, which the books refuse."""
    tamper("SET LOCAL session_replication_role = replica")
    tamper(f"UPDATE ledger_transfer SET created_at = {by}")
    tamper("SET LOCAL session_replication_role = DEFAULT")


def move_a_day_back() -> None:
    """So far that the day is over and can be closed, right after midnight, too."""
    move_postings(f"created_at - interval '1 day' - interval '{SLACK.total_seconds()} seconds'")


def undo() -> None:
    move_postings("now()")
    Seal.objects.all().delete()
    ClosedDay.objects.all().delete()
    Closing.objects.all().delete()
    ClosedBalance.objects.all().delete()


def test_the_course_of_balances_is_drawn_from_closed_days(staff: Client, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    a_receivable(acme.sandbox)
    move_postings("created_at - interval '2 days'")
    a_payment(acme.sandbox, "PAID")
    move_a_day_back()
    try:
        assert close_days() == 3
        [picture] = panels(staff)["Money"].pictures
    finally:
        undo()

    assert picture.title == "Sandbox, BRL"
    first, last = ((utcnow() - SLACK - timedelta(days=days)).date() for days in (3, 1))
    assert picture.summary == f"from 340.52 on {first} to 489.02 on {last}"
    areas = re.findall(r'class="course-(\w+)" points="([^"]+)"', picture.drawn)
    assert [kind for kind, _ in areas] == ["available", "releasing", "blocked"]
    assert areas[0][1].startswith("0.0,55.7 150.0,55.7 300.0,31.4")


def test_no_picture_is_drawn_before_a_day_is_over(staff: Client, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")

    assert panels(staff)["Money"].pictures == ()


def test_each_amount_leads_to_the_balances_behind_it(staff: Client, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")

    [row] = panels(staff)["Money"].tables[0].rows
    [where] = re.findall(r'href="([^"]+)"', str(row[1]))
    shown = staff.get(where.replace("&amp;", "&"))

    assert [balance.amount for balance in shown.context["cl"].result_list] == [14850]


def test_advances_wait_with_their_amount_and_age(staff: Client, acme: Shop) -> None:
    assert panels(staff)["Advances to review"].label == "None"
    owner = User.objects.create_user("owner@acme.test")
    asked = advances.request(acme.sandbox, [a_receivable(acme.sandbox).id], owner)
    Advance.objects.update(requested_at=utcnow() - timedelta(hours=5))

    panel = panels(staff)["Advances to review"]

    [row] = cells(panel)[""]
    assert row[:3] == [asked.id, "Acme (Sandbox)", "192.02 BRL"]
    assert row[4] == "5 h"
    assert [one.pk for one in staff.get(panel.leads[1]).context["cl"].result_list] == [asked.pk]


def test_refund_answers_are_counted_by_their_deadline(staff: Client, acme: Shop, api: Api) -> None:
    soon, later, answered = (disputed(api, paid(api), amount=amount)["id"] for amount in (10, 20, 30))
    Refund.objects.filter(pk=soon).update(response_due_at=utcnow() + timedelta(hours=3))
    Refund.objects.filter(pk=later).update(response_due_at=utcnow() + timedelta(days=6))
    api.post(f"/refunds/{answered}/responses", {"answer": "CONTEST", "message": "It was delivered."})

    panel = panels(staff)["Refund answers"]

    assert cells(panel) == {
        "Sandbox": [
            ["Within a day", "1", "10.00 BRL"],
            ["Later", "1", "20.00 BRL"],
            ["Answered, awaiting our decision", "1", "30.00 BRL"],
        ]
    }
    [where] = re.findall(r'href="([^"]+)"', str(panel.tables[0].rows[2][1]))
    assert [one.pk for one in staff.get(where.replace("&amp;", "&")).context["cl"].result_list] == [answered]


def test_a_closed_balance_that_was_touched_is_found(acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    move_a_day_back()
    try:
        close_days()
        assert [violation.invariant.number for violation in verify()] == []
        tamper("UPDATE ledger_closedbalance SET amount = amount + 1 WHERE bucket = 'AVAILABLE'")
        assert [violation.invariant.number for violation in verify()] == ["I24"]
    finally:
        undo()
    assert Transfer.objects.count() == 1
