"""Every record is read with its relations, and no list reads a whole table; no money is ever edited; anybody else gets
nowhere.
"""

import re

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import ApiKey, Membership, User
from gateway.models import MethodRule, Payment
from gateway.staff.kit.columns import address
from ledger.models import Transfer
from tests.support.companies import Shop
from tests.support.languages import marked, untranslated
from tests.support.people import PASSWORD, browser_of
from tests.support.staff import MONEY, PRICE, World
from webhooks.models import Delivery, Event

MODELS = list(admin.site._registry)


def pages_of(row: Model) -> list[str]:
    change = address(type(row), "change", row.pk)
    return [change, change.replace("/change/", "/history/")]


def asks_once_and_never_counts(model: type[Model], asked: list[str]) -> None:
    statements = [sql for sql in asked if "queue_number" not in sql]  # of the sidebar
    of_the_table = [sql for sql in statements if f'FROM "{model._meta.db_table}"' in sql]
    assert len(of_the_table) == 1
    assert "LIMIT" in of_the_table[0]
    assert not re.search(rf'COUNT\([^)]*\)[^()]* FROM "{model._meta.db_table}"', of_the_table[0])
    assert len(statements) <= 4


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_every_record_can_be_read_in_ones_language_and_no_page_tells_a_secret(
    model: type[Model], world: World, staff: Client
) -> None:
    staff.cookies[settings.LANGUAGE_COOKIE_NAME] = "pt-br"
    staff.post(reverse("admin:gateway_pricerule_add"), PRICE)
    row = model._default_manager.order_by("-pk")[0]
    with CaptureQueriesContext(connection) as asked, marked("pt-br"):
        told = staff.get(address(model, "changelist")).content.decode()
    if model in MONEY:
        asks_once_and_never_counts(model, [query["sql"] for query in asked])
    for page in pages_of(row):
        with marked("pt-br"):
            answer = staff.get(page)
        assert answer.status_code == 200, page
        told += answer.content.decode()
    assert untranslated(told) == set()
    for version in getattr(row, "history", type(row)._default_manager.none()).all()[:1]:
        past = staff.get(
            reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_simple_history", args=[row.pk, version.pk])
        )
        assert past.status_code == 200
        told += past.content.decode()
    file = b"".join(staff.get(f"{address(model, 'changelist')}export/").streaming_content).decode()  # type: ignore[attr-defined]
    assert len(file.splitlines()) > 1
    assert "<" not in file
    assert [secret for secret in world.secrets if secret in told + file] == []


def test_relations_lead_both_ways(world: World, acme: Shop, staff: Client) -> None:
    payment = world.payment
    delivery = Delivery.objects.get(event__object_id=payment.id)
    transfer = Transfer.objects.get(reference=payment.id)
    entry = transfer.entries.order_by("pk")[0]
    merchant = acme.sandbox
    for one, *others in [
        (payment, payment.customer, merchant, delivery, delivery.event, transfer, entry),
        (payment.customer, payment, merchant),
        (merchant, acme.company, payment, payment.customer, ApiKey.objects.get(merchant=merchant), delivery.endpoint),
        (acme.company, merchant, acme.production, Membership.objects.get(company=acme.company)),
        (delivery.event, payment, delivery, merchant),
        (delivery, delivery.event, delivery.endpoint, delivery.tries.get()),
        (delivery.tries.get(), delivery),
        (transfer, payment, entry, merchant),
        (entry, transfer, entry.account),
        (entry.account, entry, entry.account.balance, merchant),
    ]:
        page = staff.get(address(type(one), "change", one.pk)).content.decode()
        for other in others:
            assert f'href="{address(type(other), "change", other.pk)}"' in page, (one, other)


def test_money_is_shown_with_its_currency_and_a_body_as_it_was_signed(world: World, staff: Client) -> None:
    page = staff.get(address(Payment, "change", world.payment.pk)).content.decode()
    assert "150.00 BRL" in page
    assert "148.50 BRL" in page
    event = Event.objects.get(object_id=world.payment.id)
    body = staff.get(address(Event, "change", event.pk)).content.decode()
    assert "&quot;amount&quot;: 150.00," in body
    rules = staff.get(address(MethodRule, "changelist")).content.decode()
    assert "250,000.00 BRL" in rules


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("model", MONEY, ids=lambda model: model._meta.label)
def test_nobody_adds_changes_or_deletes_what_the_services_write(
    model: type[Model], world: World, staff: Client
) -> None:
    row = model._default_manager.order_by("-pk")[0]
    before = list(model._default_manager.order_by("pk").values())
    where, change = address(model, "changelist"), address(model, "change", row.pk)
    everything = {field.name: "1" for field in model._meta.fields} | {"_save": "Save"}
    for probe in (f"{where}add/", change.replace("/change/", "/delete/")):
        assert staff.get(probe).status_code == 403
        assert staff.post(probe, everything | {"post": "yes"}).status_code == 403
    assert staff.post(change, everything).status_code == 403
    staff.post(where, {"action": "delete_selected", "_selected_action": str(row.pk), "post": "yes"})
    assert list(model._default_manager.order_by("pk").values()) == before


def test_staff_sign_in_and_anybody_else_gets_nowhere(world: World, root: User, client: Client) -> None:
    addresses = [
        "/admin/",
        *(address(model, "changelist") for model in MODELS),
        address(Payment, "change", world.payment.pk),
    ]
    for where in addresses:
        answer = client.get(where)
        assert (answer.status_code, answer["Location"]) == (302, f"/admin/login/?next={where}")

    owner = User.objects.create_user("owner@acme.example", PASSWORD)
    client.force_login(owner)
    for where in addresses:
        assert client.get(where)["Location"] == f"/admin/login/?next={where}"
    assert client.get("/admin/login/").status_code == 403

    client.logout()
    assert client.get("/admin/login/?next=/admin/")["Location"] == "/accounts/login/?next=%2Fadmin%2F"
    entered = client.post("/accounts/login/?next=/admin/", {"login": root.email, "password": PASSWORD})
    assert (entered.status_code, entered["Location"]) == (302, "/admin/")
    assert client.get("/admin/").status_code == 200


def test_staff_see_what_their_group_may_see(world: World) -> None:
    person = User.objects.create_user("support@onpay.example", PASSWORD, is_staff=True)
    group = Group.objects.get(name="Support")
    group.permissions.set(Permission.objects.filter(codename__in=["view_payment", "view_event"]))
    person.groups.add(group)
    client = browser_of(person)
    for model in MODELS:
        expected = 200 if model in (Payment, Event) else 403
        assert client.get(address(model, "changelist")).status_code == expected, model
    page = client.get(address(Payment, "change", world.payment.pk)).content.decode()
    assert "payment.paid" in page
    assert "ledger/entry" not in page
    found = client.get("/admin/search/", {"s": world.payment.merchant.company_id, "extended": 1}).content.decode()
    assert set(re.findall(r"/admin/(\w+/\w+)/\w+/change/", found)) == {"gateway/payment", "webhooks/event"}
