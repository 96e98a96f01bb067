"""What the pages of a dashboard ask for, page by page and read by read."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.http import QueryDict

from accounts.base import clock
from accounts.base.periods import Period
from accounts.models import Merchant
from gateway.customers import selectors as customers
from gateway.dashboard.paging import page_of
from gateway.overview.attention import attention
from gateway.payments.acceptance import of_merchant
from gateway.payments.customers import standings
from gateway.payments.models import Payment
from gateway.payments.search import FoundPayment, Search, found
from gateway.refunds import inbox
from gateway.refunds import selectors as refunds
from gateway.sales.currencies import in_order
from gateway.sales.selectors import sales
from ledger.books.selectors import posted
from ledger.chart import BUCKETS, AccountKind
from ledger.receivables import calendar, offers
from ledger.receivables.selectors import releasing
from ledger.wallets.explain import Cause, behind, explain
from ledger.wallets.selectors import holdings
from ledger.wallets.statement import balance_after, lines, statement, summary

SIZE = 25
ZONE = ZoneInfo("America/Sao_Paulo")
BRL = "BRL"

Reads = dict[str, Callable[[], Any]]


def pages(merchant: Merchant) -> Iterable[tuple[str, Reads]]:
    """Each page's title, and what it reads."""
    yield from _home(merchant)
    yield from _payments(merchant)
    yield from _people(merchant)
    yield from _money(merchant)


def _home(merchant: Merchant) -> Iterable[tuple[str, Reads]]:
    for days in (1, 7, 30, 90):
        period = Period.last_days(merchant, days, ZONE)
        yield (
            f"home, {days} days",
            {
                "sales": lambda period=period: sales(merchant, period, period.before),
                "order of currencies": lambda: in_order(merchant, ("BRL", "MXN")),
                "acceptance by provider": lambda period=period: of_merchant(merchant, period),
                "attention": lambda: attention(merchant),
                "next money": lambda: calendar.next_days(merchant, ZONE),
                "balances": lambda: holdings(merchant),
            },
        )


def _payments(merchant: Merchant) -> Iterable[tuple[str, Reads]]:
    now = clock.now(merchant)
    known = Payment.objects.filter(merchant=merchant, method="PIX", status="PAID")[50]
    searches = {
        "all": Search(),
        "a rare status": Search(statuses=("REFUNDED",)),
        "nothing matches": Search(methods=("PIX",), currency="MXN"),
        "amounts": Search(amount_from=Decimal(150), amount_to=Decimal(151)),
        "an hour in which they were paid": Search(
            paid_from=now - timedelta(days=40), paid_to=now - timedelta(days=40) + timedelta(hours=1)
        ),
        "with a warning": Search(has_warning=True),
        "with refunds": Search(has_refunds=True),
        "of a customer": Search(customer_id=known.customer_id),
        "an id": Search(text=known.pk),
        "a reference": Search(text=known.reference),
        "a reference's beginning": Search(text="order-1"),
        "a common name": Search(text="silva"),
        "a rare name": Search(text="jose moura"),
        "a name that nobody has": Search(text="zzzzz"),
        "a tax id": Search(text="000.000.001-24"),
        "an e-mail": Search(text="payer124@example.com"),
        "an amount": Search(text="150,00"),
        "four digits": Search(text="4242"),
        "an end-to-end id": Search(text=str(known.rail_reference)),
    }
    for title, search in searches.items():
        yield f"payments: {title}", {"list": lambda search=search: _listed(merchant, search)}
    middle = page_of(_ids(found(merchant, Search(created_to=now - timedelta(days=45)))), QueryDict(), SIZE)
    yield "payment: its postings", {"postings": lambda: posted(merchant, [known.pk])}
    yield "payments: in the middle", {"list": lambda: _listed(merchant, Search(), f"after={_quoted(middle.after)}")}


def _listed(merchant: Merchant, search: Search, query: str = "") -> None:
    """As the page does it: ids, then their rows, and the numbers above."""
    sought = found(merchant, search)
    page = page_of(_ids(sought), QueryDict(query), SIZE)
    Payment.objects.in_bulk([row.pk for row in page.rows])
    sought.counts()


def _ids(sought: FoundPayment) -> QuerySet[Payment]:
    return sought.rows.only("pk", "created_at")


def _quoted(mark: str | None) -> str:
    return str(mark).replace("+", "%2B")


def _people(merchant: Merchant) -> Iterable[tuple[str, Reads]]:
    def page(text: str) -> None:
        standings(merchant, page_of(customers.found(merchant, text), QueryDict(), SIZE).rows)

    for title, text in (("all", ""), ("a name", "jose mo"), ("a tax id", "000.000.012-34"), ("nobody", "zzzz")):
        yield f"customers: {title}", {"list": lambda text=text: page(text)}
    yield (
        "refunds",
        {
            "counts": lambda: inbox.counts(merchant),
            "waiting": lambda: page_of(inbox.listed(merchant, inbox.Tab.WAITING), QueryDict(), SIZE),
            "all": lambda: page_of(inbox.listed(merchant), QueryDict(), SIZE),
            "of a customer": lambda: list(
                refunds.listed(merchant, customer_id="cus_00000000000000000000001234")[:SIZE]
            ),
        },
    )


def _money(merchant: Merchant) -> Iterable[tuple[str, Reads]]:
    now = clock.now(merchant)
    month = Period(now - timedelta(days=10), now + timedelta(days=20), ZONE)
    yield (
        "receivables: a month",
        {
            "days": lambda: calendar.days(calendar.listed(merchant, month.begins, month.ends), ZONE),
            "list": lambda: page_of(calendar.listed(merchant, month.begins, month.ends), QueryDict(), SIZE),
            "offers": lambda: offers.offers(merchant, now),
        },
    )
    yield (
        "balance",
        {
            "holdings": lambda: holdings(merchant),
            "coming": lambda: calendar.days(releasing(merchant), ZONE),
        },
    )
    for title, days in (("a day", 1), ("7 days", 7), ("30 days", 30), ("90 days", 90), ("everything", None)):
        since = now - timedelta(days=days) if days else None
        for bucket in (AccountKind.AVAILABLE, AccountKind.RELEASING):
            yield f"statement: {title}, {bucket.lower()}", _statement(merchant, bucket, since)
        yield (
            f"explain: {title}",
            {
                "one bucket": lambda since=since: explain(merchant, BRL, (AccountKind.AVAILABLE,), now, since),
                "behind it": lambda since=since: behind(
                    merchant, BRL, (AccountKind.AVAILABLE,), Cause.FEES, now, since
                ),
            },
        )
        yield f"explain: {title}, total", {"all": lambda since=since: explain(merchant, BRL, BUCKETS, now, since)}


def _statement(merchant: Merchant, bucket: AccountKind, since: Any) -> Reads:
    def shown() -> None:
        entries = statement(merchant, BRL, bucket, since)
        page = page_of(entries, QueryDict())
        if page.rows:
            lines(page.rows, bucket, balance_after(entries, 0, page.rows[0]))

    return {"summary": lambda: summary(merchant, BRL, bucket, since, None), "lines": shown}
