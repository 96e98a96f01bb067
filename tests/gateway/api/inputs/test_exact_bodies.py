"""Where an omitted member means more, one that is misspelt or null is refused, and nothing happens."""

import uuid
from typing import Any

import pytest

from accounts.models import Company
from gateway.api.openapi.document import document
from gateway.refunds.models import Refund
from gateway.simulations.examples import WITHDRAWALS
from gateway.withdrawals.models import Withdrawal
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix
from webhooks import services as webhooks
from webhooks.models import Delivery

REFUNDS, DISPUTES = "/payments/{payment}/refunds", "/simulations/payments/{payment}/refund-requests"
ROTATIONS, REPLAYS = "/webhooks/{webhook}/secret-rotations", "/webhooks/{webhook}/replays"
CRYPTO = {name: value for name, value in WITHDRAWALS["CRYPTO", "USDT"].items() if name != "minimumAssetAmount"}
MISSPELT: list[tuple[str, dict[str, Any], str]] = [
    (REFUNDS, {"Amount": 5}, "Amount"),
    (REFUNDS, {"value": 5}, "value"),
    (REFUNDS, {"amount ": 5}, "amount "),
    (REFUNDS, {"amount": 5, "reasn": "x"}, "reasn"),
    (DISPUTES, {"value": 5}, "value"),
    (DISPUTES, {"responseDue": "2030-01-01"}, "responseDue"),
    (ROTATIONS, {"overlap": 0}, "overlap"),
    (ROTATIONS, {"overlap_hours": 0}, "overlap_hours"),
    (REPLAYS, {"dryrun": True}, "dryrun"),
    (REPLAYS, {"objectid": "pay_1"}, "objectid"),
    ("/withdrawals/crypto", CRYPTO | {"minimumAssetAmout": 100}, "minimumAssetAmout"),
    ("/refunds/{refund}/responses", {"answer": "CONTEST", "message": "No.", "evidences": []}, "evidences"),
]
NULL: list[tuple[str, dict[str, Any], str, str]] = [
    (REFUNDS, {"amount": None}, "amount", "ONP400_AMOUNT"),
    (DISPUTES, {"amount": None}, "amount", "ONP400_AMOUNT"),
    (ROTATIONS, {"overlapHours": None}, "overlapHours", "ONP400_VALIDATION"),
    (REPLAYS, {"objectId": None}, "objectId", "ONP400_VALIDATION"),
    (REPLAYS, {"lastStatus": None}, "lastStatus", "ONP400_VALIDATION"),
    ("/withdrawals/crypto", CRYPTO | {"minimumAssetAmount": None}, "minimumAssetAmount", "ONP400_AMOUNT"),
]


class World:
    """A paid payment, an endpoint, a payer who wants money back, and whether anything became of them."""

    def __init__(self, api: Api, acme: Shop, address: str) -> None:
        self.api = api
        Company.objects.filter(pk=acme.company.pk).update(withdrawal_ip=address)
        disputed = a_payment(acme.sandbox, "PAID")
        webhook, _ = webhooks.register(acme.sandbox, "http://127.0.0.1:9/hooks", ["*"], None)
        self.ids = {"payment": a_payment(acme.sandbox, "PAID").id, "webhook": webhook.id}
        asked = api.post(DISPUTES.format(payment=disputed.id), {"amount": 1})
        self.ids["refund"] = asked.json()["data"]["id"]
        self.company = acme.company.id
        self.webhook = webhook
        self.before = self.state()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        if "companyId" in body:
            body = body | {"companyId": self.company}
        return self.api.post(path.format(**self.ids), body)

    def state(self) -> tuple[Any, ...]:
        self.webhook.refresh_from_db()
        counts = (model.objects.count() for model in (Refund, Withdrawal, Transfer, Delivery))
        statuses = tuple(Refund.objects.values_list("id", "status"))
        return (*counts, statuses, bytes(self.webhook.sealed_secret), self.webhook.status)


@pytest.fixture
def world(api: Api, acme: Shop, address: str) -> World:
    return World(api, acme, address)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(("path", "body", "member"), MISSPELT)
def test_an_unknown_member_is_named_and_nothing_happens(
    world: World, path: str, body: dict[str, Any], member: str
) -> None:
    answer = world.post(path, body)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (400, "ONP400_VALIDATION", member)
    assert error["fields"][0]["code"] == "NOT_ALLOWED"
    assert world.state() == world.before


@pytest.mark.parametrize(("path", "body", "member", "code"), NULL)
def test_null_is_not_the_same_as_nothing(world: World, path: str, body: dict[str, Any], member: str, code: str) -> None:
    answer = world.post(path, body)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (400, code, member)
    assert world.state() == world.before


@pytest.mark.parametrize(
    ("path", "member"),
    [
        (f"{REFUNDS}?amount=5", "amount"),
        (f"{REFUNDS}?dryRun=true", "dryRun"),
        (f"{DISPUTES}?amount=5", "amount"),
        (f"{ROTATIONS}?overlapHours=0", "overlapHours"),
        (f"{REPLAYS}?dryRun=true", "dryRun"),
        ("/payments?dryRun=true", "dryRun"),
    ],
)
def test_what_stands_in_the_query_is_not_overlooked(world: World, path: str, member: str) -> None:
    answer = world.post(path, {})

    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (400, "ONP400_VALIDATION", member)
    assert world.state() == world.before


@pytest.mark.parametrize("sent", [b"", b"{}", b'{"reason":"returned"}'])
def test_a_full_refund_is_an_empty_body_or_known_members_only(world: World, sent: bytes) -> None:
    answer = world.api.post(REFUNDS.format(**world.ids), raw=sent)

    assert (answer.status_code, answer.json()["data"]["type"]) == (201, "FULL")


def test_a_change_of_an_endpoint_with_a_misspelt_member_changes_nothing(world: World) -> None:
    answer = world.api.request(
        "PATCH",
        f"/webhooks/{world.ids['webhook']}",
        data=b'{"description":"Shop","statuss":"INACTIVE"}',
        content_type="application/json",
    )

    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "statuss")
    world.webhook.refresh_from_db()
    assert world.webhook.description is None


def test_a_rehearsed_withdrawal_says_that_its_guard_is_misspelt(world: World) -> None:
    answer = world.post("/withdrawals/crypto?dryRun=true", CRYPTO | {"minimumAssetAmout": 100})

    [body] = [gate for gate in answer.json()["data"]["gates"] if gate["gate"] == "BODY"]
    assert (body["holds"], body["field"]) == (False, "minimumAssetAmout")
    assert not answer.json()["data"]["wouldBeAccepted"]


def test_elsewhere_unknown_members_are_ignored(world: World) -> None:
    assert world.api.post("/payments", pix() | {"note": "for us"}, key=str(uuid.uuid4())).status_code == 201


EXACT = (
    "RefundInput", "DestinationInput", "DisputeInput", "CryptoWithdrawalInput", "RotationInput", "ReplayInput",
    "EndpointChangeInput", "AnswerInput", "EvidenceInput", "ApprovalInput",
    "PaymentLinkInput", "PaymentLinkChangeInput", "TopUpInput", "ChaosInput", "ReadinessCheckInput", "ReleaseInput",
)  # fmt: skip


def test_the_published_contract_says_which_bodies_are_exact() -> None:
    schemas = document()["components"]["schemas"]
    closed = {name for name, schema in schemas.items() if schema.get("additionalProperties") is False}

    assert {name for name in closed if name.endswith("Input")} == set(EXACT)
    assert schemas["RefundInput"]["properties"]["amount"]["type"] == "number"
