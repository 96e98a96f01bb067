"""The event log in the dashboard: everything that was announced, whoever listened."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.base.clock import utcnow
from accounts.roles import Role
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.people import a_member, signed_in
from tests.support.webhooks import happens
from webhooks.models import Event


def events_of(shop: Shop, environment: str = "sandbox") -> str:
    return f"/dashboard/{shop.company.pk}/{environment}/events/"


def test_an_event_is_found_by_what_happened(viewer: Client, acme: Shop) -> None:
    payment = a_payment(acme.sandbox, "PAID")

    page = viewer.get(events_of(acme)).content.decode()
    event = Event.objects.get(object_id=payment.id)
    detail = viewer.get(f"{events_of(acme)}{event.pk}").content.decode()

    assert event.pk in page and payment.id in page
    assert "payment.paid" in detail and "No endpoint was subscribed" in detail
    assert bytes(event.body).decode().replace('"', "&quot;") in detail
    assert "&quot;amount&quot;: 150.00," in detail, "the digits as they are sent"


def test_events_are_filtered(viewer: Client, acme: Shop) -> None:
    happens(acme.sandbox, "payment.paid", "pay_one")
    happens(acme.sandbox, "payment.failed", "pay_two")
    Event.objects.filter(object_id="pay_one").update(created_at=utcnow() - timedelta(days=2))
    yesterday = f"{utcnow() - timedelta(days=1):%Y-%m-%dT%H:%M}"

    for query, seen in (
        ("", {"pay_one", "pay_two"}),
        ("type=payment.paid", {"pay_one"}),
        ("object_id=pay_two", {"pay_two"}),
        (f"created_from={yesterday}", {"pay_two"}),
        (f"created_to={yesterday}", {"pay_one"}),
        ("type=payment.paid&object_id=pay_two", set()),
        ("object_id=%00", {"pay_one", "pay_two"}),
        ("created_from=0001-01-01T00:00", {"pay_one", "pay_two"}),
    ):
        page = viewer.get(f"{events_of(acme)}?{query}")
        assert page.status_code == 200
        rows = page.content.decode().split("<tbody>")[-1] if b"<tbody>" in page.content else ""
        assert {one for one in ("pay_one", "pay_two") if one in rows} == seen, query


def test_long_logs_have_pages_and_ask_little(viewer: Client, acme: Shop, django_assert_max_num_queries: Any) -> None:
    for number in range(60):
        happens(acme.sandbox, object_id=f"pay_{number:03}")

    viewer.get(events_of(acme))

    with django_assert_max_num_queries(8):
        first = viewer.get(events_of(acme)).content.decode()

    assert "pay_059" in first and "pay_010" in first and "pay_009" not in first
    older = first.split('rel="next" href="')[1].split('"')[0].replace("&amp;", "&")
    second = viewer.get(f"{events_of(acme)}{older}").content.decode()
    assert "pay_009" in second and "pay_010" not in second


def test_nobody_sees_an_event_of_somebody_else(viewer: Client, acme: Shop, globex: Shop) -> None:
    theirs = happens(globex.sandbox, object_id="pay_theirs")
    other = happens(acme.production, object_id="pay_other")

    for event in (theirs, other, "evt_nothing", "evt_\x00"):
        assert viewer.get(f"{events_of(acme)}{event}").status_code == 404
    page = viewer.get(events_of(acme)).content.decode()
    assert "pay_theirs" not in page and "pay_other" not in page
    assert viewer.get(events_of(globex)).status_code == 404


@pytest.mark.parametrize("role", [Role.FINANCE, Role.SUPPORT])
def test_who_does_not_read_technical_things_is_told(acme: Shop, role: Role) -> None:
    event, browser = happens(acme.sandbox), signed_in(a_member(acme.company, role))

    for path in ("", event):
        assert browser.get(f"{events_of(acme)}{path}").status_code == 403
