"""Card payments are given back out of what they have not yet released, and only then out of what is available."""

import pytest

from accounts.models import User
from gateway.refunds.due import run_due
from ledger.receivables import advances
from ledger.receivables.models import Receivable
from tests.support.api import Api
from tests.support.cards import book, lookup
from tests.support.companies import Shop
from tests.support.refunds import (
    ask,
    decided,
    disputed,
    later,
    nothing_moves,
    now,
    paid,
    refunded,
    refusal,
    wallet,
)

pytestmark = pytest.mark.django_db


def receivable_of(payment: str) -> tuple[str, int, int]:
    """State, what is left, what refunds took."""
    kept = Receivable.objects.get(payment_id=payment)
    return str(kept.state), kept.amount, kept.refunded_amount


def releasing(api: Api, shop: Shop) -> list[tuple[str, float, float]]:
    listed = api.get(f"/companies/{shop.company.id}/balances/releasing").json()["data"]
    return [(one["paymentId"], one["refundedAmount"], one["amount"]) for one in listed]


def test_a_part_shrinks_the_receivable_and_leaves_the_available_alone(api: Api, acme: Shop) -> None:
    paid(api)
    payment = paid(api, "CREDIT_CARD")

    refund = refunded(api, payment, amount=50)

    assert refund["blockedAmount"] == 50
    assert wallet(acme) == (14_850, 14_202, 5000)
    assert receivable_of(payment) == ("SCHEDULED", 14_202, 5000)
    assert releasing(api, acme) == [(payment, 50.00, 142.02)]


def test_what_is_left_of_the_receivable_is_released_on_its_day(api: Api, acme: Shop) -> None:
    payment = paid(api, "CREDIT_CARD")
    refunded(api, payment, amount=50)

    api.post("/simulations/clock", {"advanceBy": "P31D"})

    assert wallet(acme) == (14_202, 0, 0)
    assert receivable_of(payment) == ("RELEASED", 14_202, 5000)


def test_all_of_it_takes_the_receivable_and_the_fee_out_of_the_available(api: Api, acme: Shop) -> None:
    paid(api)
    payment = paid(api, "CREDIT_CARD")

    refund = refunded(api, payment)

    assert (refund["type"], refund["blockedAmount"]) == ("FULL", 200)
    assert wallet(acme) == (14_850 - 798, 0, 20_000)
    assert receivable_of(payment) == ("CANCELED", 0, 19_202)
    assert releasing(api, acme) == []
    later(acme, seconds=3)
    run_due()
    assert book(acme) == {
        "AVAILABLE PIX BRL": 14_052, "CLEARING PIX BRL": -15_000, "FEE_INCOME BRL": 150 + 798,
    }  # fmt: skip
    assert lookup(api, payment)["status"] == "REFUNDED"


def test_exactly_the_net_needs_nothing_that_is_available(api: Api, acme: Shop) -> None:
    payment = paid(api, "CREDIT_CARD")

    refunded(api, payment, amount=192.02)

    assert wallet(acme) == (0, 0, 19_202)
    assert receivable_of(payment) == ("CANCELED", 0, 19_202)


def test_the_receivable_stays_whole_where_the_rest_is_not_available(api: Api, acme: Shop) -> None:
    payment = paid(api, "CREDIT_CARD")

    with nothing_moves(acme):
        assert refusal(ask(api, payment)) == (422, "ONP422_INSUFFICIENT_BALANCE")

    assert receivable_of(payment) == ("SCHEDULED", 19_202, 0)


def test_the_receivables_of_other_payments_are_not_touched(api: Api, acme: Shop) -> None:
    payment, other = paid(api, "CREDIT_CARD"), paid(api, "CREDIT_CARD")
    refunded(api, payment, amount=192.02)

    with nothing_moves(acme):
        assert refusal(ask(api, payment, amount=1)) == (422, "ONP422_INSUFFICIENT_BALANCE")

    assert receivable_of(other) == ("SCHEDULED", 19_202, 0)


def test_a_released_payment_is_given_back_out_of_the_available(api: Api, acme: Shop) -> None:
    payment = paid(api, "CREDIT_CARD")
    api.post("/simulations/clock", {"advanceBy": "P31D"})

    refunded(api, payment, amount=50)

    assert wallet(acme) == (14_202, 0, 5000)
    assert receivable_of(payment) == ("RELEASED", 19_202, 0)


def test_an_advanced_payment_is_given_back_out_of_the_available(api: Api, acme: Shop) -> None:
    payment = paid(api, "CREDIT_CARD")
    receivable = Receivable.objects.get(payment_id=payment)
    advance = advances.request(acme.sandbox, [receivable.id], None)
    advance = advances.approve(advance.id, User.objects.create_user("risk@onpay.example"))
    assert wallet(acme) == (19_202 - advance.fee, 0, 0)

    refunded(api, payment, amount=50)

    assert wallet(acme) == (14_202 - advance.fee, 0, 5000)
    assert receivable_of(payment) == ("ADVANCED", 19_202, 0)


def test_a_refused_advance_lets_the_refund_take_the_receivable_again(api: Api, acme: Shop) -> None:
    payment = paid(api, "CREDIT_CARD")
    receivable = Receivable.objects.get(payment_id=payment)
    advance = advances.request(acme.sandbox, [receivable.id], None)
    advances.refuse(advance.id, User.objects.create_user("risk@onpay.example"))

    refunded(api, payment, amount=50)

    assert receivable_of(payment) == ("SCHEDULED", 14_202, 5000)


def test_a_dispute_leaves_alone_what_is_reserved_and_is_filled_by_the_advance(api: Api, acme: Shop) -> None:
    payment = paid(api, "CREDIT_CARD")
    receivable = Receivable.objects.get(payment_id=payment)
    advance = advances.request(acme.sandbox, [receivable.id], None)

    refund = disputed(api, payment, amount=100)
    assert (refund["blockedAmount"], wallet(acme)) == (0, (0, 19_202, 0))
    assert receivable_of(payment) == ("RESERVED_FOR_ADVANCE", 19_202, 0)

    advance = advances.approve(advance.id, User.objects.create_user("risk@onpay.example"))
    assert wallet(acme) == (9202 - advance.fee, 0, 10_000)


def test_a_dispute_that_lacks_money_and_is_won_gives_back_what_it_had(api: Api, acme: Shop) -> None:
    payment = paid(api, "CREDIT_CARD")
    refund = disputed(api, payment)
    assert (refund["blockedAmount"], wallet(acme)) == (192.02, (0, 0, 19_202))
    paid(api, amount=5)

    assert decided(api, refund, "CANCELED").status_code == 200

    assert (wallet(acme), receivable_of(payment)) == ((494, 19_202, 0), ("SCHEDULED", 19_202, 0))


# ── Dollars: refunded at the rate that was frozen at the capture ──────────────────────────────────────────────────
def test_a_part_of_dollars_is_blocked_in_the_currency_of_the_wallet(api: Api, acme: Shop) -> None:
    payment = paid(api, "CREDIT_CARD", currency="USD", amount=100)

    refund = refunded(api, payment, amount=50)

    assert (refund["amount"], refund["currency"], refund["blockedAmount"]) == (50, "USD", 50)
    assert wallet(acme) == (0, 52_350 - 27_262, 27_262)
    listed = api.get(f"/companies/{acme.company.id}/balances/blocked").json()["data"]
    assert [(one["currency"], one["amount"]) for one in listed] == [("BRL", 272.62)]


def test_all_of_the_dollars_go_back_as_dollars(api: Api, acme: Shop) -> None:
    paid(api)
    payment = paid(api, "CREDIT_CARD", currency="USD", amount=100)

    refund = refunded(api, payment)
    assert wallet(acme) == (14_850 - 2175, 0, 54_525)
    later(acme, seconds=3)
    run_due()

    assert now(api, refund)["status"] == "COMPLETED"
    assert book(acme) == {
        "AVAILABLE PIX BRL": 14_850 - 2175, "CLEARING PIX BRL": -15_000, "FEE_INCOME BRL": 150,
        "FEE_INCOME USD": 399, "FX_POSITION USD": -399, "FX_POSITION BRL": 2175,
    }  # fmt: skip
    looked_up = lookup(api, payment)
    assert (looked_up["status"], looked_up["refundedAmount"], looked_up["currency"]) == ("REFUNDED", 100, "USD")


def test_parts_of_dollars_add_up_to_all_of_them(api: Api, acme: Shop) -> None:
    paid(api)
    payment = paid(api, "CREDIT_CARD", currency="USD", amount=100)

    for amount in (33.33, 33.33, 33.34):
        refunded(api, payment, amount=amount)
    later(acme, seconds=3)
    run_due()

    held = book(acme)
    assert "CLEARING CREDIT_CARD USD" not in held
    assert held["FX_POSITION BRL"] == -52_350 + 54_525
    assert lookup(api, payment)["status"] == "REFUNDED"


def test_a_cent_that_is_nothing_in_the_wallet_is_too_small(api: Api, acme: Shop) -> None:
    acme.sandbox.card_settlement_currency = "EUR"
    acme.sandbox.save()
    payment = paid(api, "CREDIT_CARD", currency="USD", amount=100)

    with nothing_moves(acme):
        assert refusal(ask(api, payment, amount=0.01)) == (422, "ONP422_REFUND_AMOUNT_TOO_SMALL")
    assert ask(api, payment, amount=0.02).status_code == 201
