"""A day of a company adds up: to its statement, to what explains its balance, and to what its month will say."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.http import HttpResponse

from accounts.base import clock
from accounts.models import Merchant
from gateway.methods.rail import Clawback
from gateway.months import books
from gateway.months.books import Span
from gateway.months.figures import Figures, Subjects
from gateway.refunds import services as refunds
from gateway.refunds.clawbacks import settle
from gateway.simulations.services import advance
from ledger.books.models import Transfer
from ledger.money import to_minor
from tests.support.api import Api
from tests.support.books import violations
from tests.support.companies import Shop
from tests.support.conversions import converted
from tests.support.payments import a_payment
from tests.support.refunds import claimed, paid, withdraw_all_but
from tests.support.withdrawals import change, register, withdrawn

PATH = "/companies/me/reconciliation"
MOVEMENTS = ("sales", "fees", "refunds", "disputes", "payouts", "conversions", "advances", "other")


def exact_body(answer: HttpResponse) -> Any:
    """Its numbers as decimals."""
    return json.loads(answer.content, parse_float=Decimal, parse_int=Decimal)


def day(api: Api, **query: Any) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    answer = api.get(PATH, pageSize=100, **query)
    assert answer.status_code == 200, answer.content
    body = exact_body(answer)
    return body["data"], {one["currency"]: one for one in body["totals"]}


def test_a_day_equals_statement_explanation_and_month(api: Api, acme: Shop, address: str) -> None:
    register(acme, address)
    a_payment(acme.sandbox, "PAID", "77.00")
    advance(acme.sandbox, by=timedelta(days=1))
    today = str(clock.now(acme.sandbox).date())
    assert api.post("/simulations/balances", {"currency": "BRL", "amount": 500}).json()["data"]["balances"] == [
        {"currency": "BRL", "available": 576.23, "releasing": 0, "blocked": 0, "total": 576.23}
    ]
    sold = a_payment(acme.sandbox, "PAID", "1000.00")
    back = api.post(f"/payments/{sold.id}/refunds", {"amount": 100}).json()["data"]["id"]
    api.post(f"/simulations/refunds/{back}", {"status": "COMPLETED"})
    disputed = refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").id, amount=5000)
    api.post(f"/refunds/{disputed.id}/responses", {"answer": "ACCEPT"})
    api.post(f"/simulations/refunds/{disputed.id}", {"status": "COMPLETED"})
    paid_out = withdrawn(api, acme, amount=50)["id"]
    api.post(f"/simulations/withdrawals/{paid_out}", {"status": "COMPLETED"})
    converted(api, acme, sourceAmount=10)

    lines, wallets = day(api, date=today, timeZone="UTC")

    real = wallets["BRL"]
    assert (real["opening"], real["other"], real["conversions"], real["refunds"]) == (
        Decimal("76.23"), Decimal(500), Decimal(-10), Decimal(-100)
    )  # fmt: skip
    assert (real["disputes"], real["payouts"], real["isOver"]) == (Decimal(-50), Decimal(-50), False)
    sale = next(line for line in lines if line["objectId"] == sold.id)
    assert (sale["reference"], sale["gross"], sale["net"]) == (sold.reference, Decimal(1000), 1000 - sale["fee"])
    begins = datetime.fromisoformat(real["from"])
    for currency, one in wallets.items():
        assert one["opening"] + sum(one[name] for name in MOVEMENTS) == one["ending"]
        of_day = [line for line in lines if line["currency"] == currency]
        assert sum(line["net"] for line in of_day) == one["ending"] - one["opening"]
        before = (begins - timedelta(milliseconds=1)).isoformat()
        explained = exact_body(
            api.get("/companies/me/balance/explain", **{"currency": currency, "bucket": "TOTAL", "from": before})
        )["data"]
        assert (explained["opening"], explained["ending"]) == (one["opening"], one["ending"])
        entries = [
            entry["amount"]
            for bucket in ("AVAILABLE", "RELEASING", "BLOCKED")
            for entry in exact_body(
                api.get(
                    "/companies/me/statement",
                    **{"currency": currency, "bucket": bucket, "from": real["from"], "pageSize": 100},
                )
            )["data"]
        ]
        assert sum(entries) == one["ending"] - one["opening"]
    assert figures(acme, begins) == {
        (currency, name): to_minor(one[name], currency)
        for currency, one in wallets.items()
        for name in MOVEMENTS
        if one[name]
    }


def test_each_posting_of_a_page_has_a_line_also_where_claims_shrink_and_debts_grow(api: Api, acme: Shop) -> None:
    shrinks, owed = paid(api), paid(api)
    claimed(api, shrinks)
    settle(acme.sandbox, shrinks, [Clawback("D1", "E1", Decimal("60.00"), "BRL", "FRAUD")])
    withdraw_all_but(acme, 0)
    settle(acme.sandbox, owed, [Clawback("D2", "E2", Decimal("150.00"), "BRL", "FRAUD")])
    posted = {one.kind for one in Transfer.objects.all()}
    assert {"refund.reduced", "refund.completed"} <= posted
    today = str(clock.now(acme.sandbox).date())

    whole, wallets = day(api, date=today, timeZone="UTC")
    pages = [
        api.get(PATH, date=today, timeZone="UTC", pageSize=1, pageNumber=number + 1).json()
        for number in range(len(whole))
    ]

    assert [len(page["data"]) for page in pages] == [1] * len(whole)
    assert {page["pagination"]["totalAvailable"] for page in pages} == {len(whole)}
    assert sum(line["net"] for line in whole) == wallets["BRL"]["ending"] - wallets["BRL"]["opening"]


def figures(shop: Shop, begins: datetime) -> dict[tuple[str, str], int]:
    """What the month reads of the same day."""
    latest = datetime(9999, 1, 1, tzinfo=UTC)
    span, found = Span(begins, begins + timedelta(days=1), latest, latest), Figures(begins)
    for _, _, parts in books.chunks(shop.sandbox, span, after=None, most=1000):
        subjects = Subjects.of(parts)
        for part in parts:
            found.add(part, subjects)
    return {
        (currency, str(name)): moved.amount
        for currency, wallet in found.wallets.items()
        for name, moved in wallet.movements.items()
        if moved.amount
    }


def test_a_day_is_that_of_a_zone_is_paged_and_ends(api: Api, acme: Shop) -> None:
    for _ in range(3):
        a_payment(acme.sandbox, "PAID", "10.00")
    now = clock.now(acme.sandbox)
    pages = [api.get(PATH, date=str(now.date()), timeZone="UTC", pageSize=2, pageNumber=n).json() for n in (1, 2, 3)]
    assert [len(page["data"]) for page in pages] == [2, 1, 0]
    assert [page["pagination"]["totalAvailable"] for page in pages] == [3, 3, 3]
    assert pages[0]["totals"] == pages[2]["totals"]

    advance(acme.sandbox, by=timedelta(days=2))

    over = day(api, date=str(now.date()), timeZone="UTC")[1]["BRL"]
    following = day(api, date=str((now + timedelta(days=1)).date()), timeZone="UTC")
    assert (over["isOver"], following[0]) == (True, [])
    assert following[1]["BRL"]["opening"] == over["ending"] == Decimal("29.67")
    own = day(api, date=str(now.date()))[1]["BRL"]
    assert (own["timeZone"], own["from"][10:]) == ("America/Sao_Paulo", "T03:00:00.000Z")
    for wrong in ({"timeZone": "Mars/Base"}, {"date": "2026-02-30"}, {"date": "2999-01-01"}, {"date": ""}):
        assert api.get(PATH, **{"date": "2026-11-20"} | wrong).json()["onpayCode"] == "ONP400_FILTER"


ZONES = ("UTC", "America/Santiago", "Asia/Kathmandu")


def test_days_of_any_zone_follow_each_other_to_the_cent(api: Api, acme: Shop, address: str) -> None:
    """What moves within a wallet, and the hour that a day lacks or has twice, change no sum."""
    register(acme, address)
    change(acme, reserve_percentage=10, reserve_days=1)
    began = datetime(2027, 4, 2, 20, tzinfo=UTC)  # Santiago's clocks go back on the night to the fourth
    api.post("/simulations/clock", {"advanceTo": began.isoformat()})
    for _ in range(4):
        sold = a_payment(fresh(acme), "PAID", "200.00")
        back = api.post(f"/payments/{sold.id}/refunds", {"amount": 10}).json()["data"]["id"]
        api.post(f"/simulations/refunds/{back}", {"status": "COMPLETED"})
        rejected = withdrawn(api, acme, amount=20)["id"]
        api.post(f"/simulations/withdrawals/{rejected}", {"status": "FAILED"})
        api.post("/simulations/clock", {"advanceBy": "PT7H"})
        returned = withdrawn(api, acme, amount=5)["id"]
        api.post(f"/simulations/withdrawals/{returned}", {"status": "COMPLETED"})
        api.post(f"/simulations/withdrawals/{returned}", {"status": "RETURNED"})
        settle(fresh(acme), sold.id, [Clawback(f"D{sold.id}", f"E{sold.id}", Decimal("60.00"), "BRL", "FRAUD")])
        converted(api, acme, sourceAmount=10)
        api.post("/simulations/clock", {"advanceBy": "PT6H"})
    api.post("/simulations/clock", {"advanceBy": "P1D"})

    held = exact_body(api.get("/companies/me/balance"))["data"]["balances"]
    for zone in ZONES:
        ended: dict[str, Any] = {}
        for date in ("2027-04-02", "2027-04-03", "2027-04-04", "2027-04-05"):
            lines, wallets = day(api, date=date, timeZone=zone)
            for currency, one in wallets.items():
                moved = one["ending"] - one["opening"]
                assert one["opening"] == ended.get(currency, 0), (zone, date)
                assert one["opening"] + sum(one[name] for name in MOVEMENTS) == one["ending"]
                assert sum(line["net"] for line in lines if line["currency"] == currency) == moved
                ended[currency] = one["ending"]
        assert {one["currency"]: one["total"] for one in held} == ended
    assert not violations()


def fresh(shop: Shop) -> Merchant:
    shop.sandbox.refresh_from_db()
    return shop.sandbox
