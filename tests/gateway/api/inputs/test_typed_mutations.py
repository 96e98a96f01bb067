"""Whatever type a member has, the answer is a refusal or the work, and never a failure of ours."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import Company
from gateway.api.examples import REQUESTS
from gateway.api.openapi.document import operations
from tests.support.api import V2, Api
from tests.support.companies import Shop
from tests.support.effort import NIGHTLY
from tests.support.operations import BODIES, UNKNOWN
from tests.support.payments import a_payment
from webhooks import services as webhooks

VALUES: list[Any] = [None, {}, [], [{}], {"a": []}, "", "x", 0, -1, 1.5, True, 10**20, ["BRL"], "1e9"]
MOST = 60
"""Bodies of a path in one run, others each time. All of them at night."""
EVERY_MEMBER: dict[str, dict[str, Any]] = {
    "/payments/{paymentId}/refunds": {
        "amount": 1, "reason": "x", "reference": "r", "destination": {"pixKey": "52998224725", "pixKeyType": "CPF"},
    },
    "/refunds/{refundId}/responses": {
        "answer": "CONTEST",
        "message": "No.",
        "evidence": [
            {"type": "URL", "url": "https://shop.example.com/1", "description": "Ours"},
            {"type": "FILE", "fileName": "a.pdf", "contentType": "application/pdf", "content": "JVBERi0="},
        ],
    },
    "/simulations/payments/{paymentId}/refund-requests": {
        "amount": 1, "reasonCode": "FRAUD", "payerStatement": "Not me.", "responseDueAt": "2100-01-01",
    },
    "/simulations/withdrawals/{withdrawalId}": {"status": "FAILED", "failureCode": "ACCOUNT_CLOSED"},
    "/webhooks/{webhookId}/secret-rotations": {"overlapHours": 1},
    "/webhooks/{webhookId}/replays": {
        "type": "payment.paid", "objectId": "pay_1", "createdFrom": "2026-01-01", "createdTo": "2026-01-02",
        "lastStatus": "FAILED", "dryRun": True,
    },
    "/webhooks/{webhookId}/verifications": {
        "headers": {"webhook-id": "evt_1", "webhook-timestamp": "1", "webhook-signature": "v1,x"}, "body": "",
        "secret": "whsec_x", "receivedAt": "2026-01-01",
    },
    "/withdrawals/crypto": BODIES["/withdrawals/crypto"] | {"minimumAssetAmount": 1},
}  # fmt: skip
WRITING = [
    (path.removeprefix(V2), declared, rehearsed)
    for path, method, _, declared in operations()
    if method == "post" and declared.takes
    for rehearsed in ([False, True] if declared.rehearsal else [False])
]


def bodies_of(path: str, declared: Any) -> Iterator[dict[str, Any]]:
    yield EVERY_MEMBER.get(path) or BODIES[path]
    yield from REQUESTS.get(declared.takes.__name__, {}).values()


def mutated(body: Any, seen: set[tuple[Any, ...]], *within: Any) -> Iterator[Any]:
    """The body with one of its members, at any depth, of every other type: of each member where it is met first."""
    members = list(body.items()) if isinstance(body, dict) else list(enumerate(body)) if isinstance(body, list) else []
    for name, value in members:
        place = (*within, name)
        others = [*([] if place in seen else VALUES), *mutated(value, seen, *place)]
        seen.add(place)
        for other in others:
            changed = copy.copy(body)
            changed[name] = other
            yield changed


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("path", "declared", "rehearsed"), WRITING, ids=[f"{path}{'?dryRun' * dry}" for path, _, dry in WRITING]
)
def test_no_type_of_a_member_makes_us_fail(
    api: Api, acme: Shop, address: str, settings: Any, path: str, declared: Any, rehearsed: bool
) -> None:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**6)
    Company.objects.filter(pk=acme.company.pk).update(withdrawal_ip=address)
    endpoint, _ = webhooks.register(acme.sandbox, "http://127.0.0.1:9/hooks", ["payment.paid"], None)
    payment = a_payment(acme.sandbox, "PAID" if "refund" in path else "PENDING")
    refund = api.post(f"/simulations/payments/{a_payment(acme.sandbox, 'PAID').id}/refund-requests", {"amount": 1})
    ids = UNKNOWN | {
        "paymentId": payment.id, "companyId": acme.company.id, "webhookId": endpoint.id,
        "refundId": refund.json()["data"]["id"],
    }  # fmt: skip
    asked = path.format(**ids) + "?dryRun=true" * rehearsed
    own = {"companyId": acme.company.id} if "companyId" in BODIES.get(path, {}) else {}
    seen: set[tuple[Any, ...]] = set()
    sent = {repr(one): one for body in bodies_of(path, declared) for one in mutated(body | own, seen)}
    chosen = list(sent.values()) if NIGHTLY else random.sample(list(sent.values()), min(len(sent), MOST))

    failed = [body for body in chosen if api.post(asked, body).json()["onpayCode"] == "ONP500"]

    assert failed == []
