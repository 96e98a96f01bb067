"""`dryRun=true` says of a withdrawal what would become of it, gate by gate, and does nothing."""

import json
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from accounts.models import Company, Merchant, RefusedOrigin
from accounts.services import issue_key
from gateway.payouts.models import PayoutRule
from gateway.requests.models import IdempotencyKey
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.withdrawals import (
    GATES,
    PIX,
    RAILS,
    SPEI,
    USDT,
    Rail,
    ask,
    body,
    change,
    fund,
    nothing_moves,
    price,
    refusal,
    register,
    rehearsed,
    send,
    withdrawn,
)

ELSEWHERE = "203.0.113.77"


def failing(data: dict[str, Any]) -> dict[str, str]:
    """The gates that do not hold, and their codes."""
    return {gate["gate"]: gate["code"] for gate in data["gates"] if gate["holds"] is False}


def unknown(data: dict[str, Any]) -> set[str]:
    return {gate["gate"] for gate in data["gates"] if gate["holds"] is None}


def keyless(api: Api, path: str, content: Any) -> Any:
    """A POST without an idempotency key."""
    return api.request("POST", path, data=json.dumps(content).encode(), content_type="application/json")


@pytest.mark.parametrize("rail", RAILS, ids=" ".join)
def test_every_gate_holds_for_a_good_withdrawal(api: Api, acme: Shop, address: str, rail: Rail) -> None:
    register(acme, address)
    fund(api, "BRL" if rail[0] == "CRYPTO" else rail[1])

    data = rehearsed(api, acme, rail)

    assert data["wouldBeAccepted"] is True
    assert [gate["gate"] for gate in data["gates"]] == list(GATES)
    assert all(
        gate == {"gate": gate["gate"], "holds": True, "code": None, "message": None, "field": None, "fields": []}
        for gate in data["gates"]
    )
    assert (data["origin"], data["registeredIp"]) == (address, address)


@pytest.mark.parametrize("rail", RAILS, ids=" ".join)
def test_the_figures_are_those_of_the_withdrawal(api: Api, acme: Shop, address: str, rail: Rail) -> None:
    register(acme, address)
    fund(api, "BRL" if rail[0] == "CRYPTO" else rail[1])
    price(rail, fee_percentage=Decimal("0.25"))

    before = rehearsed(api, acme, rail)
    made = withdrawn(api, acme, rail)

    assert before["fee"] == made["fee"] > 0
    assert before["totalDebited"] == made["totalDebited"] == made["amount"] + made["fee"]
    assert before["assetAmount"] == made.get("assetAmount")
    assert before["appliedRate"] == made.get("appliedRate")


def test_it_needs_no_idempotency_key_and_binds_none(out: Api, acme: Shop) -> None:
    asked, key = body(acme), str(uuid.uuid4())

    answer = keyless(out, "/withdrawals/pix?dryRun=true", asked)
    assert send(out, PIX, asked, dry=True, key=key).status_code == 200
    assert send(out, PIX, asked | {"amount": 1}, dry=True, key=key).status_code == 200
    real = send(out, PIX, asked, key=key)

    assert (answer.status_code, answer.json()["onpayCode"]) == (200, "ONP200")
    assert real.status_code == 201
    assert "Idempotent-Replayed" not in real


@pytest.mark.parametrize("rail", RAILS, ids=" ".join)
def test_it_writes_nothing(api: Api, acme: Shop, address: str, rail: Rail) -> None:
    register(acme, address)
    fund(api, "BRL" if rail[0] == "CRYPTO" else rail[1])
    kept = IdempotencyKey.objects.count()

    with nothing_moves(acme):
        rehearsed(api, acme, rail)
        rehearsed(api, acme, rail, amount=905)
        rehearsed(api, acme, rail, amount=0)

    assert IdempotencyKey.objects.count() == kept
    assert not RefusedOrigin.objects.exists()


def test_false_is_a_withdrawal(out: Api, acme: Shop) -> None:
    answer = out.post("/withdrawals/pix?dryRun=false", body(acme))

    assert answer.status_code == 201
    assert refusal(keyless(out, "/withdrawals/pix?dryRun=false", body(acme)))[1] == "ONP400_IDEMPOTENCY_KEY_MISSING"


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("path", ["pix", "spei", "bank-transfer", "crypto"])
@pytest.mark.parametrize(
    "query",
    [
        "dryRun=True",
        "dryRun=1",
        "dryRun=",
        "dryRun",
        "dryRun=yes",
        "dryRun=true ",
        "dryRun=true&dryRun=true",
        "dryRun=false&dryRun=true",
        "dryrun=true",
        "dry_run=true",
        "dryRun=true&x=1",
        "x=1",
        "dryRun[]=true",
    ],
)
def test_a_rehearsal_that_is_misspelt_is_never_real(out: Api, acme: Shop, path: str, query: str) -> None:
    with nothing_moves(acme):
        answer = out.post(f"/withdrawals/{path}?{query}", body(acme))

    assert refusal(answer) == (400, "ONP400_VALIDATION")


ALONE: dict[str, tuple[Callable[[Shop], Any], dict[str, Any], str]] = {
    "REGISTERED_IP": (lambda shop: register(shop, ELSEWHERE), {}, "ONP403_IP"),
    "COMPANY_ACTIVE": (
        lambda shop: Company.objects.filter(pk=shop.company.pk).update(status="SUSPENDED"),
        {},
        "ONP403_COMPANY_STATUS",
    ),
    "WITHDRAWAL_ENABLED": (lambda shop: change(shop, withdrawal_enabled=False), {}, "ONP403_WITHDRAWAL_DISABLED"),
    "BODY": (lambda shop: None, {"pixKey": "nobody"}, "ONP400_PIX_KEY"),
    "OWN_COMPANY": (lambda shop: None, {"companyId": "cmp_01KAGTW3Q8XJ5V0N2B7R4C9CMP"}, "ONP403_COMPANY"),
    "RAIL": (lambda shop: price(PIX, enabled=False), {}, "ONP403_WITHDRAWAL_DISABLED"),
    "LIMITS": (lambda shop: None, {"amount": 0.99}, "ONP422_WITHDRAWAL_AMOUNT_TOO_SMALL"),
    "REFERENCE": (lambda shop: None, {"reference": "taken"}, "ONP409_DUPLICATE_REFERENCE"),
    "BALANCE": (lambda shop: None, {"amount": 9900}, "ONP422_INSUFFICIENT_BALANCE"),
}


@pytest.mark.parametrize("gate", ALONE)
def test_a_gate_that_does_not_hold_says_why(out: Api, acme: Shop, gate: str) -> None:
    withdrawn(out, acme, reference="taken", amount=1)
    arrange, members, code = ALONE[gate]
    arrange(acme)

    data = rehearsed(out, acme, **members)

    assert (data["wouldBeAccepted"], failing(data)) == (False, {gate: code})
    told = {one["gate"]: one for one in data["gates"]}[gate]
    assert told["message"]
    assert [one["gate"] for one in data["gates"]] == list(GATES)


def test_a_key_without_the_permission_learns_nothing_of_the_balance(out: Api, acme: Shop) -> None:
    reader = Api(issue_key(acme.sandbox, ["withdrawals:read"], "reader")[1], out.http.defaults["REMOTE_ADDR"])

    rich, poor = (rehearsed(reader, acme, amount=amount) for amount in (1, 50_000))

    for data in (rich, poor):
        assert failing(data) == {"PERMISSION": "ONP403"}
        assert data["wouldBeAccepted"] is False
        assert "BALANCE" in unknown(data)
    assert [gate["holds"] for gate in rich["gates"]] == [gate["holds"] for gate in poor["gates"]]


def test_a_rate_that_is_worse_than_asked_for_is_the_only_thing_told(out: Api, acme: Shop) -> None:
    data = rehearsed(out, acme, USDT, minimumAssetAmount=178.65)

    assert (data["wouldBeAccepted"], list(failing(data).values())) == (False, ["ONP409_RATE_CHANGED"])
    assert (data["assetAmount"], data["appliedRate"]) == (Decimal("178.649"), Decimal("0.180649"))


SOMEBODYS_ADDRESS = "TLREhWag293Tbbyh2HCAK11KqYxWdCWKH5"


def test_the_contract_of_the_asset_is_nobodys_address_in_production(acme: Shop, address: str) -> None:
    register(acme, address)

    data = rehearsed(Api(acme.production_key, address), acme, USDT)

    assert failing(data)["BODY"] == "ONP400_CRYPTO_ADDRESS"


@pytest.mark.parametrize("rail", [PIX, USDT], ids=" ".join)
def test_where_nobody_pays_out_the_rehearsal_says_so_too(acme: Shop, address: str, rail: Rail) -> None:
    """Production has no party for it yet."""
    register(acme, address)
    Merchant.objects.filter(pk=acme.production.pk).update(withdrawal_enabled=True)
    PayoutRule.objects.filter(environment="PRODUCTION").update(enabled=True)
    production = Api(acme.production_key, address)

    members = {"address": SOMEBODYS_ADDRESS} if rail == USDT else {}

    data = rehearsed(production, acme, rail, **members)

    assert (data["wouldBeAccepted"], failing(data)) == (
        False,
        {"RAIL": "ONP403_WITHDRAWAL_NOT_CONNECTED"},
    )
    with nothing_moves(acme):
        assert refusal(ask(production, acme, rail, **members)) == (403, "ONP403_WITHDRAWAL_NOT_CONNECTED")


def test_all_that_is_wrong_is_told_at_once(out: Api, acme: Shop) -> None:
    withdrawn(out, acme, reference="taken", amount=1)
    register(acme, ELSEWHERE)
    Company.objects.filter(pk=acme.company.pk).update(status="SUSPENDED")
    change(acme, withdrawal_enabled=False)

    data = rehearsed(out, acme, companyId="cmp_x", reference="taken", amount=200_000)

    assert failing(data) == {
        "REGISTERED_IP": "ONP403_IP",
        "COMPANY_ACTIVE": "ONP403_COMPANY_STATUS",
        "WITHDRAWAL_ENABLED": "ONP403_WITHDRAWAL_DISABLED",
        "OWN_COMPANY": "ONP403_COMPANY",
        "LIMITS": "ONP422_WITHDRAWAL_AMOUNT_TOO_LARGE",
        "BALANCE": "ONP422_INSUFFICIENT_BALANCE",
    }
    assert {gate["gate"]: gate["holds"] for gate in data["gates"]}["REFERENCE"] is None  # not told to strangers
    assert (data["origin"], data["registeredIp"]) == (out.http.defaults["REMOTE_ADDR"], ELSEWHERE)


def test_every_fault_of_a_body_is_told(out: Api, acme: Shop) -> None:
    data = rehearsed(out, acme, SPEI, clabe="1", beneficiaryName=None, concept="x" * 41, amount=-1)

    gate = {one["gate"]: one for one in data["gates"]}["BODY"]
    assert {one["field"] for one in gate["fields"]} == {"clabe", "beneficiaryName", "concept", "amount"}
    assert "BALANCE" in unknown(data)


def test_it_does_not_tell_the_destination(out: Api, acme: Shop) -> None:
    for members in ({}, {"pixKey": "wrong@@lojaexemplo.com.br"}):
        answer = send(out, PIX, body(acme, **members), dry=True)
        assert b"lojaexemplo" not in answer.content


def test_a_magic_amount_does_not_make_a_rehearsal_fail(out: Api, acme: Shop) -> None:
    for amount in (901, 902, 903, 904, 905, 906):
        assert rehearsed(out, acme, amount=amount)["wouldBeAccepted"] is True
    assert ask(out, acme, amount=905).status_code == 503


def test_content_that_is_no_json_is_told_as_ever(out: Api, acme: Shop) -> None:
    with nothing_moves(acme):
        answer = out.post("/withdrawals/pix?dryRun=true", raw=b"{")

    assert answer.status_code == 400
    assert answer.json()["onpayCode"] == "ONP400_MALFORMED_JSON"


def test_without_a_good_key_there_is_no_rehearsal(acme: Shop, address: str) -> None:
    assert refusal(send(Api("onp_sandbox_" + "a" * 43, address), PIX, body(acme), dry=True)) == (401, "ONP401")
