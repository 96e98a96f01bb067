"""Every route against everybody who is not acme's sandbox backend: nothing of acme's is seen, nothing is changed."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse

from accounts.services import issue_key, revoke_key
from gateway.api.openapi import operations
from gateway.customers.models import Customer
from gateway.payments.models import Payment
from gateway.refunds import services as refunds
from gateway.refunds.models import Refund
from tests.client import V2, Api
from tests.factories import Shop, a_payment, pix
from tests.gateway.api.test_permissions import EVERY, QUERIES
from webhooks.models import Endpoint, Event

REFERENCE = "order-of-acme"
Outcome = tuple[int, str]
OWN_EMPTY_LIST, OWN_CREATION, OWN_OBJECT = (200, "ONP200"), (201, "ONP201"), (200, "ONP200")
NO_RAIL = (403, "ONP403_METHOD_NOT_ENABLED")
NO_PAYMENT, NO_COMPANY = (404, "ONP404_PAYMENT"), (404, "ONP404_COMPANY")
NO_REFUND, NO_SANDBOX = (404, "ONP404_REFUND"), (403, "ONP403_SANDBOX_ONLY")


@dataclass(frozen=True)
class Row:
    """How acme's own things are asked for on a route, and what others are answered."""

    production: Outcome
    globex: Outcome
    body: dict[str, Any] = field(default_factory=dict)


HOOK = {"url": "https://1.1.1.1/hooks", "events": ["*"]}
ROWS = {
    ("GET", "/payments"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("POST", "/payments"): Row(NO_RAIL, OWN_CREATION, pix(reference=REFERENCE)),
    ("GET", "/payments/{paymentId}"): Row(NO_PAYMENT, NO_PAYMENT),
    ("GET", "/payments/{paymentId}/boleto"): Row(NO_PAYMENT, NO_PAYMENT),
    ("GET", "/transactions/{paymentId}"): Row(NO_PAYMENT, NO_PAYMENT),
    ("POST", "/simulations/payments/{paymentId}"): Row((403, "ONP403_SANDBOX_ONLY"), NO_PAYMENT, {"status": "PAID"}),
    ("GET", "/payments/{paymentId}/receipt"): Row(NO_PAYMENT, NO_PAYMENT),  # after it was paid
    ("POST", "/payments/{paymentId}/refunds"): Row(NO_PAYMENT, NO_PAYMENT, {"amount": 1}),
    ("GET", "/payments/{paymentId}/refunds"): Row(NO_PAYMENT, NO_PAYMENT),
    ("POST", "/simulations/payments/{paymentId}/refund-requests"): Row(NO_SANDBOX, NO_PAYMENT, {"amount": 1}),
    ("GET", "/refunds/{refundId}"): Row(NO_REFUND, NO_REFUND),
    ("POST", "/refunds/{refundId}/responses"): Row(NO_REFUND, NO_REFUND, {"answer": "CONTEST", "message": "No."}),
    ("POST", "/simulations/refunds/{refundId}"): Row(NO_SANDBOX, NO_REFUND, {"status": "REJECTED"}),
    ("GET", "/simulations/clock"): Row((403, "ONP403_SANDBOX_ONLY"), OWN_OBJECT),
    ("POST", "/simulations/clock"): Row((403, "ONP403_SANDBOX_ONLY"), OWN_OBJECT, {"advanceBy": "P2D"}),
    ("GET", "/payment-methods"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("GET", "/customers"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("GET", "/webhooks"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("POST", "/webhooks"): Row(OWN_CREATION, OWN_CREATION, HOOK),
    ("GET", "/companies/{companyId}"): Row(OWN_OBJECT, NO_COMPANY),
    ("GET", "/companies/{companyId}/balance"): Row(OWN_OBJECT, NO_COMPANY),
    ("GET", "/companies/{companyId}/balances/releasing"): Row(OWN_EMPTY_LIST, NO_COMPANY),
    ("GET", "/companies/{companyId}/balances/blocked"): Row(OWN_EMPTY_LIST, NO_COMPANY),
    ("GET", "/companies/{companyId}/balance/explain"): Row(OWN_OBJECT, NO_COMPANY),
    ("GET", "/companies/{companyId}/statement"): Row(OWN_EMPTY_LIST, NO_COMPANY),
}
ROUTES = [
    pytest.param(method.upper(), path.removeprefix(V2), declared.permission, id=f"{method.upper()} {path}")
    for path, method, _, declared in operations()
]


@dataclass(frozen=True)
class World:
    """acme owns an open payment, a paid one that is in dispute and an endpoint; globex has a shop of its own."""

    acme: Shop
    globex: Shop
    payment: Payment
    refund: str
    endpoint: str

    def as_it_is(self) -> list[Any]:
        """Everything of acme's sandbox that could be touched."""
        mine = {"merchant": self.acme.sandbox}
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM ledger_transfer")
            moves = cursor.fetchone()
        of_models = (Payment, Customer, Refund, Event, Endpoint)
        return [list(model.objects.filter(**mine).order_by("id").values()) for model in of_models] + [moves]

    def filled(self, path: str) -> str:
        """The path with acme's ids."""
        return path.format(paymentId=self.payment.id, companyId=self.acme.company.id, refundId=self.refund)

    def traces(self) -> list[str]:
        """What only acme's sandbox may be told."""
        return [
            self.payment.id,
            self.payment.customer_id,
            self.endpoint,
            self.refund,
            *self.acme.sandbox.payments.values_list("id", flat=True),
        ]


@pytest.fixture
def world(acme: Shop, globex: Shop, api: Api) -> World:
    opened = api.post("/payments", pix(reference=REFERENCE)).json()["data"]["id"]
    refund = refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").id, amount=5000)
    endpoint = api.post("/webhooks", HOOK).json()["data"]["id"]
    return World(acme, globex, Payment.objects.get(pk=opened), refund.id, endpoint)


def ask(world: World, address: str, key: str | None, method: str, path: str) -> HttpResponse:
    """The call, with acme's ids in its path; it must leave acme's things as they were."""
    row = ROWS[method, path]
    before = world.as_it_is()
    caller = Api(key, address)
    filled = world.filled(path)

    answer = caller.get(filled, **QUERIES.get(path, {})) if method == "GET" else caller.post(filled, row.body)

    assert world.as_it_is() == before
    assert [trace for trace in world.traces() if trace.encode() in answer.content] == []
    return answer


def is_a_list(method: str, path: str) -> bool:
    return (method, path) in {("GET", "/payments"), ("GET", "/webhooks"), ("GET", "/customers")}


def outcome(answer: HttpResponse) -> Outcome:
    return answer.status_code, answer.json()["onpayCode"]


def test_every_route_has_a_row() -> None:
    assert {param.values[:2] for param in ROUTES} == set(ROWS)


@pytest.mark.parametrize(("method", "path", "permission"), ROUTES)
def test_nobody_is_let_in(world: World, address: str, method: str, path: str, permission: str) -> None:
    for nobody in (None, "", "onp_sandbox_" + "a" * 43):
        assert outcome(ask(world, address, nobody, method, path)) == (401, "ONP401")


@pytest.mark.parametrize(("method", "path", "permission"), ROUTES)
def test_a_revoked_key_is_let_in_no_more(world: World, address: str, method: str, path: str, permission: str) -> None:
    api_key, text = issue_key(world.acme.sandbox, EVERY, "old")
    revoke_key(api_key)

    assert outcome(ask(world, address, text, method, path)) == (401, "ONP401")


@pytest.mark.parametrize(("method", "path", "permission"), ROUTES)
def test_a_key_without_the_permission_is_let_no_further(
    world: World, address: str, method: str, path: str, permission: str
) -> None:
    for shop in (world.acme, world.globex):
        text = issue_key(shop.sandbox, EVERY - {permission}, "everything else")[1]

        answer = ask(world, address, text, method, path)

        assert outcome(answer) == (403, "ONP403")
        assert answer.json()["error"]["field"] == permission


@pytest.mark.parametrize(("method", "path", "permission"), ROUTES)
def test_production_and_sandbox_do_not_meet(
    world: World, address: str, method: str, path: str, permission: str
) -> None:
    text = issue_key(world.acme.production, EVERY, "production")[1]

    answer = ask(world, address, text, method, path)

    assert outcome(answer) == ROWS[method, path].production
    assert answer.json().get("data") == [] or not is_a_list(method, path)
    assert b'"SANDBOX"' not in answer.content


@pytest.mark.parametrize(("method", "path", "permission"), ROUTES)
def test_another_company_meets_nothing_of_acme(
    world: World, address: str, method: str, path: str, permission: str
) -> None:
    answer = ask(world, address, world.globex.sandbox_key, method, path)

    assert outcome(answer) == ROWS[method, path].globex
    assert answer.json().get("data") == [] or not is_a_list(method, path)
    assert world.acme.company.id.encode() not in answer.content


@pytest.mark.parametrize(("method", "path", "permission"), [route for route in ROUTES if "{" in str(route.id)])
def test_what_belongs_to_another_is_as_unknown_as_what_does_not_exist(
    world: World, address: str, method: str, path: str, permission: str
) -> None:
    caller, row = Api(world.globex.sandbox_key, address), ROWS[method, path]
    bodies = set()
    for payment, company, refund in (
        (world.payment.id, world.acme.company.id, world.refund),
        ("pay_01KAGTW3Q8XJ5V0N2B7R4C9DEF", "cmp_01KAGTW3Q8XJ5V0N2B7R4C9CMP", "ref_01KAGTW3Q8XJ5V0N2B7R4C9REF"),
        ("x", "x", "x"),
    ):
        filled = path.format(paymentId=payment, companyId=company, refundId=refund)
        answer = caller.get(filled, **QUERIES.get(path, {})) if method == "GET" else caller.post(filled, row.body)
        bodies.add(answer.content.replace(answer["RequestId"].encode(), b""))

    assert len(bodies) == 1


def test_the_rows_of_this_table_say_what_acme_itself_is_answered(world: World, api: Api) -> None:
    """Guards the table: with acme's own key the same calls do reach acme's things."""
    for (method, path), row in ROWS.items():
        filled = world.filled(path)
        answer = api.get(filled, **QUERIES.get(path, {})) if method == "GET" else api.post(filled, row.body)

        known = (409, "ONP409_DUPLICATE_REFERENCE"), NO_PAYMENT if path.endswith("/boleto") else ()
        assert answer.status_code in (200, 201) or outcome(answer) in known
