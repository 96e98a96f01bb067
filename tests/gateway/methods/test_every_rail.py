"""What holds for every method: how its payments begin, end, are priced and are refused."""

import json
from copy import deepcopy
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from accounts.models import Environment
from gateway.customers.models import Customer
from gateway.methods.models import MethodRule
from gateway.methods.rail import Rail
from gateway.methods.registry import rails
from gateway.payments.models import Payment
from tests.support.api import Api, used
from tests.support.companies import Shop
from tests.support.rails import RAILS_UNDER_TEST, TALKATIVE, TESTED_ELSEWHERE, WALLETS, UnderTest
from webhooks.models import Event

CENT = Decimal("0.01")
COMMON = {
    "id", "companyId", "environment", "reference", "status", "method", "currency", "amount", "fee", "netAmount",
    "refundedAmount", "settlementDays", "releaseAt", "customer", "expiresAt", "resolution", "paidAt", "createdAt",
    "updatedAt",
}  # fmt: skip
every_rail = pytest.mark.parametrize("one", RAILS_UNDER_TEST, ids=str)


def created(api: Api, one: UnderTest, **members: Any) -> dict[str, Any]:
    answer = api.post("/payments", one.body(**members))
    assert answer.status_code == 201, answer.content
    data: dict[str, Any] = answer.json()["data"]
    return data


def time_given(data: dict[str, Any]) -> float:
    """Seconds from the creation to the end of the payer's time."""
    begin, end = (datetime.fromisoformat(data[name]) for name in ("createdAt", "expiresAt"))
    return (end - begin).total_seconds()


def refusal(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def faults(answer: Any) -> list[tuple[str, str]]:
    return sorted((fault["field"], fault["code"]) for fault in answer.json()["error"]["fields"])


def events() -> list[str]:
    """What was announced, in order."""
    return list(Event.objects.order_by("created_at").values_list("type", flat=True))


def nothing_was_made() -> bool:
    return (Payment.objects.count(), Customer.objects.count(), Event.objects.count()) == (0, 0, 0)


def all_it_holds(rail: Rail) -> dict[str, Any]:
    """What the rail and its class have, but for Python's own."""
    held = vars(type(rail)) | vars(rail)
    return {name: value for name, value in held.items() if not name.startswith(("__", "_abc"))}


def test_no_rail_is_left_out() -> None:
    there_are = {pair for pair in rails(Environment.SANDBOX) if pair[0] not in TESTED_ELSEWHERE}
    assert {(one.method, one.currency) for one in RAILS_UNDER_TEST} == there_are


@every_rail
def test_the_least_that_must_be_said_makes_a_payable_payment(api: Api, one: UnderTest) -> None:
    data = created(api, one)

    assert set(data) == COMMON | set(one.shows)
    assert (data["status"], data["method"], data["currency"]) == ("PENDING", one.method, one.currency)
    assert (data["amount"], data["fee"], data["netAmount"]) == (100, float(one.fee_of_100), one.net_of_100)
    assert (data["settlementDays"], data["releaseAt"], data["paidAt"]) == (0, None, None)
    assert api.get(f"/payments/{data['id']}").json()["data"] == data
    assert events() == list(one.announced)
    assert used(api.get(f"/companies/{data['companyId']}/balance").json()["data"]["wallets"]) == []


@every_rail
def test_nobody_else_sees_the_payment(api: Api, globex_api: Api, one: UnderTest) -> None:
    payment_id = created(api, one)["id"]

    assert refusal(globex_api.get(f"/payments/{payment_id}")) == (404, "ONP404_PAYMENT")


@every_rail
@pytest.mark.parametrize("status", ["PAID", "FAILED", "EXPIRED"])
def test_a_payment_ends_as_asked_is_announced_once_and_is_in_the_books(
    api: Api, acme: Shop, one: UnderTest, status: str
) -> None:
    before = created(api, one)

    answer = api.post(f"/simulations/payments/{before['id']}", {"status": status})

    assert answer.status_code == 200
    after = answer.json()["data"]
    assert after == api.get(f"/payments/{before['id']}").json()["data"]
    assert after["status"] == status
    assert "nextAction" not in after
    instructions = set(one.shows) - {"pixEndToEndId", "nextAction"}
    assert {name: after[name] for name in instructions} == {name: before[name] for name in instructions}
    event = Event.objects.order_by("created_at").last()
    assert event
    assert events() == [*one.announced, event.type]
    assert (event.type, event.object_id) == (f"payment.{status.lower()}", before["id"])
    assert json.loads(bytes(event.body))["data"] == after
    wallets = used(api.get(f"/companies/{acme.company.id}/balance").json()["data"]["wallets"])
    owned = [(wallet["method"], wallet["currency"], wallet["available"], wallet["total"]) for wallet in wallets]
    assert owned == (
        [(WALLETS[one.currency], one.currency, one.net_of_100, one.net_of_100)] if status == "PAID" else []
    )


@every_rail
def test_money_that_came_has_a_name_of_its_own(api: Api, one: UnderTest) -> None:
    for _ in range(3):
        payment_id = created(api, one)["id"]
        assert Payment.objects.get(pk=payment_id).rail_reference is None
        api.post(f"/simulations/payments/{payment_id}", {"status": "PAID"})

    names = set(Payment.objects.values_list("rail_reference", flat=True))
    assert len(names) == 3
    assert all(names)


@pytest.mark.a_third_a_day
@every_rail
@pytest.mark.parametrize("unknown", ["PENDING", "REFUNDED", "paid", "", None])
def test_no_other_end_can_be_asked_for(api: Api, one: UnderTest, unknown: str | None) -> None:
    before = created(api, one)

    answer = api.post(f"/simulations/payments/{before['id']}", {"status": unknown})

    assert refusal(answer) == (400, "ONP400_STATUS")
    assert api.get(f"/payments/{before['id']}").json()["data"] == before
    assert events() == list(one.announced)


@every_rail
def test_a_currency_of_another_market_is_refused_and_makes_nothing(api: Api, one: UnderTest) -> None:
    for currency in {"USD", "BRL"} - {one.currency}:
        answer = api.post("/payments", one.body(currency=currency))

        assert refusal(answer) == (400, "ONP400_CURRENCY")
        assert answer.json()["error"]["field"] == "currency"
    assert nothing_was_made()


@every_rail
def test_the_limits_themselves_are_within(api: Api, one: UnderTest) -> None:
    for amount in (one.least, one.most):
        assert created(api, one, amount=float(amount))["amount"] == float(amount)


@every_rail
def test_a_cent_beyond_the_limits_is_refused_and_makes_nothing(api: Api, one: UnderTest) -> None:
    less, more = Decimal(one.least) - CENT, Decimal(one.most) + CENT

    below = api.post("/payments", one.body(amount=float(less)))
    above = api.post("/payments", one.body(amount=float(more)))

    too_small = (422, f"ONP422_{one.method}_AMOUNT_TOO_SMALL") if less else (400, "ONP400_AMOUNT")
    assert refusal(below) == too_small
    assert refusal(above) == (422, f"ONP422_{one.method}_AMOUNT_TOO_LARGE")
    assert nothing_was_made()


@every_rail
def test_each_thing_the_payer_must_say_is_named_when_missing(api: Api, one: UnderTest) -> None:
    payer = one.body()["payer"]
    for missing in payer:
        answer = api.post("/payments", one.body(payer={name: payer[name] for name in payer if name != missing}))

        assert refusal(answer) == (400, "ONP400_PAYER")
        assert faults(answer) == [(f"payer.{missing}", "REQUIRED")]

    silent = api.post("/payments", one.body(payer={}))

    assert refusal(silent) == (400, "ONP400_PAYER")
    assert faults(silent) == sorted((f"payer.{name}", "REQUIRED") for name in payer)
    assert nothing_was_made()


@every_rail
def test_a_token_of_a_card_is_refused_and_makes_nothing(api: Api, one: UnderTest) -> None:
    answer = api.post("/payments", one.body(paymentMethodToken="pmt_sandbox_approved"))

    assert refusal(answer) == (400, "ONP400_PAYMENT_METHOD_TOKEN")
    assert nothing_was_made()


@every_rail
def test_production_has_no_method_before_staff_enable_it(api: Api, acme: Shop, one: UnderTest) -> None:
    api.key = acme.production_key

    assert refusal(api.post("/payments", one.body())) == (403, "ONP403_METHOD_NOT_ENABLED")
    assert nothing_was_made()


@every_rail
def test_the_payers_time_is_the_methods_own(api: Api, one: UnderTest) -> None:
    shortest, longest = one.seconds_range or (one.seconds, one.seconds)
    wishes = {None: one.seconds, shortest: shortest, longest: longest}

    for wish, seconds in wishes.items():
        assert time_given(created(api, one, expiresIn=wish)) == seconds


@every_rail
def test_a_time_out_of_range_is_refused_and_one_that_is_fixed_stays(api: Api, one: UnderTest) -> None:
    shortest, longest = one.seconds_range or (one.seconds, one.seconds)
    for wish in (shortest - 1, longest + 1):
        answer = api.post("/payments", one.body(expiresIn=wish))

        if one.seconds_range:
            assert refusal(answer) == (400, "ONP400_EXPIRES_IN")
            assert nothing_was_made()
        else:
            assert time_given(answer.json()["data"]) == one.seconds


@every_rail
@pytest.mark.django_db
def test_staff_find_the_terms_of_the_contract(one: UnderTest) -> None:
    rules = MethodRule.objects.filter(merchant=None, method=one.method, currency=one.currency)

    assert {rule.environment: rule.enabled for rule in rules} == {"SANDBOX": True, "PRODUCTION": False}
    assert {rule.refund_window_days for rule in rules} == {one.refund_days}


@every_rail
def test_the_details_keep_nothing_of_the_payer_nor_of_our_keys(api: Api, acme: Shop, one: UnderTest) -> None:
    payment_id = created(api, one, payer=TALKATIVE | one.needs)["id"]
    api.post(f"/simulations/payments/{payment_id}", {"status": "PAID"})

    kept = json.dumps(Payment.objects.get().details)

    for secret in ("Maria", "maria@example.com", "912344567", *one.needs.values(), acme.sandbox_key):
        assert secret not in kept


@every_rail
def test_the_same_order_gets_the_same_instructions_whatever_came_between(one: UnderTest) -> None:
    rail = one.rail
    before = deepcopy(all_it_holds(rail))

    first = rail.instruct(one.order(1))
    other = rail.instruct(one.order(2))
    again = rail.instruct(one.order(1))

    assert first == again
    assert rail.shown(other.details) == rail.shown(rail.instruct(one.order(2)).details)
    assert all_it_holds(rail) == before


@every_rail
def test_what_is_shown_is_the_same_after_the_database_kept_it(one: UnderTest) -> None:
    details = one.rail.instruct(one.order()).details
    as_kept = json.loads(json.dumps(details, sort_keys=True))

    shown = one.rail.shown(details)

    assert tuple(shown) == tuple(name for name in one.shows if name != "nextAction")
    assert json.dumps(one.rail.shown(as_kept), default=str) == json.dumps(shown, default=str)
