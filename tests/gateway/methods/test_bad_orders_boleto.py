"""Boletos with something missing or wrong: every missing member is named, then every wrong one (§4.3, §15)."""

from typing import Any

from tests.support.api import Api
from tests.support.bad_orders import (
    LEFT_OUT,
    Changes,
    Faults,
    in_days,
    is_refused,
    is_taken,
    nothing_was_made,
    order,
    said,
)
from tests.support.companies import Shop
from tests.support.rows import rows

BOLETO, DUE_DATE, PAYER = "ONP400_BOLETO", "ONP400_DUE_DATE", "ONP400_PAYER"
ADDRESS = [f"payer.address.{name}" for name in ("street", "number", "district", "city", "state", "postalCode")]
REQUIRED = ["payer.name", "payer.taxId", "payer.email", *ADDRESS, "dueDate"]


def missing(*names: str) -> Faults:
    return [(name, "REQUIRED") for name in names]


@rows("member", REQUIRED)
@rows("value", [LEFT_OUT, None])
def test_a_missing_member_is_named(api: Api, member: str, value: Any) -> None:
    is_refused(api, "BOLETO", {member: value}, BOLETO, missing(member))


@rows("value", [LEFT_OUT, None, {}])
def test_without_an_address_all_its_members_are_named(api: Api, value: Any) -> None:
    is_refused(api, "BOLETO", {"payer.address": value}, BOLETO, missing(*ADDRESS))


@rows("value", [LEFT_OUT, None, {}])
def test_without_a_payer_all_that_a_payer_must_say_is_named(api: Api, value: Any) -> None:
    answer = api.post("/payments", order("BOLETO", {"payer": value}))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, BOLETO)
    assert [fault for fault in said(answer) if fault[0] != "payer"] == missing(*REQUIRED[:-1])
    assert nothing_was_made()


@rows("members", [REQUIRED, REQUIRED[::-1], REQUIRED[::2], REQUIRED[1::3]])
def test_all_that_is_missing_is_named_in_one_answer(api: Api, members: list[str]) -> None:
    expected = [name for name in REQUIRED if name in members]

    is_refused(api, "BOLETO", dict.fromkeys(members, LEFT_OUT), BOLETO, missing(*expected))


@rows("member", ["amount", "currency", "reference"])
def test_any_missing_member_makes_it_an_incomplete_boleto(api: Api, member: str) -> None:
    """§15: for BOLETO any missing member, not only those that no other method asks for."""
    is_refused(api, "BOLETO", {member: LEFT_OUT}, BOLETO, missing(member))


def test_what_is_missing_wins_over_whatever_is_wrong(api: Api) -> None:
    changes = {"amount": 0, "payer.phone": "12", "payer.address.state": "XX", "dueDate": LEFT_OUT}

    answer = api.post("/payments", order("BOLETO", changes))

    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (400, BOLETO, "amount")
    assert said(answer) == [
        ("amount", "OUT_OF_RANGE"),
        ("payer.phone", "INVALID"),
        ("payer.address.state", "INVALID"),
        ("dueDate", "REQUIRED"),
    ]
    assert nothing_was_made()


WRONG: list[tuple[Changes, str, Faults]] = [
    ({"currency": "EUR"}, "ONP400_CURRENCY", [("currency", "UNKNOWN_VALUE")]),
    ({"currency": "brl"}, "ONP400_CURRENCY", [("currency", "UNKNOWN_VALUE")]),
    ({"payer.taxId": "5299822472"}, PAYER, [("payer.taxId", "INVALID")]),
    ({"payer.taxId": "1122233300018A"}, PAYER, [("payer.taxId", "INVALID")]),
    ({"payer.taxIdType": "CNPJ"}, PAYER, [("payer.taxIdType", "INVALID")]),
    ({"payer.taxIdType": "RFC"}, PAYER, [("payer.taxIdType", "INVALID")]),
    ({"payer.address.state": "XX"}, PAYER, [("payer.address.state", "INVALID")]),
    ({"payer.address.state": "São Paulo"}, PAYER, [("payer.address.state", "INVALID")]),
    ({"payer.address.state": "S"}, PAYER, [("payer.address.state", "INVALID")]),
    ({"payer.address.state": 35}, PAYER, [("payer.address.state", "INVALID")]),
    ({"payer.address.postalCode": "0100100"}, PAYER, [("payer.address.postalCode", "INVALID")]),
    ({"payer.address.postalCode": "010010000"}, PAYER, [("payer.address.postalCode", "INVALID")]),
    ({"payer.address.postalCode": "0100100A"}, PAYER, [("payer.address.postalCode", "INVALID")]),
    ({"payer.address.postalCode": "٠١٠٠١٠٠٠"}, PAYER, [("payer.address.postalCode", "INVALID")]),
    ({"payer.address.postalCode": 1001000}, PAYER, [("payer.address.postalCode", "INVALID")]),
    ({"payer.address.street": 5}, PAYER, [("payer.address.street", "INVALID")]),
    ({"payer.address.street": ["Rua"]}, PAYER, [("payer.address.street", "INVALID")]),
    ({"payer.address.city": "São\x00Paulo"}, PAYER, [("payer.address.city", "INVALID")]),
    ({"dueDate": in_days(-1)}, DUE_DATE, [("dueDate", "OUT_OF_RANGE")]),
    ({"dueDate": in_days(366)}, DUE_DATE, [("dueDate", "OUT_OF_RANGE")]),
    ({"dueDate": "0001-01-01"}, DUE_DATE, [("dueDate", "OUT_OF_RANGE")]),
    ({"dueDate": "9999-12-31"}, DUE_DATE, [("dueDate", "OUT_OF_RANGE")]),
    ({"dueDate": "2027-02-29"}, DUE_DATE, [("dueDate", "INVALID")]),
    ({"dueDate": "01/12/2026"}, DUE_DATE, [("dueDate", "INVALID")]),
    ({"dueDate": "20261201"}, DUE_DATE, [("dueDate", "INVALID")]),
    ({"dueDate": "2026-12-01T12:00:00Z"}, DUE_DATE, [("dueDate", "INVALID")]),
    ({"dueDate": "٢٠٢٦-١٢-٠١"}, DUE_DATE, [("dueDate", "INVALID")]),
    ({"dueDate": 20261201}, DUE_DATE, [("dueDate", "INVALID")]),
    ({"dueDate": ["2026-12-01"]}, DUE_DATE, [("dueDate", "INVALID")]),
    (
        {"payer.address.postalCode": "1", "dueDate": "soon", "paymentMethodToken": "pmt_sandbox_approved"},
        PAYER,
        [("payer.address.postalCode", "INVALID"), ("dueDate", "INVALID"), ("paymentMethodToken", "NOT_ALLOWED")],
    ),
    (
        {"dueDate": in_days(-1), "paymentMethodToken": "pmt_sandbox_approved"},
        DUE_DATE,
        [("dueDate", "OUT_OF_RANGE"), ("paymentMethodToken", "NOT_ALLOWED")],
    ),
    (
        {"amount": -1, "currency": "MXN", "dueDate": "soon"},
        "ONP400_AMOUNT",
        [("amount", "OUT_OF_RANGE"), ("currency", "UNKNOWN_VALUE"), ("dueDate", "INVALID")],
    ),
]


@rows(("changes", "code", "faults"), WRONG)
def test_a_wrong_member_is_named(api: Api, changes: Changes, code: str, faults: Faults) -> None:
    is_refused(api, "BOLETO", changes, code, faults)


@rows("days", [0, 1, 364, 365])
def test_a_boleto_may_be_due_today_or_in_a_year(api: Api, days: int) -> None:
    assert is_taken(api, "BOLETO", {"dueDate": in_days(days)})["dueDate"] == in_days(days)


@rows(
    "changes",
    [
        {"payer.address.postalCode": "01001000"},
        {"payer.address.postalCode": "01.001-000"},
        {"payer.address.complement": None},
        {"payer.address.complement": "Apto 12"},
        {"payer.address.country": "BR"},
        {"payer.address.country": None},
        {"payer.phone": "+55 (11) 99999-8888"},
        {"payer.taxId": "11.222.333/0001-81"},
        {"payer.taxId": "12.ABC.345/01DE-35"},
        {"payer.taxId": "12345678900"},
    ],
)
def test_what_is_optional_and_how_it_is_punctuated_is_no_matter(api: Api, changes: Changes) -> None:
    is_taken(api, "BOLETO", changes)


def test_production_says_the_same_of_an_incomplete_boleto(api: Api, acme: Shop) -> None:
    api.key = acme.production_key

    answer = api.post("/payments", order("BOLETO", {"payer.email": LEFT_OUT, "dueDate": LEFT_OUT}))

    assert (answer.json()["error"]["code"], said(answer)) == (BOLETO, missing("payer.email", "dueDate"))
    assert nothing_was_made()
