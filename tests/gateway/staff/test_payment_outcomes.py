"""Staff say what became of payments that no provider tells about: exactly, once, and never alone without a limit."""

from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from accounts.base.clock import utcnow
from accounts.base.sealing import seal
from accounts.models import AuditEntry, Membership, Proposal, User
from accounts.proposals.errors import AlreadyProposed, OwnCompany
from gateway.models import SingleApproval, SingleApprovalLimit
from gateway.payments.due import run_due
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount, ProviderRoute
from gateway.staff.kit.pages import TWO_PEOPLE
from gateway.suspense.models import SuspenseItem
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.manual_provider import OTHER_CLABE, connected, live, spei
from tests.support.payments import a_payment
from tests.support.people import browser_of
from tests.support.production import pass_time
from tests.support.proposals import NOTE, action, confirmed, limit, nothing_moves, proposed, refusal
from tests.support.staff import support
from tests.support.threads import at_once

PAID = {"amount": "1500", "reference": "MBAN0100261120"}
LATE = {"way": "SPEI:MXN", **PAID}
NOT_PAID = {"failure_code": "NOT_PAID"}


@pytest.fixture
def account(acme: Shop) -> ProviderAccount:
    return connected(acme, "MXN")


@pytest.fixture
def acme_live(acme: Shop, account: ProviderAccount, address: str) -> Api:
    return live(acme, address)


@pytest.fixture
def payment(acme_live: Api) -> Payment:
    return spei(acme_live)


def offered(browser: Client, payment: Payment) -> list[str]:
    page = browser.get(action(payment, "change")).content.decode()
    return [name for name in ("paid", "not_paid") if f'href="{action(payment, name)}"' in page]


def test_a_payment_that_waits_is_offered_until_somebody_has_proposed(staff: Client, payment: Payment) -> None:
    assert offered(staff, payment) == ["paid", "not_paid"]
    page = staff.get(action(payment, "paid")).content.decode()
    assert "The payer paid 1,500.00 MXN. 1,470.15 MXN is credited to the company. This cannot be undone." in page
    assert str(TWO_PEOPLE) in page

    proposed(staff, payment, "paid", **PAID)

    assert offered(staff, payment) == []
    assert AlreadyProposed.message in refusal(staff, payment, "paid", **PAID)


def test_the_second_person_reads_everything_before_confirming(
    staff: Client, colleague: Client, payment: Payment
) -> None:
    proposal = proposed(staff, payment, "paid", **PAID)

    page = colleague.get(action(proposal, "confirm")).content.decode()

    for said in ("Paid", PAID["reference"], "1,500.00 MXN", NOTE["note"], "root@onpay.example", "cannot be undone"):
        assert said in page


@pytest.mark.parametrize("other", ["1499.99", "1500.01", "15", "150000"])
def test_another_amount_than_the_payments_is_refused(staff: Client, payment: Payment, other: str) -> None:
    told = refusal(staff, payment, "paid", **PAID | {"amount": other})

    assert "The amount received is not the amount of the payment." in told
    assert "Enter the money" in told


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"amount": ""}, "amount"),
        ({"amount": "0"}, "amount"),
        ({"amount": "1500.001"}, "amount"),
        ({"reference": ""}, "reference"),
        ({"reference": "x" * 65}, "reference"),
        ({"note": "ok"}, "note"),
    ],
)
def test_a_form_that_says_too_little_proposes_nothing(
    staff: Client, payment: Payment, sent: dict[str, str], field: str
) -> None:
    with nothing_moves():
        answer = staff.post(action(payment, "paid"), NOTE | PAID | sent)
    assert list(answer.context["form"].errors) == [field]
    assert not Proposal.objects.exists()


@pytest.mark.parametrize("reference", ["with spaces", "über", "A" * 31, "A-1"])
def test_a_reference_that_no_bank_gives_is_refused(staff: Client, payment: Payment, reference: str) -> None:
    told = refusal(staff, payment, "paid", **PAID | {"reference": reference})

    assert "The bank reference does not have the form that this payment method gives it." in told


def test_one_transfer_pays_one_payment(
    staff: Client, colleague: Client, acme_live: Api, payment: Payment, globex: Shop, address: str
) -> None:
    other = spei(acme_live)
    first, second = proposed(staff, payment, "paid", **PAID), proposed(staff, other, "paid", **PAID)
    confirmed(colleague, first)

    with nothing_moves():
        answer = confirmed(colleague, second)

    assert (answer.status_code, "already paid another payment" in answer.content.decode()) == (409, True)
    second.refresh_from_db()
    assert second.state == "OPEN"
    third = spei(acme_live)
    assert "already paid another payment" in refusal(staff, third, "paid", **PAID)
    connected(globex, "MXN", clabe=OTHER_CLABE)  # another account has statements of its own
    theirs = spei(live(globex, address))
    confirmed(colleague, proposed(staff, theirs, "paid", **PAID))
    theirs.refresh_from_db()
    assert theirs.status == "PAID"


def test_one_transfer_in_another_case_or_by_another_account_of_the_company_pays_nothing_more(
    staff: Client, colleague: Client, acme: Shop, acme_live: Api, payment: Payment
) -> None:
    confirmed(colleague, proposed(staff, payment, "paid", **PAID))

    again = spei(acme_live)
    told = refusal(staff, again, "paid", **PAID | {"reference": PAID["reference"].lower()})
    assert "already paid another payment" in told

    ProviderRoute.objects.all().delete()
    reentered = connected(acme, "MXN")  # the same bank account
    third = spei(acme_live)
    assert third.account == reentered
    assert "already paid another payment" in refusal(staff, third, "paid", **PAID)


def test_proof_about_one_account_decides_nothing_once_another_provider_has_the_payment(
    staff: Client, colleague: Client, acme: Shop, payment: Payment
) -> None:
    proposal = proposed(staff, payment, "paid", **PAID)
    ProviderRoute.objects.all().delete()
    Payment.objects.filter(pk=payment.pk).update(account=connected(acme, "MXN"))

    with nothing_moves():
        assert confirmed(colleague, proposal).status_code == 409


def test_nobody_confirms_what_they_proposed_nor_decides_about_their_own_company(
    staff: Client, colleague: Client, acme: Shop, payment: Payment
) -> None:
    proposal = proposed(staff, payment, "paid", **PAID)
    with nothing_moves():
        assert confirmed(staff, proposal).status_code == 403

    member = User.objects.get(email="colleague@onpay.example")
    Membership.objects.create(company=acme.company, user=member, role="VIEWER")
    with nothing_moves():
        assert confirmed(colleague, proposal).status_code == 403
    proposal.delete()
    assert OwnCompany.message in refusal(colleague, payment, "paid", **PAID)


def test_the_sandbox_is_its_simulators(staff: Client, acme: Shop) -> None:
    simulated = a_payment(acme.sandbox)

    assert offered(staff, simulated) == []
    for act, sent in (("paid", {"amount": "150", "reference": "E" + "0" * 31}), ("not_paid", NOT_PAID)):
        assert "Staff do not decide the outcome of this payment." in refusal(staff, simulated, act, **sent)


@pytest.mark.parametrize("status", ["PENDING", "AUTHORIZED"])
def test_a_provider_that_answers_is_not_decided_for_until_its_deadline_has_passed(
    staff: Client, colleague: Client, payment: Payment, status: str
) -> None:
    Payment.objects.update(status=status)
    scripted = seal(b'{"user": "bank", "password": "secret"}')
    ProviderAccount.objects.update(provider="scripted", sealed_credentials=scripted)
    assert offered(staff, payment) == []
    assert "Staff do not decide" in refusal(staff, payment, "paid", **PAID)

    long_ago = utcnow() - timedelta(days=2)
    certain_by = long_ago + timedelta(days=1)
    Payment.objects.update(unclear_since=long_ago, unclear_asks=9, certain_by=certain_by, ask_at=utcnow())

    assert offered(staff, payment) == ["paid", "not_paid"]
    confirmed(colleague, proposed(staff, payment, "paid", **PAID))
    payment.refresh_from_db()
    assert (payment.status, payment.rail_reference, payment.certain_by) == ("PAID", PAID["reference"], None)


@pytest.mark.parametrize("status", ["EXPIRED", "FAILED"])
def test_money_that_comes_too_late_is_refused_with_what_to_do(
    staff: Client, colleague: Client, payment: Payment, acme_live: Api, status: str
) -> None:
    waiting = proposed(staff, payment, "paid", **PAID)
    if status == "FAILED":
        other = spei(acme_live)
        confirmed(colleague, proposed(staff, other, "not_paid", **NOT_PAID))
        payment = other
    else:
        Payment.objects.filter(pk=payment.pk).update(expires_at=payment.created_at)
        run_due()
        with nothing_moves():
            assert confirmed(colleague, waiting).status_code == 409

    told = refusal(staff, payment, "paid", **PAID | {"reference": "LATE1"})

    assert "The payment ended before the money was recorded." in told
    assert "Enter the money" in told


def test_what_was_paid_is_not_decided_again(staff: Client, colleague: Client, payment: Payment) -> None:
    confirmed(colleague, proposed(staff, payment, "paid", **PAID))

    assert offered(staff, payment) == []
    for act, sent in (("paid", PAID | {"reference": "OTHER1"}), ("not_paid", NOT_PAID)):
        assert "status does not allow this" in refusal(staff, payment, act, **sent)


def test_whoever_may_only_view_decides_nothing_and_treasury_may(payment: Payment) -> None:
    viewer = browser_of(support("view_payment"))
    assert offered(viewer, payment) == []
    with nothing_moves():
        for act in ("paid", "not_paid"):
            assert viewer.post(action(payment, act), NOTE | PAID | NOT_PAID).status_code == 403
    assert not Proposal.objects.exists()

    user = User.objects.get(email="support@onpay.example")
    user.user_permissions.clear()
    user.groups.set([Group.objects.get(name="Treasury")])
    assert offered(browser_of(user), payment) == ["paid", "not_paid"]


# The limit for one person


def test_up_to_the_limit_one_person_is_enough_and_above_it_two(
    staff: Client, colleague: Client, acme: Shop, acme_live: Api, payment: Payment
) -> None:
    new = proposed(staff, acme.production, "single_approval", **limit("MXN", "1499.99"))
    assert not SingleApprovalLimit.objects.exists()
    assert confirmed(staff, new).status_code == 403
    confirmed(colleague, new)
    proposed(staff, payment, "paid", **PAID)  # a cent above

    confirmed(
        colleague,
        proposed(staff, acme.production, "single_approval", **limit("MXN", "1500", "3500")),
    )
    second = spei(acme_live)
    page = staff.post(action(second, "paid"), NOTE | PAID | {"reference": "OTHER1"}, follow=True).content.decode()

    second.refresh_from_db()
    assert (second.status, second.rail_reference) == ("PAID", "OTHER1")
    assert f"{second.pk} is paid." in page
    entry = AuditEntry.objects.get(action="payment.done")
    assert (entry.object_id, entry.note) == (second.pk, NOTE["note"])
    assert (
        "up to 1,500.00 MXN, and 3,500.00 MXN a person in 24 hours"
        in staff.get(action(acme.production, "change")).content.decode()
    )
    changed = AuditEntry.objects.filter(action="single_approval_limit.changed").order_by("pk")
    assert [one.after for one in changed] == [
        {"limits": [["MXN", 149_999, 149_999]]},
        {"limits": [["MXN", 150_000, 350_000]]},
    ]


def test_above_the_limit_of_a_day_it_takes_two_again(
    staff: Client, colleague: Client, acme: Shop, acme_live: Api, account: ProviderAccount
) -> None:
    confirmed(colleague, proposed(staff, acme.production, "single_approval", **limit("MXN", "1500", "3500")))
    first, second, third, fourth = (spei(acme_live) for _ in range(4))
    staff.post(action(first, "paid"), NOTE | PAID | {"reference": "ONE1"})
    staff.post(action(second, "not_paid"), NOTE | NOT_PAID)
    money = {"way": "SPEI:MXN", "amount": "500.01", "reference": "ONE2"}

    assert str(TWO_PEOPLE) in staff.get(action(third, "paid")).content.decode()
    for record, name, sent in ((third, "paid", PAID), (account, "enter_money", money)):
        with nothing_moves():
            assert "proposed" in staff.post(action(record, name), NOTE | sent, follow=True).content.decode()
    colleague.post(action(fourth, "paid"), NOTE | PAID | {"reference": "TWO1"})

    found = {one.pk: one.status for one in Payment.objects.all()}
    assert [found[one.pk] for one in (first, second, third, fourth)] == ["PAID", "FAILED", "PENDING", "PAID"]
    SingleApproval.objects.update(decided_at=utcnow() - timedelta(hours=24))
    staff.post(action(account, "enter_money"), NOTE | money | {"reference": "ONE3"})
    assert SuspenseItem.objects.get().reference == "ONE3"


@pytest.mark.django_db(transaction=True)
def test_two_decisions_at_once_do_not_exceed_the_limit_of_a_day(
    staff: Client, colleague: Client, acme: Shop, acme_live: Api
) -> None:
    confirmed(colleague, proposed(staff, acme.production, "single_approval", **limit("MXN", "1500", "1500")))
    payments = [spei(acme_live), spei(acme_live)]
    again = browser_of(User.objects.get(email="root@onpay.example"))

    at_once(*(
        partial(browser.post, action(payment, "paid"), NOTE | PAID | {"reference": f"ONE{number}"})
        for number, (browser, payment) in enumerate(zip((staff, again), payments, strict=True))
    ))  # fmt: skip

    assert sorted(Payment.objects.values_list("status", flat=True)) == ["PAID", "PENDING"]


def test_a_limit_is_of_one_company_and_one_currency(
    staff: Client, colleague: Client, acme: Shop, globex: Shop, address: str, payment: Payment
) -> None:
    confirmed(
        colleague,
        proposed(staff, acme.production, "single_approval", **limit("BRL", "999999")),
    )
    confirmed(
        colleague,
        proposed(staff, globex.production, "single_approval", **limit("MXN", "999999")),
    )

    proposed(staff, payment, "paid", **PAID)

    payment.refresh_from_db()
    assert payment.status == "PENDING"


def test_a_sandbox_has_no_limit_and_whoever_may_not_sets_none(staff: Client, acme: Shop) -> None:
    assert "Staff do not decide" in refusal(staff, acme.sandbox, "single_approval", **limit("MXN", "1"))
    viewer = browser_of(support("view_merchant", "change_payment"))
    sent = NOTE | limit("MXN", "1")
    assert viewer.post(action(acme.production, "single_approval"), sent).status_code == 403
    assert not SingleApprovalLimit.objects.exists()


def test_no_proposal_stops_the_payers_time_and_its_money_comes_in_as_late(
    staff: Client, colleague: Client, payment: Payment
) -> None:
    waiting = proposed(staff, payment, "paid", **PAID)
    assert payment.expires_at is not None
    page = colleague.get(action(waiting, "confirm")).content.decode()
    assert f"Payment expires: <b>{payment.expires_at:%Y-%m-%d %H:%M}Z</b>" in page

    payment = pass_time(payment.pk, days=9)

    assert payment.status == "EXPIRED"
    with nothing_moves():
        assert confirmed(colleague, waiting).status_code == 409
    confirmed(colleague, proposed(staff, payment.account, "enter_money", **LATE | {"payment": payment.pk}))
    confirmed(colleague, proposed(staff, SuspenseItem.objects.get(), "assign"))
    payment.refresh_from_db()
    assert (payment.status, payment.rail_reference) == ("PAID", PAID["reference"])
