"""Money in suspense is given back by rule: once, by the provider, and nothing unclear is taken for certain."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.audit import Actor
from accounts.base.clock import utcnow
from accounts.models import AuditEntry
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.providers.errors import NotSent, Unclear
from gateway.suspense import due
from gateway.suspense.errors import ItemState
from gateway.suspense.models import SuspenseItem
from gateway.suspense.services import keep
from tests.support.companies import Shop
from tests.support.production import pass_time
from tests.support.providers import enters
from tests.support.scripted_provider import Script
from tests.support.suspense import RETURNED, a_bank, arrived, balances, expired, look_again, ordered, wait
from tests.support.threads import at_once
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

SILENT = Unclear("read timeout")
AWAY = NotSent("connection refused")
NOT_THERE = PaymentOutcome(PaymentResult.NOT_RECEIVED)
DECLINED = PaymentOutcome(PaymentResult.DECLINED, failure=("NO_BALANCE", "The account has no money."))


@pytest.fixture
def script(acme: Shop) -> Script:
    """Of a bank at which 150 reais arrived too late."""
    script = a_bank(acme, refund=[RETURNED])
    look_again(expired(acme), script, arrived())
    assert balances(acme) == {"CLEARING": -15000, "SUSPENSE": 15000}
    return script


def item() -> SuspenseItem:
    return SuspenseItem.objects.get()


def returns(script: Script) -> list[tuple[str, str]]:
    return [(what, our_id) for _, what, our_id in script.calls if "refund" in what]


def test_after_an_hour_it_is_given_back_once(acme: Shop, script: Script) -> None:
    wait(minutes=59)
    assert (item().state, returns(script)) == ("HELD", [])

    for _ in range(3):
        wait(minutes=1)

    assert (item().state, item().return_reference) == ("RETURNED", "D1")
    assert returns(script) == [("refund", item().pk)]
    assert balances(acme) == {}
    assert Event.objects.filter(type__startswith="refund").count() == 0


def test_how_long_it_is_kept_is_a_setting(acme: Shop, settings: Any) -> None:
    settings.SUSPENSE_RETURNS_AFTER_S = 60
    script = a_bank(acme, refund=[RETURNED])
    look_again(expired(acme), script, arrived())

    wait(seconds=61)

    assert item().state == "RETURNED"


def test_a_payment_paid_by_its_own_money_keeps_it(acme: Shop) -> None:
    script = a_bank(acme, ask=[arrived("149")], refund=[RETURNED])
    payment = pass_time(ordered(acme).pk, minutes=1)
    wait(hours=1)
    assert (item().state, balances(acme)) == ("RETURNED", {})

    payment = look_again(payment, script, arrived("150", "E2"))

    assert (payment.status, balances(acme)["AVAILABLE"]) == ("PAID", payment.net)


def test_without_an_answer_it_is_only_queried_until_it_is_certain(acme: Shop, script: Script) -> None:
    script.answers |= {"refund": [SILENT], "ask refund": [SILENT, SILENT, RETURNED]}
    wait(hours=1)
    assert (item().state, item().unclear_asks, balances(acme)["SUSPENSE"]) == ("RETURNING", 1, 15000)
    certain_by = item().certain_by
    assert certain_by and timedelta(hours=22) < certain_by - utcnow() < timedelta(hours=25)

    for _ in range(3):
        wait(hours=1)

    assert (item().state, item().unclear_since) == ("RETURNED", None)
    assert [what for what, _ in returns(script)] == ["refund", *["ask refund"] * 3]
    assert {our_id for _, our_id in returns(script)} == {item().pk}
    assert balances(acme) == {}


def test_no_timer_makes_it_returned_or_held_again(acme: Shop, script: Script) -> None:
    script.answers |= {"refund": [SILENT], "ask refund": [SILENT]}

    for _ in range(10):
        wait(days=1)

    assert (item().state, balances(acme)) == ("RETURNING", {"CLEARING": -15000, "SUSPENSE": 15000})
    assert [what for what, _ in returns(script)].count("refund") == 1


def test_what_never_arrived_is_sent_again_under_the_same_id(acme: Shop, script: Script) -> None:
    script.answers |= {"refund": [AWAY, SILENT, RETURNED], "ask refund": [NOT_THERE]}

    for _ in range(4):
        wait(hours=1)

    assert item().state == "RETURNED"
    assert returns(script) == [(what, item().pk) for what in ("refund", "refund", "ask refund", "refund")]


def test_declined_it_is_held_again_and_waits_for_staff(acme: Shop, script: Script) -> None:
    script.answers["refund"] = [DECLINED]

    for _ in range(3):
        wait(days=1)

    assert (item().state, item().failure_code, item().return_at) == ("HELD", "NO_BALANCE", None)
    assert len(returns(script)) == 1
    assert balances(acme) == {"CLEARING": -15000, "SUSPENSE": 15000}


def test_a_bug_in_the_institutions_code_is_unclear(acme: Shop, script: Script) -> None:
    script.answers |= {"refund": [ZeroDivisionError("a bug")], "ask refund": [RETURNED]}
    wait(hours=1)
    assert (item().state, item().unclear_asks) == ("RETURNING", 1)
    wait(hours=1)
    assert item().state == "RETURNED"


def test_a_process_that_died_while_asking_is_taken_over_by_a_query(acme: Shop, script: Script) -> None:
    script.answers |= {"refund": [KeyboardInterrupt()], "ask refund": [RETURNED]}
    with pytest.raises(KeyboardInterrupt):
        wait(hours=1)
    assert due.run_due() == 0, "leased"

    wait(minutes=3)

    assert item().state == "RETURNED"
    assert [what for what, _ in returns(script)] == ["refund", "ask refund"]


def test_two_sweeps_at_once_send_it_once(acme: Shop, script: Script) -> None:
    SuspenseItem.objects.update(return_at=utcnow())

    at_once(due.run_due, due.run_due)
    wait(minutes=1)

    assert (item().state, len(returns(script))) == ("RETURNED", 1)


def test_staff_can_keep_it_alone_and_it_stays(acme: Shop, script: Script) -> None:
    keep(Actor(enters()), item().pk, "The payer called")

    for _ in range(3):
        wait(days=2)

    assert (item().state, item().note, returns(script)) == ("HELD", "The payer called", [])
    entry = AuditEntry.objects.get(action="suspense.kept")
    assert (entry.merchant, entry.object_id, entry.by_staff) == (acme.production, item().pk, True)
    with pytest.raises(ItemState):
        keep(Actor(enters()), item().pk, "Once more")
    assert AuditEntry.objects.filter(action="suspense.kept").count() == 1
