"""MB WAY: which phone rings, for how long, and that its number is shown to nobody."""

from datetime import datetime, timedelta

import pytest
from stdnum.pt import nif

from gateway.customers.payer import Payer
from gateway.methods.mb_way.rail import SandboxMbWay, _international, masked
from gateway.methods.rail import PaymentDraft
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.rails import NOON, RAILS_UNDER_TEST

[MB_WAY] = [one for one in RAILS_UNDER_TEST if one.method == "MB_WAY"]
ANA = {"name": "Ana Costa", "phone": "+351912344567"}


def wrong(tax_id: str | None, tax_id_type: str | None = None, *, strict: bool = False) -> list[tuple[str, str]]:
    payer = Payer(name="Ana Costa", tax_id=tax_id, tax_id_type=tax_id_type, phone="+351912344567")
    return [
        (fault.field, fault.code) for fault in SandboxMbWay().faults(PaymentDraft(payer, NOON, "EUR"), strict=strict)
    ]


def test_the_phone_rings_for_four_minutes_and_is_masked(api: Api) -> None:
    data = api.post("/payments", MB_WAY.body(payer=ANA)).json()["data"]

    assert data["mbWay"] == {"phone": "+351*****4567", "expiresAt": data["expiresAt"]}
    begin, end = (datetime.fromisoformat(data[name]) for name in ("createdAt", "expiresAt"))
    assert end - begin == timedelta(minutes=4)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("912344567", "+351912344567"),
        ("+912344567", "+351912344567"),
        ("912 344 567", "+351912344567"),
        ("351912344567", "+351912344567"),
        ("+351 912-344-567", "+351912344567"),
        ("212344567", "+212344567"),
        ("34612345678", "+34612345678"),
        ("+5511999998888", "+5511999998888"),
        ("91234456", "+91234456"),
        ("9123445678", "+9123445678"),
    ],
)
def test_only_nine_digits_that_start_with_nine_are_completed(said: str, meant: str) -> None:
    assert _international(said) == meant


@pytest.mark.parametrize("said", ["912344567", "912 344 567", "(912) 344-567", "351912344567", "+351912344567"])
def test_every_spelling_of_a_portuguese_number_rings_the_same_phone(api: Api, said: str) -> None:
    answer = api.post("/payments", MB_WAY.body(payer=ANA | {"phone": said}))

    assert answer.status_code == 201
    assert answer.json()["data"]["mbWay"]["phone"] == "+351*****4567"


@pytest.mark.parametrize(
    "said",
    ["+35191234456", "+3519123445678", "0912344567", "00351912344567", "9123", "call me", "", "+", None, 912344567],
)
def test_what_is_no_phone_is_refused_and_makes_nothing(api: Api, said: object) -> None:
    answer = api.post("/payments", MB_WAY.body(payer=ANA | {"phone": said}))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "ONP400_PAYER")
    assert [fault["field"] for fault in answer.json()["error"]["fields"]] == ["payer.phone"]
    assert Payment.objects.count() == 0


@pytest.mark.parametrize(
    ("phone", "shown"),
    [("+351912344567", "+351*****4567"), ("+5511999998888", "+*********8888"), ("+12345678", "+****5678")],
)
def test_four_digits_and_the_country_are_all_that_is_shown(phone: str, shown: str) -> None:
    assert masked(phone) == shown


def test_money_that_came_is_found_by_its_operation(api: Api) -> None:
    payment_id = api.post("/payments", MB_WAY.body()).json()["data"]["id"]

    api.post(f"/simulations/payments/{payment_id}", {"status": "PAID"})

    assert len(Payment.objects.get().rail_reference or "") == 24


@pytest.mark.parametrize("tax_id", ["501964843", "123456789"])
def test_real_documents_pass_and_one_changed_digit_does_not(tax_id: str) -> None:
    assert nif.is_valid(tax_id)
    assert wrong(tax_id, "NIF", strict=True) == []
    changed = tax_id[:-1] + str((int(tax_id[-1]) + 1) % 10)
    assert wrong(changed, strict=True) == [("payer.taxId", "INVALID")]
    assert wrong(changed, strict=False) == []


@pytest.mark.parametrize("tax_id", ["12345678", "1234567890", "PT5019648"])
def test_other_documents_are_refused(tax_id: str) -> None:
    assert wrong(tax_id) == [("payer.taxId", "INVALID")]


def test_a_document_is_not_needed_but_its_kind_must_be_right() -> None:
    assert wrong(None) == []
    assert wrong("501964843", "CPF") == [("payer.taxIdType", "INVALID")]
