"""What a company is told about itself, and what it owns."""

from typing import Any

import pytest

from tests.support.api import Api, used
from tests.support.companies import Shop
from tests.support.payments import a_payment

EMPTY = {"available": 0, "releasing": 0, "blocked": 0, "total": 0}


def balance(api: Api, shop: Shop, **query: Any) -> dict[str, Any]:
    data: dict[str, Any] = api.get(f"/companies/{shop.company.id}/balance", **query).json()["data"]
    return data


def test_a_company_is_told_what_it_is(api: Api, acme: Shop) -> None:
    data = api.get(f"/companies/{acme.company.id}").json()["data"]

    assert set(data) == {
        "id",
        "environment",
        "legalName",
        "tradeName",
        "taxId",
        "taxIdType",
        "country",
        "email",
        "phone",
        "status",
        "verifiedAt",
        "enabledMethods",
        "withdrawalEnabled",
        "withdrawalIp",
        "conversionEnabled",
        "advanceEnabled",
        "cardIntegrationMode",
        "cardSettlementCurrency",
        "createdAt",
        "updatedAt",
    }
    assert (data["id"], data["environment"]) == (acme.company.id, "SANDBOX")
    assert (data["legalName"], data["tradeName"]) == ("Acme LTDA", "Acme")
    assert (data["taxId"], data["taxIdType"], data["country"]) == ("11222333000181", "CNPJ", "BR")
    assert (data["status"], data["withdrawalIp"], data["cardSettlementCurrency"]) == ("ACTIVE", None, "BRL")
    assert data["verifiedAt"] is not None
    assert {"method": "PIX", "currency": "BRL"} in data["enabledMethods"]


def test_a_company_is_told_what_it_is_in_production(api: Api, acme: Shop) -> None:
    api.key = acme.production_key

    data = api.get("/companies/me").json()["data"]

    assert (data["id"], data["environment"]) == (acme.company.id, "PRODUCTION")
    assert data == api.get(f"/companies/{acme.company.id}").json()["data"]
    assert api.get("/companies/me/balance").json()["data"]["companyId"] == acme.company.id


@pytest.mark.parametrize("path", ["/companies/{id}", "/companies/{id}/balance"])
def test_another_company_is_as_unknown_as_none(api: Api, globex: Shop, path: str) -> None:
    answers = []
    for one in (globex.company.id, "cmp_01KAGTW3Q8XJ5V0N2B7R4C9CMP", "cmp_", "x"):
        answer = api.get(path.format(id=one))
        assert answer.status_code == 404
        answers.append(answer.content.replace(answer["RequestId"].encode(), b""))

    assert len(set(answers)) == 1
    assert b"ONP404_COMPANY" in answers[0]


def test_a_company_without_payments_owns_nothing(api: Api, acme: Shop) -> None:
    data = balance(api, acme)

    assert set(data) == {"companyId", "balances", "wallets", "updatedAt"}
    assert data["companyId"] == acme.company.id
    assert all(item.items() >= EMPTY.items() for item in data["balances"] + data["wallets"])


def test_a_wallet_holds_money_from_its_first_payment(api: Api, acme: Shop) -> None:
    before = balance(api, acme)
    assert (used(before["wallets"]), used(before["balances"])) == ([], [])

    a_payment(acme.sandbox, "PAID")

    assert [wallet["method"] for wallet in used(balance(api, acme)["wallets"])] == ["PIX"]


def test_paid_payments_are_in_the_balance_without_their_fees(api: Api, acme: Shop) -> None:
    for amount, status in (("150.00", "PAID"), ("100.00", "PAID"), ("70.00", "FAILED"), ("30.00", "PENDING")):
        a_payment(acme.sandbox, status, amount)

    data = balance(api, acme, currency="BRL")

    owned = {"available": 247.50, "releasing": 0, "blocked": 0, "total": 247.50}
    assert data["wallets"] == [{"method": "PIX", "currency": "BRL"} | owned]
    assert data["balances"] == [{"currency": "BRL"} | owned]


def test_the_balance_was_changed_when_the_last_payment_was_paid(api: Api, acme: Shop) -> None:
    paid = a_payment(acme.sandbox, "PAID")
    a_payment(acme.sandbox)

    assert balance(api, acme)["updatedAt"] == api.get(f"/payments/{paid.id}").json()["data"]["paidAt"]


@pytest.mark.parametrize(
    ("currency", "method"), [("MXN", "SPEI"), ("EUR", "MB_WAY"), ("COP", "BANK_TRANSFER"), ("ARS", "BANK_TRANSFER")]
)
def test_a_currency_without_a_payment_gives_zeros(api: Api, acme: Shop, currency: str, method: str) -> None:
    a_payment(acme.sandbox, "PAID")

    data = balance(api, acme, currency=currency)

    assert data["wallets"] == [{"method": method, "currency": currency} | EMPTY]
    assert data["balances"] == [{"currency": currency} | EMPTY]


@pytest.mark.parametrize("currency", ["USD", "brl", "XXX", "", " ", "BRL,MXN", "BRL ", "BRL\x00", "ALL", "986"])
def test_a_currency_that_has_no_balances_is_refused(api: Api, acme: Shop, currency: str) -> None:
    answer = api.get(f"/companies/{acme.company.id}/balance", currency=currency)

    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["code"], error["field"]) == ("ONP400_CURRENCY", "currency")


def test_sandbox_money_is_not_in_production(api: Api, acme: Shop) -> None:
    a_payment(acme.sandbox, "PAID")
    api.key = acme.production_key

    data = balance(api, acme)

    assert [item["total"] for item in data["balances"] + data["wallets"] if item["total"]] == []


def test_money_of_another_company_is_not_in_the_balance(api: Api, acme: Shop, globex: Shop) -> None:
    a_payment(globex.sandbox, "PAID")

    data = balance(api, acme)

    assert [item["total"] for item in data["balances"] + data["wallets"] if item["total"]] == []
