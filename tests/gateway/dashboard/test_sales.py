"""Sales as a picture: every number leads to the list of exactly what was counted, and nothing of others is shown."""

import re
from datetime import UTC, datetime
from html import unescape

from django.test import Client

from accounts.base import clock
from accounts.models import Merchant, User
from gateway.payments import services as payments
from gateway.refunds import services as refunds
from gateway.refunds.selectors import listed
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.sales import REFUSED, card, later, order, sale

MARCH = "?period=between&since=2027-03-01&until=2027-03-31"


def shown(browser: Client, address: str) -> str:
    browser.cookies["time_zone"] = "America/Sao_Paulo"
    answer = browser.get(address)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def link(page: str, text: str) -> str:
    """The address behind a number of the page."""
    found = re.search(rf'href="([^"]+)">{re.escape(text)}</a>', page)
    assert found, text
    return found[1]


def references(page: str) -> set[str]:
    return set(re.findall(r"order-\d+", page))


def until(merchant: Merchant, *moment: int) -> None:
    later(merchant, seconds=(datetime(*moment, tzinfo=UTC) - clock.now(merchant)).total_seconds())  # type: ignore[misc]


def test_a_month_is_compared_and_every_number_leads_to_its_rows(acme: Shop, viewer: Client, page: Page) -> None:
    until(acme.sandbox, 2027, 2, 20, 12)
    older = sale(acme.sandbox, "80.00")
    until(acme.sandbox, 2027, 3, 1, 2, 55)  # the last minutes of February in São Paulo
    late = order(acme.sandbox, "120.00")
    later(acme.sandbox, minutes=10)
    payments.simulate(acme.sandbox, late.pk, "PAID")
    paid, declined = card(acme.sandbox, "100.00"), card(acme.sandbox, token=REFUSED)
    refunds.create(acme.sandbox, older.pk, amount=3000)
    refunds.simulate(acme.sandbox, listed(acme.sandbox).get().pk, "COMPLETED")
    until(acme.sandbox, 2027, 4, 1, 3, 0)  # the first moment of April
    sale(acme.sandbox, "7.00")

    sales = shown(viewer, page("sales") + MARCH)

    assert "1 Mar 2027 – 31 Mar 2027, compared with 1 Feb 2027 – 28 Feb 2027." in sales and "+175%" in sales
    total = shown(viewer, link(sales, "R$220.00"))
    assert references(total) == {late.reference, paid.reference} and "2 in total: <strong" in total
    assert "R$220.00</strong>" in total
    assert references(shown(viewer, link(sales, "R$120.00"))) == {late.reference}
    given = shown(viewer, link(sales, "R$30.00"))
    assert references(given) == {older.reference} and "R$30.00</strong>" in given
    assert "1 of 2 card payments was declined. The most frequent reason (1):" in sales
    reason = re.search(r'href="([^"]+failure=[^"]+)"', sales)
    assert reason and references(shown(viewer, reason[1])) == {declined.reference}
    assert sales.index("The chart as a table") and sales.count('<rect class="of-') == 4  # two bars, two swatches


def test_months_are_written_as_in_the_language_of_the_reader(acme: Shop, viewer: Client, page: Page) -> None:
    until(acme.sandbox, 2027, 3, 10, 12)
    sale(acme.sandbox)
    until(acme.sandbox, 2027, 4, 1, 3, 0)

    for language, first in (("en", "1 Mar"), ("pt-br", "1 mar"), ("es", "1 mar")):
        User.objects.update(language=language)
        assert re.search(rf"<text [^>]+>\s*{first}\s*</text>", shown(viewer, page("sales") + MARCH)), language


def test_what_is_asked_wrongly_is_said_and_the_usual_period_shown(acme: Shop, viewer: Client, page: Page) -> None:
    sale(acme.sandbox)

    for query, said in (
        ("since=2027-03-02&until=2027-03-01", "The first day is after the last one."),
        ("since=1999-03-02", "is-invalid"),
        ("since=2020-03-02&until=2027-03-01", "Choose at most"),
    ):
        answer = shown(viewer, f"{page('sales')}?period=between&{query}")
        assert said in answer and "R$150.00" in answer
    assert "R$150.00" in shown(viewer, f"{page('sales')}?period=month&currency=XXX")


def test_nobody_sees_the_sales_of_others(acme: Shop, globex: Shop, stranger: Client, owner: Client, page: Page) -> None:
    sale(acme.sandbox, "123.45")

    assert stranger.get(page("sales")).status_code == 404
    of_globex = shown(stranger, page("sales").replace(acme.company.pk, globex.company.pk))
    assert "123.45" not in of_globex and "No payments in this period" in of_globex
    assert "123.45" not in shown(owner, page("sales", environment="production"))
    assert "R$123.45" in shown(owner, page("sales"))


def test_a_person_reads_all_currencies_in_one_if_they_like(acme: Shop, viewer: Client, page: Page) -> None:
    sale(acme.sandbox, "100.00")
    card(acme.sandbox, "18.34", currency="USD")

    assert "All, in" not in shown(viewer, page("sales"))
    assert "All, in USD" in shown(viewer, page("sales") + "?in=USD")
    User.objects.update(reporting_currency="BRL")

    one = shown(viewer, page("sales"))
    assert "All, in BRL" in one and "R$200.00</strong>" in one
