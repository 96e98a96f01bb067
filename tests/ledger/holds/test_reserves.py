"""The rolling reserve: held when money becomes available, released at its end, and nowhere else."""

from datetime import timedelta
from decimal import Decimal

from accounts.base import clock
from accounts.models import Merchant
from ledger.holds import due
from ledger.holds.models import Hold
from ledger.holds.reserves import release_all
from ledger.receivables import due as receivables
from ledger.verify import verify
from tests.support.api import Api
from tests.support.cards import a_card
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receivables import book
from tests.support.rows import rows


def reserve(shop: Shop, percentage: str, days: int) -> None:
    Merchant.objects.filter(pk=shop.sandbox.pk).update(reserve_percentage=Decimal(percentage), reserve_days=days)
    shop.sandbox.refresh_from_db()


def later(shop: Shop, **time: float) -> None:
    Merchant.objects.filter(pk=shop.sandbox.pk).update(clock_offset=shop.sandbox.clock_offset + timedelta(**time))
    shop.sandbox.refresh_from_db()


def held(shop: Shop) -> list[tuple[str, int]]:
    found = Hold.objects.filter(merchant=shop.sandbox, reason="ROLLING_RESERVE", ended_at=None)
    return list(found.order_by("id").values_list("currency", "amount"))


def test_a_share_of_the_net_is_held_and_comes_back_by_itself(acme: Shop, api: Api) -> None:
    reserve(acme, "10", 30)
    paid = a_payment(acme.sandbox, "PAID")

    assert book(acme.sandbox) == {
        "AVAILABLE BRL": 13_365, "BLOCKED BRL": 1_485, "CLEARING BRL": -15_000, "FEE_INCOME BRL": 150,
    }  # fmt: skip
    hold = Hold.objects.get()
    [item] = api.get(f"/companies/{acme.company.pk}/balances/blocked?reason=ROLLING_RESERVE").json()["data"]
    assert (item["amount"], item["paymentId"], item["reason"]) == (14.85, paid.id, "ROLLING_RESERVE")
    assert hold.expected_release_at == hold.created_at + timedelta(days=30)

    later(acme, days=29, hours=23)
    assert due.run_due() == 0
    later(acme, days=30, minutes=1)
    assert due.run_due() == 1
    assert due.run_due() == 0

    assert book(acme.sandbox)["AVAILABLE BRL"] == 14_850
    lines = api.get(f"/companies/{acme.company.pk}/statement?currency=BRL&bucket=BLOCKED").json()["data"]
    assert {line["cause"] for line in lines} == {"BLOCKS"}
    assert verify() == []


def test_what_is_released_later_is_held_from_then_on(acme: Shop, api: Api) -> None:
    reserve(acme, "5", 10)
    for _ in range(2):
        a_card(api, 200.0)
    assert held(acme) == []

    later(acme, days=31)
    receivables.run_due()
    available = book(acme.sandbox)["AVAILABLE BRL"]
    taken = sum(amount for _, amount in held(acme))
    assert len(held(acme)) == 2
    assert taken == (available + taken) * 5 // 100

    later(acme, days=42)
    due.run_due()
    assert (held(acme), book(acme.sandbox).get("BLOCKED BRL", 0)) == ([], 0)
    assert verify() == []


def test_new_terms_touch_nothing_that_is_held(acme: Shop) -> None:
    reserve(acme, "10", 30)
    a_payment(acme.sandbox, "PAID")
    ends = Hold.objects.get().expected_release_at

    reserve(acme, "0", 0)
    a_payment(acme.sandbox, "PAID")

    assert held(acme) == [("BRL", 1_485)]
    assert Hold.objects.get().expected_release_at == ends
    assert release_all(acme.sandbox, clock.now(acme.sandbox)) == 1
    assert due.run_due() == 1
    assert held(acme) == []
    assert verify() == []


@rows(("percentage", "amount"), [("0.01", 1), ("100", 14_850), ("33.33", 4_949)])
def test_shares_are_rounded_down_to_the_cent(acme: Shop, percentage: str, amount: int) -> None:
    reserve(acme, percentage, 1)

    a_payment(acme.sandbox, "PAID")

    assert [minor for _, minor in held(acme)][-1] == amount
