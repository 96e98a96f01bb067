"""Staff enter money of a manual account's statement that pays no payment: two people, each reference once."""

import re
from functools import partial

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from accounts.audit import Actor
from accounts.models import AuditEntry, Membership, Proposal, User
from accounts.proposals.errors import AlreadyProposed, OwnCompany
from gateway.payments.errors import BankReferenceUsed, InvalidBankReference
from gateway.payments.models import Payment
from gateway.providers import accounts
from gateway.providers.accounts import NewAccount
from gateway.providers.models import ProviderAccount, ProviderRoute
from gateway.staff.kit.pages import TWO_PEOPLE
from gateway.suspense.errors import NotTheirs, NotWatched, PaysItsPayment
from gateway.suspense.models import SuspenseItem
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.manual_provider import MEXICO, OTHER_CLABE, connected, live, spei
from tests.support.payments import a_payment
from tests.support.people import a_person, browser_of
from tests.support.production import pass_time
from tests.support.proposals import NOTE, action, confirmed, limit, nothing_moves, proposed, refusal
from tests.support.providers import active, confirms, enters, routed
from tests.support.staff import support
from tests.support.staff_overview import listed
from tests.support.suspense import balances
from tests.support.threads import at_once
from webhooks.models import Event

PAID = {"amount": "1500", "reference": "MBAN0100261120"}
MONEY = {"way": "SPEI:MXN", "amount": "1499.90", "reference": "MBAN7"}


@pytest.fixture
def account(acme: Shop) -> ProviderAccount:
    return connected(acme, "MXN")


@pytest.fixture
def acme_live(acme: Shop, account: ProviderAccount, address: str) -> Api:
    return live(acme, address)


@pytest.fixture
def payment(acme_live: Api) -> Payment:
    return spei(acme_live)


def held() -> SuspenseItem:
    return SuspenseItem.objects.get()


def test_two_people_enter_money_that_is_held_like_what_a_provider_lists(
    staff: Client, colleague: Client, acme: Shop, account: ProviderAccount, payment: Payment
) -> None:
    page = staff.get(action(account, "enter_money")).content.decode()
    assert str(TWO_PEOPLE) in page
    with nothing_moves():
        proposal = proposed(staff, account, "enter_money", **MONEY, payment=payment.pk)
        read = colleague.get(action(proposal, "confirm")).content.decode()
        assert confirmed(staff, proposal).status_code == 403
    for said in ("1,499.90 MXN", "SPEI", "MBAN7", "Another amount or currency", payment.pk, str(acme.company)):
        assert said in read

    assert confirmed(colleague, proposal).status_code == 200

    item = held()
    assert (item.account, item.payment, item.merchant) == (account, payment, acme.production)
    assert (item.state, item.cause, item.amount, item.reference) == ("HELD", "OTHER_AMOUNT", 149_990, "MBAN7")
    assert (item.return_at, NOTE["note"] in item.note) == (None, True)
    assert balances(acme) == {"CLEARING": -149_990, "SUSPENSE": 149_990}
    assert listed(staff, "Money in suspense") == [item.pk]
    payment.refresh_from_db()
    assert payment.status == "PENDING"
    entry = AuditEntry.objects.get(action="suspense.enter")
    assert (entry.merchant, entry.object_id, entry.by_staff) == (acme.production, item.pk, True)

    confirmed(colleague, proposed(staff, item, "returned", reference="SENT1"))
    assert (held().state, balances(acme)) == ("RETURNED", {})


@pytest.mark.parametrize("status", ["EXPIRED", "FAILED"])
def test_late_money_pays_its_payment_after_all_if_two_people_say_so(
    staff: Client, colleague: Client, acme: Shop, account: ProviderAccount, payment: Payment, status: str
) -> None:
    if status == "EXPIRED":
        pass_time(payment.pk, days=9)
    else:
        confirmed(colleague, proposed(staff, payment, "not_paid", failure_code="NOT_PAID"))
    told = refusal(staff, payment, "paid", **PAID)
    assert "The payment ended before the money was recorded." in told

    sent = {"way": "SPEI:MXN", **PAID, "payment": payment.pk}
    confirmed(colleague, proposed(staff, account, "enter_money", **sent))
    assert held().cause == "LATE"
    confirmed(colleague, proposed(staff, held(), "assign"))

    payment.refresh_from_db()
    assert (payment.status, payment.rail_reference) == ("PAID", PAID["reference"])
    assert balances(acme)["AVAILABLE"] == payment.net
    assert Event.objects.filter(object_id=payment.pk).order_by("pk").last().type == "payment.paid"  # type: ignore[union-attr]


def test_another_amount_recorded_as_paid_leads_to_the_form_filled_in(
    staff: Client, colleague: Client, account: ProviderAccount, payment: Payment
) -> None:
    told = refusal(staff, payment, "paid", amount="1,600.50", reference="MBAN7")
    [where] = re.findall(r'href="([^"]+enter_money[^"]+)"', told)

    form = staff.get(where).context["form"]
    filled = {name: form[name].value() for name in ("way", "amount", "reference", "payment")}
    assert filled == {"way": "SPEI:MXN", "amount": "1,600.50", "reference": "MBAN7", "payment": payment.pk}
    made = staff.post(where, NOTE | filled, follow=True)
    confirmed(colleague, Proposal.objects.get())

    assert made.status_code == 200
    assert (held().amount, held().reference, held().payment) == (160_050, "MBAN7", payment)


def test_money_of_no_payment_stands_in_the_companys_book_until_it_is_attributed(
    staff: Client, colleague: Client, acme: Shop, account: ProviderAccount, payment: Payment
) -> None:
    confirmed(colleague, proposed(staff, account, "enter_money", **MONEY | {"amount": "1500"}))
    assert (held().cause, held().merchant, held().payment) == ("UNKNOWN_CHARGE", acme.production, None)

    confirmed(colleague, proposed(staff, held(), "attribute", payment=payment.pk))
    confirmed(colleague, proposed(staff, held(), "assign"))

    payment.refresh_from_db()
    assert (payment.status, payment.rail_reference, held().state) == ("PAID", "MBAN7", "ASSIGNED")


def test_a_reference_is_used_once_by_every_door(
    staff: Client, colleague: Client, acme: Shop, account: ProviderAccount, acme_live: Api, payment: Payment
) -> None:
    confirmed(colleague, proposed(staff, payment, "paid", **PAID))
    for reference in (PAID["reference"], PAID["reference"].lower(), f" {PAID['reference']} "):
        told = refusal(staff, account, "enter_money", **MONEY | {"reference": reference})
        assert BankReferenceUsed.message in told

    confirmed(colleague, proposed(staff, account, "enter_money", **MONEY))
    again = connected_again(acme)
    for where in (account, again):
        assert BankReferenceUsed.message in refusal(staff, where, "enter_money", **MONEY | {"reference": "mban7"})
    other = spei(acme_live)
    for _ in ("held", "returned"):
        assert BankReferenceUsed.message in refusal(staff, other, "paid", **PAID | {"reference": "mban7"})
        if held().state == "HELD":
            confirmed(colleague, proposed(staff, held(), "returned", reference="SENT1"))


def test_money_of_the_platforms_account_is_not_attributed_to_a_company_that_has_it_already(
    staff: Client, colleague: Client, account: ProviderAccount, acme_live: Api, payment: Payment
) -> None:
    platforms = of_the_platform()
    other = spei(acme_live)
    sent = MONEY | {"amount": "1500", "reference": PAID["reference"]}
    confirmed(colleague, proposed(staff, platforms, "enter_money", **sent))
    early = proposed(staff, held(), "attribute", payment=other.pk)
    confirmed(colleague, proposed(staff, payment, "paid", **PAID | {"reference": PAID["reference"].lower()}))

    with nothing_moves():
        assert confirmed(colleague, early).status_code == 409
    assert BankReferenceUsed.message in refusal(staff, held(), "attribute", payment=payment.pk)


def of_the_platform() -> ProviderAccount:
    entered = accounts.enter(
        Actor(enters()), NewAccount("manual", "Ours", "PRODUCTION"), MEXICO | {"clabe": OTHER_CLABE}, NOTE["note"]
    )
    checked = accounts.check(Actor(enters()), entered)
    accounts.activate(Actor(confirms()), checked, NOTE["note"])
    return checked


@pytest.mark.django_db(transaction=True)
def test_a_reference_at_two_accounts_of_the_platform_pays_a_company_once(
    staff: Client, colleague: Client, account: ProviderAccount, acme_live: Api
) -> None:
    account.routes.all().delete()
    proposals = []
    for _ in range(2):
        ProviderRoute.objects.all().delete()
        routed(of_the_platform(), method="SPEI", currency="MXN")
        proposals.append(proposed(staff, spei(acme_live), "paid", **PAID))
    ProviderAccount.objects.filter(pk=account.pk).delete()
    three = browser_of(a_person("three@onpay.example", is_staff=True, is_superuser=True))

    answers = at_once(partial(confirmed, colleague, proposals[0]), partial(confirmed, three, proposals[1]))

    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert Payment.objects.filter(status="PAID").count() == 1


def connected_again(shop: Shop) -> ProviderAccount:
    """The same bank account, entered twice."""
    ProviderAccount.objects.get().routes.all().delete()
    return connected(shop, "MXN")


def test_two_proposals_about_one_reference_hold_it_once(
    staff: Client, colleague: Client, account: ProviderAccount, payment: Payment
) -> None:
    first = proposed(staff, account, "enter_money", **MONEY)
    assert AlreadyProposed.message in refusal(staff, account, "enter_money", **MONEY)
    second = proposed(staff, account, "enter_money", **MONEY, payment=payment.pk)
    third = proposed(staff, payment, "paid", **PAID | {"reference": "MBAN7"})
    confirmed(colleague, first)

    with nothing_moves():
        assert confirmed(colleague, second).status_code == 409
        assert confirmed(colleague, third).status_code == 409


@pytest.mark.django_db(transaction=True)
def test_a_reference_that_is_entered_and_recorded_as_paid_at_once_counts_once(
    staff: Client, colleague: Client, account: ProviderAccount, payment: Payment
) -> None:
    entered = proposed(staff, account, "enter_money", **MONEY)
    paid = proposed(staff, payment, "paid", **PAID | {"reference": "MBAN7"})
    three = browser_of(a_person("three@onpay.example", is_staff=True, is_superuser=True))

    answers = at_once(partial(confirmed, colleague, entered), partial(confirmed, three, paid))

    assert sorted(answer.status_code for answer in answers) == [200, 409]
    payment.refresh_from_db()
    assert (payment.status == "PAID") != SuspenseItem.objects.exists()


def test_a_proposal_is_outdated_once_its_payment_was_paid(
    staff: Client, colleague: Client, account: ProviderAccount, payment: Payment
) -> None:
    proposal = proposed(staff, account, "enter_money", **MONEY, payment=payment.pk)
    confirmed(colleague, proposed(staff, payment, "paid", **PAID))

    with nothing_moves():
        assert confirmed(colleague, proposal).status_code == 409
    confirmed(colleague, proposed(staff, account, "enter_money", **MONEY | {"amount": "1500"}, payment=payment.pk))
    assert held().cause == "PAID_TWICE"


def test_money_that_pays_its_payment_is_recorded_there(
    staff: Client, account: ProviderAccount, payment: Payment
) -> None:
    told = refusal(staff, account, "enter_money", **MONEY | {"amount": "1500"}, payment=payment.pk)
    assert PaysItsPayment.message in told


@pytest.mark.parametrize("reference", ["with spaces ü", "A" * 31, "A-1"])
def test_a_reference_that_no_bank_gives_is_refused(staff: Client, account: ProviderAccount, reference: str) -> None:
    assert InvalidBankReference.message in refusal(staff, account, "enter_money", **MONEY | {"reference": reference})


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"amount": ""}, "amount"),
        ({"amount": "-1"}, "amount"),
        ({"amount": "1.001"}, "amount"),
        ({"reference": ""}, "reference"),
        ({"reference": "x" * 65}, "reference"),
        ({"way": "PIX:BRL"}, "way"),
        ({"payment": "pay_0"}, "payment"),
        ({"payment": "\0"}, "payment"),
        ({"note": "ok"}, "note"),
    ],
)
def test_a_form_that_says_too_little_proposes_nothing(
    staff: Client, account: ProviderAccount, sent: dict[str, str], field: str
) -> None:
    with nothing_moves():
        answer = staff.post(action(account, "enter_money"), NOTE | MONEY | sent)
    assert list(answer.context["form"].errors) == [field]
    assert not Proposal.objects.exists()


def test_it_is_for_manual_accounts_and_their_companys_payments(
    staff: Client, root: User, acme: Shop, globex: Shop, account: ProviderAccount, address: str
) -> None:
    assert NotWatched.message in refusal(staff, active("bank"), "enter_money", **MONEY)
    entered = connected(globex, "BRL")
    ProviderAccount.objects.filter(pk=entered.pk).update(status="ENTERED")
    sent = MONEY | {"way": "PIX:BRL", "reference": "E00000000202611201200abcdefghijk"}
    assert NotWatched.message in refusal(staff, entered, "enter_money", **sent)

    connected(globex, "MXN", clabe=OTHER_CLABE)
    theirs = spei(live(globex, address))
    for other in (theirs, a_payment(acme.sandbox)):
        told = refusal(staff, account, "enter_money", **MONEY, payment=other.pk)
        assert NotTheirs.message in told

    Membership.objects.create(company=acme.company, user=root, role="VIEWER")
    assert OwnCompany.message in refusal(staff, account, "enter_money", **MONEY)


def test_within_the_limit_one_person_enters_and_two_still_decide(
    staff: Client, colleague: Client, acme: Shop, account: ProviderAccount, payment: Payment
) -> None:
    new = proposed(staff, acme.production, "single_approval", **limit("MXN", "1499.90"))
    confirmed(colleague, new)
    pass_time(payment.pk, days=9)

    page = staff.post(action(account, "enter_money"), NOTE | MONEY | {"payment": payment.pk}, follow=True)
    assert f"{held().pk} is held." in page.content.decode()
    proposed(staff, account, "enter_money", **MONEY | {"amount": "1499.91", "reference": "MBAN8"})
    proposed(staff, held(), "returned", reference="SENT1")

    assert held().state == "HELD"


def test_treasury_enters_and_others_do_not(account: ProviderAccount) -> None:
    user = support()
    user.groups.set(Group.objects.filter(name="Treasury"))
    page = browser_of(user).get(action(account, "change")).content.decode()
    assert f'href="{action(account, "enter_money")}"' in page

    User.objects.filter(pk=user.pk).delete()
    reader = support()
    reader.groups.set(Group.objects.filter(name="Onboarding"))
    browser = browser_of(reader)
    assert "enter_money" not in browser.get(action(account, "change")).content.decode()
    with nothing_moves():
        assert browser.post(action(account, "enter_money"), NOTE | MONEY).status_code == 403
