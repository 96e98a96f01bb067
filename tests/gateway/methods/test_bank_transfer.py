"""Bank transfers in Argentina: accounts, aliases and payers as the country's banks know them."""

import re
from typing import Any

import pytest
from stdnum.ar import cbu, cuit

from gateway.customers.payer import Payer
from gateway.methods.bank_transfer.cvu import alias, cvu
from gateway.methods.bank_transfer.rail import SandboxArgentineTransfer
from gateway.methods.rail import PaymentDraft
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.rails import NOON, RAILS_UNDER_TEST

[ARS] = [one for one in RAILS_UNDER_TEST if one.method == "BANK_TRANSFER" and one.currency == "ARS"]


def wrong(tax_id: str, tax_id_type: str | None = None, *, strict: bool = False) -> list[tuple[str, str]]:
    payer = Payer(name="Juan Perez", tax_id=tax_id, tax_id_type=tax_id_type)
    return [
        (fault.field, fault.code)
        for fault in SandboxArgentineTransfer().faults(PaymentDraft(payer, NOON, "ARS"), strict=strict)
    ]


def is_a_cvu(number: str) -> bool:
    """Both blocks with their check digits, weights 7 1 3 9 from the left and 3 9 7 1 over the account."""
    blocks = ((number[:8], (7, 1, 3, 9)), (number[8:], (3, 9, 7, 1)))
    sums = [
        sum(int(digit) * weights[place % 4] for place, digit in enumerate(block[:-1])) + int(block[-1])
        for block, weights in blocks
    ]
    return bool(re.fullmatch(r"000[0-9]{19}", number)) and [total % 10 for total in sums] == [0, 0]


def test_the_contracts_account_is_reproduced_to_the_last_digit() -> None:
    assert cvu(provider="0000999", account=123) == "0000999100000000001232"
    assert cbu.is_valid("0000999100000000001232")
    assert is_a_cvu("0000999100000000001232")


def test_an_alias_fills_the_twenty_characters_that_there_are() -> None:
    assert alias(prefix="sandbox.onpay.", number=0, alphabet="0123456789") == "sandbox.onpay.000000"
    assert alias(prefix="sandbox.onpay.", number=123_456, alphabet="0123456789") == "sandbox.onpay.654321"


def test_the_payer_gets_the_bank_details_of_the_contract(api: Api) -> None:
    data = api.post("/payments", ARS.body(amount=85000.25)).json()["data"]

    details: dict[str, Any] = data["bankDetails"]
    number, name, reference = (details.pop(member) for member in ("cvu", "alias", "paymentReference"))
    assert number.startswith("00009991")
    assert cbu.is_valid(number)
    assert is_a_cvu(number)
    assert re.fullmatch(r"[A-Za-z0-9.-]{6,20}", name)
    assert name.startswith("sandbox.onpay.")
    assert re.fullmatch(r"[1-9][0-9]{6}", reference)
    assert cuit.is_valid(details["beneficiaryTaxId"])
    assert details == {
        "rail": "BANK_TRANSFER",
        "bankName": "PSP Sandbox",
        "bankCode": "0000999",
        "beneficiaryName": "Acme",
        "beneficiaryTaxId": "30500010912",
        "amount": 85000.25,
        "currency": "ARS",
    }


def test_a_thousand_payments_have_a_thousand_accounts_and_aliases() -> None:
    details = [SandboxArgentineTransfer().instruct(ARS.order(number)).details["bankDetails"] for number in range(1000)]

    assert len({one["cvu"] for one in details}) == len({one["alias"] for one in details}) == 1000
    assert all(cbu.is_valid(one["cvu"]) and is_a_cvu(one["cvu"]) for one in details)
    assert all(re.fullmatch(r"sandbox\.onpay\.[0-9a-z]{6}", one["alias"]) for one in details)


def test_money_that_came_is_found_by_the_clearing_houses_id(api: Api) -> None:
    payment_id = api.post("/payments", ARS.body()).json()["data"]["id"]

    api.post(f"/simulations/payments/{payment_id}", {"status": "PAID"})

    assert re.fullmatch(r"[A-Z0-9]{22}", Payment.objects.get().rail_reference or "")


@pytest.mark.parametrize("tax_id", ["20123456786", "30500010912", "20055361682", "20267565393"])
def test_real_documents_pass_and_one_changed_digit_does_not(tax_id: str) -> None:
    assert cuit.is_valid(tax_id)
    assert wrong(tax_id, strict=True) == []
    changed = tax_id[:-1] + str((int(tax_id[-1]) + 1) % 10)
    assert wrong(changed, strict=True) == [("payer.taxId", "INVALID")]
    assert wrong(changed, strict=False) == []


def test_punctuation_in_a_document_is_no_matter(api: Api) -> None:
    answer = api.post("/payments", ARS.body(payer={"name": "Juan Perez", "taxId": "20-12345678-6"}))

    assert answer.status_code == 201
    assert answer.json()["data"]["customer"]["taxId"] == "20123456786"


@pytest.mark.parametrize("tax_id", ["12345678", "2012345678", "201234567860", "2012345678A"])
def test_other_documents_are_refused_and_make_nothing(api: Api, tax_id: str) -> None:
    answer = api.post("/payments", ARS.body(payer={"name": "Juan Perez", "taxId": tax_id}))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "ONP400_PAYER")
    assert answer.json()["error"]["field"] == "payer.taxId"
    assert Payment.objects.count() == 0


def test_the_kind_must_be_that_of_the_document() -> None:
    assert wrong("20123456786", "CUIT") == wrong("20123456786", "CUIL") == []
    assert wrong("20123456786", "DNI") == wrong("20123456786", "CPF") == [("payer.taxIdType", "INVALID")]
