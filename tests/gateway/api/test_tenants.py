"""Every route against everybody who is not acme's sandbox backend: nothing of acme's is seen, nothing is changed."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from django.http import HttpResponse

from accounts.services import issue_key, revoke_key
from gateway.api.openapi.document import operations
from gateway.conversions.models import Conversion
from gateway.customers.models import Customer
from gateway.payment_links.models import PaymentLink
from gateway.payments.models import Payment
from gateway.payout_schedules.services import Plan
from gateway.payout_schedules.services import register as register_schedule
from gateway.readiness.models import ReadinessCheck, ReportedRelease
from gateway.readiness.services import finish, start
from gateway.refunds import services as refunds
from gateway.refunds.models import Refund
from gateway.saved_cards.models import SavedCard
from gateway.saved_cards.services import keep
from gateway.simulations.examples import WITHDRAWALS
from gateway.withdrawals.beneficiaries.models import Beneficiary
from gateway.withdrawals.models import Withdrawal
from ledger.models import Transfer
from tests.support.api import V2, Api
from tests.support.cards import alone
from tests.support.companies import Shop
from tests.support.conversions import converted, quoted
from tests.support.operations import BODIES, EVERY, QUERIES
from tests.support.payments import a_payment, pix
from tests.support.people import a_member
from tests.support.recording import Recording
from tests.support.rows import rows
from tests.support.tables import held_in
from tests.support.withdrawals import fund, register, withdrawn
from webhooks.models import Delivery, Endpoint, Event

REFERENCE = "order-of-acme"
Outcome = tuple[int, str]
OWN_EMPTY_LIST, OWN_CREATION, OWN_OBJECT = (200, "ONP200"), (201, "ONP201"), (200, "ONP200")
NO_RAIL = (403, "ONP403_METHOD_NOT_ENABLED")
NO_PAYMENT, NO_COMPANY = (404, "ONP404_PAYMENT"), (404, "ONP404_COMPANY")
NO_CHAOS = (404, "ONP404_CHAOS")
NO_REFUND, NO_SANDBOX = (404, "ONP404_REFUND"), (403, "ONP403_SANDBOX_ONLY")
NO_WITHDRAWAL, NO_CONVERSION = (404, "ONP404_WITHDRAWAL"), (404, "ONP404_CONVERSION")
NO_SCHEDULE = (404, "ONP404_PAYOUT_SCHEDULE")
NO_CHECK = (404, "ONP404_READINESS_CHECK")
NO_LINK, NO_METHOD = (404, "ONP404_PAYMENT_LINK"), (400, "ONP400_PAYMENT_LINK")
NO_BENEFICIARY = (404, "ONP404_BENEFICIARY")
NO_CUSTOMER, NO_CARD = (404, "ONP404_CUSTOMER"), (404, "ONP404_SAVED_CARD")
NO_ENDPOINT, NO_EVENT = (404, "ONP404_WEBHOOK"), (404, "ONP404_EVENT")
NO_WITHDRAWALS, NO_CONVERSIONS = (403, "ONP403_WITHDRAWAL_DISABLED"), (403, "ONP403_CONVERSION_DISABLED")
NOT_ONES_OWN, NO_QUOTE = (403, "ONP403_COMPANY"), (400, "ONP400_QUOTE_TOKEN")


@dataclass(frozen=True)
class Row:
    """How acme's own things are asked for on a route, and what others are answered. `body` may name them in braces."""

    production: Outcome
    globex: Outcome
    body: dict[str, Any] = field(default_factory=dict)


OF_ENDPOINT = "/webhooks/{webhookId}"
CONVERSIONS = "/companies/{companyId}/wallets/conversions"
WISH = {"sourceMethod": "PIX", "destinationMethod": "SPEI", "sourceAmount": 10}
OF_ACME = {"companyId": "{companyId}", "minimumAssetAmount": 1}
VISA = {"brand": "visa", "last4": "4242", "funding": "credit", "plays": "APPROVED"}
HOOK = {"url": "https://1.1.1.1/hooks", "events": ["*"]}
ROWS = {
    ("GET", "/payments"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("POST", "/payments"): Row(NO_RAIL, OWN_CREATION, pix(reference=REFERENCE)),
    ("GET", "/payments/{paymentId}"): Row(NO_PAYMENT, NO_PAYMENT),
    ("GET", "/payments/{paymentId}/boleto"): Row(NO_PAYMENT, NO_PAYMENT),
    ("GET", "/transactions/{paymentId}"): Row(NO_PAYMENT, NO_PAYMENT),
    ("POST", "/simulations/payments/{paymentId}"): Row((403, "ONP403_SANDBOX_ONLY"), NO_PAYMENT, {"status": "PAID"}),
    ("POST", "/payments/{paymentId}/expire"): Row(NO_PAYMENT, NO_PAYMENT),  # after it was paid
    ("POST", "/simulations/payments/{paymentId}/late-money"): Row(NO_SANDBOX, NO_PAYMENT),
    ("GET", "/payments/{paymentId}/receipt"): Row(NO_PAYMENT, NO_PAYMENT),  # after it was paid
    ("POST", "/payments/{paymentId}/refunds"): Row(NO_PAYMENT, NO_PAYMENT, {"amount": 1}),
    ("GET", "/payments/{paymentId}/refunds"): Row(NO_PAYMENT, NO_PAYMENT),
    ("POST", "/simulations/payments/{paymentId}/refund-requests"): Row(NO_SANDBOX, NO_PAYMENT, {"amount": 1}),
    ("GET", "/refunds/{refundId}"): Row(NO_REFUND, NO_REFUND),
    ("POST", "/refunds/{refundId}/responses"): Row(NO_REFUND, NO_REFUND, {"answer": "CONTEST", "message": "No."}),
    ("POST", "/simulations/refunds/{refundId}"): Row(NO_SANDBOX, NO_REFUND, {"status": "REJECTED"}),
    ("GET", "/payment-methods"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("GET", "/payment-links"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("POST", "/payment-links"): Row(NO_METHOD, OWN_CREATION, BODIES["/payment-links"]),
    ("GET", "/payment-links/{linkId}"): Row(NO_LINK, NO_LINK),
    ("PATCH", "/payment-links/{linkId}"): Row(NO_LINK, NO_LINK, {"status": "ENDED"}),
    ("GET", "/customers"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("GET", "/customers/{customerId}/payment-methods"): Row(NO_CUSTOMER, NO_CUSTOMER),
    ("DELETE", "/customers/{customerId}/payment-methods/{token}"): Row(NO_CARD, NO_CARD),
    ("GET", "/webhooks"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("POST", "/webhooks"): Row(OWN_CREATION, OWN_CREATION, HOOK),
    ("GET", OF_ENDPOINT): Row(NO_ENDPOINT, NO_ENDPOINT),
    ("PATCH", OF_ENDPOINT): Row(NO_ENDPOINT, NO_ENDPOINT, {"description": "theirs"}),
    ("POST", f"{OF_ENDPOINT}/secret-rotations"): Row(NO_ENDPOINT, NO_ENDPOINT),
    ("POST", f"{OF_ENDPOINT}/tests"): Row(NO_ENDPOINT, NO_ENDPOINT),
    ("GET", f"{OF_ENDPOINT}/deliveries"): Row(NO_ENDPOINT, NO_ENDPOINT),
    ("GET", f"{OF_ENDPOINT}/deliveries/{{deliveryId}}"): Row(NO_ENDPOINT, NO_ENDPOINT),
    ("POST", f"{OF_ENDPOINT}/deliveries/{{deliveryId}}/redeliveries"): Row(NO_ENDPOINT, NO_ENDPOINT),
    ("POST", f"{OF_ENDPOINT}/replays"): Row(NO_ENDPOINT, NO_ENDPOINT),
    ("POST", f"{OF_ENDPOINT}/verifications"): Row(NO_ENDPOINT, NO_ENDPOINT, {"headers": {}, "body": "{eventId}"}),
    ("GET", "/simulations/readiness-checks/{checkId}"): Row(NO_SANDBOX, NO_CHECK),
    ("POST", "/simulations/readiness-checks/{checkId}/finish"): Row(NO_SANDBOX, NO_CHECK),
    ("POST", "/simulations/readiness-checks"): Row(NO_SANDBOX, NO_ENDPOINT, {"endpointId": "{webhookId}"}),
    ("DELETE", "/simulations/chaos"): Row(NO_SANDBOX, NO_CHAOS),  # else the next ones are disturbed
    ("DELETE", OF_ENDPOINT): Row(NO_ENDPOINT, NO_ENDPOINT),  # the last of it
    ("GET", "/events"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("GET", "/events/{eventId}"): Row(NO_EVENT, NO_EVENT),
    ("GET", "/companies/{companyId}"): Row(OWN_OBJECT, NO_COMPANY),
    ("GET", "/companies/{companyId}/balance"): Row(OWN_OBJECT, NO_COMPANY),
    ("GET", "/companies/{companyId}/balances/releasing"): Row(OWN_EMPTY_LIST, NO_COMPANY),
    ("GET", "/companies/{companyId}/balances/blocked"): Row(OWN_EMPTY_LIST, NO_COMPANY),
    ("GET", "/companies/{companyId}/balance/explain"): Row(OWN_OBJECT, NO_COMPANY),
    ("GET", "/companies/{companyId}/statement"): Row(OWN_EMPTY_LIST, NO_COMPANY),
    ("GET", "/companies/{companyId}/reconciliation"): Row(OWN_EMPTY_LIST, NO_COMPANY),
    ("GET", CONVERSIONS): Row(OWN_EMPTY_LIST, NO_COMPANY),
    ("GET", f"{CONVERSIONS}/{{conversionId}}"): Row(NO_CONVERSION, NO_COMPANY),
    ("POST", f"{CONVERSIONS}/quote"): Row(NO_CONVERSIONS, NO_COMPANY, WISH),
    ("POST", f"{CONVERSIONS}/confirm"): Row(NO_QUOTE, NO_COMPANY, {"quoteToken": "{quoteToken}"}),
    ("GET", "/withdrawals"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("GET", "/withdrawals/{withdrawalId}"): Row(NO_WITHDRAWAL, NO_WITHDRAWAL),
    ("GET", "/withdrawals/{withdrawalId}/receipt"): Row(NO_WITHDRAWAL, NO_WITHDRAWAL),
    ("POST", "/withdrawals/{withdrawalId}/approvals"): Row(
        NO_WITHDRAWAL, NO_WITHDRAWAL, BODIES["/withdrawals/{withdrawalId}/approvals"]
    ),
    ("GET", "/beneficiaries"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("POST", "/beneficiaries"): Row(OWN_CREATION, OWN_CREATION, BODIES["/beneficiaries"]),
    ("GET", "/beneficiaries/{beneficiaryId}"): Row(NO_BENEFICIARY, NO_BENEFICIARY),
    ("DELETE", "/beneficiaries/{beneficiaryId}"): Row(NO_BENEFICIARY, NO_BENEFICIARY),
    ("GET", "/payout-schedules"): Row(OWN_EMPTY_LIST, OWN_EMPTY_LIST),
    ("GET", "/payout-schedules/{scheduleId}"): Row(NO_SCHEDULE, NO_SCHEDULE),
    ("POST", "/simulations/withdrawals/{withdrawalId}"): Row(NO_SANDBOX, NO_WITHDRAWAL, {"status": "FAILED"}),
    **{
        ("POST", f"/withdrawals/{path}"): Row(NO_WITHDRAWALS, NOT_ONES_OWN, WITHDRAWALS[rail] | OF_ACME)
        for path, rail in (
            ("pix", ("PIX", "BRL")),
            ("spei", ("SPEI", "MXN")),
            ("bank-transfer", ("BANK_TRANSFER", "ARS")),
            ("crypto", ("CRYPTO", "USDT")),
        )
    },
    ("POST", "/simulations/balances"): Row(NO_SANDBOX, OWN_OBJECT, {"amount": 10, "currency": "BRL"}),
    ("POST", "/simulations/chaos"): Row(NO_SANDBOX, OWN_CREATION, {"minutes": 1, "disturbances": ["LOST"]}),
    ("GET", "/simulations/chaos"): Row(NO_SANDBOX, NO_CHAOS),
    ("POST", "/simulations/releases"): Row(NO_SANDBOX, NO_PAYMENT, {"paymentId": "{paymentId}"}),
    ("GET", "/simulations/clock"): Row(NO_SANDBOX, OWN_OBJECT),
    ("POST", "/simulations/clock"): Row(NO_SANDBOX, OWN_OBJECT, {"advanceBy": "P2D"}),  # the last: quotes expire
}
ROUTES = [
    pytest.param(method.upper(), path.removeprefix(V2), declared.permission, id=f"{method.upper()} {path}")
    for path, method, _, declared in operations()
]


@dataclass(frozen=True)
class World:
    """acme owns payments, one of them in dispute, an endpoint with deliveries, a withdrawal, a conversion, a saved card
    and a quote.

    globex has a shop of its own. Both may withdraw from where the tests are.
    """

    acme: Shop
    globex: Shop
    payment: Payment
    refund: str
    endpoint: str
    delivery: Delivery
    withdrawal: str
    schedule: str
    link: str
    beneficiary: str
    conversion: str
    card: str
    check: str
    quote_token: str

    def as_it_is(self) -> list[Any]:
        """Everything of acme's sandbox that could be touched."""
        owned = (
            Payment, PaymentLink, Customer, SavedCard, Refund, Withdrawal, Beneficiary, Conversion, Event, Endpoint,
            Transfer, ReadinessCheck,
        )  # fmt: skip
        return [*held_in(*owned, of=[self.acme.sandbox]), *held_in(Delivery, ReportedRelease)]

    def ids(self) -> dict[str, str]:
        """acme's, as they are named in paths and bodies."""
        return {
            "paymentId": self.payment.id,
            "companyId": self.acme.company.id,
            "refundId": self.refund,
            "webhookId": self.endpoint,
            "deliveryId": self.delivery.id,
            "eventId": self.delivery.event_id,
            "withdrawalId": self.withdrawal,
            "scheduleId": self.schedule,
            "linkId": self.link,
            "beneficiaryId": self.beneficiary,
            "conversionId": self.conversion,
            "customerId": self.payment.customer_id,
            "token": self.card,
            "checkId": self.check,
            "quoteToken": self.quote_token,
        }

    def call(self, caller: Api, method: str, path: str, ids: dict[str, str] | None = None) -> HttpResponse:
        """The answer on this route, with acme's ids in path and body, or with other ones in the path."""
        filled = path.format(**ids or self.ids())
        if method == "GET":
            return caller.get(filled, **QUERIES.get(path, {}))
        named = ROWS[method, path].body.items()
        body = {name: value.format(**self.ids()) if isinstance(value, str) else value for name, value in named}
        if method == "POST":
            return caller.post(filled, body)
        with alone():
            return caller.request(method, filled, data=json.dumps(body), content_type="application/json")

    def traces(self) -> list[str]:
        """What only acme's sandbox may be told."""
        named = [value for name, value in self.ids().items() if name not in ("companyId", "quoteToken")]
        return [*named, self.payment.customer_id, *self.acme.sandbox.payments.values_list("id", flat=True)]


@pytest.fixture(scope="module")
def recorded(shops: dict[str, Recording[Shop]], django_db_setup: None, django_db_blocker: Any) -> Recording[World]:
    """acme's world, built once."""
    with django_db_blocker.unblock():
        return Recording(_world, shops["Acme"], shops["Globex"])


@pytest.fixture
def world(acme: Shop, globex: Shop, recorded: Recording[World], api: Api, address: str) -> World:
    """The recorded one, with a quote that is still good."""
    made = recorded.again()
    for shop in (acme, globex):
        register(shop, address)
    return replace(made, quote_token=str(quoted(api, acme, sourceAmount=10)["quoteToken"]))


def _world(acme: Shop, globex: Shop) -> World:
    address = "10.255.0.2"
    api = Api(acme.sandbox_key, address)
    register(acme, address)
    opened = api.post("/payments", pix(reference=REFERENCE)).json()["data"]["id"]
    refund = refunds.dispute(acme.sandbox, a_payment(acme.sandbox, "PAID").id, amount=5000)
    endpoint = api.post("/webhooks", HOOK).json()["data"]["id"]
    a_payment(acme.sandbox, "PAID", "10000.00")
    withdrawal = withdrawn(api, acme, amount=10)["id"]
    own = {"pixKey": "caixa@acme.com.br", "pixKeyType": "EMAIL"}
    plan = Plan("BRL", "PIX", "DAILY", 6, destination=own)
    schedule = register_schedule(acme.sandbox, plan, by=a_member(acme.company)).pk
    link = api.post("/payment-links", BODIES["/payment-links"]).json()["data"]["id"]
    own_account = BODIES["/beneficiaries"] | {"destination": own}
    beneficiary = api.post("/beneficiaries", own_account).json()["data"]["id"]
    conversion = converted(api, acme, sourceAmount=10)["conversionId"]
    delivery = Delivery.objects.filter(endpoint_id=endpoint).earliest("id")
    payment = Payment.objects.get(pk=opened)
    check = finish(acme.sandbox, start(acme.sandbox, endpoint).pk).pk
    card = keep(acme.sandbox, payment.customer_id, payment.id, VISA, payment.created_at, payment.created_at).pk
    return World(
        acme,
        globex,
        payment,
        refund.id,
        endpoint,
        delivery,
        str(withdrawal),
        schedule,
        link,
        beneficiary,
        str(conversion),
        card,
        check,
        "",
    )


def ask(world: World, address: str, key: str | None, method: str, path: str) -> HttpResponse:
    """The call, with acme's ids in its path; it must leave acme's things as they were."""
    before = world.as_it_is()

    answer = world.call(Api(key, address), method, path)

    assert world.as_it_is() == before
    assert [trace for trace in world.traces() if trace.encode() in answer.content] == []
    return answer


LISTS = (
    "payments",
    "payment-links",
    "webhooks",
    "customers",
    "withdrawals",
    "events",
    "payout-schedules",
    "beneficiaries",
)


def is_a_list(method: str, path: str) -> bool:
    return (method, path) in {("GET", f"/{name}") for name in LISTS}


def outcome(answer: HttpResponse) -> Outcome:
    return answer.status_code, answer.json()["onpayCode"]


def test_every_route_has_a_row() -> None:
    assert {param.values[:2] for param in ROUTES} == set(ROWS)


@rows(("method", "path", "permission"), ROUTES)
def test_nobody_is_let_in(world: World, address: str, method: str, path: str, permission: str) -> None:
    for nobody in (None, "", "onp_sandbox_" + "a" * 43):
        assert outcome(ask(world, address, nobody, method, path)) == (401, "ONP401")


@rows(("method", "path", "permission"), ROUTES)
def test_a_revoked_key_is_let_in_no_more(world: World, address: str, method: str, path: str, permission: str) -> None:
    api_key, text = issue_key(world.acme.sandbox, EVERY, "old")
    revoke_key(api_key)

    assert outcome(ask(world, address, text, method, path)) == (401, "ONP401")


@rows(("method", "path", "permission"), ROUTES)
def test_a_key_without_the_permission_is_let_no_further(
    world: World, address: str, method: str, path: str, permission: str
) -> None:
    for shop in (world.acme, world.globex):
        text = issue_key(shop.sandbox, EVERY - {permission}, "everything else")[1]

        answer = ask(world, address, text, method, path)

        assert outcome(answer) == (403, "ONP403")
        assert answer.json()["error"]["field"] == permission


@rows(("method", "path", "permission"), ROUTES)
def test_production_and_sandbox_do_not_meet(
    world: World, address: str, method: str, path: str, permission: str
) -> None:
    text = issue_key(world.acme.production, EVERY, "production")[1]

    answer = ask(world, address, text, method, path)

    assert outcome(answer) == ROWS[method, path].production
    assert answer.json().get("data") == [] or not is_a_list(method, path)
    assert b'"SANDBOX"' not in answer.content


@rows(("method", "path", "permission"), ROUTES)
def test_another_company_meets_nothing_of_acme(
    world: World, address: str, method: str, path: str, permission: str
) -> None:
    answer = ask(world, address, world.globex.sandbox_key, method, path)

    assert outcome(answer) == ROWS[method, path].globex
    assert answer.json().get("data") == [] or not is_a_list(method, path)
    assert world.acme.company.id.encode() not in answer.content


@rows(("method", "path", "permission"), [route for route in ROUTES if "{" in str(route.id)])
def test_what_belongs_to_another_is_as_unknown_as_what_does_not_exist(
    world: World, address: str, method: str, path: str, permission: str
) -> None:
    caller, bodies = Api(world.globex.sandbox_key, address), set()
    unknown = {
        name: f"{prefix}_01KAGTW3Q8XJ5V0N2B7R4C9DEF"
        for name, prefix in {
            "paymentId": "pay", "companyId": "cmp", "refundId": "ref", "withdrawalId": "wdr", "conversionId": "cnv",
            "scheduleId": "psc", "beneficiaryId": "bnf", "linkId": "plk", "checkId": "chk",
            "webhookId": "whk", "deliveryId": "dlv", "eventId": "evt", "customerId": "cus", "token": "pmt",
        }.items()
    }  # fmt: skip
    for ids in (world.ids(), unknown, dict.fromkeys(unknown, "x")):
        answer = world.call(caller, method, path, ids)
        bodies.add(answer.content.replace(answer["RequestId"].encode(), b""))

    assert len(bodies) == 1


def test_the_rows_of_this_table_say_what_acme_itself_is_answered(world: World, api: Api) -> None:
    """Guards the table: with acme's own key the same calls do reach acme's things."""
    for currency in ("MXN", "ARS"):
        fund(api, currency)
    for method, path in ROWS:
        answer = world.call(api, method, path)

        of_others = {
            "boleto": NO_PAYMENT, "receipt": (409, "ONP409_RECEIPT_UNAVAILABLE"),
            "expire": (409, "ONP409_PAYMENT_STATE"), "late-money": (409, "ONP409_PAYMENT_STATE"),
        }.get(path.split("/")[-1])  # fmt: skip
        known = (409, "ONP409_DUPLICATE_REFERENCE"), (409, "ONP409_APPROVAL_STATE"), of_others
        assert answer.status_code in (200, 201) or outcome(answer) in known
