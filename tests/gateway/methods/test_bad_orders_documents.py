"""Payers' documents in every market: which are taken, which are refused, and where their check digits count."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.bad_orders import (
    COLOMBIA,
    LEFT_OUT,
    METHODS,
    Faults,
    is_refused,
    is_taken,
    nothing_was_made,
    order,
    said,
)
from tests.support.companies import Shop
from tests.support.rows import rows

WRONG_NUMBER = [("payer.taxId", "INVALID")]
WRONG_KIND = [("payer.taxIdType", "INVALID")]
UNKNOWN_KIND = [("payer.taxIdType", "UNKNOWN_VALUE")]
Documents = dict[str, list[tuple[str, str | None]]]


def each(documents: Documents) -> list[Any]:
    """A case for every document of every method; the four checkouts share theirs."""
    return [
        pytest.param(method, number, kind, id=f"{method}-{kind}-{number}")
        for market, listed in documents.items()
        for number, kind in listed
        for method in {"BR": ["PIX", "BOLETO"], "CO": COLOMBIA}.get(market, [market])
    ]


def with_document(number: Any, kind: Any) -> dict[str, Any]:
    return {"payer.taxId": number} | ({"payer.taxIdType": kind} if kind is not None else {})


INVENTED: Documents = {
    "BR": [
        ("12345678900", None), ("123.456.789-00", "CPF"), ("11222333000182", None), ("11.222.333/0001-82", "CNPJ"),
        ("12ABC34501DE36", "CNPJ"), ("12.ABC.345/01DE-36", None),
    ],
    "SPEI": [("GODE561331GR8", "RFC"), ("MAB930714000", None), ("BOXW310820HNERXN08", "CURP")],
    "ARS": [("20123456787", None), ("20-12345678-7", "CUIT"), ("27.12345678.1", "CUIL")],
    "CO": [
        ("1018760936", None), ("1.018.760.936", "CC"), ("12345", "CC"), ("123456", "CE"), ("1018760936", "TI"),
        ("901458652", "NIT"), ("901.458.652-8", "NIT"), ("12345678", "PPT"), ("AB123456", "PASSPORT"),
    ],
    "MB_WAY": [("501964844", None), ("501 964 844", "NIF")],
}  # fmt: skip
NO_DOCUMENTS: Documents = {
    "BR": [
        ("1234567890", None), ("123456789000", None), ("1234567890A", None), ("A2345678900", "CPF"),
        ("1122233300018", "CNPJ"), ("112223330001811", "CNPJ"), ("1122233300018A", "CNPJ"), ("12ABC34501DEA5", None),
        ("12ÁBC34501DE35", None), ("٥٢٩٩٨٢٢٤٧٢٥", None), ("20123456786x", None),
    ],
    "SPEI": [("GODE56123", None), ("GODE561231GR88", "RFC"), ("5299822472", None), ("BOXW310820HNERXN0", "CURP")],
    "ARS": [("2012345678", None), ("201234567860", "CUIT"), ("2012345678A", "CUIL"), ("٢٠١٢٣٤٥٦٧٨٦", None)],
    "CO": [
        ("1", None), ("12345678901", "CC"), ("AB123456", None), ("AB123456", "CC"), ("AB1234567", "NIT"),
        ("12345", "NIT"), ("90145865271", "NIT"), ("AB1234567", "TI"), ("x" * 40, "PASSPORT"), ("P<1234>", "PASSPORT"),
        ("١٠١٨٧٦٠٩٣٦", "CC"),
    ],
    "MB_WAY": [("50196484", None), ("5019648430", "NIF"), ("PT5019648", "NIF"), ("٥٠١٩٦٤٨٤٣", None)],
}  # fmt: skip
OTHER_KINDS: Documents = {
    "BR": [("52998224725", "CNPJ"), ("11222333000181", "CPF"), ("52998224725", "CUIT"), ("52998224725", "NIF")],
    "SPEI": [("GODE561231GR8", "CURP"), ("BOXW310820HNERXN09", "RFC"), ("GODE561231GR8", "CPF")],
    "ARS": [("20123456786", "DNI"), ("20123456786", "CPF"), ("20123456786", "NIT")],
    "CO": [("1018760936", "CPF"), ("1018760936", "CUIT"), ("1018760936", "NIF"), ("1018760936", "RFC")],
    "MB_WAY": [("501964843", "CPF"), ("501964843", "NIT")],
}
A_REAL_ONE = {
    "PIX": "12345678909", "BOLETO": "12ABC34501DE35", "SPEI": "GODE561231GR8", "ARS": "30500010912",
    "COP": "1018760936", "PSE": "1018760936", "NEQUI": "1018760936", "BRE_B": "1018760936", "MB_WAY": "501964843",
}  # fmt: skip


@rows(("method", "number", "kind"), each(INVENTED))
def test_invented_documents_work_in_the_sandbox(api: Api, method: str, number: str, kind: str | None) -> None:
    data = is_taken(api, method, with_document(number, kind))

    assert data["customer"]["taxId"] == "".join(character for character in number if character not in " .-/")


@rows(("method", "number", "kind"), each(NO_DOCUMENTS))
def test_what_is_no_document_of_the_market_is_refused(api: Api, method: str, number: str, kind: str | None) -> None:
    is_refused(api, method, with_document(number, kind), "ONP400_PAYER", WRONG_NUMBER)


@rows(("method", "number", "kind"), each(OTHER_KINDS))
def test_a_kind_that_does_not_fit_is_refused(api: Api, method: str, number: str, kind: str) -> None:
    is_refused(api, method, with_document(number, kind), "ONP400_PAYER", WRONG_KIND)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("method", METHODS)
@rows("kind", ["PAN", "cpf", "", "CPF ", 5, ["CPF"]])
def test_a_kind_that_nobody_knows_is_refused(api: Api, method: str, kind: Any) -> None:
    is_refused(api, method, with_document(A_REAL_ONE[method], kind), "ONP400_PAYER", UNKNOWN_KIND)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("method", METHODS)
@rows("number", [True, 5.5, ["52998224725"], {"cpf": "52998224725"}])
def test_a_document_is_a_text(api: Api, method: str, number: Any) -> None:
    is_refused(api, method, {"payer.taxId": number}, "ONP400_PAYER", WRONG_NUMBER)


@pytest.mark.parametrize("method", ["SPEI", "MB_WAY"])
@rows("number", [LEFT_OUT, None])
def test_a_payer_may_stay_without_a_document(api: Api, method: str, number: Any) -> None:
    changes = {} if number is LEFT_OUT else {"payer.taxId": number}

    assert is_taken(api, method, changes)["customer"]["taxId"] is None


@pytest.mark.parametrize("method", METHODS)
def test_the_document_and_what_else_is_wrong_with_a_payer_are_all_named(api: Api, method: str) -> None:
    changes = {"payer.name": "M", "payer.taxId": "%", "payer.email": "maria", "payer.phone": "12"}

    answer = api.post("/payments", order(method, changes))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "ONP400_PAYER")
    assert answer.json()["error"]["field"] == "payer.name"
    expected: Faults = [
        ("payer.email", "INVALID"),
        ("payer.name", "TOO_SHORT"),
        ("payer.phone", "INVALID"),
        ("payer.taxId", "INVALID"),
    ]
    assert sorted(said(answer)) == expected
    assert nothing_was_made()


@rows(
    ("method", "number", "kind"),
    [
        ("PIX", "12345678900", None),
        ("PIX", "11222333000182", "CNPJ"),
        ("BOLETO", "12ABC34501DE36", None),
        ("ARS", "20123456787", None),
        ("ARS", "30500010911", "CUIT"),
        ("MB_WAY", "501964844", None),
        *((method, "9014586528", "NIT") for method in COLOMBIA),
    ],
)
def test_invented_check_digits_do_not_pass_in_production(
    api: Api, acme: Shop, method: str, number: str, kind: str | None
) -> None:
    api.key = acme.production_key

    answer = api.post("/payments", order(method, with_document(number, kind)))

    assert (answer.status_code, answer.json()["error"]["code"], said(answer)) == (400, "ONP400_PAYER", WRONG_NUMBER)
    assert nothing_was_made()


@pytest.mark.parametrize("method", METHODS)
def test_a_real_document_passes_production_as_far_as_the_method_being_off(api: Api, acme: Shop, method: str) -> None:
    api.key = acme.production_key

    answer = api.post("/payments", order(method, {"payer.taxId": A_REAL_ONE[method]}))

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "ONP403_METHOD_NOT_ENABLED")
    assert nothing_was_made()


@rows("phone", ["3001234567", "+57 300 123 4567", "6011234567", "+5511999998888"])
def test_a_phone_that_nequi_cannot_ring_is_left_to_the_checkout(api: Api, phone: str) -> None:
    kept = {"3001234567": "+573001234567", "+57 300 123 4567": "+573001234567", "6011234567": "+6011234567"}

    assert is_taken(api, "NEQUI", {"payer.phone": phone})["customer"]["phone"] == kept.get(phone, phone)
