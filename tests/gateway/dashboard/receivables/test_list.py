"""The calendar of money: which day brings what, to the second and to the cent."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from accounts.base.clock import now
from accounts.models import Merchant
from accounts.roles import Role
from gateway.refunds import services as refunds
from ledger.receivables.due import RELEASE
from ledger.receivables.models import Receivable
from tests.support.companies import Shop
from tests.support.pages import Page
from tests.support.people import a_member, signed_in
from tests.support.receivables import NET, a_receivable, stand_at
from tests.support.refunds import later

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def summer(acme: Shop) -> None:
    """Noon of the third of January: what is paid by card today is released on the second of February."""
    stand_at(acme.sandbox, datetime(2027, 1, 3, 12, tzinfo=UTC))


def cells(client: Client, where: str) -> dict[str, list[tuple[str, int, int]]]:
    """The days that bring something: of each currency how many, and how much."""
    shown = client.get(where).context["cells"]
    return {
        cell.day.isoformat(): [(one.currency, one.count, one.net) for one in cell.entries]
        for cell in shown
        if cell.entries
    }


def shown(client: Client, where: str) -> list[str]:
    return [row.pk for row in client.get(where).context["page"].rows]


def test_a_day_brings_what_its_receivables_come_to(acme: Shop, viewer: Client, page: Page) -> None:
    first, second = a_receivable(acme.sandbox), a_receivable(acme.sandbox, "100.00")
    mexican = a_receivable(acme.sandbox, "100.00", "MXN")
    where = page("receivables") + "?month=2027-02"

    assert cells(viewer, where) == {"2027-02-02": [("BRL", 2, NET + second.amount), ("MXN", 1, mexican.amount)]}
    assert shown(viewer, where) == [first.pk, second.pk, mexican.pk]
    total = viewer.get(where).context["totals"][0]
    assert (total.count, total.gross, total.fee, total.net) == (
        2, 30_000, 798 + second.fee, NET + second.amount
    )  # fmt: skip
    assert first.release_at.strftime("%H:%M:%S") in viewer.get(where).content.decode()
    assert cells(viewer, page("receivables")) == {}
    assert "Nothing is released this month" in viewer.get(page("receivables")).content.decode()


def test_days_are_those_of_the_reader(acme: Shop, viewer: Client, page: Page) -> None:
    stand_at(acme.sandbox, datetime(2027, 1, 3, 1, 30, tzinfo=UTC))
    a_receivable(acme.sandbox)

    assert [*cells(viewer, page("receivables") + "?month=2027-02")] == ["2027-02-02"]
    viewer.cookies["time_zone"] = "America/Sao_Paulo"
    assert [*cells(viewer, page("receivables") + "?month=2027-02")] == ["2027-02-01"]
    assert len(shown(viewer, page("receivables") + "?day=2027-02-01")) == 1
    assert shown(viewer, page("receivables") + "?day=2027-02-02") == []


def test_a_day_a_currency_and_a_state_narrow(acme: Shop, viewer: Client, page: Page) -> None:
    brazilian, mexican = a_receivable(acme.sandbox), a_receivable(acme.sandbox, "100.00", "MXN")
    gone = a_receivable(acme.sandbox)
    refunds.create(acme.sandbox, gone.payment_id, amount=gone.amount)
    where = page("receivables")

    assert shown(viewer, f"{where}?day=2027-02-02") == [brazilian.pk, mexican.pk]
    assert shown(viewer, f"{where}?day=2027-02-03") == []
    assert shown(viewer, f"{where}?day=2027-02-02&currency=MXN") == [mexican.pk]
    assert shown(viewer, f"{where}?month=2027-02&state=CANCELED") == [gone.pk]
    assert shown(viewer, f"{where}?month=2027-02&state=any") == [brazilian.pk, mexican.pk, gone.pk]
    assert cells(viewer, f"{where}?month=2027-02&currency=MXN") == {"2027-02-02": [("MXN", 1, mexican.amount)]}


def test_what_was_released_stays_on_its_day(acme: Shop, viewer: Client, page: Page) -> None:
    one = a_receivable(acme.sandbox)
    later(acme, days=31)
    RELEASE.run_at_clock(acme.sandbox, one.pk)

    assert cells(viewer, page("receivables")) == {"2027-02-02": [("BRL", 1, NET)]}
    assert "Released" in viewer.get(page("receivables")).content.decode()


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    "nonsense",
    [
        "month=x",
        "month=2027-13",
        "month=0001-01",
        "day=9999-12-31",
        "day=x",
        "currency=USD",
        "state=x",
        "month=",
        "after=x",
    ],
)
def test_nonsense_shows_the_month_of_now(viewer: Client, page: Page, nonsense: str) -> None:
    answer = viewer.get(f"{page('receivables')}?{nonsense}")

    assert answer.status_code == 200
    assert answer.context["first"].isoformat() == "2027-01-01"


@pytest.mark.parametrize("month", ["2000-01", "2099-12"])
def test_the_calendar_ends_somewhere(viewer: Client, page: Page, month: str) -> None:
    assert viewer.get(f"{page('receivables')}?month={month}").status_code == 200


def test_weeks_begin_as_the_reader_s_do(viewer: Client, page: Page) -> None:
    assert viewer.get(page("receivables")).context["cells"][0].day.strftime("%a") == "Sun"
    spanish = viewer.get(page("receivables"), headers={"accept-language": "es"})
    assert spanish.context["cells"][0].day.strftime("%a") == "Mon"


def test_the_file_has_what_the_list_has(acme: Shop, viewer: Client, page: Page) -> None:
    one = a_receivable(acme.sandbox)
    viewer.cookies["time_zone"] = "America/Sao_Paulo"

    answer = viewer.get(page("receivables") + "?month=2027-02&format=csv")
    lines = b"".join(answer.streaming_content).decode().splitlines()  # type: ignore[arg-type]

    assert answer["Content-Disposition"] == 'attachment; filename="receivables-2027-02.csv"'
    assert "Released at (America/Sao_Paulo)" in lines[0]
    local = one.release_at.astimezone(ZoneInfo("America/Sao_Paulo"))
    assert f"{one.pk},{local:%Y-%m-%d %H:%M:%S},Scheduled,{one.payment_id}" in lines[1]
    assert lines[1].endswith("BRL,200.00,7.98,0.00,192.02")


def test_who_sees_no_balance_sees_no_receivable(acme: Shop, globex: Shop, stranger: Client, page: Page) -> None:
    a_receivable(acme.sandbox)
    for role in (Role.DEVELOPER, Role.SUPPORT):
        assert signed_in(a_member(acme.company, role)).get(page("receivables")).status_code == 403
    assert stranger.get(page("receivables")).status_code == 404
    own = page("receivables").replace(acme.company.pk, globex.company.pk)
    assert shown(stranger, f"{own}?month=2027-02&state=any") == []


def test_the_page_asks_the_database_a_few_questions_only(
    acme: Shop, viewer: Client, page: Page, django_assert_max_num_queries: Any
) -> None:
    for _ in range(5):
        a_receivable(acme.sandbox)

    with django_assert_max_num_queries(15):
        viewer.get(page("receivables") + "?month=2027-02")


def test_ticks_are_offered_for_what_can_be_advanced(acme: Shop, viewer: Client, page: Page) -> None:
    one = a_receivable(acme.sandbox)
    where, tick = page("receivables") + "?month=2027-02", f'value="{one.pk}"'

    assert tick in viewer.get(where).content.decode()
    Merchant.objects.filter(pk=acme.sandbox.pk).update(advance_enabled=False)
    assert tick not in viewer.get(where).content.decode()
    assert now(acme.sandbox) + timedelta(days=29) < Receivable.objects.get().release_at
