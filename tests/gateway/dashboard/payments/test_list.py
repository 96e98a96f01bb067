"""The list of payments: found, narrowed, counted, shown a page at a time, sent as a file, kept as a view."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils.formats import date_format

from accounts.models import User
from gateway.dashboard.models import SavedView
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.bad_orders import in_days
from tests.support.cards import opened
from tests.support.companies import Shop
from tests.support.pages import Page, file, text_of
from tests.support.payments import a_payment, pix
from tests.support.refunds import disputed, later, refunded

pytestmark = pytest.mark.django_db


def rows(answer: HttpResponse) -> list[str]:
    """The ids of the payments that are shown, in their order."""
    assert answer.status_code == 200
    return re.findall(r'data-copy="(pay_\w+)"', answer.content.decode())


def card(answer: HttpResponse, title: str) -> str:
    """The number on the card of a status."""
    found = re.search(rf"{title}<strong>([^<]+)</strong>", answer.content.decode())
    assert found
    return found[1]


def test_the_newest_come_first_and_nobody_elses(acme: Shop, globex: Shop, support: Client, page: Page) -> None:
    first, second = a_payment(acme.sandbox), a_payment(acme.sandbox, "PAID")
    a_payment(globex.sandbox)
    a_payment(acme.sandbox, "FAILED")

    shown = support.get(page("payments"))

    assert rows(shown)[1:] == [second.pk, first.pk]
    assert (card(shown, "All"), card(shown, "Paid"), card(shown, "Expired")) == ("3", "1", "0")


def test_a_status_card_narrows_and_leaves_the_counts(acme: Shop, support: Client, page: Page) -> None:
    a_payment(acme.sandbox)
    paid = a_payment(acme.sandbox, "PAID")

    shown = support.get(page("payments"), {"status": "PAID"})

    assert rows(shown) == [paid.pk]
    assert (card(shown, "All"), card(shown, "Pending")) == ("2", "1")


@pytest.mark.parametrize(
    "typed",
    [
        lambda payment: payment.pk,
        lambda payment: payment.reference,
        lambda payment: payment.reference[:-1],
        lambda payment: "João",
        lambda payment: "joao per",
        lambda payment: "123.456.789-09",
        lambda payment: "JOAO@example.com",
        lambda payment: "77,70",
        lambda payment: payment.rail_reference,
    ],
    ids=["id", "reference", "its beginning", "name", "without accents", "tax id", "e-mail", "amount", "end-to-end id"],
)
def test_it_is_found_by_what_people_type(
    typed: Callable[[Payment], str], acme: Shop, api: Api, support: Client, page: Page
) -> None:
    joao = {"name": "João Pereira", "taxId": "12345678909", "email": "joao@example.com"}
    wanted = api.post("/payments", pix(payer=joao, amount=77.70, reference="xmas-77")).json()["data"]["id"]
    api.post(f"/simulations/payments/{wanted}", {"status": "PAID"})
    a_payment(acme.sandbox, "PAID")

    assert rows(support.get(page("payments"), {"q": typed(Payment.objects.get(pk=wanted))})) == [wanted]


def test_a_card_is_found_by_its_last_digits_and_its_warning(api: Api, acme: Shop, support: Client, page: Page) -> None:
    a_payment(acme.sandbox, "PAID")
    corrected = opened(api, "CREDIT_CARD")
    corrected.pay(cvc="902")

    assert rows(support.get(page("payments"), {"q": "4242"})) == [corrected.id]
    assert rows(support.get(page("payments"), {"warning": "on"})) == [corrected.id]
    assert "Credit card was requested" in text_of(support.get(page("payments")))


def test_methods_currencies_and_amounts_narrow(acme: Shop, api: Api, support: Client, page: Page) -> None:
    small, large = a_payment(acme.sandbox, amount="10.00"), a_payment(acme.sandbox, amount="1000.00")
    spei = {"method": "SPEI", "currency": "MXN", "payer": {"name": "Juan Perez"}}
    mexican = api.post("/payments", pix(**spei)).json()["data"]["id"]

    assert rows(support.get(page("payments"), {"method": ["SPEI", "BOLETO"]})) == [mexican]
    assert rows(support.get(page("payments"), {"currency": "BRL", "least": "10,01"})) == [large.pk]
    assert rows(support.get(page("payments"), {"most": "10.00"})) == [small.pk]


def test_times_are_those_of_the_reader(acme: Shop, page: Page, support: Client) -> None:
    User.objects.update(time_zone="America/Sao_Paulo")
    early = a_payment(acme.sandbox)
    later(acme, hours=2)
    late = a_payment(acme.sandbox)
    here = late.created_at.astimezone(ZoneInfo("America/Sao_Paulo"))

    def shown(**query: Any) -> list[str]:
        return rows(support.get(page("payments"), {name: f"{at:%Y-%m-%dT%H:%M}" for name, at in query.items()}))

    assert shown(since=here) == [late.pk]
    assert shown(until=here - timedelta(minutes=1)) == [early.pk]
    assert shown(until=here) == [late.pk, early.pk]
    assert "Times are in America/Sao_Paulo." in text_of(support.get(page("payments")))


def test_what_is_not_valid_narrows_nothing_and_is_said(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox)

    shown = support.get(page("payments"), {"least": "much", "status": "LOST", "since": "yesterday", "q": "x\0"})

    assert "An amount above zero, like 150.00." in text_of(shown)
    assert rows(support.get(page("payments"), {"least": "much"})) == [payment.pk]


def test_refunds_and_disputes_are_marked(acme: Shop, api: Api, support: Client, page: Page) -> None:
    a_payment(acme.sandbox)
    part, whole = a_payment(acme.sandbox, "PAID"), a_payment(acme.sandbox, "PAID")
    refund = refunded(api, part.pk, amount=10)
    api.post(f"/simulations/refunds/{refund['id']}", {"status": "COMPLETED"})
    disputed(api, whole.pk)

    assert rows(support.get(page("payments"), {"refunds": "on"})) == [whole.pk, part.pk]
    assert "Paid Disputed" in text_of(support.get(page("payments"), {"q": whole.pk}))
    assert "Paid Partly refunded" in text_of(support.get(page("payments"), {"q": part.pk}))


def test_a_long_list_is_led_through_and_back(acme: Shop, support: Client, page: Page) -> None:
    made = [a_payment(acme.sandbox).pk for _ in range(30)]
    first = support.get(page("payments"))
    older = re.search(r'rel="next" href="([^"]+)"', first.content.decode())
    assert older

    a_payment(acme.sandbox)  # shifts nothing
    second = support.get(page("payments") + older[1].replace("&amp;", "&"))
    newer = re.search(r'rel="prev" href="([^"]+)"', second.content.decode())

    assert rows(first) == made[:4:-1]
    assert rows(second) == made[4::-1]
    assert newer
    assert rows(support.get(page("payments") + newer[1].replace("&amp;", "&"))) == made[:4:-1]


def test_the_file_has_every_row_and_the_columns_of_the_screen(
    acme: Shop, api: Api, support: Client, page: Page
) -> None:
    a_payment(acme.sandbox, "PAID")
    api.post("/payments", pix(reference="=1+1", amount=1234.5))
    for _ in range(30):
        a_payment(acme.sandbox, "PAID")

    everything = file(support.get(page("payments"), {"format": "csv"}))
    chosen = file(
        support.get(page("payments"), {"format": "csv", "status": "PENDING", "columns": ["net", "reference"]})
    )

    assert everything[0] == [
        "Created (UTC)", "Amount", "Currency", "Status", "Method", "Requested method", "Reference", "Payer", "Payment",
    ]  # fmt: skip
    assert len(everything) == 33
    assert chosen == [["Reference", "Net"], ["'=1+1", "1222.27"]]


def test_the_due_date_is_a_column_and_a_cell(api: Api, support: Client, page: Page) -> None:
    for members in ({"dueDate": in_days(3)}, {}):
        assert api.post("/payments", pix(**members)).status_code == 201

    chosen = {"columns": ["due", "method"]}
    assert file(support.get(page("payments"), chosen | {"format": "csv"})) == [
        ["Method", "Requested method", "Due date"], ["PIX", "PIX", ""], ["PIX", "PIX", in_days(3)],
    ]  # fmt: skip
    assert date_format(date.fromisoformat(in_days(3)), "SHORT_DATE_FORMAT") in text_of(
        support.get(page("payments"), chosen)
    )


def test_columns_are_chosen_and_stay(acme: Shop, support: Client, page: Page) -> None:
    a_payment(acme.sandbox, "PAID")

    shown = support.get(page("payments"), {"columns": ["amount", "fee"], "q": "maria"})

    assert re.findall(r'<th scope="col"[^>]*>([^<]+)</th>', shown.content.decode()) == ["Amount", "Fee"]
    assert '<input type="hidden" name="columns" value="fee">' in shown.content.decode()


def test_an_empty_list_says_what_to_do_next(support: Client, viewer: Client, page: Page) -> None:
    assert "Make a test payment" in text_of(support.get(page("payments")))
    assert "Make a test payment" not in text_of(viewer.get(page("payments")))
    assert "No matching payments" in text_of(support.get(page("payments"), {"q": "nobody"}))


def test_a_page_asks_no_more_for_many_rows(
    acme: Shop, support: Client, page: Page, django_assert_max_num_queries: Any
) -> None:
    for _ in range(25):
        a_payment(acme.sandbox, "PAID")
    with django_assert_max_num_queries(17):
        assert len(rows(support.get(page("payments"), {"q": "maria"}))) == 25


def keep(browser: Client, page: Page, name: str, query: str) -> HttpResponse:
    return browser.post(page("keep_view", "payments"), {"name": name, "query": query})


def test_a_view_is_kept_for_oneself_alone(acme: Shop, support: Client, owner: Client, page: Page) -> None:
    a_payment(acme.sandbox)
    query = "status=PAID&q=maria&after=2026~x&format=csv&status=FAILED&least="

    kept = keep(support, page, "Mine", query)

    assert kept["Location"] == page("payments") + "?q=maria&status=FAILED&status=PAID"
    shown = support.get(kept["Location"]).content.decode()
    assert re.search(r'href="[^"]+\?q=maria&amp;status=FAILED&amp;status=PAID" aria-current="true"', shown)
    assert "Mine" not in owner.get(page("payments")).content.decode()


def test_a_name_is_used_once_and_goes_when_it_is_deleted(
    acme: Shop, support: Client, owner: Client, page: Page
) -> None:
    a_payment(acme.sandbox)
    keep(support, page, "Mine", "q=maria")
    keep(support, page, "Mine", "q=ana")
    view = SavedView.objects.get()
    assert view.query == "q=ana"

    owner.post(page("delete_view", "payments", view.pk))
    assert SavedView.objects.exists()
    support.post(page("delete_view", "payments", view.pk))
    assert not SavedView.objects.exists()


def test_there_is_an_end_of_views(acme: Shop, support: Client, page: Page) -> None:
    for number in range(21):
        keep(support, page, f"View {number}", "q=maria")
    keep(support, page, "", "q=maria")
    keep(support, page, "x" * 61, "q=maria")

    assert SavedView.objects.count() == 20
