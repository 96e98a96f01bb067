"""Who does not listen is called less, then told, then switched off; who listens again is told everything."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail

from accounts.base.clock import utcnow
from accounts.models import Membership
from accounts.roles import Role
from accounts.services import add_member
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receiver import Receiver, listening
from tests.support.webhooks import Hook, ago, fails_in_a_row, happens, later, registered, will_fail
from webhooks.dispatch import deliver_due
from webhooks.due import check_endpoints
from webhooks.models import Delivery, Endpoint


def the_pause_is_over() -> None:
    Endpoint.objects.update(open_until=utcnow())
    Delivery.objects.filter(status="PENDING").update(next_attempt_at=utcnow())


def pause(hook: Hook) -> timedelta:
    until: datetime | None = hook.row().open_until
    assert until is not None
    return until - utcnow()


def about(seconds: float) -> Any:
    """Of a pause that has just begun; it may be spread by a tenth."""
    return pytest.approx(seconds, rel=0.11, abs=1.5)


# The breaker


def test_five_failures_in_a_row_give_half_a_minute_of_rest(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    fails_in_a_row(acme, receiver, 4)
    assert hook.row().open_until is None

    fails_in_a_row(acme, receiver, 1)

    assert pause(hook).total_seconds() == about(30)
    a_payment(acme.sandbox, "PAID")
    Delivery.objects.filter(status="PENDING").update(next_attempt_at=utcnow())
    assert (deliver_due(), len(receiver.received)) == (0, 5)


def test_a_burst_of_failures_opens_for_as_long_as_five(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    for _ in range(8):
        receiver.will_answer(500)
        a_payment(acme.sandbox, "PAID")

    deliver_due()

    assert pause(hook).total_seconds() == about(30)


def test_time_at_rest_costs_no_attempts(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    fails_in_a_row(acme, receiver, 5)
    Delivery.objects.update(next_attempt_at=utcnow())
    before = list(Delivery.objects.order_by("id").values())

    for _ in range(20):
        assert deliver_due() == 0

    assert list(Delivery.objects.order_by("id").values()) == before
    assert {one.attempts for one in Delivery.objects.all()} == {1}


def test_a_success_in_between_begins_the_count_again(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    fails_in_a_row(acme, receiver, 4)
    a_payment(acme.sandbox, "PAID")
    assert deliver_due() == 1

    fails_in_a_row(acme, receiver, 4)

    assert (hook.row().failures, hook.row().open_until) == (4, None)


def test_each_probe_that_fails_doubles_the_pause_to_a_quarter_of_an_hour(
    acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    fails_in_a_row(acme, receiver, 5)

    for seconds in (60, 120, 240, 480, 900, 900):
        receiver.will_answer(500)
        the_pause_is_over()
        assert deliver_due() == 1
        assert pause(hook).total_seconds() == about(seconds)


def test_a_probe_that_arrives_opens_the_way_for_everything(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    fails_in_a_row(acme, receiver, 5)

    the_pause_is_over()

    assert deliver_due() == 5
    assert (hook.row().open_until, hook.row().failures, hook.row().failing_since) == (None, 0, None)
    assert {one["status"] for one in hook.deliveries()} == {"DELIVERED"}


def test_after_a_success_the_first_pause_is_short_again(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    fails_in_a_row(acme, receiver, 5)
    will_fail(receiver, 1)
    the_pause_is_over()
    deliver_due()
    the_pause_is_over()
    deliver_due()

    fails_in_a_row(acme, receiver, 5)

    assert pause(hook).total_seconds() == about(30)


def test_nobody_else_rests(api: Api, globex_api: Api, acme: Shop, globex: Shop, hook: Hook, receiver: Receiver) -> None:
    with listening() as well, listening() as theirs:
        registered(api, well.url)
        registered(globex_api, theirs.url)
        fails_in_a_row(acme, receiver, 5)
        a_payment(acme.sandbox, "PAID")
        a_payment(globex.sandbox, "PAID")

        deliver_due()

    assert (len(receiver.received), len(well.received), len(theirs.received)) == (5, 6, 1)


def test_who_says_active_is_called_at_once(acme: Shop, hook: Hook, receiver: Receiver) -> None:
    fails_in_a_row(acme, receiver, 5)
    hook.change({"status": "INACTIVE"})

    hook.change({"status": "ACTIVE"})

    assert (hook.row().open_until, hook.row().failures, hook.row().failing_since) == (None, 0, None)
    a_payment(acme.sandbox, "PAID")
    assert deliver_due() == 1


# Days of silence


PEOPLE = {"owner@acme.example": Role.OWNER, "dev@acme.example": Role.DEVELOPER, "money@acme.example": Role.FINANCE} | {
    "help@acme.example": Role.SUPPORT,
    "guest@acme.example": Role.VIEWER,
}


@pytest.fixture
def people(acme: Shop, globex: Shop) -> None:
    Membership.objects.all().delete()
    for email, role in PEOPLE.items():
        add_member(acme.company, email, None, role)
    add_member(globex.company, "owner@globex.example", None, Role.OWNER)


@pytest.fixture
def look(people: None, django_capture_on_commit_callbacks: Any) -> Any:
    """Looks after the endpoints; the answer is how many that concerned and to whom each message went."""

    def look() -> tuple[int, list[str]]:
        mail.outbox.clear()
        with django_capture_on_commit_callbacks(execute=True):
            concerned = check_endpoints()
        return concerned, sorted(person for message in mail.outbox for person in message.recipients())

    return look


TOLD = ["dev@acme.example", "owner@acme.example"]
NOBODY: tuple[int, list[str]] = (0, [])


def silent(shop: Shop, receiver: Receiver, since: datetime, given_up: int) -> None:
    """An endpoint that has failed since then, with so many deliveries given up after their last attempt."""
    for _ in range(given_up):
        receiver.will_answer(500)
        happens(shop.sandbox, object_id=f"pay_{given_up}")
        Delivery.objects.filter(status="PENDING").update(attempts=9)
        later()
        deliver_due()
    if not given_up:
        fails_in_a_row(shop, receiver, 1)
    Endpoint.objects.update(failing_since=since)
    Delivery.objects.update(created_at=since)


@contextmanager
def unchanged(hook: Hook) -> Iterator[None]:
    before = hook.shown()["status"], hook.shown()["disabledReason"]
    yield
    assert (hook.shown()["status"], hook.shown()["disabledReason"]) == before


def test_after_a_day_owners_and_developers_are_told_once(acme: Shop, hook: Hook, receiver: Receiver, look: Any) -> None:
    silent(acme, receiver, ago(hours=23), 0)
    assert look() == NOBODY

    with unchanged(hook):
        silent(acme, receiver, ago(hours=25), 0)
        assert look() == (1, TOLD)

    for message in mail.outbox:
        assert hook.id in message.body and receiver.url in message.body
        assert hook.secret not in message.body + message.subject
    assert look() == NOBODY


def test_after_five_days_and_ten_given_up_it_is_switched_off(
    acme: Shop, hook: Hook, receiver: Receiver, look: Any
) -> None:
    silent(acme, receiver, ago(days=5, minutes=1), 10)

    assert look() == (1, TOLD)

    assert (hook.shown()["status"], hook.shown()["disabledReason"]) == ("DISABLED", "FAILURES")
    assert look() == NOBODY
    a_payment(acme.sandbox, "PAID")
    later()
    assert (deliver_due(), Delivery.objects.count()) == (0, 10)


@pytest.mark.parametrize(("days", "given_up"), [(5.01, 9), (4.99, 10), (20, 0)])
def test_it_is_not_switched_off_before(
    acme: Shop, hook: Hook, receiver: Receiver, look: Any, days: float, given_up: int
) -> None:
    silent(acme, receiver, ago(days=days), given_up)

    with unchanged(hook):
        assert look() == (1, TOLD)  # the warning of the first day
        assert look() == NOBODY


def test_one_success_forgives_everything(acme: Shop, hook: Hook, receiver: Receiver, look: Any) -> None:
    silent(acme, receiver, ago(days=6), 10)
    a_payment(acme.sandbox, "PAID")
    later()
    assert deliver_due() == 1

    with unchanged(hook):
        assert look() == NOBODY


def test_who_is_switched_on_again_begins_afresh(acme: Shop, hook: Hook, receiver: Receiver, look: Any) -> None:
    silent(acme, receiver, ago(days=6), 10)
    look()

    changed = hook.change({"status": "ACTIVE"}).json()["data"]

    assert (changed["status"], changed["disabledReason"], look()) == ("ACTIVE", None, NOBODY)
    fails_in_a_row(acme, receiver, 1)
    assert look() == NOBODY
    Endpoint.objects.update(failing_since=ago(hours=25))
    assert look() == (1, TOLD)
    assert hook.shown()["status"] == "ACTIVE"


def test_nobody_is_told_of_an_endpoint_that_is_off_or_deleted(
    api: Api, acme: Shop, hook: Hook, receiver: Receiver, look: Any
) -> None:
    gone = registered(api, receiver.url)
    silent(acme, receiver, ago(days=6), 0)
    hook.change({"status": "INACTIVE"})
    gone.delete()
    Endpoint.objects.update(failing_since=ago(days=6))

    assert look() == NOBODY
