"""A bank takes money back itself, as MED has it: it is recorded once, settles claims, and is never paid twice."""

from decimal import Decimal
from typing import Any

import pytest

from gateway.methods.rail import Clawback
from gateway.refunds.clawbacks import settle
from gateway.refunds.due import run_due
from gateway.refunds.models import Refund
from tests.support.api import Api
from tests.support.cards import book, lookup
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.refunds import (
    announced,
    answered,
    ask,
    blocks,
    claimed,
    disputed,
    kinds,
    later,
    now,
    paid,
    refunded,
    refusal,
    wallet,
    withdraw_all_but,
)

pytestmark = pytest.mark.django_db


def taken_back(shop: Shop, payment: str, amount: str = "150.00", reference: str = "D1", **members: Any) -> bool:
    one = Clawback(reference, "E1", Decimal(amount), "BRL", "FRAUD", **members)
    return settle(shop.sandbox, payment, [one])


def told(api: Api, payment: str) -> list[tuple[str, float, str | None]]:
    """The payment's refunds, oldest first."""
    listed = api.get(f"/payments/{payment}/refunds").json()["data"]
    return [(one["status"], one["amount"], one["endToEndId"]) for one in reversed(listed)]


def test_without_a_claim_one_is_opened_and_completed_by_it(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)

    assert taken_back(acme, payment)

    done = announced(acme, "refund.completed")["data"]
    assert (done["origin"], done["disputeKind"], done["reasonCode"]) == ("PAYER", "MED", "FRAUD")
    assert (done["claimId"], done["endToEndId"]) == ("D1", "D1")
    assert (done["amount"], done["claimedAmount"], done["recoveredAmount"]) == (150, 150, 150)
    assert (done["analysisDueAt"], done["returnDueAt"], done["responseDueAt"]) == (done["createdAt"],) * 2 + (None,)
    assert kinds(acme) == ["refund.created", "refund.completed", "payment.refunded"]
    assert lookup(api, payment)["status"] == "REFUNDED"
    assert (wallet(acme), blocks(api, acme)) == ((14_700, 0, 0), [])
    assert book(acme)["CLEARING PIX BRL"] == -15_000


@pytest.mark.parametrize("answer", [None, "CONTEST", "ACCEPT"])
def test_a_claim_is_settled_by_it_wherever_it_stands(api: Api, acme: Shop, answer: str | None) -> None:
    payment = paid(api)
    paid(api)
    claim = claimed(api, payment)
    if answer:
        answered(api, claim, answer)

    assert taken_back(acme, payment)

    done = now(api, claim)
    assert (done["status"], done["amount"], done["endToEndId"], done["blockedAmount"]) == ("COMPLETED", 150, "D1", 0)
    assert (done["claimId"], done["responseDueAt"]) == (claim["claimId"], claim["responseDueAt"])
    later(acme, days=12)
    run_due()
    assert told(api, payment) == [("COMPLETED", 150, "D1")]
    assert book(acme)["CLEARING PIX BRL"] == -15_000


def test_told_again_and_in_another_order_nothing_moves(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    first, second = (Clawback(f"D{n}", "E1", Decimal(n), "BRL", "FRAUD") for n in (50, 100))
    settle(acme.sandbox, payment, [second])
    before = book(acme)

    assert settle(acme.sandbox, payment, [second, first, second])
    once = book(acme)
    assert settle(acme.sandbox, payment, [first, second])

    assert before != once == book(acme)
    assert told(api, payment) == [("COMPLETED", 100, "D100"), ("COMPLETED", 50, "D50")]
    assert lookup(api, payment)["status"] == "REFUNDED"


def test_what_is_under_way_or_does_not_fit_moves_nothing(api: Api, acme: Shop) -> None:
    payment = paid(api)
    before = book(acme)

    assert taken_back(acme, payment, is_done=False)
    assert not taken_back(acme, payment, amount="150.01")

    assert (told(api, payment), book(acme)) == ([], before)


def test_a_smaller_one_leaves_the_rest_of_the_claim(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    claim = claimed(api, payment)

    taken_back(acme, payment, "60.00")

    rest = now(api, claim)
    assert (rest["status"], rest["amount"], rest["claimedAmount"]) == ("AWAITING_RESPONSE", 90, 150)
    assert announced(acme, "refund.updated")["data"] == rest
    assert blocks(api, acme) == [("MED", 90, claim["id"], claim["returnDueAt"])]
    answered(api, claim, "ACCEPT")
    later(acme, seconds=3)
    run_due()
    assert sorted(amount for status, amount, _ in told(api, payment) if status == "COMPLETED") == [60, 90]
    assert lookup(api, payment)["status"] == "REFUNDED"


def test_the_part_that_is_there_pays_what_was_taken_back_and_the_rest_is_claimed_on(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    withdraw_all_but(acme, 4_000)
    claim = claimed(api, payment)
    assert blocks(api, acme)[0][1] == 40

    taken_back(acme, payment, "30.00")

    assert blocks(api, acme) == [("MED", 10, claim["id"], claim["returnDueAt"])]
    assert "DEBT PIX BRL" not in book(acme)


def test_a_larger_one_settles_the_claim_with_all_of_it(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    claim = claimed(api, payment, amount=60)

    taken_back(acme, payment)

    done = now(api, claim)
    assert (done["status"], done["amount"], done["claimedAmount"]) == ("COMPLETED", 150, 150)
    assert told(api, payment) == [("COMPLETED", 150, "D1")]


def test_what_the_wallet_lacks_is_a_debt_that_incoming_money_pays(api: Api, acme: Shop) -> None:
    payment = paid(api)
    withdraw_all_but(acme, 4_000)

    taken_back(acme, payment)

    assert (wallet(acme)[0], book(acme)["DEBT PIX BRL"]) == (0, -11_000)
    assert Refund.objects.get().status == "COMPLETED"
    other = paid(api, amount=20)
    assert (wallet(acme)[0], book(acme)["DEBT PIX BRL"]) == (0, -11_000 + 1_979)
    assert refusal(ask(api, other)) == (422, "ONP422_INSUFFICIENT_BALANCE")
    later(acme, days=200)
    a_payment(acme.sandbox, "PAID", "200.00")
    assert (wallet(acme)[0], book(acme).get("DEBT PIX BRL", 0)) == (19_801 - 9_021, 0)
    assert blocks(api, acme) == []


def test_what_has_become_impossible_ends_and_its_money_pays(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    own = refunded(api, payment, amount=50)
    request = disputed(api, payment)

    taken_back(acme, payment, "120.00")

    assert now(api, request)["status"] == "CANCELED"
    failed = now(api, own)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "ACQUIRER_REFUSED")
    assert [one for one in told(api, payment) if one[0] == "COMPLETED"] == [("COMPLETED", 120, "D1")]
    assert lookup(api, payment)["refundedAmount"] == 120


def test_what_still_fits_goes_on(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    own = refunded(api, payment, amount=50)

    taken_back(acme, payment, "100.00")
    later(acme, seconds=3)
    run_due()

    assert now(api, own)["status"] == "COMPLETED"
    assert lookup(api, payment)["status"] == "REFUNDED"
