"""Money that does not fit its payment is held once, stands in the books, and is nobody's balance."""

import re
from decimal import Decimal
from typing import Any

import pytest

from accounts.base.clock import utcnow
from gateway.methods.rail import Money
from gateway.payments import due
from gateway.payments.models import Payment
from gateway.payments.other_money import Cause
from gateway.suspense.holding import hold
from gateway.suspense.models import SuspenseItem
from ledger.verify import verify
from tests.support.companies import Shop
from tests.support.production import api_of, pass_time
from tests.support.providers import active
from tests.support.suspense import (
    GONE,
    PAID_BEFORE,
    STILL_OPEN,
    a_bank,
    arrived,
    balances,
    expired,
    look_again,
    ordered,
)
from tests.support.threads import at_once
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)


def held() -> list[tuple[str, str, int, str]]:
    rows = SuspenseItem.objects.order_by("reference")
    return [(one.reference, one.cause, one.amount, one.currency) for one in rows]


def kinds() -> list[str]:
    return list(Event.objects.order_by("created_at", "pk").values_list("type", flat=True))


@pytest.mark.parametrize("amount", ["149", "151", "0.01", "15000"])
def test_another_amount_is_held_and_the_payment_can_still_be_paid(acme: Shop, amount: str) -> None:
    a_bank(acme, ask=[arrived(amount), arrived("150", "E2", Money("E1", Decimal(amount), "BRL"))])

    payment = pass_time(ordered(acme).pk, minutes=1)
    minor = int(Decimal(amount) * 100)
    assert (payment.status, payment.unclear_since) == ("PENDING", None)
    assert held() == [("E1", "OTHER_AMOUNT", minor, "BRL")]
    assert balances(acme) == {"CLEARING": -minor, "SUSPENSE": minor}

    payment = pass_time(payment.pk, minutes=1)
    assert (payment.status, payment.rail_reference) == ("PAID", "E2")
    assert len(held()) == 1
    assert balances(acme)["SUSPENSE"] == minor
    assert balances(acme)["AVAILABLE"] == payment.net


def test_another_currency_is_held_in_its_own(acme: Shop) -> None:
    a_bank(acme, ask=[arrived("150", currency="USD")])

    assert pass_time(ordered(acme).pk, minutes=1).status == "PENDING"

    assert held() == [("E1", "OTHER_AMOUNT", 15000, "USD")]
    assert SuspenseItem.objects.get().return_at is None, "the bank cannot return dollars by PIX"


@pytest.mark.parametrize(
    "told", [arrived("149.999"), arrived("149", currency="XXX"), arrived("-1"), arrived("0"), arrived("NaN")]
)
def test_what_is_no_money_is_not_held_and_leaves_the_payment_unclear(acme: Shop, told: Any) -> None:
    a_bank(acme, ask=[told])

    payment = pass_time(ordered(acme).pk, minutes=1)

    assert (payment.status, payment.unclear_asks) == ("PENDING", 1)
    assert (held(), balances(acme)) == ([], {})


def test_a_payment_that_only_got_other_money_expires_in_its_own_time(acme: Shop) -> None:
    a_bank(acme, ask=[arrived("149")], cancel=[PAID_BEFORE])

    payment = pass_time(pass_time(ordered(acme).pk, minutes=1).pk, days=2)

    assert (payment.status, held()) == ("EXPIRED", [("E1", "OTHER_AMOUNT", 14900, "BRL")])
    assert kinds() == ["payment.updated", "payment.expired"]


def test_money_after_the_end_is_held_however_often_it_is_told(acme: Shop) -> None:
    script = a_bank(acme)
    payment = expired(acme)

    for _ in range(5):
        payment = look_again(payment, script, arrived())

    assert (payment.status, payment.ask_at, payment.leased_until) == ("EXPIRED", None, None)
    assert held() == [("E1", "LATE", 15000, "BRL")]
    assert balances(acme) == {"CLEARING": -15000, "SUSPENSE": 15000}
    assert kinds() == ["payment.updated", "payment.expired"]


def test_about_a_payment_that_ended_nothing_but_money_counts(acme: Shop) -> None:
    script = a_bank(acme)
    payment = expired(acme)
    calls = len(script.calls)

    payment = look_again(payment, script, STILL_OPEN)

    assert (payment.status, payment.ask_at, held()) == ("EXPIRED", None, [])
    assert [what for _, what, _ in script.calls[calls:]] == ["ask"], "it is not withdrawn again"
    assert due.run_due() == 0


def test_paid_twice_the_second_money_is_held(acme: Shop) -> None:
    script = a_bank(acme, ask=[arrived()])
    payment = pass_time(ordered(acme).pk, minutes=1)

    payment = look_again(payment, script, arrived("150", "E1", Money("E2", Decimal(150), "BRL")))
    look_again(payment, script, arrived("150", "E2"))

    assert (payment.status, payment.rail_reference) == ("PAID", "E1")
    assert held() == [("E2", "PAID_TWICE", 15000, "BRL")]
    assert balances(acme)["AVAILABLE"] == payment.net
    assert balances(acme)["SUSPENSE"] == 15000


def test_paid_twice_before_we_asked_one_of_both_pays(acme: Shop) -> None:
    a_bank(acme, ask=[arrived("150", "E1", Money("E2", Decimal(150), "BRL"), Money("E3", Decimal(7), "BRL"))])

    payment = pass_time(ordered(acme).pk, minutes=1)

    assert (payment.status, payment.rail_reference) == ("PAID", "E1")
    assert held() == [("E2", "PAID_TWICE", 15000, "BRL"), ("E3", "OTHER_AMOUNT", 700, "BRL")]


def test_money_without_an_id_of_its_own_is_known_by_its_payment(acme: Shop) -> None:
    script = a_bank(acme)
    payment = expired(acme)

    for _ in range(2):
        look_again(payment, script, GONE)

    assert held() == [(payment.pk, "LATE", 15000, "BRL")]


def test_two_processes_that_hear_of_the_same_money_hold_it_once(acme: Shop) -> None:
    account = active("bank")
    money = Money("E9", Decimal("12.34"), "BRL")

    def told() -> None:
        hold(account, money, Cause.UNKNOWN_CHARGE, utcnow(), method="PIX")

    at_once(*[told] * 4)

    assert held() == [("E9", "UNKNOWN_CHARGE", 1234, "BRL")]


def test_money_for_no_charge_stands_in_no_book_unless_the_account_is_a_companys(acme: Shop, globex: Shop) -> None:
    money = Money("E9", Decimal("12.34"), "BRL")

    everybodys = hold(active("bank"), money, Cause.UNKNOWN_CHARGE, utcnow(), method="PIX")
    own = active("own bank", acme.production)
    acmes = hold(own, money, Cause.UNKNOWN_CHARGE, utcnow(), method="PIX")

    assert (everybodys.merchant, acmes.merchant) == (None, acme.production)
    assert balances(acme) == {"CLEARING": -1234, "SUSPENSE": 1234}
    assert balances(globex) == {}
    assert (everybodys.return_at, acmes.return_at) == (None, None), "it may be the company's own business"


def test_the_proof_finds_money_that_is_held_and_has_paid(acme: Shop) -> None:
    script = a_bank(acme)
    item = SuspenseItem.objects.get(payment=look_again(expired(acme), script, arrived()))
    Payment.objects.update(rail_reference=item.reference, paid_at=utcnow(), status="PAID")

    assert "I29" in {violated.invariant.number for violated in verify()}

    Payment.objects.update(rail_reference=None, paid_at=None, status="EXPIRED")


def test_it_is_no_balance_of_the_company_and_nobody_elses_business(acme: Shop, globex: Shop) -> None:
    script = a_bank(acme)
    payment = look_again(expired(acme), script, arrived())

    for shop in (acme, globex):
        for page in ("balance", "statement?currency=BRL", "balances/blocked", "balances/releasing"):
            told = api_of(shop).get(f"/companies/{shop.company.pk}/{page}")
            assert told.status_code == 200, told.json()
            assert not {"sus_", "SUSPENSE", "suspense", "150"} & set(re.findall(r"sus_|\w+", str(told.json()["data"])))
    assert api_of(globex).get(f"/payments/{payment.pk}").status_code == 404
    assert balances(globex) == {}
    assert Payment.objects.get(pk=payment.pk).details == payment.details
