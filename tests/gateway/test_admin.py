"""The staff admin: every record is read with its relations and found by any of its ids; no money is ever edited."""

import hashlib
import re
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django_celery_beat.schedulers import ModelEntry

from accounts.heartbeats import beat
from accounts.models import ApiKey, Company, Membership, User
from accounts.staff.columns import address
from gateway.celery import app
from gateway.models import Customer, IdempotencyKey, MethodRule, Payment, PriceRule
from ledger.models import Account, Balance, Entry, Transfer
from tests.client import Api
from tests.factories import MARIA, Shop, a_payment, pix
from tests.receiver import listening
from webhooks.dispatch import deliver_due
from webhooks.models import Attempt, Delivery, Endpoint, Event

MODELS = list(admin.site._registry)
MONEY = [
    Payment,
    Customer,
    Account,
    Balance,
    Transfer,
    Entry,
    Event,
    Delivery,
    Attempt,
    Endpoint,
    IdempotencyKey,
    ApiKey,
]
ODD = [
    "'",
    '"',
    "\0",
    "%",
    "_",
    "\\",
    "pay_",
    "evt_'",
    "req_ZZZZZZZZZZ",
    "7" * 40,
    "é💶",
    "x" * 3000,
    "-1",
    str(uuid4()),
]
PASSWORD = "correct horse battery staple"


@dataclass(frozen=True)
class World:
    """One of everything, reached as merchants and staff reach it."""

    payment: Payment
    other: Payment
    key: str
    request_id: str
    secrets: tuple[str, ...]


@pytest.fixture
def world(acme: Shop, globex: Shop, api: Api, settings: Any) -> World:
    settings.LOCAL = True
    key = str(uuid4())
    with listening() as receiver:
        secret = api.post("/webhooks", {"url": receiver.url, "events": ["*"]}).json()["data"]["secret"]
        payer = MARIA | {"email": "Maria@Example.com"}
        created = api.post("/payments", pix(payer=payer, reference="Order 'A'\"1"), key=key)
        api.post(f"/simulations/payments/{created.json()['data']['id']}", {"status": "PAID"})
        deliver_due()
    other = a_payment(globex.sandbox, "PAID")
    beat("worker")
    for name, entry in app.conf.beat_schedule.items():
        ModelEntry.from_entry(name, app=app, **entry)
    Group.objects.create(name="Support")
    return World(
        payment=Payment.objects.get(merchant=acme.sandbox),
        other=other,
        key=key,
        request_id=created["RequestId"],
        secrets=(secret, *_keys(acme), *_keys(globex), *(_digest(one) for one in (*_keys(acme), *_keys(globex)))),
    )


def _keys(shop: Shop) -> tuple[str, str]:
    return shop.sandbox_key, shop.production_key


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root@onpay.example", PASSWORD)


@pytest.fixture
def staff(root: User) -> Client:
    """A superuser's browser: whatever it may not do, nobody may."""
    client = Client()
    client.force_login(root)
    return client


def pages_of(row: Model) -> list[str]:
    change = address(type(row), "change", row.pk)
    return [change, change.replace("/change/", "/history/")]


def listed(staff: Client, model: type[Model], **query: Any) -> set[str]:
    """The keys of the rows that the model's list shows."""
    page = staff.get(address(model, "changelist"), query)
    assert page.status_code == 200, (model, query)
    return {str(row.pk) for row in page.context["cl"].result_list}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_every_record_can_be_read_and_no_page_tells_a_secret(model: type[Model], world: World, staff: Client) -> None:
    staff.post(address(PriceRule, "change", PriceRule.objects.latest("pk").pk), _price(percentage="2"))
    row = model._default_manager.order_by("-pk")[0]
    told = staff.get(address(model, "changelist")).content.decode()
    for page in pages_of(row):
        answer = staff.get(page)
        assert answer.status_code == 200, page
        told += answer.content.decode()
    for version in getattr(row, "history", type(row)._default_manager.none()).all()[:1]:
        past = staff.get(
            reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_simple_history", args=[row.pk, version.pk])
        )
        assert past.status_code == 200
        told += past.content.decode()
    assert [secret for secret in world.secrets if secret in told] == []
    assert "gAAAA" not in told  # the beginning of whatever is sealed
    assert "pbkdf2" not in told


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_odd_searches_filters_and_addresses_are_no_errors(model: type[Model], world: World, staff: Client) -> None:
    where = address(model, "changelist")
    for term in ODD:
        assert staff.get(where, {"q": term}, follow=True).status_code == 200, term
        assert staff.get(f"{where}{term.replace(chr(0), '%00')}/change/", follow=True).status_code in (200, 404)
        assert staff.get(f"{where}{term.replace(chr(0), '%00')}/history/", follow=True).status_code in (200, 404)
    page = staff.get(where)
    for spec in page.context["cl"].filter_specs:
        for choice in spec.choices(page.context["cl"]):
            assert staff.get(where + choice["query_string"]).status_code == 200
        for name in spec.expected_parameters():
            assert staff.get(where, {name: "\0'"}, follow=True).status_code == 200
    assert staff.get(where, {"p": "2"}, follow=True).status_code == 200


def test_a_payment_is_found_by_every_id_it_is_known_by(world: World, acme: Shop, staff: Client) -> None:
    payment = world.payment
    event = Event.objects.get(object_id=payment.id)
    known_by = [
        payment.id, payment.id.lower(), payment.id[:20], payment.id.partition("_")[2], payment.reference,
        payment.customer_id, acme.company.id, event.id, event.deliveries.get().id, "maria@example.com",
    ]  # fmt: skip
    for term in known_by:
        assert listed(staff, Payment, q=term) == {payment.id}, term
    assert listed(staff, Payment, q="529.982.247-25") == {payment.id, world.other.id}
    assert listed(staff, Payment, q="pay_01ARZ3NDEKTSV4RRFFQ69G5FAV") == set()


def test_everything_about_a_payment_is_found_by_its_id(world: World, acme: Shop, staff: Client) -> None:
    payment = world.payment
    event = Event.objects.get(object_id=payment.id)
    delivery = event.deliveries.get()
    transfer = Transfer.objects.get(reference=payment.id)
    for model, term, row in [
        (Customer, payment.id, payment.customer),
        (Event, payment.id, event),
        (Event, delivery.id, event),
        (Delivery, payment.id, delivery),
        (Delivery, event.id, delivery),
        (Delivery, delivery.endpoint_id, delivery),
        (Attempt, delivery.id, delivery.tries.get()),
        (Endpoint, delivery.id, delivery.endpoint),
        (Endpoint, acme.company.id, delivery.endpoint),
        (Transfer, payment.id, transfer),
        (IdempotencyKey, world.key, IdempotencyKey.objects.get(key=world.key)),
        (IdempotencyKey, world.request_id, IdempotencyKey.objects.get(key=world.key)),
        (ApiKey, acme.sandbox_key[-4:], ApiKey.objects.get(last4=acme.sandbox_key[-4:])),
        (Company, acme.company.id, acme.company),
        (User, "owner@", None),
    ]:
        found = listed(staff, model, q=term)
        assert str(row.pk) in found if row else found, (model, term)
    assert listed(staff, Entry, q=payment.id) == {str(pk) for pk in transfer.entries.values_list("pk", flat=True)}
    assert listed(staff, Company, q="11.222.333/0001-81") == {
        str(pk) for pk in Company.objects.values_list("pk", flat=True)
    }


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
    refused = client.post("/admin/login/", {"username": owner.email, "password": PASSWORD})
    assert refused.status_code == 200
    client.force_login(owner)
    for where in addresses:
        assert client.get(where)["Location"] == f"/admin/login/?next={where}"

    client.logout()
    entered = client.post("/admin/login/?next=/admin/", {"username": root.email, "password": PASSWORD})
    assert (entered.status_code, entered["Location"]) == (302, "/admin/")
    assert client.get("/admin/").status_code == 200


def test_staff_see_what_their_group_may_see(world: World, client: Client) -> None:
    person = User.objects.create_user("support@onpay.example", PASSWORD, is_staff=True)
    group = Group.objects.get(name="Support")
    group.permissions.set(Permission.objects.filter(codename__in=["view_payment", "view_event"]))
    person.groups.add(group)
    client.force_login(person)
    for model in MODELS:
        expected = 200 if model in (Payment, Event) else 403
        assert client.get(address(model, "changelist")).status_code == expected, model
    page = client.get(address(Payment, "change", world.payment.pk)).content.decode()
    assert "payment.paid" in page
    assert "ledger/entry" not in page
    found = client.get("/admin/search/", {"s": acme_id(world), "extended": 1}).content.decode()
    assert set(re.findall(r"/admin/(\w+/\w+)/\w+/change/", found)) == {"gateway/payment", "webhooks/event"}


def acme_id(world: World) -> str:
    return str(world.payment.merchant.company_id)


def test_the_search_box_leads_from_any_id_to_its_record(world: World, staff: Client) -> None:
    found = staff.get("/admin/search/", {"s": world.payment.reference, "extended": 1}).content.decode()
    assert address(Payment, "change", world.payment.pk) in found
    for term in ODD:
        assert staff.get("/admin/search/", {"s": term, "extended": 1}).status_code == 200


def _price(**changed: str) -> dict[str, str]:
    return {"percentage": "0.99", "fixed": "0.01", "settlement_days": "0", "_save": "Save"} | changed
