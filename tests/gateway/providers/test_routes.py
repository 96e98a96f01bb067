"""A route names active accounts of production systems that serve the method and that the company may use."""

from typing import Any

import pytest

from accounts.audit import Actor
from accounts.models import AuditEntry
from gateway.providers import accounts
from gateway.providers.errors import RouteInvalid
from gateway.providers.models import ProviderRoute
from gateway.providers.routes import Place, RouteKey, chosen, places_of, set_route
from tests.support.companies import Shop
from tests.support.providers import NOTE, active, confirms, entered, routed


def test_setting_a_route_replaces_it_in_order_and_is_audited(acme: Shop) -> None:
    first, second = active("first"), active("second", acme.production)
    key = RouteKey("PIX", "BRL", acme.production)
    routed(first, merchant=acme.production)

    order = [Place(second, None, 50_000), Place(first, 10_000, None)]
    set_route(Actor(confirms()), key, order, NOTE)

    assert places_of(key) == order
    assert places_of(RouteKey("PIX", "BRL")) == []
    entry = AuditEntry.objects.filter(action="provider_route.set").latest("pk")
    assert (entry.object_id, entry.company) == (key.name, acme.company)
    assert (entry.before, entry.after) == (
        {"accounts": [[first.pk, None, None]]},
        {"accounts": [[second.pk, None, 50_000], [first.pk, 10_000, None]]},
    )


def test_an_account_that_cannot_serve_the_route_is_refused_and_nothing_changes(acme: Shop, globex: Shop) -> None:
    good, everybodys = active("good"), RouteKey("PIX", "BRL")
    routed(good)
    paused = active("paused")
    accounts.pause(Actor(confirms()), paused.pk, NOTE)
    paused.refresh_from_db()
    table: list[tuple[RouteKey, Any, str]] = [
        (everybodys, entered("new"), "is not active"),
        (everybodys, paused, "is not active"),
        (everybodys, active("test", system="TEST"), "test system"),
        (everybodys, active("own", acme.production), "belongs to one company"),
        (RouteKey("PIX", "BRL", globex.production), active("acme's", acme.production), "another company"),
        (RouteKey("BOLETO", "BRL"), good, "does not serve BOLETO in BRL"),
    ]
    for key, account, why in table:
        with pytest.raises(RouteInvalid) as refused:
            set_route(Actor(confirms()), key, [Place(account)], NOTE)
        assert [why in fault.message for fault in refused.value.faults if fault.field == account.pk] == [True]
    assert [route.account for route in ProviderRoute.objects.all()] == [good]


def test_names_of_routes_are_read_again_and_unknown_ones_are_refused(acme: Shop) -> None:
    for key in (RouteKey("PIX", "BRL"), RouteKey("PIX", "BRL", acme.production)):
        assert RouteKey.parse(key.name) == key
    with pytest.raises(RouteInvalid):
        RouteKey.parse("PIX:BRL:cmp_00000000000000000000000000")
    account = active()
    for wrong in (["pac_00000000000000000000000000"], [account.pk, account.pk]):
        with pytest.raises(RouteInvalid):
            chosen([[account_id, None, None] for account_id in wrong])


def test_amounts_that_no_account_takes_are_refused_between_others_only(acme: Shop) -> None:
    first, second, key = active("first"), active("second"), RouteKey("PIX", "BRL")
    for limits, why in (
        (((None, 9_999), (10_001, None)), "between 99.99 BRL and 100.01 BRL"),
        (((500, 100), (None, None)), "more than its largest"),
        (((0, 100), (101, None)), "more than zero"),
    ):
        places = [Place(account, *limit) for account, limit in zip((first, second), limits, strict=True)]
        with pytest.raises(RouteInvalid) as refused:
            set_route(Actor(confirms()), key, places, NOTE)
        assert why in refused.value.faults[-1].message
    assert not ProviderRoute.objects.exists()

    set_route(Actor(confirms()), key, [Place(first, 10_001, None), Place(second, 200, 10_000)], NOTE)
    assert [place.smallest for place in places_of(key)] == [10_001, 200]
