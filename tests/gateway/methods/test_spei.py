"""SPEI: accounts that every Mexican bank accepts, and payers who may stay unnamed."""

import re
from typing import Any

import pytest
from stdnum.mx import curp, rfc

from gateway.customers.payer import Payer
from gateway.methods.rail import PaymentDraft
from gateway.methods.spei.clabe import clabe, is_clabe
from gateway.methods.spei.rail import SandboxSpei
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.rails import NOON, RAILS_UNDER_TEST

[SPEI] = [one for one in RAILS_UNDER_TEST if one.method == "SPEI"]
CURP, RFC_OF_A_PERSON, RFC_OF_A_COMPANY = "BOXW310820HNERXN09", "GODE561231GR8", "MAB9307148T4"


def is_a_clabe(number: str) -> bool:
    """Banco de México's rule the other way round: with its check digit, the weighted sum ends in 0."""
    a, b, c = (sum(int(digit) * weight % 10 for digit in number[start::3]) for start, weight in enumerate((3, 7, 1)))
    return bool(re.fullmatch(r"[0-9]{18}", number)) and (a + b + c) % 10 == 0


def wrong(tax_id: str, tax_id_type: str | None = None, *, strict: bool = False) -> list[tuple[str, str]]:
    payer = Payer(name="Juan Perez", tax_id=tax_id, tax_id_type=tax_id_type)
    return [
        (fault.field, fault.code) for fault in SandboxSpei().faults(PaymentDraft(payer, NOON, "MXN"), strict=strict)
    ]


@pytest.mark.parametrize("number", ["032180000118359719", "646180110400000007", "999180000000001234"])
def test_known_accounts_have_the_check_digit_that_we_compute(number: str) -> None:
    assert is_clabe(number)
    assert [digit for digit in "0123456789" if is_clabe(number[:17] + digit)] == [number[17]]
    assert clabe(bank=number[:3], city=number[3:6], account=int(number[6:17])) == number
    assert is_a_clabe(number)


def test_the_payer_gets_the_bank_details_of_the_contract(api: Api) -> None:
    data = api.post("/payments", SPEI.body(amount=2500.50)).json()["data"]

    details: dict[str, Any] = data["bankDetails"]
    number, reference = details.pop("clabe"), details.pop("paymentReference")
    assert is_a_clabe(number)
    assert number.startswith("999180")
    assert re.fullmatch(r"[1-9][0-9]{6}", reference)
    assert details == {
        "rail": "SPEI",
        "bankName": "Banco Sandbox",
        "bankCode": "999",
        "beneficiaryName": "Acme",
        "beneficiaryTaxId": None,
        "amount": 2500.50,
        "currency": "MXN",
    }


def test_a_thousand_payments_have_a_thousand_accounts_all_right() -> None:
    details = [SandboxSpei().instruct(SPEI.order(number)).details["bankDetails"] for number in range(1000)]

    assert len({one["clabe"] for one in details}) == 1000
    assert all(is_a_clabe(one["clabe"]) for one in details)
    assert all(re.fullmatch(r"[1-9][0-9]{6}", one["paymentReference"]) for one in details)


def test_money_that_came_is_found_by_its_tracking_key(api: Api) -> None:
    payment_id = api.post("/payments", SPEI.body()).json()["data"]["id"]

    api.post(f"/simulations/payments/{payment_id}", {"status": "PAID"})

    assert re.fullmatch(r"[A-Z0-9]{1,30}", Payment.objects.get().rail_reference or "")


@pytest.mark.parametrize(
    ("tax_id", "tax_id_type"),
    [
        (RFC_OF_A_PERSON, "RFC"),
        (RFC_OF_A_COMPANY, "RFC"),
        (CURP, "CURP"),
        ("XAXX010101000", None),
        ("VACE460910SX6", None),
    ],
)
def test_real_documents_pass_in_production_too(tax_id: str, tax_id_type: str | None) -> None:
    """Also the RFC of the general public, and one that was given out with a wrong check digit."""
    assert rfc.is_valid(tax_id) or curp.is_valid(tax_id)
    assert wrong(tax_id, tax_id_type, strict=True) == []


@pytest.mark.parametrize("tax_id", ["BOXW310820HNERXN08", "GODE561331GR8"])
def test_check_digits_and_dates_count_in_production_only(tax_id: str) -> None:
    assert wrong(tax_id, strict=True) == [("payer.taxId", "INVALID")]
    assert wrong(tax_id, strict=False) == []


@pytest.mark.parametrize(
    "tax_id", ["52998224725", "GODE561231", "GODE561231GR", "1ODE561231GR8", CURP[:-1], CURP + "0"]
)
def test_other_documents_are_refused_and_make_nothing(api: Api, tax_id: str) -> None:
    answer = api.post("/payments", SPEI.body(payer={"name": "Juan Perez", "taxId": tax_id}))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "ONP400_PAYER")
    assert answer.json()["error"]["field"] == "payer.taxId"
    assert Payment.objects.count() == 0


def test_the_kind_must_be_that_of_the_document() -> None:
    assert wrong(CURP, "RFC") == wrong(RFC_OF_A_PERSON, "CURP") == [("payer.taxIdType", "INVALID")]
