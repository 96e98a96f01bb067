"""What a key may do is what its permissions name, and nothing more."""

import json
from typing import Any

import pytest

from accounts.models import Company
from accounts.services import issue_key
from gateway.api.openapi.document import operations
from gateway.payments.models import Payment
from gateway.requests.models import IdempotencyKey
from tests.support.api import Api
from tests.support.cards import alone
from tests.support.companies import Shop
from tests.support.operations import BODIES, EVERY, QUERIES, UNKNOWN
from tests.support.payments import a_payment
from tests.support.rows import rows
from webhooks.models import Endpoint

# What the contract says of each call.
NEEDED = [
    ("POST", "/payments", "payments:write"),
    ("GET", "/payments", "transactions:read"),
    ("GET", "/payments/{paymentId}", "transactions:read"),
    ("GET", "/payments/{paymentId}/boleto", "transactions:read"),
    ("GET", "/payments/{paymentId}/receipt", "transactions:read"),
    ("POST", "/payments/{paymentId}/refunds", "refunds:write"),
    ("GET", "/payments/{paymentId}/refunds", "refunds:read"),
    ("GET", "/refunds/{refundId}", "refunds:read"),
    ("POST", "/refunds/{refundId}/responses", "refunds:write"),
    ("GET", "/transactions/{paymentId}", "transactions:read"),
    ("POST", "/simulations/payments/{paymentId}", "payments:write"),
    ("POST", "/simulations/payments/{paymentId}/refund-requests", "payments:write"),
    ("POST", "/simulations/refunds/{refundId}", "payments:write"),
    ("POST", "/simulations/withdrawals/{withdrawalId}", "payments:write"),
    ("GET", "/simulations/clock", "payments:write"),
    ("POST", "/simulations/clock", "payments:write"),
    ("GET", "/payment-methods", "payment-methods:read"),
    ("GET", "/customers", "customers:read"),
    ("GET", "/webhooks", "webhooks:read"),
    ("POST", "/webhooks", "webhooks:write"),
    ("GET", "/webhooks/{webhookId}", "webhooks:read"),
    ("PATCH", "/webhooks/{webhookId}", "webhooks:write"),
    ("DELETE", "/webhooks/{webhookId}", "webhooks:write"),
    ("POST", "/webhooks/{webhookId}/secret-rotations", "webhooks:write"),
    ("POST", "/webhooks/{webhookId}/tests", "webhooks:write"),
    ("GET", "/webhooks/{webhookId}/deliveries", "webhooks:read"),
    ("GET", "/webhooks/{webhookId}/deliveries/{deliveryId}", "webhooks:read"),
    ("POST", "/webhooks/{webhookId}/deliveries/{deliveryId}/redeliveries", "webhooks:write"),
    ("POST", "/webhooks/{webhookId}/replays", "webhooks:write"),
    ("POST", "/webhooks/{webhookId}/verifications", "webhooks:read"),
    ("GET", "/events", "webhooks:read"),
    ("GET", "/events/{eventId}", "webhooks:read"),
    ("GET", "/companies/{companyId}", "companies:read"),
    ("GET", "/companies/{companyId}/balance", "balances:read"),
    ("GET", "/companies/{companyId}/balance/explain", "balances:read"),
    ("GET", "/companies/{companyId}/balances/releasing", "balances:read"),
    ("GET", "/companies/{companyId}/balances/blocked", "balances:read"),
    ("GET", "/companies/{companyId}/statement", "balances:read"),
    ("GET", "/companies/{companyId}/wallets/conversions", "balances:read"),
    ("GET", "/companies/{companyId}/wallets/conversions/{conversionId}", "balances:read"),
    ("POST", "/companies/{companyId}/wallets/conversions/quote", "conversions:write"),
    ("POST", "/companies/{companyId}/wallets/conversions/confirm", "conversions:write"),
    ("GET", "/withdrawals", "withdrawals:read"),
    ("GET", "/withdrawals/{withdrawalId}", "withdrawals:read"),
    ("GET", "/payout-schedules", "withdrawals:read"),
    ("GET", "/payout-schedules/{scheduleId}", "withdrawals:read"),
    ("POST", "/withdrawals/pix", "withdrawals:write"),
    ("POST", "/withdrawals/spei", "withdrawals:write"),
    ("POST", "/withdrawals/bank-transfer", "withdrawals:write"),
    ("POST", "/withdrawals/crypto", "withdrawals:write"),
]


@pytest.fixture
def payment(acme: Shop, address: str) -> Payment:
    """Of acme, which may withdraw from where the tests are."""
    Company.objects.filter(pk=acme.company.pk).update(withdrawal_ip=address)
    return a_payment(acme.sandbox)


def call(api: Api, acme: Shop, payment: Payment, method: str, path: str) -> Any:
    address = path.format(paymentId=payment.id, companyId=acme.company.id, **UNKNOWN)
    if method == "GET":
        return api.get(address, **QUERIES.get(path, {}))
    body = BODIES.get(path, {})
    if method in ("PATCH", "DELETE"):
        with alone():
            return api.request(method, address, data=json.dumps(body), content_type="application/json")
    return api.post(address, body | {"companyId": acme.company.id} if "companyId" in body else body)


@rows(("method", "path", "permission"), NEEDED)
def test_a_key_with_everything_else_is_refused_and_moves_nothing(
    api: Api, acme: Shop, payment: Payment, method: str, path: str, permission: str
) -> None:
    api.key = issue_key(acme.sandbox, EVERY - {permission}, "everything else")[1]

    answer = call(api, acme, payment, method, path)

    assert answer.status_code == 403
    error = answer.json()["error"]
    assert (error["code"], error["field"], error["retryable"]) == ("ONP403", permission, False)
    payment.refresh_from_db()
    assert payment.status == "PENDING"
    assert (Payment.objects.count(), Endpoint.objects.count(), IdempotencyKey.objects.count()) == (1, 0, 0)


@rows(("method", "path", "permission"), NEEDED)
def test_a_key_with_that_permission_alone_is_let_in(
    api: Api, acme: Shop, payment: Payment, method: str, path: str, permission: str
) -> None:
    api.key = issue_key(acme.sandbox, [permission], "this alone")[1]

    # A PIX payment has no boleto, and one that is open no receipt and nothing to give back; there is no refund, no
    # quote and no conversion yet, nor money for a withdrawal.
    of_paid = {"boleto": (404,), "receipt": (409,), "refunds": (200, 409), "refund-requests": (409,), "confirm": (400,)}
    let_in = of_paid.get(path.rpartition("/")[2], (200, 201))
    if any(f"{{{name}}}" in path for name in UNKNOWN):
        let_in = (404,)
    elif (method, path.partition("/withdrawals/")[0]) == ("POST", ""):
        let_in = (422,)
    answer = call(api, acme, payment, method, path)
    assert answer.status_code in let_in, answer.content


@rows(("method", "path", "permission"), NEEDED)
def test_a_key_without_permissions_reaches_nothing(
    api: Api, acme: Shop, payment: Payment, method: str, path: str, permission: str
) -> None:
    api.key = issue_key(acme.sandbox, [], "nothing")[1]

    answer = call(api, acme, payment, method, path)

    assert (answer.status_code, answer.json()["error"]["field"]) == (403, permission)


def test_the_routes_ask_for_the_permissions_of_the_contract() -> None:
    asked = {
        (method.upper(), path.removeprefix("/api/v2"), declared.permission)
        for path, method, _, declared in operations()
    }

    assert set(NEEDED) <= asked


def test_no_route_is_open() -> None:
    assert {declared.permission for *_, declared in operations()} <= EVERY


def test_a_permission_that_does_not_exist_cannot_be_given(acme: Shop) -> None:
    with pytest.raises(ValueError, match="permission"):
        issue_key(acme.sandbox, ["payments:read"], "backend")


def test_a_new_company_gets_a_sandbox_key_for_everything(acme: Shop) -> None:
    [api_key] = acme.sandbox.api_keys.all()

    assert set(api_key.permissions) == EVERY
