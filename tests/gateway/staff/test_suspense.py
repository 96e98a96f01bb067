"""Money in suspense before staff: one person may keep it, two decide where it belongs, nobody about their own."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from accounts.base.clock import utcnow
from accounts.models import AuditEntry, Membership, User
from accounts.proposals.errors import OwnCompany
from gateway.methods.rail import Money, PaymentOutcome, PaymentResult
from gateway.payments.models import Payment
from gateway.payments.other_money import Cause
from gateway.providers.errors import Unclear
from gateway.providers.models import ProviderAccount
from gateway.staff.kit.pages import TWO_PEOPLE
from gateway.suspense.errors import DoesNotFit, NotTheirs
from gateway.suspense.holding import hold
from gateway.suspense.models import SuspenseItem
from ledger.models import Entry
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import browser_of
from tests.support.production import api_of, pass_time
from tests.support.proposals import NOTE, action, confirmed, nothing_moves, proposed, refusal
from tests.support.scripted_provider import Script
from tests.support.staff import support
from tests.support.staff_overview import listed
from tests.support.suspense import RETURNED, a_bank, arrived, balances, expired, look_again, ordered, wait
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)

ACTIONS = ("give_back", "assign", "attribute", "returned", "not_returned", "keep")
REFERENCE = {"reference": "D20261122"}


@pytest.fixture
def script(acme: Shop) -> Script:
    return a_bank(acme, refund=[RETURNED])


@pytest.fixture
def late(acme: Shop, script: Script) -> SuspenseItem:
    """150 reais for a payment of 150 that has expired."""
    look_again(expired(acme), script, arrived())
    return SuspenseItem.objects.get()


@pytest.fixture
def unknown(script: Script) -> SuspenseItem:
    """150 reais at the platform's account, for no charge of ours."""
    money = Money("E9", Decimal(150), "BRL")
    return hold(ProviderAccount.objects.get(), money, Cause.UNKNOWN_CHARGE, utcnow(), method="PIX")


def offered(browser: Client, item: SuspenseItem) -> list[str]:
    page = browser.get(action(item, "change")).content.decode()
    return [name for name in ACTIONS if f'href="{action(item, name)}"' in page]


def kinds() -> list[str]:
    return list(Event.objects.order_by("created_at", "pk").values_list("type", flat=True))


def test_late_money_that_two_people_let_in_pays_its_payment(
    staff: Client, colleague: Client, acme: Shop, late: SuspenseItem
) -> None:
    assert offered(staff, late) == ["give_back", "assign", "returned", "keep"]
    page = staff.get(action(late, "assign")).content.decode()
    assert f"150.00 BRL pays {late.payment_id}, and the company is notified that it was paid." in page
    assert str(TWO_PEOPLE) in page

    with nothing_moves():
        proposal = proposed(staff, late, "assign")
        assert confirmed(staff, proposal).status_code == 403
    assert offered(staff, late) == []
    assert confirmed(colleague, proposal).status_code == 200

    late.refresh_from_db()
    payment = Payment.objects.get()
    assert (late.state, late.return_at) == ("ASSIGNED", None)
    assert (payment.status, payment.rail_reference, payment.failure_code) == ("PAID", "E1", None)
    assert balances(acme) == {"CLEARING": -15000, "AVAILABLE": payment.net, "FEE_INCOME": payment.fee}
    assert kinds() == ["payment.updated", "payment.expired", "payment.paid"]
    told = api_of(acme).get(f"/payments/{payment.pk}").json()["data"]
    assert (told["status"], told["pixEndToEndId"]) == ("PAID", "E1")
    entry = AuditEntry.objects.get(action="suspense.assign")
    assert (entry.merchant, entry.before["status"], entry.after["status"]) == (acme.production, "EXPIRED", "PAID")
    wait(days=2)
    assert SuspenseItem.objects.get().state == "ASSIGNED"


def test_a_failed_payment_that_its_late_money_pays_has_failed_no_more(
    staff: Client, colleague: Client, acme: Shop, script: Script
) -> None:
    declined = PaymentOutcome(PaymentResult.DECLINED, failure=("PAYER_REJECTED", "The payer refused."))
    payment = look_again(ordered(acme), script, declined)
    assert payment.status == "FAILED"
    look_again(payment, script, arrived())

    confirmed(colleague, proposed(staff, SuspenseItem.objects.get(), "assign"))

    payment.refresh_from_db()
    assert (payment.status, payment.failure_code, payment.failure_message) == ("PAID", None, None)
    assert kinds()[-2:] == ["payment.failed", "payment.paid"]


def test_money_told_again_after_it_was_assigned_changes_nothing(
    staff: Client, colleague: Client, acme: Shop, script: Script, late: SuspenseItem
) -> None:
    confirmed(colleague, proposed(staff, late, "assign"))

    with nothing_moves():
        for _ in range(3):
            look_again(Payment.objects.get(), script, arrived())


@pytest.mark.parametrize("amount", ["149.99", "150.01"])
def test_money_of_another_amount_pays_nothing(staff: Client, acme: Shop, script: Script, amount: str) -> None:
    look_again(expired(acme), script, arrived(amount))
    item = SuspenseItem.objects.get()

    assert offered(staff, item) == ["give_back", "returned", "keep"]
    assert DoesNotFit.message in refusal(staff, item, "assign")


def test_money_of_a_payment_whose_reference_was_taken_again_pays_nothing(
    staff: Client, acme: Shop, script: Script, late: SuspenseItem
) -> None:
    ordered(acme)

    assert "This reference is already in use." in refusal(staff, late, "assign")


def test_money_that_came_twice_pays_nothing_twice(staff: Client, acme: Shop, script: Script) -> None:
    script.answers["ask"] = [arrived("150", "E1", Money("E2", Decimal(150), "BRL"))]
    pass_time(ordered(acme).pk, minutes=1)
    item = SuspenseItem.objects.get()

    assert offered(staff, item) == ["give_back", "returned", "keep"]
    assert DoesNotFit.message in refusal(staff, item, "assign")


def test_money_of_a_payment_that_staff_recorded_as_paid_is_given_back_by_nobody_alone(
    staff: Client, colleague: Client, acme: Shop, script: Script
) -> None:
    """What the provider calls by another name may be the money that two people have seen."""
    script.answers |= {"ask": [Unclear("500")], "cancel": [Unclear("500")]}
    payment = ordered(acme)
    for _ in range(3):
        payment = pass_time(payment.pk, days=1)
    sent = {"amount": "150", "reference": "E12345678202611220001abcdefghijk"}
    confirmed(colleague, proposed(staff, payment, "paid", **sent))
    payment = look_again(payment, script, arrived("150", "E1"))
    assert payment.status == "PAID"

    wait(days=9)

    item = SuspenseItem.objects.get()
    assert (item.state, item.cause, item.reference) == ("HELD", "PAID_TWICE", "E1")
    assert listed(staff, "Money in suspense") == [item.pk]


def test_what_was_given_back_between_proposal_and_confirmation_is_not_assigned(
    staff: Client, colleague: Client, late: SuspenseItem
) -> None:
    proposal = proposed(staff, late, "assign")
    wait(hours=1)
    assert SuspenseItem.objects.get().state == "RETURNED"

    with nothing_moves():
        assert confirmed(colleague, proposal).status_code == 409


def test_one_person_keeps_it_and_then_two_give_it_back(
    staff: Client, colleague: Client, acme: Shop, script: Script, late: SuspenseItem
) -> None:
    assert listed(staff, "Money in suspense") == []
    staff.post(action(late, "keep"), NOTE)
    wait(days=1)
    assert listed(staff, "Money in suspense") == [late.pk]
    assert offered(staff, late) == ["give_back", "assign", "returned"]

    confirmed(colleague, proposed(staff, late, "give_back"))
    wait(minutes=1)

    late.refresh_from_db()
    assert (late.state, late.return_reference, balances(acme)) == ("RETURNED", "D1", {})
    assert listed(staff, "Money in suspense") == []


def test_what_the_provider_declined_is_given_back_once_more_under_a_new_id(
    staff: Client, colleague: Client, script: Script, late: SuspenseItem
) -> None:
    script.answers["refund"] = [PaymentOutcome(PaymentResult.DECLINED), RETURNED]
    wait(hours=1)
    assert listed(staff, "Money in suspense") == [late.pk]

    confirmed(colleague, proposed(staff, late, "give_back"))
    wait(minutes=1)

    late.refresh_from_db()
    ids = [our_id for _, what, our_id in script.calls if what == "refund"]
    assert (late.state, len(set(ids)), ids[0]) == ("RETURNED", 2, late.pk)


def test_a_return_outside_of_the_gateway_is_recorded_by_two(
    staff: Client, colleague: Client, acme: Shop, script: Script, late: SuspenseItem
) -> None:
    proposal = proposed(staff, late, "returned", **REFERENCE)
    assert REFERENCE["reference"] in colleague.get(action(proposal, "confirm")).content.decode()

    confirmed(colleague, proposal)
    wait(days=1)

    late.refresh_from_db()
    assert (late.state, late.return_reference, balances(acme)) == ("RETURNED", REFERENCE["reference"], {})
    assert [what for _, what, _ in script.calls if "refund" in what] == []


def test_an_unclear_return_is_decided_only_past_its_deadline(
    staff: Client, colleague: Client, acme: Shop, script: Script, late: SuspenseItem
) -> None:
    script.answers |= {"refund": [Unclear("read timeout")], "ask refund": [Unclear("500")]}
    wait(hours=1)
    assert (offered(staff, late), listed(staff, "Unclear returns of money")) == ([], [])
    refusal(staff, late, "returned", **REFERENCE)

    wait(days=2)
    assert listed(staff, "Unclear returns of money") == [late.pk]
    assert offered(staff, late) == ["returned", "not_returned"]
    confirmed(colleague, proposed(staff, late, "not_returned"))

    late.refresh_from_db()
    assert (late.state, late.unclear_since) == ("HELD", None)
    assert balances(acme) == {"CLEARING": -15000, "SUSPENSE": 15000}


def test_nobody_decides_about_their_own_company(
    staff: Client, colleague: Client, root: User, acme: Shop, late: SuspenseItem
) -> None:
    proposal = proposed(colleague, late, "assign")
    Membership.objects.create(company=acme.company, user=root, role="VIEWER")

    with nothing_moves():
        assert confirmed(staff, proposal).status_code == 403
        for act in ("give_back", "assign", "keep"):
            assert OwnCompany.message in refusal(staff, late, act)


def test_money_of_nobody_is_attributed_and_then_pays(
    staff: Client, colleague: Client, acme: Shop, unknown: SuspenseItem
) -> None:
    payment = ordered(acme)
    assert (listed(staff, "Money in suspense"), balances(acme)) == ([unknown.pk], {})
    assert offered(staff, unknown) == ["give_back", "attribute", "returned"]

    confirmed(colleague, proposed(staff, unknown, "attribute", payment=payment.pk))
    unknown.refresh_from_db()
    assert (unknown.state, unknown.payment, unknown.merchant) == ("HELD", payment, acme.production)
    assert balances(acme) == {"CLEARING": -15000, "SUSPENSE": 15000}

    confirmed(colleague, proposed(staff, unknown, "assign"))
    payment.refresh_from_db()
    assert (payment.status, balances(acme)["AVAILABLE"]) == ("PAID", payment.net)


def test_money_of_nobody_is_given_back_without_touching_any_book(
    staff: Client, colleague: Client, script: Script, unknown: SuspenseItem
) -> None:
    wait(days=9)
    unknown.refresh_from_db()
    assert unknown.state == "HELD"

    confirmed(colleague, proposed(staff, unknown, "give_back"))
    wait(minutes=1)

    unknown.refresh_from_db()
    assert (unknown.state, Entry.objects.count()) == ("RETURNED", 0)


def test_money_is_not_attributed_to_whom_it_cannot_belong(
    staff: Client, root: User, acme: Shop, globex: Shop, unknown: SuspenseItem
) -> None:
    payment = ordered(acme)
    sandbox = a_payment(globex.sandbox)
    assert NotTheirs.message.partition("'s ")[2] in refusal(staff, unknown, "attribute", payment=sandbox.id)
    for odd in ("pay_0", "'", "\0", "x" * 41, ""):
        with nothing_moves():
            assert staff.post(action(unknown, "attribute"), NOTE | {"payment": odd}).context["form"].errors
    Membership.objects.create(company=acme.company, user=root, role="VIEWER")
    assert OwnCompany.message in refusal(staff, unknown, "attribute", payment=payment.pk)


def test_treasury_decides_and_others_only_read(late: SuspenseItem) -> None:
    treasurer = support()
    treasurer.groups.set(Group.objects.filter(name="Treasury"))
    assert offered(browser_of(treasurer), late) == ["give_back", "assign", "returned", "keep"]

    User.objects.filter(pk=treasurer.pk).delete()
    reader = support()
    reader.groups.set(Group.objects.filter(name="Support"))
    browser = browser_of(reader)
    assert offered(browser, late) == []
    with nothing_moves():
        for act in ACTIONS:
            assert browser.post(action(late, act), NOTE | REFERENCE).status_code == 403
