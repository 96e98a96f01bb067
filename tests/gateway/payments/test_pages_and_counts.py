"""A list that is turned page by page while it grows, and the numbers above it."""

from urllib.parse import urlencode

from django.http import QueryDict

from gateway.dashboard.paging import page_of
from gateway.payments.models import Payment
from gateway.payments.search import CAP, Count, Search, found
from tests.support.companies import Shop
from tests.support.sales import many, order, sale


def test_a_page_shows_nothing_twice_while_payments_come_in(acme: Shop, globex: Shop) -> None:
    before = [order(acme.sandbox).pk for _ in range(9)]
    many(Payment.objects.get(pk=before[0]), 3, apart_s=0)
    order(globex.sandbox)
    shown: list[str] = []
    after: str | None = ""
    while after is not None:
        page = page_of(found(acme.sandbox, Search()).rows, QueryDict(urlencode({"after": after})), 4)
        shown += [payment.pk for payment in page.rows]
        order(acme.sandbox)
        after = page.after

    assert shown[:8] == before[:0:-1]
    assert shown[8:] == sorted({*shown} - {*before[1:]}, reverse=True)


def test_counts_are_within_the_other_filters(acme: Shop, globex: Shop) -> None:
    sale(acme.sandbox, "10.00")
    sale(acme.sandbox, "20.00")
    sale(acme.sandbox, "20.00", status="FAILED")
    sale(globex.sandbox, "20.00")

    counts = found(acme.sandbox, Search(text="20", statuses=("EXPIRED",))).counts()

    assert {status: count for status, count in counts.items() if count.number} == {"PAID": Count(1), "FAILED": Count(1)}
    assert list(counts) == ["ACTION_REQUIRED", "PENDING", "AUTHORIZED", "PAID", "FAILED", "EXPIRED", "REFUNDED"]


def test_more_than_ten_thousand_are_not_counted(acme: Shop, globex: Shop) -> None:
    opened = order(acme.sandbox)
    many(opened, CAP - 1)

    assert found(acme.sandbox, Search()).counts()["PENDING"] == Count(CAP, more=False)
    order(acme.sandbox)
    counted = found(acme.sandbox, Search()).counts()["PENDING"]

    assert counted == Count(CAP, more=True)
    assert found(globex.sandbox, Search()).counts()["PENDING"].number == 0
