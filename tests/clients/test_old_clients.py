"""A client of an earlier release goes on working: its whole story, and everything else that its contract promised."""

import json
import sys
from collections.abc import Iterator
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from pytest_django.live_server_helper import LiveServer

from gateway.api.openapi.document import document
from tests.support.companies import Shop
from tests.support.contracts import broken, reduced
from tests.support.effort import NIGHTLY
from tests.support.tools import HERE, run

RELEASES = sorted((HERE / "contracts").glob("*.json"))
CONFIG = "post_hooks: []\ncontent_type_overrides:\n  application/pdf: application/octet-stream\n"


def generated(contract: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a client that is made without a warning."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "config.yaml").write_text(CONFIG)
    tool = Path(sys.executable).parent / "openapi-python-client"
    arguments = ("--path", contract, "--meta", "none", "--output-path", "old_client", "--config", "config.yaml")
    told = run(tool, "generate", *arguments, "--fail-on-warning", cwd=folder)
    assert "WARNING" not in told
    return folder


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """What `openapi-python-client` makes of 0.2.0: `client.create_payment(body=…)` is the parsed answer."""
    folder = generated(HERE / "contracts" / "0.2.0.json", tmp_path_factory)
    sys.path.insert(0, str(folder))
    try:
        modules = sorted((folder / "old_client" / "api").glob("*/[a-z]*.py"))
        found = {one.stem: import_module(f"old_client.api.{one.parent.name}.{one.stem}") for one in modules}
        yield SimpleNamespace(models=import_module("old_client.models"), base=import_module("old_client"), **found)
    finally:
        sys.path.remove(str(folder))


@pytest.mark.skipif(not NIGHTLY, reason="in make nightly")
def test_other_peoples_generators_take_the_contract_of_today(
    published: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert (generated(published, tmp_path_factory) / "old_client" / "models" / "payment_payload.py").exists()


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_what_a_release_promised_still_holds(release: Path) -> None:
    assert list(broken(json.loads(release.read_text()), reduced(document()))) == []


def test_a_broken_promise_is_found() -> None:
    """The check can fail."""
    old = json.loads(RELEASES[0].read_text())

    def found(bend: Any) -> list[str]:
        new = deepcopy(old)
        bend(new["paths"], new["components"]["schemas"])
        return list(broken(old, new))

    def nullable(schemas: Any) -> None:
        schemas["PaymentPayload"]["properties"]["reference"] = {"anyOf": [{"type": "string"}, {"type": "null"}]}

    member = "listPayments.data[].reference"
    assert found(lambda paths, schemas: paths["/api/v2/payments"].pop("post")) == ["post /api/v2/payments is gone"]
    assert f"{member} is gone" in found(lambda paths, schemas: schemas["PaymentPayload"]["properties"].pop("reference"))
    assert f"{member} may be missing" in found(
        lambda p, schemas: schemas["PaymentPayload"]["required"].remove("reference")
    )
    assert f"{member} was ['string'] and is ['null', 'string']" in found(lambda paths, schemas: nullable(schemas))
    assert found(lambda p, schemas: schemas["PaymentInput"]["required"].append("dueDate")) == [
        "createPayment demands dueDate"
    ]
    assert found(lambda p, schemas: schemas["PaymentInput"]["properties"]["method"]["enum"].remove("PIX")) == [
        "createPayment.method no longer takes PIX"
    ]
    assert found(lambda p, schemas: schemas["PaymentPayload"]["properties"]["status"]["enum"].append("LOST")) == [
        "listPayments.data[].status has new values"
    ]


@pytest.mark.django_db(transaction=True)
def test_the_whole_story(acme: Shop, live_server: LiveServer, client: Any) -> None:
    acme.company.withdrawal_ip = "127.0.0.1"
    acme.company.save()
    models = client.models
    api = client.base.AuthenticatedClient(
        live_server.url, token=acme.sandbox_key, prefix="", auth_header_name="x-api-key"
    )

    def post(operation: str, *path: str, **body: Any) -> Any:
        return getattr(client, operation).sync(*path, client=api, idempotency_key=str(uuid4()), **body)

    def an_order(reference: str) -> Any:
        payer = {"name": "Maria Silva", "taxId": "52998224725"}
        order = {"method": "PIX", "amount": 150.0, "currency": "BRL", "reference": reference, "payer": payer}
        return models.PaymentInput.from_dict(order)

    hook = post(
        "create_webhook", body=models.EndpointInput.from_dict({"url": "https://1.1.1.1/hooks", "events": ["*"]})
    )
    created = post("create_payment", body=an_order("order-1")).data
    paid = post("simulate_payment", created.id, body=models.SimulationInput.from_dict({"status": "PAID"})).data
    refund = post("create_refund", created.id, body=models.RefundInput.from_dict({"amount": 50.0})).data
    balance = client.get_balance.sync(acme.company.id, client=api).data
    order = models.PixWithdrawalInput.from_dict(
        {
            "companyId": acme.company.id,
            "amount": 20.0,
            "currency": "BRL",
            "reference": "wd-1",
            "pixKey": "52998224725",
            "pixKeyType": "CPF",
        }
    )
    withdrawn = post("create_pix_withdrawal", body=order).data
    events = client.list_events.sync(client=api).data
    refused = post("create_payment", body=an_order(""))
    twice = post("create_payment", body=an_order("order-1"))

    assert hook.data.secret.startswith("whsec_")
    assert (paid.status, paid.net_amount, paid.customer.name) == ("PAID", 148.5, "Maria Silva")
    assert (refund.status, refund.amount) == ("PROCESSING", 50.0)
    assert [one.available for one in balance.balances if one.currency == "BRL"] == [98.5]
    assert (withdrawn.status, withdrawn.amount) == ("PROCESSING", 20.0)
    assert {event.type_ for event in events} == {"payment.paid", "refund.created"}
    assert (refused.error.code, refused.error.field) == ("ONP400_REFERENCE", "reference")
    assert refused.error.fields[0].code == "TOO_SHORT"
    assert (twice.onpay_code, twice.error.payment_id) == ("ONP409_DUPLICATE_REFERENCE", created.id)
    assert client.get_payment.sync(created.id, client=api).data.refunded_amount == 0
