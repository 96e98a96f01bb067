"""The list of refunds: whose turn it is, and how long."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.base.clock import now
from gateway.refunds import services as refunds
from gateway.refunds.models import Refund
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.payments import a_payment
from tests.support.refunds import later

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("money")]


def shown(client: Client, where: str) -> list[str]:
    """The ids of the refunds on the page, in its order."""
    answer = client.get(where)
    assert answer.status_code == 200
    return [refund.pk for refund in answer.context["page"].rows]


def counted(client: Client, where: str) -> list[int]:
    return [count for _, _, count, _ in client.get(where).context["tabs"]]


def a_dispute(shop: Shop, hours: int, **wish: Any) -> Refund:
    payment = a_payment(shop.sandbox, "PAID")
    due = now(shop.sandbox) + timedelta(hours=hours)
    return refunds.dispute(shop.sandbox, payment.pk, response_due_at=due, **wish)


def test_what_waits_stands_first_by_its_deadline_with_the_time_left(acme: Shop, support: Client, page: Page) -> None:
    late, soon, middle = (a_dispute(acme, hours) for hours in (200, 5, 30))

    body = support.get(page("refunds")).content.decode()

    assert shown(support, page("refunds")) == [soon.pk, middle.pk, late.pk]
    assert [text in body for text in ("4 h 59 min", "1 d 5 h", "8 d 7 h", "Payer&#x27;s claim")] == [True] * 4


def test_each_tab_counts_and_shows_its_own(acme: Shop, asked: Refund, support: Client, page: Page) -> None:
    given = refunds.create(acme.sandbox, a_payment(acme.sandbox, "PAID").pk)
    contested = a_dispute(acme, 10)
    refunds.respond(acme.sandbox, contested.pk, "CONTEST", message="Delivered.")
    won = a_dispute(acme, 10)
    refunds.respond(acme.sandbox, won.pk, "CONTEST", message="Delivered.")
    refunds.simulate(acme.sandbox, won.pk, "REJECTED")
    where = page("refunds")

    assert counted(support, where) == [1, 1, 1, 1]
    assert shown(support, where) == [asked.pk]
    assert shown(support, f"{where}?tab=review") == [contested.pk]
    assert shown(support, f"{where}?tab=processing") == [given.pk]
    assert shown(support, f"{where}?tab=done") == [won.pk]
    assert shown(support, f"{where}?tab=all") == [won.pk, contested.pk, given.pk, asked.pk]


def test_without_anything_that_waits_everything_is_shown(acme: Shop, support: Client, page: Page) -> None:
    assert "No refunds yet" in support.get(page("refunds")).content.decode()
    given = refunds.create(acme.sandbox, a_payment(acme.sandbox, "PAID").pk)

    assert shown(support, page("refunds")) == [given.pk]
    assert "Nothing to answer" in support.get(page("refunds") + "?tab=waiting").content.decode()


def test_filters_narrow_and_nonsense_does_not(acme: Shop, asked: Refund, support: Client, page: Page) -> None:
    given = refunds.create(acme.sandbox, a_payment(acme.sandbox, "PAID").pk)
    where, tomorrow = page("refunds") + "?tab=all", (now(acme.sandbox) + timedelta(days=1)).date()

    assert shown(support, f"{where}&kind=company") == [given.pk]
    assert shown(support, f"{where}&kind=claim") == [asked.pk]
    assert shown(support, f"{where}&kind=dispute") == []
    assert shown(support, f"{where}&kind=med") == []
    assert shown(support, f"{where}&reason_code=NOT_RECEIVED") == [asked.pk]
    assert shown(support, f"{where}&since={tomorrow}") == []
    assert shown(support, f"{where}&until={tomorrow}") == [given.pk, asked.pk]
    for wrong in ("kind=x", "since=x", "since=0001-01-01", "until=9999-12-31", "tab=x", "after=x~y", "before=%00~1"):
        assert shown(support, f"{page('refunds')}?{wrong}") in ([asked.pk], [given.pk, asked.pk])


def test_a_long_list_leads_on_and_back(acme: Shop, support: Client, page: Page) -> None:
    payment = a_payment(acme.sandbox, "PAID", "150.00")
    made = [refunds.create(acme.sandbox, payment.pk, amount=100).pk for _ in range(52)][::-1]
    first = support.get(page("refunds")).context["page"]

    assert [row.pk for row in first.rows] == made[:50]
    assert first.before is None
    second = support.get(page("refunds"), {"after": first.after}).context["page"]
    assert ([row.pk for row in second.rows], second.after) == (made[50:], None)
    assert shown(support, f"{page('refunds')}?before={second.before.replace('+', '%2B')}") == made[:50]


def test_the_list_asks_the_database_a_few_questions_only(
    acme: Shop, support: Client, page: Page, django_assert_max_num_queries: Any
) -> None:
    for hours in range(1, 6):
        a_dispute(acme, hours)

    with django_assert_max_num_queries(16):
        support.get(page("refunds"))


def test_the_file_has_every_row_and_no_formula(acme: Shop, asked: Refund, support: Client, page: Page) -> None:
    given = refunds.create(acme.sandbox, a_payment(acme.sandbox, "PAID").pk, reason='=cmd|"x"')

    answer = support.get(page("refunds") + "?tab=all&format=csv")
    lines = b"".join(answer.streaming_content).decode().splitlines()  # type: ignore[arg-type]

    assert answer["Content-Disposition"] == 'attachment; filename="refunds.csv"'
    assert lines[0].startswith("\ufeffRefund,Created (UTC),Status")
    assert [line.split(",")[0] for line in lines[1:]] == [given.pk, asked.pk]
    assert "'=cmd" in lines[1]
    assert "Not received,150.00,BRL" in lines[2]


def test_nobody_of_globex_sees_a_thing(
    acme: Shop, globex: Shop, asked: Refund, stranger: Client, page: Page, viewer: Client
) -> None:
    assert stranger.get(page("refunds")).status_code == 404
    assert shown(stranger, page("refunds").replace(acme.company.pk, globex.company.pk)) == []
    assert shown(viewer, page("refunds")) == [asked.pk]


def test_what_is_over_says_so(acme: Shop, asked: Refund, support: Client, page: Page) -> None:
    later(acme, hours=73)

    assert "0 min" in support.get(page("refunds")).content.decode()
