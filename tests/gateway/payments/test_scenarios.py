"""The magic amounts: each brings about what the contract's table says, for every method and currency it names."""

import json
import uuid
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.http import HttpResponse

from accounts.models import Environment, Merchant
from gateway.customers.models import Customer
from gateway.methods.registry import rails
from gateway.methods.sandbox import SandboxRail
from gateway.methods.scenarios import scenario_of
from gateway.payments.due import EXPIRY, QUESTION
from gateway.payments.models import Payment
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_reference, pix
from tests.support.rails import RAILS_UNDER_TEST
from webhooks.models import Event

DAY_S = 86_400
INSTRUCTIONS = {"pixCopyPaste", "pixQrCode", "barcode", "digitableLine", "pdfUrl", "bankDetails", "mbWay", "nextAction"}
HOME = {"street": "Rua das Flores", "number": "100", "district": "Centro", "city": "São Paulo", "state": "SP"}
BOLETO_PAYER = {
    "name": "Maria Silva", "taxId": "52998224725", "email": "maria@example.com",
    "address": HOME | {"postalCode": "01001000"},
}  # fmt: skip
PAYERS = {(one.method, one.currency): {"name": "Maria Silva"} | one.needs for one in RAILS_UNDER_TEST}
PAYERS[("BOLETO", "BRL")] = BOLETO_PAYER
COLOMBIAN = sorted(pair for pair in PAYERS if pair[1] == "COP")
APPS = [("MB_WAY", "EUR"), ("NEQUI", "COP")]
Pair = tuple[str, str]


def each(pairs: list[Pair]) -> Any:
    return pytest.mark.parametrize("pair", pairs, ids="-".join)


def order(pair: Pair, amount: float, **members: Any) -> dict[str, Any]:
    """The body of a payment by this method in this currency."""
    due = {"dueDate": str(date.today() + timedelta(days=5))} if pair[0] == "BOLETO" else {}
    said = {"method": pair[0], "currency": pair[1], "amount": amount, "reference": a_reference(), "payer": PAYERS[pair]}
    return said | due | members


def created(api: Api, pair: Pair, amount: float, **members: Any) -> Any:
    answer = api.post("/payments", order(pair, amount, **members))
    assert answer.status_code == 201, answer.content
    return answer.json()["data"]


def now_shown(api: Api, payment_id: str) -> Any:
    return api.get(f"/payments/{payment_id}").json()["data"]


def told(shop: Shop) -> list[str]:
    return [event["type"] for event in events(shop)]


def events(shop: Shop) -> list[Any]:
    found = Event.objects.filter(merchant=shop.sandbox).order_by("occurred_at", "created_at", "id")
    return [json.loads(bytes(event.body)) for event in found]


def wait(api: Api, shop: Shop, seconds: int, *, by_call: bool = False) -> int:
    """Lets time pass; how many answers came meanwhile."""
    if by_call:
        return len(api.post("/simulations/clock", {"advanceBy": f"PT{seconds}S"}).json()["data"]["fired"])
    shop.sandbox.refresh_from_db()
    ahead = shop.sandbox.clock_offset + timedelta(seconds=seconds)
    Merchant.objects.filter(pk=shop.sandbox.pk).update(clock_offset=ahead)
    return QUESTION.sweep()


def refusal(answer: HttpResponse) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def begun_for(pair: Pair) -> list[str]:
    """What is announced when its instructions are ready at once."""
    return ["payment.updated"] if pair in COLOMBIAN else []


def test_the_table_is_the_one_of_the_contract() -> None:
    asked = {tail: {pair for pair in PAYERS if scenario_of(pair[0], Decimal(tail), pair[1])} for tail in range(1000)}

    every = set(PAYERS)
    assert {tail: pairs for tail, pairs in asked.items() if pairs} == {
        911: every, 912: every, 913: every, 914: set(COLOMBIAN), 915: every, 917: set(APPS),
    }  # fmt: skip


@each(sorted(PAYERS))
def test_911_is_refused_for_good_and_the_reference_is_free_again(api: Api, acme: Shop, pair: Pair) -> None:
    body, key = order(pair, 1911), str(uuid.uuid4())

    refused = api.post("/payments", body, key=key)

    assert refusal(refused) == (422, f"ONP422_{pair[0]}_REJECTED")
    assert refused.json()["error"]["retryable"] is False
    kept = now_shown(api, refused.json()["error"]["paymentId"])
    assert (kept["status"], kept["failure"]["code"], kept["paidAt"]) == ("FAILED", "ACQUIRER_REFUSED", None)
    assert not INSTRUCTIONS & kept.keys()
    assert told(acme) == ["payment.failed"]
    assert events(acme)[-1]["data"] == kept

    again = api.post("/payments", body, key=key)
    assert (again.content, again.status_code, again["Idempotent-Replayed"]) == (refused.content, 422, "true")
    assert created(api, pair, 120, reference=body["reference"])["id"] != kept["id"]
    assert Payment.objects.count() == 2
    assert Transfer.objects.count() == 0


@each(sorted(PAYERS))
@pytest.mark.parametrize(
    ("tail", "status", "code", "wait_s"),
    [(912, 502, "ONP502_{}_INVALID_RESPONSE", 2), (913, 503, "ONP503_{}_TEMPORARILY_UNAVAILABLE", 30)],
)
def test_912_and_913_fail_once_and_the_same_call_goes_on(
    api: Api, acme: Shop, pair: Pair, tail: int, status: int, code: str, wait_s: int
) -> None:
    body, key = order(pair, tail), str(uuid.uuid4())

    failed = api.post("/payments", body, key=key)

    error = failed.json()["error"]
    assert refusal(failed) == (status, code.format(pair[0]))
    assert (error["retryable"], error["retryAfter"], failed["Retry-After"]) == (True, wait_s, str(wait_s))
    waiting = now_shown(api, error["paymentId"])
    assert waiting["status"] == "PENDING"
    assert not INSTRUCTIONS & waiting.keys()
    assert told(acme) == []

    conflict = api.post("/payments", body | {"amount": tail + 1000}, key=key)
    assert refusal(conflict) == (409, "ONP409_IDEMPOTENCY_CONFLICT")
    twin = api.post("/payments", body)
    assert refusal(twin) == (409, "ONP409_DUPLICATE_REFERENCE")
    assert twin.json()["error"]["paymentId"] == waiting["id"]

    done = api.post("/payments", body, key=key)
    assert (done.status_code, done.json()["data"]["id"]) == (201, waiting["id"])
    assert "Idempotent-Replayed" not in done
    assert INSTRUCTIONS & done.json()["data"].keys()
    assert now_shown(api, waiting["id"]) == done.json()["data"] == events(acme)[-1]["data"]
    again = api.post("/payments", body, key=key)
    assert (again.content, again["Idempotent-Replayed"]) == (done.content, "true")
    assert told(acme) == ["payment.updated"]
    assert (Payment.objects.count(), Customer.objects.count(), Transfer.objects.count()) == (1, 1, 0)


@each(sorted(PAYERS))
@pytest.mark.parametrize("end", ["PAID", "FAILED", "EXPIRED", None], ids=["paid", "failed", "expired", "time passes"])
def test_a_payment_without_an_answer_ends_as_any_other(api: Api, acme: Shop, pair: Pair, end: str | None) -> None:
    begun = api.post("/payments", order(pair, 913)).json()["error"]["paymentId"]

    if end:
        assert api.post(f"/simulations/payments/{begun}", {"status": end}).status_code == 200
    assert (wait(api, acme, 15 * DAY_S), EXPIRY.sweep()) == ((0, 0) if end else (1, 1))

    asked_again = [] if end else ["payment.updated"]  # after a minute nobody waits for the shop any more
    end = end or "EXPIRED"
    assert now_shown(api, begun)["status"] == end
    assert told(acme) == [*asked_again, f"payment.{end.lower()}"]
    assert Transfer.objects.count() == (end == "PAID")


@each(COLOMBIAN)
@pytest.mark.parametrize("by_call", [False, True], ids=["timetable", "clock call"])
def test_914_has_its_checkout_ten_seconds_later(api: Api, acme: Shop, pair: Pair, by_call: bool) -> None:
    payment = created(api, pair, 1914)
    assert (payment["status"], "nextAction" in payment, told(acme)) == ("PENDING", False, [])

    assert wait(api, acme, 8, by_call=by_call) == 0
    assert now_shown(api, payment["id"]) == payment
    assert wait(api, acme, 2, by_call=by_call) == 1
    assert wait(api, acme, 60, by_call=by_call) == 0

    ready = now_shown(api, payment["id"])
    assert (ready["status"], ready["nextAction"]["type"]) == ("PENDING", "REDIRECT")
    assert told(acme) == ["payment.updated"]
    assert events(acme)[-1]["data"] == ready


@each(sorted(PAYERS))
def test_915_is_held_for_a_review_and_cleared_after_a_minute(api: Api, acme: Shop, pair: Pair) -> None:
    payment = created(api, pair, 915)
    assert (payment["status"], told(acme)) == ("ACTION_REQUIRED", [])
    assert not INSTRUCTIONS & payment.keys()

    assert (wait(api, acme, 58), wait(api, acme, 2), wait(api, acme, 60)) == (0, 1, 0)

    cleared = now_shown(api, payment["id"])
    assert cleared["status"] == "PENDING"
    assert INSTRUCTIONS & cleared.keys()
    assert told(acme) == ["payment.updated"]
    assert events(acme)[-1]["data"] == cleared


@each(APPS)
def test_917_is_refused_by_the_payer_after_ten_seconds(api: Api, acme: Shop, pair: Pair) -> None:
    payment = created(api, pair, 1917)
    assert payment["status"] == "PENDING"
    assert INSTRUCTIONS & payment.keys()

    assert (wait(api, acme, 8), wait(api, acme, 2), wait(api, acme, 60)) == (0, 1, 0)

    failed = now_shown(api, payment["id"])
    assert (failed["status"], failed["failure"]["code"]) == ("FAILED", "PAYER_REJECTED")
    assert "nextAction" not in failed
    assert told(acme) == [*begun_for(pair), "payment.failed"]
    assert Transfer.objects.count() == 0


@pytest.mark.parametrize(
    ("pair", "amount"),
    [*((pair, 915) for pair in sorted(PAYERS)), *((pair, 914) for pair in COLOMBIAN), *((pair, 917) for pair in APPS)],
)
def test_what_was_paid_before_the_answer_stays_paid(api: Api, acme: Shop, pair: Pair, amount: int) -> None:
    payment = created(api, pair, amount)

    paid = api.post(f"/simulations/payments/{payment['id']}", {"status": "PAID"})

    assert (paid.status_code, paid.json()["data"]["status"]) == (200, "PAID")
    assert (wait(api, acme, 15 * DAY_S), EXPIRY.sweep()) == (0, 0)
    assert now_shown(api, payment["id"]) == paid.json()["data"]
    assert told(acme) == [*(begun_for(pair) if amount == 917 else []), "payment.paid"]


@pytest.mark.parametrize(
    ("pair", "amount"),
    [
        *((("PIX", "BRL"), amount) for amount in (1911.50, 911.01, 912.5, 19110, 914, 916, 917, 91, 910, 918)),
        (("BANK_TRANSFER", "ARS"), 914), (("MB_WAY", "EUR"), 914), (("PSE", "COP"), 917), (("SPEI", "MXN"), 917),
    ],
)  # fmt: skip
def test_other_amounts_are_not_magic(api: Api, acme: Shop, pair: Pair, amount: float) -> None:
    payment = created(api, pair, amount)

    assert payment["status"] == "PENDING"
    assert INSTRUCTIONS & payment.keys()
    assert wait(api, acme, 90) == 0
    assert told(acme) == begun_for(pair)


@pytest.mark.parametrize(("amount", "status"), [(911, 422), (1911, 422), (12911.00, 422), (912, 502), (1912, 502)])
def test_only_the_last_three_digits_of_a_whole_amount_count(api: Api, amount: float, status: int) -> None:
    assert api.post("/payments", pix(amount=amount)).status_code == status


def test_no_amount_is_magic_in_production(acme: Shop, address: str) -> None:
    production = Api(acme.production_key, address)

    answers = [production.post("/payments", pix(amount=amount)) for amount in (100, 911, 912, 913, 915)]

    assert {refusal(answer) for answer in answers} == {(403, "ONP403_METHOD_NOT_ENABLED")}
    assert (Payment.objects.count(), Event.objects.count()) == (0, 0)
    assert not any(isinstance(rail, SandboxRail) for rail in rails(Environment.PRODUCTION).values())


def all_kinds(api: Api) -> dict[str, str]:
    """One payment of each time-driven scenario, and one that expires between them: id → what it is."""
    wanted = [
        (("PIX", "BRL"), 915, {"expiresIn": 75}), (("PSE", "COP"), 914, {}), (("MB_WAY", "EUR"), 917, {}),
        (("BRE_B", "COP"), 915, {}), (("PIX", "BRL"), 100, {"expiresIn": 60 * 60 * 24 * 3}), (("SPEI", "MXN"), 915, {}),
    ]  # fmt: skip
    return {created(api, pair, amount, **more)["id"]: f"{pair[0]} {amount}" for pair, amount, more in wanted}


def test_answers_and_expiries_happen_in_the_order_of_their_times(api: Api) -> None:
    made = all_kinds(api)

    fired = api.post("/simulations/clock", {"advanceBy": "P30D"}).json()["data"]["fired"]

    assert [(one["type"].removeprefix("payment."), made[one["id"]]) for one in fired] == [
        ("answered", "PSE 914"), ("answered", "MB_WAY 917"), ("answered", "PIX 915"), ("answered", "BRE_B 915"),
        ("answered", "SPEI 915"), ("expired", "PIX 915"), ("expired", "BRE_B 915"), ("expired", "PSE 914"),
        ("expired", "PIX 100"), ("expired", "SPEI 915"),
    ]  # fmt: skip
    assert [one["at"] for one in fired] == sorted(one["at"] for one in fired)


def test_thirty_jumps_of_a_day_are_one_of_thirty_days(api: Api, acme: Shop, globex_api: Api, globex: Shop) -> None:
    lives = []
    for one, jumps in ((api, ["P30D"]), (globex_api, ["P1D"] * 30)):
        made = all_kinds(one)
        began = {id_: datetime.fromisoformat(now_shown(one, id_)["createdAt"]) for id_ in made}
        moves = [one.post("/simulations/clock", {"advanceBy": jump}).json()["data"]["fired"] for jump in jumps]
        fired = [move for jump in moves for move in jump]
        ages = {(f["type"], made[f["id"]], datetime.fromisoformat(f["at"]) - began[f["id"]]) for f in fired}
        lives.append(
            (ages, [(f["type"], made[f["id"]]) for f in fired], [now_shown(one, id_)["status"] for id_ in made])
        )

    assert lives[0] == lives[1]
    assert lives[0][2] == ["EXPIRED", "EXPIRED", "FAILED", "EXPIRED", "EXPIRED", "EXPIRED"]
    assert sorted(told(acme)) == sorted(told(globex))
