"""The published document says what a person and a generator need (contract §17)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings
from jsonschema_rs import ValidationError

from gateway.api.openapi import descriptions
from gateway.api.openapi.document import document, operations
from gateway.api.openapi.events import DATA
from tests.support.api import Api, validator
from webhooks.kinds import KINDS
from webhooks.models import Event


def members() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name, schema in document()["components"]["schemas"].items():
        for member, one in schema.get("properties", {}).items():
            yield name, member, one


def test_every_member_says_what_it_means() -> None:
    assert [f"{name}.{member}" for name, member, one in members() if not one.get("description", "").endswith(".")] == []


def test_every_parameter_says_what_it_means() -> None:
    silent = [
        (path, parameter["name"])
        for path, methods in document()["paths"].items()
        for described in methods.values()
        for parameter in described["parameters"]
        if not parameter.get("description")
    ]
    assert silent == []


def test_no_description_is_left_over() -> None:
    named = {(name, member) for name, member, _ in members()}
    asked = {
        (declared.query.__name__, field.alias or name)
        for *_, declared in operations()
        if declared.query
        for name, field in declared.query.model_fields.items()
    }
    known = named | asked
    for name, words in descriptions.OF.items():
        assert [member for member in words if (name, member) not in known] == [], name
    assert set(descriptions.COMMON) <= {member for _, member in known}


def test_operations_have_names_that_people_would_give_them() -> None:
    names = [one["operationId"] for methods in document()["paths"].values() for one in methods.values()]

    assert {"createPayment", "getPayment", "createRefund", "getBalance", "createPixWithdrawal"} <= set(names)
    assert all(name.isalpha() and name[0].islower() for name in names)


def test_failures_share_one_schema_and_name_their_codes() -> None:
    for methods in document()["paths"].values():
        for described in methods.values():
            for status, response in described["responses"].items():
                if int(status) >= 400:
                    schema = response["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/Error"}
                    assert all(code.startswith(f"ONP{status}") for code in response["x-onpay-codes"])


def test_a_pdf_is_binary() -> None:
    described = document()["paths"]["/api/v2/payments/{paymentId}/boleto"]["get"]["responses"]["200"]
    assert described["content"]["application/pdf"]["schema"] == {"type": "string", "format": "binary"}


def test_both_environments_have_an_address() -> None:
    with override_settings(BASE_URL="https://api.gateway.test", SANDBOX_BASE_URL="https://sandbox.gateway.test"):
        servers = document.__wrapped__()["servers"]

    assert [one["url"] for one in servers] == ["https://api.gateway.test", "https://sandbox.gateway.test"]


def test_no_body_has_a_default_that_a_generated_type_would_demand() -> None:
    bodies = [(name, member, one) for name, member, one in members() if name.endswith("Input")]
    assert bodies
    assert [(name, member) for name, member, one in bodies if "default" in one] == []


def test_every_kind_of_event_is_a_webhook() -> None:
    assert set(document()["webhooks"]) == set(KINDS)
    assert {kind.partition(".")[0] for kind in KINDS} == set(DATA)


@pytest.mark.parametrize("kind", ["payment.paid", "payment.action_required", "refund.completed", "webhook.test"])
def test_what_is_sent_is_what_the_document_says(api: Api, kind: str) -> None:
    _live_through(api)

    found = list(Event.objects.filter(type=kind))

    assert found
    for event in found:
        _check(kind, bytes(event.body))


def test_a_body_that_lacks_a_member_would_be_noticed(api: Api) -> None:
    _live_through(api)
    body = json.loads(bytes(Event.objects.filter(type="payment.paid").earliest("id").body))
    del body["data"]["netAmount"]

    with pytest.raises(ValidationError, match="netAmount"):
        _check("payment.paid", json.dumps(body).encode())


def _live_through(api: Api) -> None:
    """One of each of the events above."""
    payer = {"name": "Maria Silva", "taxId": "52998224725"}
    pix = {"method": "PIX", "amount": 150, "currency": "BRL", "reference": "a", "payer": payer}
    card = pix | {"method": "CREDIT_CARD", "reference": "b", "returnUrl": "https://shop.test/back"}
    paid = api.post("/payments", pix).json()["data"]["id"]
    api.post("/payments", card)
    api.post(f"/simulations/payments/{paid}", {"status": "PAID"})
    api.post(f"/payments/{paid}/refunds", {"amount": 50})
    api.post("/simulations/clock", {"advanceBy": "PT1H"})
    hook = api.post("/webhooks", {"url": "https://1.1.1.1/hooks", "events": ["*"]}).json()["data"]["id"]
    api.post(f"/webhooks/{hook}/tests")


def _check(kind: str, body: bytes) -> None:
    path = ("webhooks", kind, "post", "requestBody", "content", "application/json", "schema")
    validator(*path).validate(json.loads(body))


def test_every_tag_of_an_operation_is_described() -> None:
    tags = {tag["name"] for tag in document()["tags"]}
    assert {resource.tag for _, _, resource, _ in operations()} <= tags
