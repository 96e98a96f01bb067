"""Jobs of support, by a robot that reads the pages of staff: three clicks or one search each."""

from collections.abc import Iterator

import pytest

from accounts.base.clock import utcnow
from accounts.models import Company, User
from gateway.refunds.models import Refund
from ledger.models import Advance, Hold
from tests.support.browser import Watched
from tests.support.desks import STAFF, Desks
from tests.support.people import signed_in_twice
from tests.support.robot import Robot
from webhooks.models import Delivery, Endpoint


@pytest.fixture
def robot(watched: Watched, desks: Desks, spoken: str) -> Iterator[Robot]:
    """Somebody of support, at the first page of the admin."""
    User.objects.filter(email=STAFF).update(language=spoken)
    watched.enters(signed_in_twice(User.objects.get(email=STAFF)))
    with Robot(watched, spoken).at_work("/admin/") as found:
        yield found


def test_the_customer_paid_and_the_order_is_pending(robot: Robot) -> None:
    """Only the amount and the day are known."""
    robot.finds(f"475,88 {utcnow():%d/%m/%Y}", "475.88")
    robot.reads("475.88 BRL", robot.word("Pending"), "Acme")


def test_send_an_event_again(robot: Robot) -> None:
    robot.finds("55,10", "55.10")
    robot.clicks("Send its events again")
    robot.types("Note", "The shop asked us, case 17")
    robot.clicks("Send its events again")
    robot.reads(robot.word("Queued deliveries: %(n)s.", n=1))
    assert Delivery.objects.filter(status="PENDING", asked_for=True).exists()


def test_switch_an_endpoint_on(robot: Robot) -> None:
    robot.finds("shop.example", "https://shop.example/hook")
    robot.clicks("Switch on")
    robot.types("Note", "They mended it, case 18")
    robot.clicks("Switch on")
    robot.reads(robot.word("The endpoint is on. Its owners are told."))
    assert not Endpoint.objects.exclude(status="ACTIVE").exists()


def test_why_a_withdrawal_waits(robot: Robot) -> None:
    robot.finds("1250,75", f"{robot.word('withdrawal')}, ")
    held = "The company's rules hold it back: %(given)s of %(required)s people have approved it."
    robot.reads(robot.word(held, given=0, required=1))


def test_approve_an_advance(robot: Robot) -> None:
    robot.finds("fina@acme.example", f"{robot.word('advance')}, ")
    robot.clicks("Approve")
    robot.types("Note", "Good history.")
    robot.clicks("Approve this advance")
    robot.reads(robot.word("Approved", "advance"))
    assert Advance.objects.get().state == "APPROVED"


def test_decide_a_dispute(robot: Robot) -> None:
    robot.finds("98,42", f"{robot.word('refund')}, ")
    robot.clicks("Decide for the company")
    robot.types("Note", "It was delivered.")
    robot.clicks("Decide for the company")
    assert Refund.objects.get(amount=9842).status == "REJECTED"


def test_verify_a_company(robot: Robot) -> None:
    robot.finds("Globex", f"{robot.word('company')}, ")
    robot.clicks("Verify")
    robot.clicks("Verify this company")
    robot.reads(robot.word("%(company)s was verified.", company="Globex"))
    assert Company.objects.get(trade_name="Globex").verified_at


def test_hold_money_with_a_case_number(robot: Robot) -> None:
    robot.finds("Acme", f"{robot.word('merchant')}, Sandbox")
    robot.clicks("Hold money")
    robot.types("Amount", "12.50")
    robot.types("case number", "0001-22/26")
    robot.types("Note", "An invoice is missing")
    robot.clicks("Save")
    robot.reads("12.50 BRL", "0001-22/26")
    assert Hold.objects.get(case_number="0001-22/26", note="An invoice is missing").amount == 1250


def test_who_changed_the_withdrawal_address(robot: Robot) -> None:
    done = robot.word("Changed the withdrawal address")
    robot.finds(f"{done} Acme", f"{done}, Acme, staff@onpay.example")
    robot.reads("8.8.4.4", "Ticket 4711")


def test_see_what_a_company_sees(robot: Robot) -> None:
    robot.finds("Acme", f"{robot.word('company')}, ")
    robot.clicks("See what this company sees")
    robot.types("Note", "They do not find their payments, case 19")
    robot.clicks("See what this company sees")
    robot.reads(robot.word("Read-only"), "Acme")
