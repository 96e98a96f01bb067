"""Every refusal of a refund (contract §7.3): it names why, and nothing moves."""

from typing import Any

import pytest

from gateway.refunds.due import run_due
from ledger.holds import services as holds
from ledger.receivables import advances
from ledger.receivables.models import Receivable
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import pix
from tests.support.refunds import (
    answered,
    ask,
    decided,
    disputed,
    later,
    nothing_moves,
    paid,
    refunded,
    refusal,
    wallet,
    withdraw_all_but,
)

pytestmark = pytest.mark.django_db

STATE, DISPUTE = (409, "ONP409_PAYMENT_STATE"), (409, "ONP409_REFUND_IN_DISPUTE")
EXCEEDED, WINDOW = (422, "ONP422_REFUND_AMOUNT_EXCEEDED"), (422, "ONP422_REFUND_WINDOW_CLOSED")
INSUFFICIENT, DUPLICATE = (422, "ONP422_INSUFFICIENT_BALANCE"), (409, "ONP409_DUPLICATE_REFERENCE")
RESERVED = (409, "ONP409_RECEIVABLE_RESERVED")


def refused(api: Api, shop: Shop, payment: str, **body: Any) -> tuple[int, str]:
    with nothing_moves(shop):
        return refusal(ask(api, payment, **body))


@pytest.mark.parametrize("status", ["PENDING", "FAILED", "EXPIRED"])
def test_what_was_not_paid_is_not_refunded(api: Api, acme: Shop, status: str) -> None:
    paid(api)
    payment = api.post("/payments", pix()).json()["data"]["id"]
    if status != "PENDING":
        api.post(f"/simulations/payments/{payment}", {"status": status})

    assert refused(api, acme, payment, amount=10) == STATE


def test_what_was_refunded_whole_is_not_refunded_again(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    refunded(api, payment)
    later(acme, seconds=3)
    run_due()

    assert refused(api, acme, payment, amount=0.01) == STATE


@pytest.mark.parametrize("contested", [False, True])
def test_while_the_payer_disputes_the_company_makes_no_refund(api: Api, acme: Shop, contested: bool) -> None:
    payment = paid(api)
    refund = disputed(api, payment, amount=50)
    if contested:
        answered(api, refund, "CONTEST")

    assert refused(api, acme, payment, amount=10) == DISPUTE
    assert refused(api, acme, payment) == DISPUTE

    assert decided(api, refund, "CANCELED").status_code == 200
    assert ask(api, payment, amount=10).status_code == 201


def test_more_than_was_paid_is_refused(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)

    assert refused(api, acme, payment, amount=150.01) == EXCEEDED
    assert refused(api, acme, payment, amount=999_999_999_999.99) == EXCEEDED


def test_what_is_refunded_or_on_its_way_cannot_be_refunded_again(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    refunded(api, payment, amount=50)
    later(acme, seconds=3)
    run_due()
    refunded(api, payment, amount=60)

    assert refused(api, acme, payment, amount=40.01) == EXCEEDED
    refunded(api, payment, amount=40)
    assert refused(api, acme, payment, amount=0.01) == EXCEEDED
    assert refused(api, acme, payment) == EXCEEDED


def test_what_came_to_nothing_can_be_refunded_again(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api)
    refund = refunded(api, payment)
    assert refused(api, acme, payment, amount=1) == EXCEEDED

    decided(api, refund, "FAILED")

    assert ask(api, payment).status_code == 201


@pytest.mark.parametrize(
    ("method", "days"),
    [
        ("PIX", 90),
        ("BOLETO", 90),
        ("SPEI", 90),
        ("BANK_TRANSFER", 90),
        ("PSE", 90),
        ("NEQUI", 90),
        ("BRE_B", 90),
        ("MB_WAY", 120),
        ("CREDIT_CARD", 180),
        ("DEBIT_CARD", 180),
    ],
)
def test_after_its_window_a_payment_is_too_old(api: Api, acme: Shop, method: str, days: int) -> None:
    payment = paid(api, method)

    later(acme, days=days, minutes=-1)
    assert ask(api, payment, amount=1).status_code == 201
    later(acme, minutes=1)
    assert refused(api, acme, payment, amount=1) == WINDOW


def test_without_the_money_nothing_is_given_back(api: Api, acme: Shop) -> None:
    payment = paid(api)
    assert refused(api, acme, payment) == INSUFFICIENT  # its fee is missing

    block = withdraw_all_but(acme, 4999)
    assert refused(api, acme, payment, amount=50) == INSUFFICIENT
    assert ask(api, payment, amount=49.99).status_code == 201
    assert wallet(acme) == (0, 0, 14_850)
    assert refused(api, acme, payment, amount=0.01) == INSUFFICIENT

    holds.lift(block.id)
    assert ask(api, payment, amount=50).status_code == 201


def test_money_of_another_wallet_does_not_help(api: Api, acme: Shop) -> None:
    payment = paid(api)
    paid(api, "SPEI")
    withdraw_all_but(acme, 0)

    assert refused(api, acme, payment, amount=1) == INSUFFICIENT


def test_a_reference_names_one_live_refund_of_the_company(api: Api, acme: Shop, globex_api: Api, globex: Shop) -> None:
    first, second = paid(api), paid(api)
    refund = refunded(api, first, amount=10, reference="rf-1")

    with nothing_moves(acme):
        for payment in (first, second):
            answer = ask(api, payment, amount=5, reference="rf-1")
            assert refusal(answer) == DUPLICATE
            assert answer.json()["error"]["field"] == "reference"

    assert ask(globex_api, paid(globex_api), amount=5, reference="rf-1").status_code == 201
    decided(api, refund, "FAILED")
    again = refunded(api, second, amount=5, reference="rf-1")
    decided(api, again, "COMPLETED")
    assert refused(api, acme, second, amount=5, reference="rf-1") == DUPLICATE


def test_a_refund_without_a_reference_is_like_no_other(api: Api) -> None:
    payment = paid(api)

    assert [ask(api, payment, amount=5).status_code for _ in range(3)] == [201] * 3


def test_a_receivable_under_review_for_an_advance_is_not_refunded(api: Api, acme: Shop) -> None:
    paid(api)
    payment = paid(api, "CREDIT_CARD")
    receivable = Receivable.objects.get(payment_id=payment)
    advance = advances.request(acme.sandbox, [receivable.id], None)

    assert refused(api, acme, payment, amount=1) == RESERVED
    assert refused(api, acme, payment) == RESERVED

    receivable.refresh_from_db()
    assert (receivable.state, advance.state) == ("RESERVED_FOR_ADVANCE", "UNDER_REVIEW")


@pytest.mark.parametrize("status", ["SUSPENDED", "CLOSED"])
def test_a_company_that_is_not_active_gives_nothing_back(api: Api, acme: Shop, status: str) -> None:
    payment = paid(api)
    acme.company.status = status
    acme.company.save()

    assert refused(api, acme, payment, amount=1) == (403, "ONP403_COMPANY_STATUS")


@pytest.mark.parametrize("payment", ["pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF", "x", "pay_", "ref_01KAGTW3Q8XJ5V0N2B7R4C9DEF"])
def test_an_unknown_payment_has_no_refunds(api: Api, acme: Shop, payment: str) -> None:
    paid(api)

    assert refused(api, acme, payment) == (404, "ONP404_PAYMENT")
    assert refusal(api.get(f"/payments/{payment}/refunds")) == (404, "ONP404_PAYMENT")


def test_another_company_refunds_nothing_of_acmes(api: Api, acme: Shop, globex_api: Api, globex: Shop) -> None:
    payment = paid(api)
    paid(globex_api)

    with nothing_moves(acme), nothing_moves(globex):
        assert refusal(ask(globex_api, payment, amount=1)) == (404, "ONP404_PAYMENT")
        assert refusal(globex_api.get(f"/payments/{payment}/refunds")) == (404, "ONP404_PAYMENT")
