"""Money at an account of the platform is known once, in whichever cell it has paid something."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.test import Client

from accounts.base.clock import utcnow
from accounts.cells import all_cells, in_cell_of
from gateway.methods.rail import Money
from gateway.payments.errors import BankReferenceUsed
from gateway.payments.models import Payment, SingleApproval
from gateway.payments.other_money import Cause
from gateway.providers.models import ProviderAccount
from gateway.suspense.holding import hold
from gateway.suspense.models import SuspenseItem
from gateway.suspense.tasks import recover_money, sweep_suspense
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.lives import Lives, rows, violations
from tests.support.manual_provider import MEXICO, spei
from tests.support.production import live, move, pass_time
from tests.support.proposals import action, confirmed, limit, proposed, refusal
from tests.support.providers import connected
from tests.support.stp.books import deposit_message
from tests.support.stp.service import Stp, open_stp
from tests.support.stp.telling import create, tell
from tests.support.suspense import RETURNED, STILL_OPEN, a_bank, arrived, look_again, ordered, wait

E2E = "E60701190202611201200{:011d}"
PAID = {"amount": "1500", "reference": "MBAN0100261120"}
MONEY = {"way": "SPEI:MXN", "amount": "1499.90", "reference": "MBAN7"}


@pytest.fixture
def by_hand(lives: Lives) -> ProviderAccount:
    """The platform's account, whose statement people read."""
    account = connected("manual", MEXICO, "SPEI", currency="MXN")
    for shop in lives.in_turn():
        live(shop)
    return account


def asked(shop: Shop) -> Payment:
    """1,500 pesos."""
    with in_cell_of(shop.production):
        return spei(Api(shop.production_key))


def status(payment: Payment) -> str:
    with in_cell_of(payment.merchant):
        return str(Payment.objects.get(pk=payment.pk).status)


def test_what_a_bank_says_has_paid_in_one_cell_pays_nothing_in_another(lives: Lives) -> None:
    for shop, pays in ((lives.acme, True), (lives.globex, False), (lives.early, False)):
        with in_cell_of(shop.production):
            script = a_bank(shop)
            payment = look_again(ordered(shop), script, arrived(reference=E2E.format(1)))
            assert (payment.status == "PAID") == pays
    assert rows("ledger_transfer WHERE kind = 'payment.paid'") == [0, 1, 0]


def test_a_reference_that_people_recorded_in_one_cell_is_used_in_all(
    lives: Lives, by_hand: ProviderAccount, people: list[Client]
) -> None:
    payment, other = asked(lives.acme), asked(lives.globex)
    confirmed(people[1], proposed(people[0], payment, "paid", **PAID))
    assert status(payment) == "PAID"

    with all_cells():
        lower = PAID | {"reference": PAID["reference"].lower()}
        assert BankReferenceUsed.message in refusal(people[0], other, "paid", **lower)
        assert BankReferenceUsed.message in refusal(people[0], by_hand, "enter_money", **MONEY | PAID)
    assert (status(other), SuspenseItem.objects.count()) == ("PENDING", 0)


def test_money_of_a_statement_is_entered_for_a_payment_in_a_cell_and_pays_it(
    lives: Lives, by_hand: ProviderAccount, people: list[Client]
) -> None:
    payment = asked(lives.globex)
    confirmed(people[1], proposed(people[0], by_hand, "enter_money", **MONEY, payment=payment.pk))
    item = SuspenseItem.objects.get()
    assert (item.merchant, item.payment_id, item.cause) == (lives.globex.production, payment.pk, "OTHER_AMOUNT")
    assert rows("ledger_transfer WHERE kind = 'suspense.held'") == [0, 0, 1]

    with in_cell_of(payment.merchant):
        pass_time(payment.pk, days=30)
    late = MONEY | {"amount": "1500", "reference": "MBAN8"}
    confirmed(people[1], proposed(people[0], by_hand, "enter_money", **late, payment=payment.pk))
    second = SuspenseItem.objects.get(reference="MBAN8")
    confirmed(people[1], proposed(people[0], second, "assign"))
    assert status(payment) == "PAID"
    assert violations() == [[], [], []]


def test_what_one_person_decides_alone_counts_in_the_cell_of_the_company(
    lives: Lives, by_hand: ProviderAccount, people: list[Client]
) -> None:
    books, payment = lives.acme.production, asked(lives.acme)
    confirmed(people[1], proposed(people[0], books, "single_approval", **limit("MXN", "2000")))
    people[0].post(action(by_hand, "enter_money"), {**MONEY, "payment": payment.pk, "note": "By the statement"})
    assert SuspenseItem.objects.get().merchant == books
    assert rows("gateway_singleapproval") == [0, 1, 0]
    second = MONEY | {"reference": "MBAN9"}
    proposed(people[0], by_hand, "enter_money", **second, payment=payment.pk)
    with in_cell_of(books):
        assert SingleApproval.objects.count() == 1, "the day's sum is used up"


def test_unknown_money_is_attributed_to_a_payment_in_a_cell(
    lives: Lives, by_hand: ProviderAccount, people: list[Client]
) -> None:
    payment = asked(lives.acme)
    money = Money("MBAN7", Decimal(1500), "MXN")
    item = hold(by_hand, money, Cause.UNKNOWN_CHARGE, utcnow(), method="SPEI")
    assert item.merchant is None
    confirmed(people[1], proposed(people[0], item, "attribute", payment=payment.pk))
    item.refresh_from_db()
    assert item.merchant == lives.acme.production
    confirmed(people[1], proposed(people[0], item, "assign"))
    assert status(payment) == "PAID"
    assert rows("ledger_transfer WHERE kind = 'payment.paid'") == [0, 1, 0]
    assert violations() == [[], [], []]


def test_late_money_is_given_back_by_rule_in_its_cell(lives: Lives) -> None:
    for shop in lives.in_turn():
        script = a_bank(shop)
        payment = ordered(shop)
        move(payment.pk, days=2)
        look_again(payment, script, STILL_OPEN)
        assert look_again(payment, script, arrived(reference=f"E{shop.company.id}")).status == "EXPIRED"
    script.answers["refund"] = [RETURNED]
    assert SuspenseItem.objects.filter(state="HELD", return_at__isnull=False).count() == 3
    wait(days=0)
    SuspenseItem.objects.update(return_at=utcnow())
    sweep_suspense()
    assert list(SuspenseItem.objects.values_list("state", flat=True)) == ["RETURNED"] * 3
    assert violations() == [[], [], []]


@pytest.fixture
def stp() -> Iterator[Stp]:
    with open_stp() as stp:
        yield stp


def test_what_a_list_tells_and_has_paid_in_a_cell_is_held_in_none(lives: Lives, stp: Stp) -> None:
    account = connected("stp", stp.credentials(), "SPEI", currency="MXN")
    made = []
    for shop in lives.in_turn():
        live(shop)
        made.append(create(shop, reference="pays-in"))
    (paid, to_paid), (_, to_waiting), _ = made
    tell(account, deposit_message(stp.books.deposit(to_paid, "150.00")))
    assert status(paid) == "PAID"
    stp.books.deposit(to_waiting, "150.00")  # nobody told of it

    recover_money()
    recover_money()

    assert [status(payment) for payment, _ in made] == ["PAID", "PAID", "PENDING"]
    assert not SuspenseItem.objects.exists()
    assert rows("webhooks_event WHERE type = 'payment.paid'") == [1, 1, 0]
