"""Every record is found by any of its ids, and nothing that is asked for is an error."""

from collections.abc import Callable
from itertools import cycle, islice
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.contrib.admin import FieldListFilter
from django.contrib.messages.storage import default_storage
from django.contrib.sessions.backends.db import SessionStore
from django.db.models import Model
from django.http import Http404, HttpResponseNotFound
from django.test import Client, RequestFactory
from django.urls import resolve

from accounts.models import ApiKey, Company, User
from gateway.models import ApiRequest, Customer, IdempotencyKey, Payment
from gateway.staff.kit.columns import address
from ledger.models import Entry, Receivable, Transfer
from tests.support.companies import Shop
from tests.support.effort import NIGHTLY, tries
from tests.support.staff import ODD, World, some_odd
from webhooks.models import Attempt, Delivery, Endpoint, Event

MODELS = list(admin.site._registry)


def listed(staff: Client, model: type[Model], **query: Any) -> set[str]:
    """The keys of the rows that the model's list shows."""
    page = staff.get(address(model, "changelist"), query)
    assert page.status_code == 200, (model, query)
    return {str(row.pk) for row in page.context["cl"].result_list}


@pytest.fixture
def asked(world: World, root: User, settings: Any) -> Callable[..., Any]:
    """The answer to a superuser who asks for an address of the admin; of a list its rows are read, and not drawn, nor
    is the sidebar.
    """
    settings.UNFOLD = settings.UNFOLD | {"SIDEBAR": {}}

    def get(where: str, **query: Any) -> Any:
        request = RequestFactory().get(where, query)
        request.user, request.session = root, SessionStore()
        request._messages = default_storage(request)  # type: ignore[attr-defined]
        view, args, names = resolve(request.path_info)
        try:
            answer = view(request, *args, **names)
        except Http404:
            return HttpResponseNotFound()
        shown = (getattr(answer, "context_data", None) or {}).get("cl")
        list(shown.result_list if shown else ())
        return answer

    return get


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_odd_searches_and_addresses_are_no_errors(model: type[Model], asked: Callable[..., Any]) -> None:
    where = address(model, "changelist")
    for term in some_odd(MODELS.index(model)):
        assert asked(where, q=term).status_code in (200, 302), term
        assert asked(f"{where}{quote(term, safe='')}/change/").status_code in (200, 302, 404), term
        assert asked(f"{where}{quote(term, safe='')}/history/").status_code in (200, 302, 404), term


@pytest.mark.parametrize("model", [Payment, Company, Entry], ids=lambda model: model._meta.label)
def test_odd_searches_are_drawn(world: World, model: type[Model], staff: Client) -> None:
    where = address(model, "changelist")
    assert staff.get(where, {"q": "\0'%é💶"}, follow=True).status_code == 200
    assert staff.get(where, {"p": "2"}, follow=True).status_code == 200
    assert staff.get(f"{where}%00'/change/", follow=True).status_code in (200, 404)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_odd_filters_are_no_errors(model: type[Model], asked: Callable[..., Any]) -> None:
    where = address(model, "changelist")
    page = asked(where).context_data["cl"]
    odd = cycle(("\0'", "sNaN", "9999-12-31"))
    for kind in page.filter_specs:
        choices = list(kind.choices(page))
        few = isinstance(kind, FieldListFilter) and kind.__class__.__module__.startswith("django")
        for choice in choices[-2:] if few and not NIGHTLY else choices:
            assert asked(where + choice.get("query_string", "")).status_code == 200
        for name in kind.expected_parameters():
            for value in islice(odd, tries(1, 3)):
                assert asked(where, **{name: value}).status_code in (200, 302), (name, value)
    assert asked(where, p="2").status_code in (200, 302)


def test_merchants_are_offered_while_typing(world: World, acme: Shop, staff: Client) -> None:
    merchant = {"app_label": "gateway", "model_name": "methodrule", "field_name": "merchant"}
    offered = staff.get("/admin/autocomplete/", merchant | {"term": "acm"}).json()["results"]
    assert {one["id"] for one in offered} == {str(acme.sandbox.pk), str(acme.production.pk)}
    for term in ODD:
        assert staff.get("/admin/autocomplete/", merchant | {"term": term}).status_code == 200


def test_a_payment_is_found_by_every_id_it_is_known_by(world: World, acme: Shop, staff: Client) -> None:
    payment = world.payment
    event = Event.objects.get(object_id=payment.id)
    known_by = [
        payment.id, payment.id.lower(), payment.id[:20], payment.id.partition("_")[2], payment.reference,
        payment.customer_id, acme.company.id, event.id, event.deliveries.get().id, "maria@example.com",
    ]  # fmt: skip
    for term in known_by:
        assert listed(staff, Payment, q=term) == {payment.id}, term
    assert listed(staff, Payment, q="529.982.247-25") == {
        payment.id,
        world.other.id,
        Receivable.objects.get().payment_id,
        *Payment.objects.filter(merchant__environment="PRODUCTION").values_list("pk", flat=True),
    }
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
        (ApiRequest, world.request_id, ApiRequest.objects.get(pk=world.request_id)),
        (ApiRequest, payment.id, ApiRequest.objects.get(pk=world.request_id)),
        (ApiRequest, acme.company.id, ApiRequest.objects.get(pk=world.request_id)),
        (ApiKey, acme.sandbox_key[-4:], ApiKey.objects.get(last4=acme.sandbox_key[-4:])),
        (Company, acme.company.id, acme.company),
        (User, "owner@", None),
    ]:
        found = listed(staff, model, q=term)
        assert str(row.pk) in found if row else found, (model, term)
    assert listed(staff, Entry, q=payment.id) == {str(pk) for pk in transfer.entries.values_list("pk", flat=True)}
    assert listed(staff, Company, q="11.222.333/0001-81") == {
        str(pk) for pk in Company.objects.filter(is_operator=False).values_list("pk", flat=True)
    }


def test_the_search_box_leads_from_any_id_to_its_record(world: World, staff: Client) -> None:
    found = staff.get("/admin/search/", {"s": world.payment.reference, "extended": 1}).content.decode()
    assert address(Payment, "change", world.payment.pk) in found
    for term in some_odd(0):
        assert staff.get("/admin/search/", {"s": term, "extended": 1}).status_code == 200
