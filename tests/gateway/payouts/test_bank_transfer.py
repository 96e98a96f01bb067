"""Accounts in Argentina, Colombia and Brazil, which share a rail and few of their members."""

import json
from typing import Any

import pytest

from accounts.base.sealing import unseal
from accounts.models import Merchant
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.rows import rows
from tests.support.withdrawals import (
    ARS,
    BRL,
    COP,
    Rail,
    ask,
    fields,
    fund,
    nothing_moves,
    register,
    withdrawn,
)

CBU = "2850590940090418135201"
CVU = "0000999100000000001232"
NO_ACCOUNT = {"cbu": None, "cvu": None, "alias": None}


@pytest.fixture
def bank(api: Api, acme: Shop, address: str) -> Api:
    """The backend of acme, with pesos of both kinds and reais."""
    register(acme, address)
    for currency in ("ARS", "COP", "BRL"):
        fund(api, currency)
    return api


def taken(api: Api, shop: Shop, rail: Rail, **members: Any) -> dict[str, Any]:
    return dict(withdrawn(api, shop, rail, amount=4_000, **members)["destination"])


def refused(api: Api, shop: Shop, rail: Rail, **members: Any) -> tuple[str, dict[str, str]]:
    with nothing_moves(shop):
        answer = ask(api, shop, rail, amount=4_000, **members)
    assert answer.status_code == 400, answer.content
    return answer.json()["onpayCode"], fields(answer)


@rows(
    ("member", "value"),
    [
        ("cbu", CBU),
        ("cvu", CVU),
        ("alias", "ana.gomez-mp"),
        ("alias", "abcdef"),
        ("alias", "a" * 20),
        ("alias", "ANA.GOMEZ.9"),
    ],
)
def test_an_argentine_account_is_one_of_three_things(bank: Api, acme: Shop, member: str, value: str) -> None:
    shown = taken(bank, acme, ARS, **NO_ACCOUNT | {member: value})

    assert value not in str(shown)
    assert len([one for one, other in zip(shown[member], value, strict=False) if one == other]) <= 4


@rows(
    ("member", "value"),
    [
        ("cbu", CBU[:-1]),
        ("cbu", CBU + "0"),
        ("cbu", CBU[:-1] + "2"),
        ("cbu", CBU[:7] + "5" + CBU[8:]),
        ("cbu", "28505909 40090418135201"),
        ("cbu", CVU),
        ("cbu", 2850590940090418135201),
        ("cbu", ""),
        ("cvu", CVU[:-1] + "3"),
        ("cvu", CVU[:-1]),
        ("cvu", CBU),
        ("cvu", ""),
        ("alias", "abcde"),
        ("alias", "a" * 21),
        ("alias", "ana gomez"),
        ("alias", "ana_gomez"),
        ("alias", "ana.gómez"),
        ("alias", "ana.gomez\n"),
        ("alias", ""),
        ("alias", CBU),
    ],
)
def test_an_argentine_account_has_a_form(bank: Api, acme: Shop, member: str, value: Any) -> None:
    code, faults = refused(bank, acme, ARS, **NO_ACCOUNT | {member: value})

    assert (code, list(faults)) == ("ONP400_BANK_ACCOUNT", [member])


@rows(
    "accounts",
    [
        {},
        {"cbu": CBU, "cvu": CVU},
        {"cbu": CBU, "alias": "ana.gomez"},
        {"cvu": CVU, "alias": "ana.gomez"},
        {"cbu": CBU, "cvu": CVU, "alias": "ana.gomez"},
    ],
)
def test_exactly_one_argentine_account_is_named(bank: Api, acme: Shop, accounts: dict[str, str]) -> None:
    assert refused(bank, acme, ARS, **NO_ACCOUNT | accounts)[0] == "ONP400_BANK_ACCOUNT"


@rows("tax_id", ["20123456786", "30500010912"])
def test_a_cuit_of_the_beneficiary_is_taken(bank: Api, acme: Shop, tax_id: str) -> None:
    taken(bank, acme, ARS, beneficiaryTaxId=tax_id)


@rows("tax_id", ["2012345678", "201234567866", "2012345678A", ""])
def test_a_beneficiary_of_no_such_number_is_refused(bank: Api, acme: Shop, tax_id: str) -> None:
    assert list(refused(bank, acme, ARS, beneficiaryTaxId=tax_id)[1]) == ["beneficiaryTaxId"]


def test_documents_may_be_invented_in_the_sandbox_only(bank: Api, acme: Shop, address: str) -> None:
    Merchant.objects.filter(pk=acme.production.pk).update(withdrawal_enabled=True)
    production = Api(acme.production_key, address)

    with nothing_moves(acme):
        wrong = ask(production, acme, ARS, beneficiaryTaxId="20123456787")
        right = ask(production, acme, ARS, beneficiaryTaxId="20123456786")

    assert (wrong.status_code, list(fields(wrong))) == (400, ["beneficiaryTaxId"])
    assert right.status_code != 400
    taken(bank, acme, ARS, beneficiaryTaxId="20123456787")


@rows(("code", "same"), [("1007", "007"), ("1051", "051"), ("1507", "507"), ("1001", "001")])
def test_a_bank_is_known_with_and_without_the_leading_one(bank: Api, acme: Shop, code: str, same: str) -> None:
    long, short = (taken(bank, acme, COP, bankCode=one) for one in (code, same))

    assert long == short
    assert short["bankCode"] == same


@rows(("code", "name"), [("007", "Bancolombia"), ("051", "Davivienda"), ("507", "Nequi")])
def test_a_bank_is_named(bank: Api, acme: Shop, code: str, name: str) -> None:
    assert name.upper() in str(taken(bank, acme, COP, bankCode=code)["bankName"]).upper()


@rows("code", ["7", "07", "0007", "2007", "998", "10007", "abc", "", 7, "٠٠٧"])
def test_a_bank_that_is_not_in_the_catalogue_is_refused(bank: Api, acme: Shop, code: Any) -> None:
    code, faults = refused(bank, acme, COP, bankCode=code)

    assert (code, list(faults)) == ("ONP400_BANK_ACCOUNT", ["bankCode"])


@rows("kind", ["SAVINGS", "CHECKING", "ELECTRONIC_DEPOSIT"])
@rows("number", ["123456", "12345678901234567890", "000001"])
def test_a_colombian_account_is_taken(bank: Api, acme: Shop, kind: str, number: str) -> None:
    shown = taken(bank, acme, COP, accountType=kind, accountNumber=number)

    shown_digits = 4 if len(number) > 8 else 2  # never half of it
    assert shown["accountNumber"] == "*" * (len(number) - shown_digits) + number[-shown_digits:]


@rows(
    ("member", "value"),
    [
        ("accountType", "savings"),
        ("accountType", "OTHER"),
        ("accountType", "PAYMENT"),
        ("accountNumber", "12345"),
        ("accountNumber", "1" * 21),
        ("accountNumber", "123-456-78"),
        ("accountNumber", "12345678a"),
        ("accountNumber", 12345678901),
        ("documentType", "DNI"),
        ("documentType", "CPF"),
        ("documentType", "cc"),
        ("documentNumber", ""),
        ("documentNumber", "abc!"),
    ],
)
def test_a_colombian_account_has_a_form(bank: Api, acme: Shop, member: str, value: Any) -> None:
    code, faults = refused(bank, acme, COP, **{member: value})

    assert (code, list(faults)) == ("ONP400_BANK_ACCOUNT", [member])


@rows(
    ("kind", "number"),
    [
        ("CC", "1018760936"),
        ("CE", "123456"),
        ("NIT", "9014586527"),
        ("NIT", "8001972684"),
        ("TI", "1018760936"),
        ("PPT", "1234567"),
        ("PASSPORT", "AB123456"),
    ],
)
def test_every_document_of_a_colombian_is_taken(bank: Api, acme: Shop, kind: str, number: str) -> None:
    shown = taken(bank, acme, COP, documentType=kind, documentNumber=number)

    assert number not in str(shown)


@rows(
    ("rail", "member", "value"),
    [
        (ARS, "bankCode", "007"),
        (ARS, "accountType", "SAVINGS"),
        (ARS, "accountNumber", "12345678901"),
        (ARS, "documentType", "CC"),
        (ARS, "documentNumber", "1018760936"),
        (COP, "cbu", CBU),
        (COP, "cvu", CVU),
        (COP, "alias", "ana.gomez"),
        (COP, "beneficiaryTaxId", "20123456786"),
        (COP, "branch", "0932"),
        (BRL, "documentNumber", "1018760936"),
        (BRL, "cbu", CBU),
    ],
)
def test_a_member_of_the_other_currency_is_not_allowed(
    bank: Api, acme: Shop, rail: Rail, member: str, value: str
) -> None:
    code, faults = refused(bank, acme, rail, **{member: value})

    assert (code, faults) == ("ONP400_BANK_ACCOUNT", {member: "NOT_ALLOWED"})


@rows(
    ("sent", "name", "branch"),
    [
        ({}, "Itaú", "0932"),
        ({"bankCode": "60701190", "branch": "932"}, "Itaú", "0932"),
        ({"bankCode": "00000000", "branch": "3066-x", "accountType": "SAVINGS"}, "Banco do Brasil", "3066-X"),
        ({"bankCode": "999", "accountType": "PAYMENT"}, None, "0932"),
        ({"beneficiaryTaxId": "12ABC34501DE35"}, "Itaú", "0932"),
    ],
)
def test_a_brazilian_account_is_taken_and_masked(
    bank: Api, acme: Shop, sent: dict[str, str], name: str | None, branch: str
) -> None:
    shown = taken(bank, acme, BRL, **sent)

    assert (shown["bankName"], shown["branch"]) == (name, branch)
    assert "12345-6" not in str(shown)
    assert "52998224725" not in str(shown)


def test_an_account_is_the_same_with_and_without_its_hyphen(bank: Api, acme: Shop) -> None:
    for number in ("12345-x", "12345X"):
        taken(bank, acme, BRL, accountNumber=number)

    sealed = [json.loads(unseal(bytes(one.sealed_destination))) for one in Withdrawal.objects.all()]
    assert [one["accountNumber"] for one in sealed] == ["12345-X", "12345-X"]


@rows(
    ("member", "value"),
    [
        ("bankCode", "000"),
        ("bankCode", "34"),
        ("bankCode", "3411"),
        ("bankCode", 341),
        ("branch", "0000"),
        ("branch", "12345"),
        ("branch", "0932-12"),
        ("branch", ""),
        ("accountNumber", "0000-0"),
        ("accountNumber", "1"),
        ("accountNumber", "12345678901234"),
        ("accountNumber", "12.345-6"),
        ("accountType", "ELECTRONIC_DEPOSIT"),
        ("beneficiaryTaxId", "5299822472"),
        ("beneficiaryTaxId", None),
    ],
)
def test_a_brazilian_account_has_a_form(bank: Api, acme: Shop, member: str, value: Any) -> None:
    code, faults = refused(bank, acme, BRL, **{member: value})

    assert (code, list(faults)) == ("ONP400_BANK_ACCOUNT", [member])
