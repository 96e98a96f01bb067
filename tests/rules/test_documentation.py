"""What is written about the service is true."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts.base.errors import Refusal, catalogue
from gateway.api.examples import EXAMPLES
from gateway.api.openapi.document import document, operations
from gateway.api.operations import PdfDocument
from gateway.api.reference import facts
from gateway.conversions.scenarios import SCENARIOS as CONVERSION_SCENARIOS
from gateway.methods.registry import codes_of
from gateway.methods.scenarios import SCENARIOS
from gateway.payouts.scenarios import SCENARIOS as PAYOUT_SCENARIOS
from gateway.providers import registry
from gateway.simulations.examples import ORDERS, WITHDRAWALS
from ledger.rates.table import SANDBOX
from tests.support.api import Api
from tests.support.companies import Shop
from webhooks.kinds import KINDS

ROOT = Path(settings.BASE_DIR)
REFUSALS = catalogue()


def test_every_operation_has_a_unique_id_a_summary_and_a_description() -> None:
    described = [op for methods in document()["paths"].values() for op in methods.values()]
    assert len({op["operationId"] for op in described}) == len(described)
    for op in described:
        assert op["summary"]
        assert op["description"]
        assert op["tags"] != [""]


def test_the_table_of_methods_in_the_readme_is_what_the_code_offers() -> None:
    assert f"\n{facts.table()}\n" in (ROOT / "README.md").read_text()


def test_the_table_of_providers_in_the_readme_is_what_production_can_offer() -> None:
    line = r"^\| `([a-z-]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$"
    rows = set(re.findall(line, (ROOT / "README.md").read_text(), re.M))
    ours = {name: one for name, one in registry.declared().items() if one.__module__.startswith("gateway.")}

    def named(pairs: Iterable[tuple[str, str]]) -> str:
        return ", ".join(sorted(" ".join(pair) for pair in pairs)) or "–"

    assert rows == {(name, one.title, named(one.methods), named(one.payouts)) for name, one in ours.items()}


def test_the_sandbox_page_has_an_order_for_every_way_to_pay_and_every_magic_amount(client: Client) -> None:
    page = client.get("/docs/sandbox").content.decode()
    assert {(way.method, way.market.currency) for way in facts.ways()} == set(ORDERS)
    for method, currency in ORDERS:
        assert f"<h3>{method} · {currency}</h3>" in page
    for scenario in SCENARIOS:
        assert f"<code>{scenario.tail}</code>" in page


@pytest.mark.parametrize("way", facts.ways(), ids=lambda way: f"{way.method}-{way.market.currency}")
def test_the_documented_order_is_taken_and_ends_as_simulated(api: Api, way: facts.MethodGuide) -> None:
    body = json.loads(way.curl.partition(" -d '")[2].removesuffix("'").replace("'$(date +%s)$RANDOM'", "1"))

    created = api.post("/payments", body)

    is_card = way.market.flow == "CARD"  # confirmed in the browser
    assert created.status_code == (202 if is_card else 201), created.content
    ended = api.post(f"/simulations/payments/{created.json()['data']['id']}", {"status": "PAID"})
    assert ended.status_code == (422 if is_card else 200)


def test_the_page_about_money_out_has_a_request_for_every_rail_and_every_magic_amount(client: Client) -> None:
    page = client.get("/docs/money-out").content.decode()
    assert {(way.rail, way.market.currency) for way in facts.ways_out()} == set(WITHDRAWALS)
    for way in facts.ways_out():
        assert f"<h3>{way.rail} · {way.market.currency}</h3>" in page
    for tail in (*(one.tail for one in PAYOUT_SCENARIOS), *(one.tail for one in CONVERSION_SCENARIOS)):
        assert f"<code>{tail}</code>" in page
    for currency, rate in SANDBOX.items():
        assert f"<td><code>{currency}</code></td>\n<td>{rate:f}</td>" in page


def body_of(curl: str, company_id: str) -> dict[str, Any]:
    """What the shell would send."""
    sent = (
        curl.partition(" -d '")[2]
        .removesuffix("'")
        .replace("'$(date +%s)$RANDOM'", "1")
        .replace("'$COMPANY'", company_id)
    )
    return json.loads(sent)  # type: ignore[no-any-return]


@pytest.mark.parametrize("way", facts.ways_out(), ids=lambda way: f"{way.rail}-{way.market.currency}")
def test_the_documented_withdrawal_is_accepted_and_arrives(
    acme: Shop, api: Api, address: str, way: facts.WayOut
) -> None:
    acme.company.withdrawal_ip = address
    acme.company.save()
    body = body_of(way.curl, acme.company.id)
    fund(api, body["currency"])

    assert api.post(f"{way.path}?dryRun=true", body).json()["data"]["wouldBeAccepted"]
    accepted = api.post(way.path, body)
    api.post("/simulations/clock", {"advanceBy": "PT5S"})

    assert accepted.status_code == 201, accepted.content
    ended = api.get(f"/withdrawals/{accepted.json()['data']['id']}").json()["data"]
    assert (ended["status"], ended["amount"]) == ("COMPLETED", body["amount"])


def fund(api: Api, currency: str) -> None:
    """A payment of the currency that was paid and is more than any documented withdrawal."""
    amounts = {"BRL": 20_000, "MXN": 20_000, "ARS": 300_000, "COP": 2_000_000}
    order = next(order for (_, code), order in ORDERS.items() if code == currency and "card" not in str(order).lower())
    created = api.post("/payments", order | {"amount": amounts[currency], "reference": f"fund-{currency}"})
    assert created.status_code == 201, created.content
    api.post(f"/simulations/payments/{created.json()['data']['id']}", {"status": "PAID"})


def test_every_answer_and_every_body_has_an_example() -> None:
    for path, method, _, declared in operations():
        if declared.rehearsal:
            assert declared.rehearsal.gives.__name__ in EXAMPLES, (method, path)
        assert declared.gives is PdfDocument or declared.gives.__name__ in EXAMPLES, (method, path)
        if declared.takes:
            assert declared.takes.__name__ in EXAMPLES, (method, path)


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.code)
def test_every_refusal_has_a_code_of_the_contract_a_sentence_and_advice(refusal: type[Refusal]) -> None:
    assert re.fullmatch(r"ONP(4\d\d|5\d\d)(_[A-Z0-9<>]+)*", refusal.code)
    assert refusal.message.endswith(".")
    assert refusal.advice.endswith(".")


def test_no_two_refusals_share_a_code() -> None:
    codes = [refusal.code for refusal in REFUSALS]
    assert sorted(set(codes)) == sorted(codes)


def test_every_code_is_explained_on_its_page(client: Client) -> None:
    page = client.get("/docs/errors").content.decode()
    for refusal in REFUSALS:
        for code in codes_of(refusal):
            assert f'id="{code}"' in page


def test_every_code_can_be_met_in_the_reference() -> None:
    published = {
        code
        for methods in document()["paths"].values()
        for op in methods.values()
        for answer in op["responses"].values()
        for code in answer.get("x-onpay-codes", [])
    }
    own = {code for refusal in REFUSALS for code in codes_of(refusal)}
    # Advances, blocks, teams and verification have no operation: people meet these on their pages (contract C25).
    of_pages = {
        "ONP409_PAYOUT_SCHEDULE", "ONP409_PAYOUT_SCHEDULE_STATE", "ONP409_PAYMENT_LINK_IN_USE",
        "ONP400_BULK_FILE", "ONP404_BULK_FILE", "ONP409_BULK_FILE_CHANGED", "ONP409_BULK_FILE_REVIEW",
        "ONP409_BULK_FILE_STATE",
        "ONP400_COMPANY_NAME", "ONP400_LOGO", "ONP400_DOCUMENT", "ONP400_HOLD", "ONP422_EVIDENCE", "ONP400_TERMS",
        "ONP400_WITHDRAWAL_IP", "ONP403_ADVANCE_DISABLED",
        "ONP403_KEY_RIGHTS", "ONP403_OWN_COMPANY", "ONP403_OWN_REQUEST", "ONP403_REFUND_DESTINATION",
        "ONP403_ROLE_RIGHTS", "ONP403_WAIT_STANDS", "ONP404_DOCUMENT", "ONP404_REQUEST",
        "ONP409_ADVANCE_STATE", "ONP409_COMPANY_MONEY", "ONP409_COMPANY_STATE", "ONP409_HOLD_STATE",
        "ONP409_LAST_OWNER", "ONP409_MONTH_STATE",
        "ONP409_MEMBER", "ONP409_PERSON_STATE", "ONP409_PROPOSAL", "ONP409_PROPOSAL_CHANGED",
        "ONP409_PROPOSED", "ONP400_PROVIDER_ACCOUNT", "ONP404_PROVIDER_ACCOUNT", "ONP404_PROVIDER_MESSAGE",
        "ONP409_PROVIDER_ACCOUNT_IN_USE", "ONP409_PROVIDER_ACCOUNT_NEEDED", "ONP409_PROVIDER_ACCOUNT_OWNER",
        "ONP409_PROVIDER_ACCOUNT_STATE", "ONP409_PROVIDER_ACCOUNT_WORKS", "ONP409_PROVIDER_UNCHECKED",
        "ONP422_PROVIDER_ROUTE",
        "ONP404_PAYOUT_BATCH", "ONP409_PAYOUT_BATCH_ACCOUNT", "ONP409_PAYOUT_BATCH_CHANGED",
        "ONP409_PAYOUT_BATCH_EMPTY", "ONP409_PAYOUT_BATCH_STATE", "ONP422_PAYOUT_BATCH_FILE",
        "ONP400_SETTLEMENT_REPORT", "ONP404_SETTLEMENT_DIFFERENCE", "ONP409_SETTLEMENT_ACCOUNT",
        "ONP409_SETTLEMENT_DIFFERENCE", "ONP409_SETTLEMENT_REPORT_KNOWN",
        "ONP404_SUSPENSE", "ONP409_SUSPENSE_ACCOUNT", "ONP409_SUSPENSE_NOT_RETURNABLE", "ONP409_SUSPENSE_PAYS",
        "ONP409_SUSPENSE_STATE", "ONP422_SUSPENSE_COMPANY", "ONP422_SUSPENSE_PAYMENT",
        "ONP409_BANK_REFERENCE", "ONP409_PAYMENT_OUTCOME", "ONP409_PAYMENT_OVER", "ONP422_BANK_REFERENCE",
        "ONP422_OTHER_AMOUNT_RECEIVED", "ONP409_RATE_GUARD", "ONP409_RECEIVABLE_STATE",
        "ONP400_BANK_FILE", "ONP404_BANK_ACCOUNT", "ONP404_BANK_FILE", "ONP404_BANK_LINE", "ONP409_BANK_FILE",
        "ONP409_BANK_FILE_KNOWN", "ONP409_BANK_LINE", "ONP422_BANK_ACCOUNT", "ONP422_BANK_LINE",
        "ONP409_STAFF_ROLES", "ONP409_TERMS",
        "ONP409_VERIFICATION_STATE", "ONP422_ADVANCE_AMOUNT_TOO_SMALL", "ONP422_DOCUMENTS", "ONP429_COMPANIES",
        "ONP429_INVITATIONS", "ONP400_WITHDRAWAL_RULES", "ONP403_WITHDRAWAL_RULES", "ONP409_WITHDRAWAL_RULES",
    }  # fmt: skip
    assert own - published == of_pages


def test_every_event_kind_is_in_the_reference() -> None:
    for kind in KINDS:
        assert f"`{kind}`" in document()["info"]["description"]


def test_every_setting_is_explained_to_operators() -> None:
    asked = set(
        re.findall(r'"(ONPAY_[A-Z_]+|DATABASE_URL|CELERY_BROKER_URL)"', (ROOT / "gateway/settings.py").read_text())
    )
    explained = set(re.findall(r"^#? ?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert asked <= explained
