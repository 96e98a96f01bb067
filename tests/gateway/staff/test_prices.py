"""Prices are versions: staff add them, nobody rewrites what has held, and payments keep what they were created at."""

from datetime import datetime, timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.base.clock import utcnow
from accounts.models import AuditEntry, User
from gateway.methods import selectors as methods
from gateway.models import Payment, PriceRule
from gateway.seeds import BEGINNING
from gateway.staff.kit.columns import address as page_of
from ledger.receivables.models import Receivable
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.forms import form_in
from tests.support.payments import pix
from tests.support.people import browser_of
from tests.support.receivables import a_receivable, stand_at
from tests.support.staff import change, support

ADD = "/admin/gateway/pricerule/add/"
PRICE = {
    "merchant": "",
    "method": "PIX",
    "currency": "BRL",
    "percentage": "2",
    "fixed": "0.50",
    "settlement_days": "0",
    "advance_monthly_rate": "0",
    "advance_minimum": "0",
}


def at(moment: datetime) -> dict[str, str]:
    return {"effective_from_0": f"{moment:%Y-%m-%d}", "effective_from_1": f"{moment:%H:%M:%S}"}


def add(staff: Client, moment: datetime | None = None, **members: str) -> dict[str, Any]:
    """A new version; the complaints, by field."""
    answer = staff.post(ADD, PRICE | (at(moment) if moment else {}) | members)
    return {} if answer.status_code == 302 else dict(answer.context["adminform"].form.errors)


def paid(api: Api) -> float:
    return float(api.post("/payments", pix()).json()["data"]["fee"])


def seeded() -> PriceRule:
    return PriceRule.objects.get(merchant=None, method="PIX", currency="BRL", effective_from=BEGINNING)


def state_of(staff: Client, price: PriceRule) -> str:
    """As the list shows it."""
    [row] = [one for one in staff.get(page_of(PriceRule, "changelist")).context["cl"].result_list if one.pk == price.pk]
    return str(row.state)


def test_a_new_version_is_for_new_payments_only(staff: Client, api: Api) -> None:
    before, old = seeded(), api.post("/payments", pix()).json()["data"]

    assert add(staff) == {}

    new = PriceRule.objects.latest("pk")
    assert utcnow() - new.effective_from < timedelta(minutes=1)
    assert (old["fee"], paid(api)) == (1.50, 3.50)
    assert api.get(f"/payments/{old['id']}").json()["data"]["fee"] == 1.50
    assert Payment.objects.get(pk=old["id"]).fee == 150
    assert (state_of(staff, before), state_of(staff, new)) == ("superseded", "in force")


def test_a_later_version_waits_for_its_time(staff: Client, acme: Shop, api: Api) -> None:
    begins = (utcnow() + timedelta(days=2)).replace(microsecond=0)
    assert add(staff, begins) == {}
    later = PriceRule.objects.latest("pk")
    assert (later.effective_from, state_of(staff, later), paid(api)) == (begins, "scheduled", 1.50)

    stand_at(acme.sandbox, begins - timedelta(seconds=5))
    assert paid(api) == 1.50
    stand_at(acme.sandbox, begins)
    assert paid(api) == 3.50


def test_the_latest_version_whose_time_has_come_holds_and_the_companys_own_before_everybodys(
    staff: Client, acme: Shop, globex: Shop, api: Api, globex_api: Api
) -> None:
    own = {"merchant": str(acme.sandbox.pk)}
    assert add(staff, percentage="5", fixed="0", **own) == {}
    assert add(staff, percentage="6", fixed="0", **own) == {}
    assert add(staff, percentage="3", fixed="0") == {}
    assert add(staff, utcnow() + timedelta(days=1), percentage="9", **own) == {}

    assert (paid(api), paid(globex_api)) == (9.00, 4.50)
    states = [state_of(staff, price) for price in PriceRule.objects.filter(method="PIX").order_by("pk")]
    assert states == ["superseded", "superseded", "in force", "in force", "scheduled"]
    offered = {offer.rule.method: offer.price.percentage for offer in methods.offers(acme.sandbox)}
    assert offered["PIX"] == 6


def test_what_has_held_is_read_only(staff: Client) -> None:
    price = seeded()
    before = PriceRule.objects.filter(pk=price.pk).values().get()
    page = staff.get(page_of(PriceRule, "change", price.pk)).content.decode()
    assert 'name="_save"' not in page
    assert "0.00 BRL" in page
    assert staff.post(page_of(PriceRule, "change", price.pk), PRICE | at(utcnow())).status_code == 403
    assert staff.post(reverse("admin:gateway_pricerule_delete", args=[price.pk]), {"post": "yes"}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": str(price.pk), "post": "yes"}
    staff.post(page_of(PriceRule, "changelist"), chosen)
    assert PriceRule.objects.filter(pk=price.pk).values().get() == before


def test_a_companys_own_version_stays_too_once_it_has_held(staff: Client, acme: Shop) -> None:
    add(staff, merchant=str(acme.sandbox.pk))
    own = PriceRule.objects.get(merchant=acme.sandbox)
    assert staff.post(reverse("admin:gateway_pricerule_delete", args=[own.pk]), {"post": "yes"}).status_code == 403
    assert PriceRule.objects.filter(pk=own.pk).exists()


def test_a_version_that_has_not_begun_is_changed_or_withdrawn(staff: Client, acme: Shop, api: Api) -> None:
    begins = (utcnow() + timedelta(days=2)).replace(microsecond=0)
    add(staff, begins)
    later = PriceRule.objects.latest("pk")

    assert change(staff, later, percentage="4", advance_minimum="12.34") == {}

    later.refresh_from_db()
    assert (later.percentage, later.fixed, later.advance_minimum, later.effective_from) == (4, 50, 1_234, begins)
    assert later.history.latest().history_type == "~"
    assert list(change(staff, later, **at(utcnow() - timedelta(hours=1)))) == ["effective_from"]
    assert staff.post(reverse("admin:gateway_pricerule_delete", args=[later.pk]), {"post": "yes"}).status_code == 302
    assert [*PriceRule.objects.filter(method="PIX")] == [seeded()]
    assert paid(api) == 1.50


@pytest.mark.parametrize(
    ("members", "fields"),
    [
        ({"percentage": "101", "fixed": "-1", "settlement_days": "-1"}, ["fixed", "percentage", "settlement_days"]),
        ({"advance_monthly_rate": "101", "advance_minimum": "-1"}, ["advance_minimum", "advance_monthly_rate"]),
        ({"advance_minimum": "0.001"}, ["advance_minimum"]),
        ({"effective_from_0": "2026-01-01", "effective_from_1": "00:00:00"}, ["effective_from"]),
        ({"effective_from_0": "soon", "effective_from_1": "00:00:00"}, ["effective_from"]),
    ],
)
def test_an_impossible_version_is_refused_and_changes_nothing(
    staff: Client, api: Api, members: dict[str, str], fields: list[str]
) -> None:
    known = PriceRule.objects.count()
    assert sorted(add(staff, **members)) == fields
    assert (PriceRule.objects.count(), paid(api)) == (known, 1.50)


def test_two_versions_never_begin_at_the_same_time(staff: Client) -> None:
    first = (utcnow() + timedelta(days=2)).replace(microsecond=0)
    add(staff, first)
    assert "effective_from" in add(staff, first)
    add(staff, first + timedelta(days=1))
    second = PriceRule.objects.latest("pk")
    assert list(change(staff, second, **at(first))) == ["effective_from"]
    second.refresh_from_db()
    assert (second.effective_from, PriceRule.objects.filter(method="PIX").count()) == (first + timedelta(days=1), 3)


def test_a_new_version_starts_from_what_the_old_one_says(staff: Client, acme: Shop) -> None:
    add(staff, merchant=str(acme.sandbox.pk), advance_enabled="on", advance_monthly_rate="1.5", advance_minimum="50")
    own = PriceRule.objects.get(merchant=acme.sandbox)
    page = page_of(PriceRule, "change", own.pk)
    assert "new_version/" in staff.get(page).content.decode()

    filled = form_in(staff.get(page.replace("/change/", "/new_version/"), follow=True).content)

    expected = {"percentage": "2.0000", "fixed": "0.50", "advance_monthly_rate": "1.5000", "advance_minimum": "50.00"}
    expected |= {"method": "PIX", "merchant": str(acme.sandbox.pk), "advance_enabled": "True", "effective_from_0": ""}
    assert {name: filled[name] for name in expected} == expected
    assert staff.post(ADD, filled | {"percentage": "1"}).status_code == 302
    assert methods.terms(acme.sandbox, "PIX", "BRL").percentage == 1


def test_receivables_keep_the_conditions_of_their_payment(staff: Client, acme: Shop) -> None:
    card = {"method": "CREDIT_CARD", "settlement_days": "14", "advance_enabled": "on"}
    add(staff, advance_monthly_rate="1.2", advance_minimum="30", **card)
    first = a_receivable(acme.sandbox)

    add(staff, advance_monthly_rate="9", **(card | {"advance_enabled": "", "settlement_days": "1"}))

    first.refresh_from_db()
    assert (first.advance_monthly_rate, first.advance_minimum) == (Decimal("1.2"), 3_000)
    assert first.release_at - first.created_at == timedelta(days=14)
    second = a_receivable(acme.sandbox)
    assert (second.advance_monthly_rate, second.release_at - second.created_at) == (None, timedelta(days=1))
    assert Receivable.objects.count() == 2


def test_whoever_may_only_view_adds_no_version(db: None) -> None:
    reader = browser_of(support("view_pricerule"))
    page = page_of(PriceRule, "change", seeded().pk)
    assert "new_version/" not in reader.get(page).content.decode()
    assert reader.get(page.replace("/change/", "/new_version/")).status_code == 403
    assert reader.post(ADD, PRICE).status_code == 403
    assert PriceRule.objects.filter(method="PIX").count() == 1


def test_the_page_and_the_command_write_the_same_down(staff: Client, root: User, acme: Shop, globex: Shop) -> None:
    told = "--environment sandbox --method PIX --currency BRL --percentage 2 --fixed 0.50 --note Agreed"
    call_command("set_price", "--company", "Globex", *told.split(), stdout=StringIO())
    assert add(staff, merchant=str(acme.sandbox.pk)) == {}

    by_command, by_page = AuditEntry.objects.order_by("pk")
    own = {"merchant", "effective_from"}
    facts = [{name: said for name, said in entry.after.items() if name not in own} for entry in (by_command, by_page)]
    assert facts[0] == facts[1]
    assert (by_command.action, by_page.action) == ("price_rule.added", "price_rule.added")
    assert (by_command.actor, by_page.actor) == (None, root)
