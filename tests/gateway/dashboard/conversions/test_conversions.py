"""Money changes its wallet by hand: the quote with all that it costs, and its confirmation once."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils.http import urlencode

from accounts.models import AuditEntry
from accounts.roles import Role
from gateway.conversions.models import Conversion
from tests.support.companies import Shop
from tests.support.conversions import change, later, nothing_moves
from tests.support.pages import Page, words
from tests.support.people import a_member, signed_in

WISH = {"source": "BRL", "destination": "MXN", "amount": "1000"}


def quoted(browser: Client, page: Page, **members: str) -> Any:
    return browser.get(f"{page('new_conversion')}?{urlencode(WISH | members)}")


def token(answer: Any) -> str:
    return str(answer.context["offer"].token)


def made(shop: Shop) -> list[Conversion]:
    return list(Conversion.objects.filter(merchant=shop.sandbox).order_by("created_at"))


def test_a_quote_shows_all_that_it_costs(finance: Client, funded: Shop, page: Page) -> None:
    with nothing_moves(funded):
        answer = quoted(finance, page)

    said = words(answer)
    for expected in (
        "MXN 3,232.27", "1 BRL = 3.2815 MXN", "1.5%", "1 BRL = 3.2322775 MXN", "MXN 3,281.50", "MXN 49.23",
        "R$8,900.99",
    ):  # fmt: skip
        assert expected in said
    offer = answer.context["offer"]
    assert (offer.cost, offer.after) == (4923, 890099)
    assert 'data-only-until="holds"' in answer.content.decode() and "Get a new quote" in said


def test_the_time_that_is_left_is_real_time(finance: Client, funded: Shop, page: Page) -> None:
    """Also where the sandbox's clock is ahead."""
    later(funded, days=30)

    offer = quoted(finance, page).context["offer"]

    assert offer.until == offer.quote.expires_at - timedelta(days=30)


def test_a_quote_is_confirmed_once(finance: Client, funded: Shop, page: Page) -> None:
    asked = token(quoted(finance, page))
    done = finance.post(page("new_conversion"), {"token": asked}, follow=True)
    with nothing_moves(funded):
        again = finance.post(page("new_conversion"), {"token": asked}, follow=True)

    [one] = made(funded)
    for answer in (done, again):
        assert answer.redirect_chain == [(page("conversion", one.pk), 302)]
    assert (one.source_amount, one.destination_amount) == (100000, 323227)
    said = words(done)
    for expected in ("−R$1,000.00", "+MXN 3,232.27", "MXN 49.23", "Conversion"):
        assert expected in said
    assert "already been confirmed" in words(again)
    [entry] = AuditEntry.objects.filter(action="conversion.confirmed")
    assert (entry.object_id, entry.after["source"], entry.after["destination"]) == (
        one.pk,
        "1000.00 BRL",
        "3232.27 MXN",
    )


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"destination": "BRL"}, "Choose another wallet."),
        ({"amount": "0.001"}, "At most 2 decimal places."),
        ({"amount": "-5"}, "An amount above zero, like 150.00."),
        ({"amount": "9999999999999"}, "This amount is too large."),
        ({"amount": "0.01", "source": "COP", "destination": "EUR"}, "Convert a larger amount."),
        ({"amount": "933"}, "No recent market rate is available."),
        ({"source": "USD"}, "Select a valid choice."),
        ({"amount": ""}, "This field is required."),
    ],
)
def test_what_cannot_be_quoted_is_said_in_words(
    finance: Client, funded: Shop, page: Page, members: dict[str, str], said: str
) -> None:
    with nothing_moves(funded):
        answer = quoted(finance, page, **members)

    assert (answer.status_code, answer.context["offer"]) == (200, None)
    assert said in words(answer)


def test_what_cannot_be_confirmed_any_more_is_said_and_asked_again(finance: Client, funded: Shop, page: Page) -> None:
    changed, too_much, late, off = (
        token(quoted(finance, page, amount=amount)) for amount in ("931", "9900.99", "20", "30")
    )
    finance.post(page("new_conversion"), {"token": token(quoted(finance, page, amount="10"))})

    def refused(asked: str) -> tuple[int, str]:
        with nothing_moves(funded):
            answer = finance.post(page("new_conversion"), {"token": asked})
        return answer.status_code, words(answer)

    for asked, status, said in (
        (changed, 409, "The terms have changed"),
        (too_much, 422, "Insufficient available balance"),
        ("onpq1.rubbish.rubbish", 400, "does not belong to this company"),
        ("", 400, "Get a quote"),
    ):
        found = refused(asked)
        assert found[0] == status and said in found[1], found
    assert 'value="931.00"' in finance.post(page("new_conversion"), {"token": changed}).content.decode()
    later(funded, seconds=61)
    assert refused(late)[0] == 409
    change(funded, conversion_enabled=False)
    assert refused(off)[0] == 403
    assert "Conversions are not enabled" in refused(off)[1]


def test_too_little_is_seen_before_it_is_confirmed(finance: Client, funded: Shop, page: Page) -> None:
    answer = quoted(finance, page, amount="9900.99", source="BRL")
    assert "disabled" not in answer.content.decode().split('data-only-until="holds"')[1][:20]

    answer = quoted(finance, page, amount="9901.00")

    assert "Only R$9,900.99 is available" in words(answer)
    assert "disabled" in answer.content.decode().split('data-only-until="holds"')[1][:20]


def test_a_quote_of_another_company_is_worth_nothing(
    finance: Client, stranger: Client, funded: Shop, globex: Shop, page: Page
) -> None:
    asked = token(quoted(finance, page))
    with nothing_moves(funded, globex):
        assert stranger.post(page("new_conversion"), {"token": asked}).status_code == 404
        own = f"/dashboard/{globex.company.pk}/sandbox/conversions/new/"
        assert stranger.post(own, {"token": asked}).status_code == 400
        assert finance.post(page("new_conversion", environment="production"), {"token": asked}).status_code == 400


def test_who_may_not_move_money_converts_none(
    viewer: Client, support: Client, finance: Client, funded: Shop, page: Page
) -> None:
    asked = token(quoted(finance, page))
    other = signed_in(a_member(funded.company, Role.OWNER, "other@acme.example"))
    with nothing_moves(funded):
        assert viewer.post(page("new_conversion"), {"token": asked}).status_code == 403
        assert support.get(page("conversions")).status_code == 403
        assert other.post(page("new_conversion"), {"token": asked}).headers["location"] == "/accounts/2fa/"
    assert "Convert</a>" not in viewer.get(page("conversions")).content.decode()


def test_what_was_converted_is_listed_and_goes_into_a_file(
    finance: Client, stranger: Client, funded: Shop, globex: Shop, page: Page, django_assert_max_num_queries: Any
) -> None:
    assert "No conversions yet" in words(finance.get(page("conversions")))
    for destination in ("MXN", "EUR"):
        finance.post(page("new_conversion"), {"token": token(quoted(finance, page, destination=destination))})
    one, two = made(funded)

    def ids(**query: str) -> list[str]:
        return [row.pk for row in finance.get(f"{page('conversions')}?{urlencode(query)}").context["page"].rows]

    with django_assert_max_num_queries(9):
        assert ids() == [two.pk, one.pk]
    assert ids(destination_currency="MXN") == [one.pk]
    assert ids(source_currency="MXN") == ids(until="2020-01-01") == []
    rows = list(
        csv.DictReader(io.StringIO(finance.get(page("conversions") + "?format=csv").getvalue().decode("utf-8-sig")))
    )
    assert [row["Conversion"] for row in rows] == [two.pk, one.pk]
    assert (rows[1]["Amount out"], rows[1]["Amount in"], rows[1]["Applied rate"]) == ("1000.00", "3232.27", "3.2322775")
    assert rows[1]["Cost compared to the market rate"] == "49.23"
    assert stranger.get(f"/dashboard/{globex.company.pk}/sandbox/conversions/{one.pk}/").status_code == 404
