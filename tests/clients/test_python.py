"""The document as Python tools read it: valid, and the client of `openapi-python-client` runs the whole story."""

import json
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from pytest_django.live_server_helper import LiveServer

from tests.support.companies import Shop
from tests.support.tools import run

CONFIG = "post_hooks: []\ncontent_type_overrides:\n  application/pdf: application/octet-stream\n"


@pytest.fixture(scope="module")
def client(published: Path) -> Any:
    """The generated package by operation: `client.create_payment(body=…)` is the parsed answer."""
    folder = published.parent / "generated"
    folder.mkdir()
    (folder / "config.yaml").write_text(CONFIG)
    tool = Path(sys.executable).parent / "openapi-python-client"
    arguments = ("--path", published, "--meta", "none", "--output-path", "onpay_client", "--config", "config.yaml")
    told = run(tool, "generate", *arguments, "--fail-on-warning", cwd=folder)
    assert "WARNING" not in told
    sys.path.insert(0, str(folder))
    try:
        modules = sorted((folder / "onpay_client" / "api").glob("*/[a-z]*.py"))
        found = {one.stem: import_module(f"onpay_client.api.{one.parent.name}.{one.stem}") for one in modules}
        yield SimpleNamespace(models=import_module("onpay_client.models"), base=import_module("onpay_client"), **found)
    finally:
        sys.path.remove(str(folder))


def test_the_published_contract_is_valid_openapi(published: Path) -> None:
    OpenAPIV31SpecValidator(json.loads(published.read_text())).validate()


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
    rehearsed = post("create_pix_withdrawal", body=order, dry_run=True).data
    withdrawn = post("create_pix_withdrawal", body=order).data
    events = client.list_events.sync(client=api).data
    refused = post("create_payment", body=an_order(""))
    twice = post("create_payment", body=an_order("order-1"))

    assert hook.data.secret.startswith("whsec_")
    assert (paid.status, paid.net_amount, paid.customer.name) == ("PAID", 148.5, "Maria Silva")
    assert (refund.status, refund.amount) == ("PROCESSING", 50.0)
    assert [one.available for one in balance.balances if one.currency == "BRL"] == [98.5]
    assert rehearsed.would_be_accepted is True
    assert (withdrawn.status, withdrawn.amount) == ("PROCESSING", 20.0)
    assert {event.type_ for event in events} == {"payment.paid", "refund.created"}
    assert (refused.error.code, refused.error.field) == ("ONP400_REFERENCE", "reference")
    assert refused.error.fields[0].code == "TOO_SHORT"
    assert (twice.onpay_code, twice.error.payment_id) == ("ONP409_DUPLICATE_REFERENCE", created.id)
    assert client.get_payment.sync(created.id, client=api).data.refunded_amount == 0
