"""A withdrawal that is accepted blocks its amount and its fee, and one that is refused moves nothing."""

from decimal import Decimal
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.withdrawals import (
    ARS,
    BRL,
    BTC,
    COP,
    FIAT,
    PIX,
    RAILS,
    SPEI,
    USDT,
    Rail,
    ask,
    blocks,
    body,
    change,
    decide,
    exact,
    fund,
    looked_up,
    nothing_moves,
    price,
    refusal,
    register,
    told,
    wallet,
    withdrawn,
)

SHOWN = {
    PIX: {"pixKeyType": "EMAIL", "destination": {"pixKey": "f***@lojaexemplo.com.br"}, "endToEndId": None},
    ARS: {},
    COP: {},
    BRL: {"endToEndId": None},
    SPEI: {"trackingKey": None},
}
FIRST = ["id", "rail", "status", "amount", "currency"]


@pytest.mark.parametrize("rail", FIAT, ids=" ".join)
def test_it_is_answered_whole_and_its_money_is_blocked(api: Api, acme: Shop, address: str, rail: Rail) -> None:
    register(acme, address)
    price(rail, fee_fixed=150, fee_percentage=Decimal("0.1"))
    fund(api, rail[1])
    asked = body(acme, rail)
    amount = Decimal(str(asked["amount"]))
    fee = (amount / 1000 + Decimal("1.50")).quantize(Decimal("0.01"))
    available, releasing, _ = wallet(api, acme, rail[1])

    answer = ask(api, acme, rail, reference=asked["reference"])

    assert (answer.status_code, answer.json()["onpayCode"]) == (201, "ONP201")
    assert answer.json()["onpayDescription"] == "Withdrawal accepted."
    data = exact(answer)
    assert list(data)[:5] == FIRST
    expected: dict[str, Any] = SHOWN[rail] | {
        "rail": rail[0],
        "status": "PROCESSING",
        "amount": amount,
        "currency": rail[1],
        "companyId": acme.company.id,
        "environment": "SANDBOX",
        "reference": asked["reference"],
        "fee": fee,
        "totalDebited": amount + fee,
        "completedAt": None,
    }
    assert {name: data[name] for name in expected} == expected
    assert data["createdAt"] == data["updatedAt"]
    assert "failure" not in data
    assert wallet(api, acme, rail[1]) == (available - amount - fee, releasing, amount + fee)
    assert blocks(api, acme) == [("WITHDRAWAL_PROCESSING", rail[1], amount + fee, data["id"])]
    assert told(acme) == []
    assert looked_up(api, data) == data


def test_the_members_of_the_spec_come_first(out: Api, acme: Shop) -> None:
    assert list(withdrawn(out, acme))[:7] == [*FIRST, "pixKeyType", "createdAt"]


@pytest.mark.parametrize("rail", RAILS, ids=" ".join)
def test_every_rail_has_its_example_accepted(api: Api, acme: Shop, address: str, rail: Rail) -> None:
    register(acme, address)
    currency = "BRL" if rail[0] == "CRYPTO" else rail[1]
    fund(api, currency)

    data = withdrawn(api, acme, rail)

    assert (data["rail"], data["status"], data["currency"]) == (rail[0], "PROCESSING", currency)
    assert [one["id"] for one in exact(api.get("/withdrawals"))] == [data["id"]]


def test_members_that_are_optional_may_be_left_out(api: Api, acme: Shop, address: str) -> None:
    register(acme, address)
    for currency in ("MXN", "ARS"):
        fund(api, currency)

    withdrawn(api, acme, SPEI, beneficiaryTaxId=None, concept=None, numericReference=None)
    withdrawn(api, acme, ARS, beneficiaryTaxId=None)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("rail", "member"),
    [
        *((rail, member) for rail in RAILS for member in ("companyId", "amount", "currency", "reference")),
        (PIX, "pixKey"),
        (PIX, "pixKeyType"),
        (SPEI, "clabe"),
        (SPEI, "beneficiaryName"),
        (ARS, "beneficiaryName"),
        (COP, "bankCode"),
        (COP, "accountType"),
        (COP, "accountNumber"),
        (COP, "beneficiaryName"),
        (COP, "documentType"),
        (COP, "documentNumber"),
        (USDT, "asset"),
        (USDT, "network"),
        (BTC, "address"),
    ],
)
def test_a_member_that_is_required_must_be_there(out: Api, acme: Shop, rail: Rail, member: str) -> None:
    with nothing_moves(acme):
        answer = ask(out, acme, rail, **{member: None})

    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == member
    assert {"field": member, "code": "REQUIRED"}.items() <= answer.json()["error"]["fields"][0].items()


@pytest.mark.a_third_a_day
@pytest.mark.parametrize(
    ("rail", "members", "code"),
    [
        (PIX, {"amount": "500.00"}, "ONP400_AMOUNT"),
        (PIX, {"amount": True}, "ONP400_AMOUNT"),
        (PIX, {"amount": 0}, "ONP400_AMOUNT"),
        (PIX, {"amount": -1}, "ONP400_AMOUNT"),
        (PIX, {"amount": 1.001}, "ONP400_AMOUNT"),
        (COP, {"amount": 5000.001}, "ONP400_AMOUNT"),
        (PIX, {"currency": "MXN"}, "ONP400_CURRENCY"),
        (SPEI, {"currency": "BRL"}, "ONP400_CURRENCY"),
        (ARS, {"currency": "MXN"}, "ONP400_CURRENCY"),
        (USDT, {"currency": "USD"}, "ONP400_CURRENCY"),
        (PIX, {"currency": "brl"}, "ONP400_CURRENCY"),
        (PIX, {"reference": ""}, "ONP400_REFERENCE"),
        (PIX, {"reference": "x" * 129}, "ONP400_REFERENCE"),
        (PIX, {"reference": "a\nb"}, "ONP400_REFERENCE"),
        (PIX, {"reference": 7}, "ONP400_REFERENCE"),
    ],
)
def test_amount_currency_and_reference_have_codes_of_their_own(
    out: Api, acme: Shop, rail: Rail, members: dict[str, Any], code: str
) -> None:
    with nothing_moves(acme):
        answer = ask(out, acme, rail, **members)

    assert refusal(answer) == (400, code)
    assert answer.json()["error"]["field"] == next(iter(members))


def test_a_reference_is_trimmed_and_as_long_as_128(out: Api, acme: Shop) -> None:
    assert withdrawn(out, acme, reference=" r-1 ")["reference"] == "r-1"
    assert withdrawn(out, acme, reference="x" * 128)["reference"] == "x" * 128


def test_wallets_of_other_currencies_do_not_help(out: Api, acme: Shop) -> None:
    with nothing_moves(acme):
        answer = ask(out, acme, SPEI, amount=10)

    assert refusal(answer) == (422, "ONP422_INSUFFICIENT_BALANCE")


def test_another_company_has_no_withdrawal_of_ours(out: Api, acme: Shop, globex: Shop, address: str) -> None:
    register(globex, address)
    a_payment(globex.sandbox, "PAID", "10000.00")
    theirs = Api(globex.sandbox_key, address)
    ours = withdrawn(out, acme, reference="payroll")

    with nothing_moves(acme):
        assert refusal(theirs.get(f"/withdrawals/{ours['id']}")) == (404, "ONP404_WITHDRAWAL")
        assert theirs.get("/withdrawals").json()["data"] == []
        assert refusal(decide(theirs, ours, "FAILED")) == (404, "ONP404_WITHDRAWAL")
        assert refusal(ask(theirs, globex, companyId=acme.company.id)) == (403, "ONP403_COMPANY")
    assert withdrawn(theirs, globex, reference="payroll")["reference"] == "payroll"


@pytest.mark.parametrize("company_id", ["cmp_01KAGTW3Q8XJ5V0N2B7R4C9CMP", "cmp_x", "acme"])
def test_the_company_is_the_one_of_the_key(out: Api, acme: Shop, company_id: str) -> None:
    with nothing_moves(acme):
        assert refusal(ask(out, acme, companyId=company_id)) == (403, "ONP403_COMPANY")


def test_who_may_not_withdraw_keeps_the_money(out: Api, acme: Shop) -> None:
    change(acme, withdrawal_enabled=False)

    with nothing_moves(acme):
        assert refusal(ask(out, acme)) == (403, "ONP403_WITHDRAWAL_DISABLED")


def test_a_rail_that_is_off_pays_nothing_out(out: Api, acme: Shop) -> None:
    price(PIX, enabled=False)

    with nothing_moves(acme):
        assert refusal(ask(out, acme)) == (403, "ONP403_WITHDRAWAL_DISABLED")
    withdrawn(out, acme, USDT)


@pytest.mark.parametrize("status", ["SUSPENDED", "CLOSED"])
def test_a_company_that_is_not_active_withdraws_nothing(out: Api, acme: Shop, status: str) -> None:
    type(acme.company).objects.filter(pk=acme.company.pk).update(status=status)

    with nothing_moves(acme):
        assert refusal(ask(out, acme)) == (403, "ONP403_COMPANY_STATUS")
