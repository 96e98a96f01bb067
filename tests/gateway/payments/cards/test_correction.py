"""The card's real kind corrects the method, its price and its term, once and before capture; or nothing is captured."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.models import Company
from gateway.methods.models import MethodRule, PriceRule
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.cards import (
    APPROVED,
    CHALLENGE,
    Session,
    alone,
    book,
    browser,
    events,
    lookup,
    opened,
    order,
    outcome,
    refusal,
    told,
)
from tests.support.companies import Shop

CREDIT, DEBIT = "CREDIT_CARD", "DEBIT_CARD"
FUNDING = {"901": ("credit", CREDIT), "902": ("debit", DEBIT), "903": ("prepaid", DEBIT)}
CORRECTED = [(CREDIT, "902"), (CREDIT, "903"), (DEBIT, "901")]
PRICES = {CREDIT: (7.98, 192.02, 30), DEBIT: (3.98, 196.02, 1)}
NOT_ALLOWED = (200, "CARD_METHOD_NOT_ALLOWED")


def price_of(payment: dict[str, Any]) -> tuple[float, float, int]:
    return payment["fee"], payment["netAmount"], payment["settlementDays"]


def nothing_was_captured(api: Api, shop: Shop, session: Session, code: str) -> bool:
    """Whether it failed with this code, at the price and with the method that were agreed."""
    failed = lookup(api, session)
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", code)
    assert (failed["method"], price_of(failed)) == (session.payment["method"], price_of(session.payment))
    assert "warnings" not in failed
    assert told(shop) == ["action_required", "failed"]
    return (Transfer.objects.count(), book(shop)) == (0, {})


@pytest.mark.parametrize(("method", "cvc"), CORRECTED)
def test_the_real_kind_of_the_card_decides_method_price_and_term(api: Api, acme: Shop, method: str, cvc: str) -> None:
    session = opened(api, method)
    funding, real = FUNDING[cvc]
    assert price_of(session.payment) == PRICES[method]

    assert outcome(session.pay(APPROVED, cvc)) == (200, "PAID")

    paid = lookup(api, session)
    assert (paid["method"], price_of(paid)) == (real, PRICES[real])
    for kept in ("id", "amount", "currency", "reference", "customer", "createdAt"):
        assert paid[kept] == session.payment[kept]
    [warning] = paid["warnings"]
    assert set(warning) == {"code", "field", "requestedMethod", "processedMethod", "message"}
    assert (warning["code"], warning["field"]) == ("ONP_CARD_METHOD_CORRECTED", "method")
    assert (warning["requestedMethod"], warning["processedMethod"]) == (method, real)
    assert warning["message"] == f"The card is a {funding} card; the payment was processed as {real}."
    assert told(acme) == ["action_required", "authorized", "paid"]
    assert [event["data"].get("warnings") for event in events(acme)] == [None, [warning], [warning]]
    assert api.get(f"/transactions/{session.id}").json()["data"] == paid
    assert [one["warnings"] for one in api.get("/payments").json()["data"]] == [[warning]]


@pytest.mark.parametrize(
    ("method", "cvc"), [(CREDIT, "901"), (DEBIT, "902"), (DEBIT, "903"), (CREDIT, "900"), (DEBIT, "905")]
)
def test_a_card_of_the_kind_that_was_asked_for_corrects_nothing(api: Api, method: str, cvc: str) -> None:
    session = opened(api, method)

    assert outcome(session.pay(APPROVED, cvc)) == (200, "PAID")

    paid = lookup(api, session)
    assert (paid["method"], price_of(paid), "warnings" in paid) == (method, PRICES[method], False)


@pytest.mark.parametrize("method", [CREDIT, DEBIT])
@pytest.mark.parametrize("number", [APPROVED, CHALLENGE])
def test_a_card_of_no_known_kind_is_not_charged(api: Api, acme: Shop, method: str, number: str) -> None:
    session = opened(api, method)

    assert outcome(session.pay(number, "904")) == (200, "UNKNOWN_CARD_TYPE")

    assert nothing_was_captured(api, acme, session, "UNKNOWN_CARD_TYPE")


@pytest.mark.parametrize(
    ("number", "code"), [("4000000000000002", "CARD_REFUSED"), ("4000000000009995", "INSUFFICIENT_FUNDS")]
)
def test_the_codes_speak_with_approved_cards_only(api: Api, acme: Shop, number: str, code: str) -> None:
    session = opened(api)

    assert outcome(session.pay(number, "902")) == (200, code)

    assert nothing_was_captured(api, acme, session, code)


def test_the_correction_comes_before_the_challenge_and_is_kept(api: Api, acme: Shop) -> None:
    session = opened(api)

    asked = session.pay(CHALLENGE, "902").json()

    waiting = lookup(api, session)
    assert (waiting["status"], waiting["method"], price_of(waiting)) == ("ACTION_REQUIRED", DEBIT, PRICES[DEBIT])
    assert waiting["nextAction"] == session.payment["nextAction"]
    assert told(acme) == ["action_required"]
    with alone():
        browser().post(asked["threeDs"]["challengeUrl"], {"decision": "approve"})
    paid = lookup(api, session)
    assert (paid["status"], paid["method"], price_of(paid)) == ("PAID", DEBIT, PRICES[DEBIT])
    assert paid["warnings"] == waiting["warnings"]


@pytest.mark.parametrize(("method", "cvc"), CORRECTED)
def test_the_companys_own_price_comes_first(api: Api, acme: Shop, globex: Shop, method: str, cvc: str) -> None:
    real = FUNDING[cvc][1]
    rule = {"method": real, "currency": "BRL"}
    PriceRule.objects.create(**rule, merchant=acme.sandbox, percentage=Decimal("2.5"), fixed=31, settlement_days=7)
    PriceRule.objects.create(**rule, merchant=globex.sandbox, percentage=Decimal(50), fixed=1, settlement_days=90)
    session = opened(api, method)

    session.pay(APPROVED, cvc)

    paid = lookup(api, session)
    assert (paid["status"], paid["method"], price_of(paid)) == ("PAID", real, (5.31, 194.69, 7))


def test_a_price_that_changed_meanwhile_counts_for_the_corrected_method_only(api: Api) -> None:
    kept, corrected = opened(api), opened(api)
    PriceRule.objects.filter(merchant=None, currency="BRL").update(percentage=Decimal(10), settlement_days=3)

    kept.pay()
    corrected.pay(APPROVED, "902")

    assert price_of(lookup(api, kept)) == PRICES[CREDIT]
    assert price_of(lookup(api, corrected)) == (20.00, 180.00, 3)


def other_is_off(shop: Shop, real: str) -> None:
    rule = MethodRule.objects.get(merchant=None, environment="SANDBOX", method=real, currency="BRL")
    rule.pk, rule.merchant, rule.enabled = None, shop.sandbox, False
    rule.save()


def other_has_a_higher_minimum(shop: Shop, real: str) -> None:
    MethodRule.objects.filter(merchant=None, environment="SANDBOX", method=real, currency="BRL").update(minimum=20_001)


def other_has_a_lower_maximum(shop: Shop, real: str) -> None:
    MethodRule.objects.filter(merchant=None, environment="SANDBOX", method=real, currency="BRL").update(maximum=19_999)


def other_costs_it_all(shop: Shop, real: str) -> None:
    PriceRule.objects.create(
        merchant=shop.sandbox, method=real, currency="BRL", percentage=Decimal(0), fixed=20_000, settlement_days=1
    )


def company_is_suspended(shop: Shop, real: str) -> None:
    shop.company.status = Company.Status.SUSPENDED
    shop.company.save()


def company_is_closed(shop: Shop, real: str) -> None:
    shop.company.status = Company.Status.CLOSED
    shop.company.save()


OBSTACLES = [
    other_is_off, other_has_a_higher_minimum, other_has_a_lower_maximum, other_costs_it_all, company_is_suspended,
    company_is_closed,
]  # fmt: skip


@pytest.mark.parametrize("obstacle", OBSTACLES, ids=lambda obstacle: obstacle.__name__)
@pytest.mark.parametrize(("method", "cvc"), CORRECTED)
def test_what_may_not_be_corrected_is_not_captured(api: Api, acme: Shop, method: str, cvc: str, obstacle: Any) -> None:
    session = opened(api, method)
    obstacle(acme, FUNDING[cvc][1])

    assert outcome(session.pay(APPROVED, cvc)) == NOT_ALLOWED

    assert nothing_was_captured(api, acme, session, "CARD_METHOD_NOT_ALLOWED")


@pytest.mark.parametrize("obstacle", OBSTACLES[:4], ids=lambda obstacle: obstacle.__name__)
def test_a_stored_card_is_not_charged_either(api: Api, acme: Shop, obstacle: Any) -> None:
    obstacle(acme, DEBIT)

    answer = api.post("/payments", order(paymentMethodToken="pmt_sandbox_debit", returnUrl=None))

    assert refusal(answer) == (422, "ONP422_CREDIT_CARD_REJECTED")
    kept = lookup(api, answer.json()["error"]["paymentId"])
    assert (kept["status"], kept["failure"]["code"], kept["method"]) == ("FAILED", "CARD_METHOD_NOT_ALLOWED", CREDIT)
    assert (told(acme), book(acme)) == (["failed"], {})


def test_an_obstacle_of_globex_is_none_of_acmes(api: Api, globex: Shop) -> None:
    other_is_off(globex, DEBIT)
    company_is_suspended(globex, DEBIT)
    session = opened(api)

    assert outcome(session.pay(APPROVED, "902")) == (200, "PAID")


CHANGES = [
    "method = 'PIX'", "requested_method = 'PIX'", "fee = fee + 1", "settlement_days = 0", "amount = amount + 1",
    "currency = 'EUR'", "reference = 'other'", "created_at = now()", "merchant_id = merchant_id + 1",
    "method = requested_method, fee = 798, settlement_days = 30",
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("cvc", ["123", "902"])
def test_the_database_holds_what_was_agreed(api: Api, acme: Shop, cvc: str, change: str) -> None:
    session = opened(api)
    session.pay(APPROVED, cvc)
    paid = lookup(api, session)
    if cvc == "123" and change.startswith("method = requested"):
        change = "method = 'DEBIT_CARD', fee = 398, settlement_days = 1"

    assert is_refused(session.id, change)

    assert lookup(api, session) == paid


@pytest.mark.parametrize(
    "change",
    [
        "fee = fee + 1",
        "settlement_days = 0",
        "amount = amount + 1",
        "currency = 'EUR'",
        "requested_method = 'DEBIT_CARD'",
        "method = 'DEBIT_CARD', amount = 1",
    ],
)
def test_before_capture_the_database_lets_the_method_change_and_nothing_alone(api: Api, change: str) -> None:
    session = opened(api)

    assert is_refused(session.id, change)

    assert lookup(api, session) == session.payment


def test_a_second_correction_is_refused_by_the_database(api: Api) -> None:
    session = opened(api)
    session.pay(CHALLENGE, "902")
    waiting = lookup(api, session)

    for change in ("method = 'CREDIT_CARD'", "method = 'CREDIT_CARD', fee = 798, settlement_days = 30", "fee = 399"):
        assert is_refused(session.id, change)

    assert lookup(api, session) == waiting


def is_refused(payment_id: str, change: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE gateway_payment SET {change} WHERE id = %s", [payment_id])
    except DatabaseError as error:
        return "stays" in str(error)
    return False
