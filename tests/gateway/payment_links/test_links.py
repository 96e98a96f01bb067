"""A link takes exactly the payments that it was made for: its amounts, methods, time and uses."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from django.http import HttpResponse

from accounts.base import clock
from accounts.base.wire import timestamp
from accounts.models import Company, Merchant
from gateway.methods.errors import MethodNotEnabled
from gateway.payment_links import selectors, services
from gateway.payment_links.errors import PaymentLinkInUse, PaymentLinkState
from gateway.payment_links.models import PaymentLink
from gateway.payments import services as payments
from gateway.payments.errors import CompanyNotActive, DuplicateReference, InvalidAmount
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payment_links import LINK, MARIA, a_link, begun, pix
from tests.support.rows import rows
from webhooks.models import Event


def refused(api: Api, **members: object) -> list[str]:
    body = {name: value for name, value in (LINK | members).items() if value is not None}
    answer = api.post("/payment-links", body)
    assert (answer.status_code, answer.json()["onpayCode"]) == (400, "ONP400_PAYMENT_LINK")
    return [f"{fault['field']} {fault['code']}" for fault in answer.json()["error"]["fields"]]


def changed(api: Api, link: PaymentLink, status: str) -> HttpResponse:
    body = json.dumps({"status": status})
    return api.request("PATCH", f"/payment-links/{link.id}", data=body, content_type="application/json")


def test_a_link_is_made_once_and_listed(api: Api, acme: Shop) -> None:
    expiry = timestamp(clock.now(acme.sandbox) + timedelta(days=2))
    wanted = {"methods": ["PIX", "CREDIT_CARD"], "maxUses": 2, "expiresAt": expiry, "referencePrefix": "march"}

    first = api.post("/payment-links", LINK | wanted, key="7e9e7f0c-0000-4000-8000-00000000c0de")
    again = api.post("/payment-links", LINK | wanted, key="7e9e7f0c-0000-4000-8000-00000000c0de")

    made = first.json()["data"]
    assert again.content == first.content
    token = selectors.links().get().token
    assert made["url"].endswith(f"/pay/{token}") and len(token) == 22
    assert made | wanted | LINK == made
    assert (made["status"], made["minAmount"], made["paidCount"], made["openCount"]) == ("ACTIVE", None, 0, 0)
    assert api.get("/payment-links", status="ACTIVE").json()["data"] == [made]
    assert api.get("/payment-links", status="USED_UP").json()["data"] == []


@rows(
    ("members", "faults"),
    [
        ({"amount": None}, ["amount REQUIRED"]),
        ({"minAmount": 1}, ["minAmount NOT_ALLOWED"]),
        ({"amount": None, "minAmount": 10, "maxAmount": 5}, ["maxAmount OUT_OF_RANGE"]),
        ({"methods": ["PIX", "SPEI"]}, ["methods[1] NOT_ALLOWED"]),
        ({"methods": ["PIX"], "amount": 300_000}, ["amount OUT_OF_RANGE"]),
        ({"expiresAt": "2020-01-01T00:00:00.000Z"}, ["expiresAt OUT_OF_RANGE"]),
        ({"maxUses": 0}, ["maxUses OUT_OF_RANGE"]),
        ({"referencePrefix": "a b"}, ["referencePrefix INVALID"]),
        ({"amountt": 1}, ["amountt NOT_ALLOWED"]),
    ],
)
def test_a_link_that_cannot_be_paid_is_not_made(api: Api, members: dict[str, object], faults: list[str]) -> None:
    assert refused(api, **members) == faults
    assert not selectors.links().exists()


def test_a_payment_of_a_link_carries_it_and_tells_as_any_payment(api: Api, acme: Shop) -> None:
    link = a_link(api, referencePrefix="march", maxUses=1)

    payment = begun(link)
    payments.simulate(acme.sandbox, payment.id, "PAID")

    [listed] = api.get("/payments", paymentLinkId=link.id).json()["data"]
    assert (listed["id"], listed["paymentLinkId"], listed["status"]) == (payment.id, link.id, "PAID")
    assert listed["reference"].startswith("march-")
    body = Event.objects.get(type="payment.paid", object_id=payment.id).body
    assert json.loads(bytes(body))["data"]["paymentLinkId"] == link.id
    now = api.get(f"/payment-links/{link.id}").json()["data"]
    assert (now["status"], now["paidCount"], now["openCount"]) == ("USED_UP", 1, 0)


def test_a_use_is_taken_while_it_is_paid_and_freed_when_that_fails(api: Api, acme: Shop) -> None:
    link = a_link(api, maxUses=1)
    first = begun(link)

    with pytest.raises(PaymentLinkInUse):
        begun(link)

    assert Payment.objects.count() == 1
    assert first.expires_at is not None and first.expires_at - first.created_at == services.HELD_FOR
    assert api.get(f"/payment-links/{link.id}").json()["data"]["openCount"] == 1
    payments.simulate(acme.sandbox, first.id, "EXPIRED")
    payments.simulate(acme.sandbox, begun(link).id, "PAID")
    with pytest.raises(PaymentLinkState) as ended:
        begun(link)
    assert ended.value.details == {"status": "USED_UP"}
    assert Payment.objects.filter(paid_at__isnull=False).count() == 1


def test_the_same_click_twice_is_one_payment_and_corrected_data_make_another(api: Api) -> None:
    link = a_link(api, maxUses=2)
    payment = services.pay(link, pix(), "once")

    with pytest.raises(DuplicateReference) as repeated:
        services.pay(link, pix(), "once")

    assert repeated.value.details == {"paymentId": payment.id}
    corrected = replace(pix(), payer=replace(MARIA, name="Maria da Silva"))
    assert services.pay(link, corrected, "once").payer["name"] == "Maria da Silva"
    assert Payment.objects.count() == 2


@rows(
    ("members", "order", "refusal"),
    [
        ({}, pix("1.00"), InvalidAmount),
        ({}, pix("150.00", method="SPEI", currency="MXN"), InvalidAmount),
        ({"amount": None, "minAmount": 10, "maxAmount": 20}, pix("20.01"), InvalidAmount),
        ({"methods": ["CREDIT_CARD"]}, pix(), MethodNotEnabled),
    ],
)
def test_an_order_that_is_not_of_the_link_is_refused(
    api: Api, members: dict[str, object], order: payments.Request, refusal: type[Exception]
) -> None:
    link = a_link(api, **members)

    with pytest.raises(refusal):
        begun(link, order)

    assert not Payment.objects.exists()


def test_pausing_stops_new_payments_and_not_those_that_began(api: Api, acme: Shop) -> None:
    link = a_link(api)
    open_before = begun(link)
    paused = changed(api, link, "PAUSED")

    with pytest.raises(PaymentLinkState):
        begun(link)

    assert paused.json()["data"]["status"] == "PAUSED"
    assert payments.simulate(acme.sandbox, open_before.id, "PAID").status == "PAID"
    assert changed(api, link, "ENDED").status_code == 200
    late = changed(api, link, "ACTIVE")
    assert (late.status_code, late.json()["error"]["status"]) == (409, "ENDED")
    assert api.get(f"/payment-links/{link.id}").json()["data"]["status"] == "ENDED"


def test_an_expired_link_and_one_of_a_suspended_company_take_nothing(api: Api, acme: Shop) -> None:
    soon = a_link(api, expiresAt=timestamp(clock.now(acme.sandbox) + timedelta(hours=1)))
    other = a_link(api)
    Merchant.objects.filter(pk=acme.sandbox.pk).update(clock_offset=timedelta(hours=2))

    with pytest.raises(PaymentLinkState) as expired:
        begun(selectors.links().get(pk=soon.pk))
    Company.objects.filter(pk=acme.company.pk).update(status=Company.Status.SUSPENDED)
    with pytest.raises(CompanyNotActive):
        begun(selectors.links().get(pk=other.pk))

    assert expired.value.details == {"status": "EXPIRED"}
    assert not Payment.objects.exists()


def test_nobody_changes_or_sees_the_link_of_another_company(api: Api, globex_api: Api) -> None:
    link = a_link(api)

    answer = changed(globex_api, link, "ENDED")

    assert (answer.status_code, answer.json()["onpayCode"]) == (404, "ONP404_PAYMENT_LINK")
    assert selectors.links().get().state == "ACTIVE"
