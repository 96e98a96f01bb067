"""Which PIX keys and bank accounts money can be sent to, and what is shown of them."""

import json
import random
import uuid
from typing import Any

import pytest
from stdnum.ar import cbu as cbu_number
from stdnum.br import cnpj as cnpj_number
from stdnum.br import cpf as cpf_number

from accounts.base.sealing import unseal
from gateway.withdrawals.models import Withdrawal
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.rows import rows
from tests.support.withdrawals import (
    ARS,
    COP,
    PIX,
    SPEI,
    Rail,
    ask,
    fields,
    fund,
    nothing_moves,
    register,
    withdrawn,
)

CLABES = ("032180000118359719", "646180110400000007", "999180000000001234")
CBU = "2850590940090418135201"
CVU = "0000999100000000001232"
EVP = "123e4567-e89b-42d3-a456-426614174000"


@pytest.fixture
def rich(api: Api, acme: Shop, address: str) -> Api:
    """The backend of acme, with money in every wallet that has a bank rail."""
    register(acme, address)
    for currency in ("BRL", "MXN", "ARS", "COP"):
        fund(api, currency)
    return api


def taken(api: Api, shop: Shop, rail: Rail, **members: Any) -> dict[str, Any]:
    """What is shown of a destination that is good."""
    return dict(withdrawn(api, shop, rail, amount=4_000, **members)["destination"])


def refused(api: Api, shop: Shop, rail: Rail, **members: Any) -> tuple[str, dict[str, str]]:
    """The code and the members at fault of a destination that is not."""
    with nothing_moves(shop):
        answer = ask(api, shop, rail, amount=4_000, **members)
    assert answer.status_code == 400, answer.content
    return answer.json()["onpayCode"], fields(answer)


def one_digit_off(number: str) -> list[str]:
    """Every number that differs in one digit."""
    return [number[:at] + str((int(one) + 1) % 10) + number[at + 1 :] for at, one in enumerate(number)]


@rows(
    ("kind", "key", "shown"),
    [
        ("CPF", "52998224725", "***982247**"),
        ("CPF", "12345678909", "***456789**"),
        ("CNPJ", "11222333000181", None),
        ("CNPJ", "12ABC34501DE35", None),
        ("EMAIL", "financeiro@lojaexemplo.com.br", "f***@lojaexemplo.com.br"),
        ("EMAIL", "a@b.co", "a***@b.co"),
        ("EMAIL", "a" * 60 + "@" + "b" * 12 + ".com", "a***@" + "b" * 12 + ".com"),
        ("EMAIL", "first.last+tag@sub.example.org", "f***@sub.example.org"),
        ("PHONE", "+5511999998888", None),
        ("PHONE", "+551133334444", None),
        ("EVP", EVP, None),
        ("EVP", str(uuid.UUID(int=2**127)), None),
    ],
)
def test_a_pix_key_of_its_type_is_taken(rich: Api, acme: Shop, kind: str, key: str, shown: str | None) -> None:
    data = withdrawn(rich, acme, pixKey=key, pixKeyType=kind)

    assert data["pixKeyType"] == kind
    assert set(data["destination"]) == {"pixKey"}
    assert key not in str(data)
    if shown is not None:
        assert data["destination"]["pixKey"] == shown
    else:
        assert data["destination"]["pixKey"].endswith(key[-4:])


@rows(
    ("kind", "key"),
    [
        ("CPF", "11111111111"),
        ("CPF", "52998224724"),
        ("CPF", "5299822472"),
        ("CPF", "529982247255"),
        ("CPF", "529.982.247-24"),
        ("CPF", "5299822472a"),
        ("CPF", "٥٢٩٩٨٢٢٤٧٢٥"),
        ("CPF", "11222333000181"),
        ("CPF", "+5511999998888"),
        ("CNPJ", "11222333000180"),
        ("CNPJ", "00000000000000"),
        ("CNPJ", "11.222.333/0001-80"),
        ("CNPJ", "12ABC34501DE34"),
        ("CNPJ", "12ABC34501DEAB"),
        ("CNPJ", "52998224725"),
        ("EMAIL", "nobody"),
        ("EMAIL", "a@b"),
        ("EMAIL", "@example.com"),
        ("EMAIL", "a b@example.com"),
        ("EMAIL", "a@example.com\n"),
        ("EMAIL", "a@@example.com"),
        ("EMAIL", "\u212aelvin@example.com"),
        ("CNPJ", "12ABC345\u0131DE35"),
        ("EMAIL", "a" * 60 + "@" + "b" * 13 + ".com"),
        ("EMAIL", "52998224725"),
        ("PHONE", "5511999998888"),
        ("PHONE", "11999998888"),
        ("PHONE", "+55119999988"),
        ("PHONE", "+55119999988889"),
        ("PHONE", "+351912345678"),
        ("PHONE", "+1 2025550123"),
        ("PHONE", "(11) 99999-8888"),
        ("PHONE", "+55119999x8888"),
        ("PHONE", "52998224725"),
        ("EVP", "123e4567-e89b-42d3-a456-42661417400"),
        ("EVP", "123e4567e89b42d3a456426614174000"),
        ("EVP", "{123e4567-e89b-42d3-a456-426614174000}"),
        ("EVP", "123e4567-e89b-42d3-a456-42661417400g"),
        ("EVP", "urn:uuid:123e4567-e89b-42d3-a456-426614174000"),
        ("EVP", "a@b.co"),
        ("CPF", ""),
    ],
)
def test_a_pix_key_that_is_not_of_its_type_is_refused(rich: Api, acme: Shop, kind: str, key: str) -> None:
    code, faults = refused(rich, acme, PIX, pixKey=key, pixKeyType=kind)

    assert (code, list(faults)) == ("ONP400_PIX_KEY", ["pixKey"])


@rows("key", [52998224725, True, ["52998224725"], {"key": "52998224725"}])
def test_a_pix_key_is_text(rich: Api, acme: Shop, key: Any) -> None:
    assert refused(rich, acme, PIX, pixKey=key, pixKeyType="CPF")[0] == "ONP400_PIX_KEY"


@rows("kind", ["cpf", "RANDOM", "", 1])
def test_a_kind_of_pix_key_that_there_is_not_is_refused(rich: Api, acme: Shop, kind: Any) -> None:
    code, faults = refused(rich, acme, PIX, pixKey="52998224725", pixKeyType=kind)

    assert list(faults) == ["pixKeyType"]
    assert code in ("ONP400_PIX_KEY", "ONP400_VALIDATION")


@rows(
    ("kind", "key", "kept"),
    [
        ("CPF", "529.982.247-25", "52998224725"),
        ("CNPJ", "11.222.333/0001-81", "11222333000181"),
        ("CNPJ", "12abc34501de35", "12ABC34501DE35"),
        ("PHONE", "+55 11 99999-8888", "+5511999998888"),
        ("EMAIL", "Maria@Example.com", "maria@example.com"),
        ("EVP", EVP.upper(), EVP),
    ],
)
def test_a_key_is_kept_in_one_spelling(rich: Api, acme: Shop, kind: str, key: str, kept: str) -> None:
    shown = [withdrawn(rich, acme, pixKey=spelt, pixKeyType=kind)["destination"] for spelt in (key, kept)]

    first, second = Withdrawal.objects.all()
    assert shown[0] == shown[1]
    assert first.fingerprint == second.fingerprint
    assert [json.loads(unseal(bytes(one.sealed_destination)))["pixKey"] for one in (first, second)] == [kept, kept]


def test_an_outside_oracle_agrees_about_tax_ids(rich: Api, acme: Shop) -> None:
    chance = random.Random(7)
    numbers = [f"{chance.randrange(10**11):011d}" for _ in range(15)]
    numbers += [number[:9] + cpf_number._calc_check_digits(number[:9]) for number in numbers]
    for number in numbers:
        answer = ask(rich, acme, amount=1, pixKey=number, pixKeyType="CPF")
        assert (answer.status_code == 201) == cpf_number.is_valid(number), number
    letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for _ in range(15):
        root = "".join(chance.choices(letters, k=12))
        for number in (root + cnpj_number.calc_check_digits(root), root + "00"):
            answer = ask(rich, acme, amount=1, pixKey=number, pixKeyType="CNPJ")
            assert (answer.status_code == 201) == cnpj_number.is_valid(number), number


@rows("clabe", CLABES)
def test_a_clabe_with_its_check_digit_is_taken(rich: Api, acme: Shop, clabe: str) -> None:
    shown = taken(rich, acme, SPEI, clabe=clabe)

    assert {"clabe", "bankCode", "bankName", "beneficiaryName"} <= set(shown)
    assert shown["bankCode"] == clabe[:3]
    assert shown["clabe"].endswith(clabe[-4:])
    assert clabe not in str(shown)


def test_a_bank_that_is_not_known_has_no_name(rich: Api, acme: Shop) -> None:
    names = [taken(rich, acme, SPEI, clabe=clabe)["bankName"] for clabe in (CLABES[1], CLABES[0])]

    assert names == ["STP", None]


@rows(
    "clabe",
    [
        *one_digit_off(CLABES[0]),
        "03218000011835971",
        "0321800001183597190",
        "032-180-00011835971-9",
        "03218000011835971X",
        "",
        32180000118359719,
    ],
)
def test_a_clabe_without_its_check_digit_is_refused(rich: Api, acme: Shop, clabe: Any) -> None:
    code, faults = refused(rich, acme, SPEI, clabe=clabe)

    assert (code, list(faults)) == ("ONP400_CLABE", ["clabe"])


@rows(
    "members",
    [
        {"beneficiaryTaxId": "PELJ800101AB1"},
        {"beneficiaryTaxId": "BOXW310820HNERXN09"},
        {"concept": "x" * 40},
        {"numericReference": "1"},
        {"numericReference": "1234567"},
    ],
)
def test_what_goes_with_a_spei_transfer_is_taken(rich: Api, acme: Shop, members: dict[str, str]) -> None:
    withdrawn(rich, acme, SPEI, **members)


@rows(
    "members",
    [
        {"beneficiaryName": ""},
        {"beneficiaryName": "x"},
        {"beneficiaryName": "x" * 121},
        {"beneficiaryTaxId": "PELJ800101"},
        {"beneficiaryTaxId": "52998224725"},
        {"concept": "x" * 41},
        {"concept": "a\nb"},
        {"numericReference": ""},
        {"numericReference": "12345678"},
        {"numericReference": "12a"},
        {"numericReference": 4521},
    ],
)
def test_what_goes_with_a_spei_transfer_has_a_form(rich: Api, acme: Shop, members: dict[str, Any]) -> None:
    code, faults = refused(rich, acme, SPEI, **members)

    assert (code, list(faults)) == ("ONP400_VALIDATION", list(members))


def test_an_outside_oracle_agrees_about_cbus(rich: Api, acme: Shop) -> None:
    chance = random.Random(7)
    numbers = [CBU, *one_digit_off(CBU), *(f"{chance.randrange(10**22):022d}" for _ in range(10))]
    for _ in range(10):
        bank, account = f"{chance.randrange(1, 10**7):07d}", f"{chance.randrange(10**13):013d}"
        numbers.append(bank + cbu_number.calc_check_digit(bank) + account + cbu_number.calc_check_digit(account))

    verdicts = {n: ask(rich, acme, ARS, amount=100, cbu=n).status_code for n in numbers if not n.startswith("000")}

    assert verdicts == {n: 201 if cbu_number.is_valid(n) else 400 for n in verdicts}
    assert list(verdicts.values()).count(201) == Withdrawal.objects.count() >= 11


def test_there_is_one_destination_in_a_withdrawal_at_most(rich: Api, acme: Shop) -> None:
    assert Withdrawal.objects.count() == 0
    assert refused(rich, acme, COP, cbu=CBU)[0] == "ONP400_BANK_ACCOUNT"
