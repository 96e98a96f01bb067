"""Every rule of a payment's members: which code answers, which member it names, and that all are listed."""

from typing import Any

from gateway.customers.models import Customer
from gateway.payments.models import Payment
from gateway.requests.models import IdempotencyKey
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import MARIA, pix
from tests.support.rows import rows

# The members in the order in which they are judged, each with something wrong and the code that says so.
WRONG: list[tuple[str, Any, str]] = [
    ("method", "CASH", "ONP400_METHOD"),
    ("amount", -1, "ONP400_AMOUNT"),
    ("currency", "XXX", "ONP400_CURRENCY"),
    ("reference", "", "ONP400_REFERENCE"),
    ("payer.name", "M", "ONP400_PAYER"),
    ("payer.taxId", "1", "ONP400_PAYER"),
    ("payer.email", "maria", "ONP400_PAYER"),
    ("payer.phone", "12", "ONP400_PAYER"),
    ("paymentMethodToken", "pmt_sandbox_approved", "ONP400_PAYMENT_METHOD_TOKEN"),
    ("expiresIn", 59, "ONP400_EXPIRES_IN"),
]

# An unknown method, and a method in a currency that it does not have, have no rules for these.
UNRULED = [{"currency", "payer.taxId", "paymentMethodToken", "expiresIn"}, {"expiresIn"}, {"expiresIn"}]


def body(**changes: Any) -> dict[str, Any]:
    """A right PIX payment with some members, `payer__…` ones too, put otherwise."""
    payer = {name.removeprefix("payer__"): changes.pop(name) for name in list(changes) if name.startswith("payer__")}
    return pix(payer=MARIA | payer) | changes


def nothing_was_written() -> bool:
    return (Payment.objects.count(), Customer.objects.count(), IdempotencyKey.objects.count()) == (0, 0, 0)


def refused(api: Api, sent: dict[str, Any]) -> dict[str, Any]:
    answer = api.post("/payments", sent)
    assert answer.status_code == 400, answer.content
    assert nothing_was_written()
    error: dict[str, Any] = answer.json()["error"]
    assert error["retryable"] is False
    assert error["fields"][0]["field"] == error["field"]
    return error


@rows("first", range(len(WRONG)))
def test_the_first_wrong_member_gives_the_code_and_all_are_listed(api: Api, first: int) -> None:
    wrong = {name.replace(".", "__"): value for name, value, _ in WRONG[first:]}

    error = refused(api, body(**wrong))

    assert (error["code"], error["field"]) == (WRONG[first][2], WRONG[first][0])
    listed = {item["field"] for item in error["fields"]}
    expected = {name for name, *_ in WRONG[first:]}
    assert listed <= expected
    assert expected - listed <= (UNRULED[first] if first < len(UNRULED) else set())


@rows(("name", "value", "code"), WRONG)
def test_one_wrong_member_is_the_only_one_listed(api: Api, name: str, value: Any, code: str) -> None:
    error = refused(api, body(**{name.replace(".", "__"): value}))

    assert (error["code"], [item["field"] for item in error["fields"]]) == (code, [name])


@rows(
    ("member", "code"),
    [
        ("method", "ONP400_METHOD"),
        ("amount", "ONP400_AMOUNT"),
        ("currency", "ONP400_CURRENCY"),
        ("reference", "ONP400_REFERENCE"),
        ("payer", "ONP400_PAYER"),
    ],
)
@rows("is_null", [False, True])
def test_a_missing_member_is_said_to_be_required(api: Api, member: str, code: str, is_null: bool) -> None:
    sent = pix() | {member: None}
    if not is_null:
        del sent[member]

    error = refused(api, sent)

    assert error["code"] == code
    assert error["field"].partition(".")[0] == member


@rows("member", ["name", "taxId"])
def test_a_payer_has_a_name_and_a_tax_id(api: Api, member: str) -> None:
    payer = {name: value for name, value in MARIA.items() if name != member}

    error = refused(api, pix(payer=payer))

    assert (error["code"], error["field"]) == ("ONP400_PAYER", f"payer.{member}")
    assert [item["code"] for item in error["fields"]] == ["REQUIRED"]


def test_a_body_without_members_lists_what_is_required(api: Api) -> None:
    error = refused(api, {})

    assert (error["code"], error["field"]) == ("ONP400_METHOD", "method")
    assert [item["field"] for item in error["fields"]][:4] == ["method", "amount", "currency", "reference"]


@rows("method", ["pix", "Pix", " PIX", "PIX ", "MBWAY", "MB WAY", "Nequi", "BREB", "CARD", "", 5, ["PIX"]])
def test_a_method_is_spelt_exactly(api: Api, method: Any) -> None:
    error = refused(api, body(method=method))

    assert (error["code"], error["field"]) == ("ONP400_METHOD", "method")


@rows("currency", ["brl", "BRL ", "USD", "MXN", "EUR", "COP", "ARS", "USDT", "", "R$", 986, ["BRL"]])
def test_a_pix_payment_is_in_reais(api: Api, currency: Any) -> None:
    error = refused(api, body(currency=currency))

    assert (error["code"], error["field"]) == ("ONP400_CURRENCY", "currency")


@rows(
    "reference", ["", " ", "\t", "a\nb", "a\x00b", "a\x1fb", "a\x7fb", "a\x85b", "x" * 129, 1042, True, ["a"], {"a": 1}]
)
def test_a_reference_is_one_line_of_128_characters_at_most(api: Api, reference: Any) -> None:
    error = refused(api, body(reference=reference))

    assert (error["code"], error["field"]) == ("ONP400_REFERENCE", "reference")


@rows(
    ("sent", "kept"),
    [
        ("x", "x"),
        ("x" * 128, "x" * 128),
        ("  order 1  ", "order 1"),
        ("  " + "x" * 128 + "  ", "x" * 128),
        ("né €", "né €"),
    ],
)
def test_a_reference_is_trimmed(api: Api, sent: str, kept: str) -> None:
    assert api.post("/payments", body(reference=sent)).json()["data"]["reference"] == kept


@rows("name", ["", "M", " M ", "x" * 121, 5, None, ["Maria"], "Ma\x00ria", "Maria\nSilva"])
def test_a_name_has_2_to_120_characters(api: Api, name: Any) -> None:
    error = refused(api, body(payer__name=name))

    assert (error["code"], error["field"]) == ("ONP400_PAYER", "payer.name")


@rows("name", ["Bo", "x" * 120, "José D'Ávila-Ñandú", "李四"])
def test_a_name_in_any_script_is_kept(api: Api, name: str) -> None:
    assert api.post("/payments", body(payer__name=name)).json()["data"]["customer"]["name"] == name


@rows(
    "tax_id",
    [
        "",
        "5299822472",
        "529982247255",
        "1122233300018",
        "112223330001811",
        "5299822472A",
        "12ABC34501DE3A",
        "٥٢٩٩٨٢٢٤٧٢٥",
        52998224725,
        None,
        ["52998224725"],
    ],
)
def test_a_tax_id_is_a_cpf_or_a_cnpj(api: Api, tax_id: Any) -> None:
    error = refused(api, body(payer__taxId=tax_id))

    assert (error["code"], error["field"]) == ("ONP400_PAYER", "payer.taxId")


@rows(
    ("sent", "kept"),
    [
        ("52998224725", "52998224725"),
        ("529.982.247-25", "52998224725"),
        ("12345678900", "12345678900"),
        ("11222333000181", "11222333000181"),
        ("11.222.333/0001-81", "11222333000181"),
        ("12ABC34501DE35", "12ABC34501DE35"),
        ("12.ABC.345/01DE-35", "12ABC34501DE35"),
    ],
)
def test_a_tax_id_loses_its_punctuation(api: Api, sent: str, kept: str) -> None:
    assert api.post("/payments", body(payer__taxId=sent)).json()["data"]["customer"]["taxId"] == kept


@rows("kind", ["CPF", "CNPJ"])
def test_a_tax_id_is_of_the_kind_that_is_said(api: Api, kind: str) -> None:
    right = {"CPF": "52998224725", "CNPJ": "11222333000181"}

    assert api.post("/payments", body(payer__taxId=right[kind], payer__taxIdType=kind)).status_code == 201


@rows(("tax_id", "kind"), [("52998224725", "CNPJ"), ("11222333000181", "CPF"), ("52998224725", "CUIT")])
def test_a_tax_id_of_another_kind_is_refused(api: Api, tax_id: str, kind: str) -> None:
    error = refused(api, body(payer__taxId=tax_id, payer__taxIdType=kind))

    assert error["code"] == "ONP400_PAYER"


def test_production_checks_the_digits_of_a_tax_id(api: Api, acme: Shop) -> None:
    api.key = acme.production_key

    for invented in ("12345678900", "11222333000182", "11111111111"):
        error = refused(api, body(payer__taxId=invented))
        assert (error["code"], error["field"]) == ("ONP400_PAYER", "payer.taxId")


@rows("email", ["", "maria", "maria@", "@example.com", "a b@example.com", "a@b@c.com", "x" * 250 + "@a.io", 5])
def test_an_email_has_the_form_of_one(api: Api, email: Any) -> None:
    error = refused(api, body(payer__email=email))

    assert (error["code"], error["field"]) == ("ONP400_PAYER", "payer.email")


@rows("phone", ["", "1234567", "1234567890123456", "+55 11 9999x-8888", "call me", "٥٥١١٩٩٩٩٨٨٨٨", 5511999998888])
def test_a_phone_has_8_to_15_digits(api: Api, phone: Any) -> None:
    error = refused(api, body(payer__phone=phone))

    assert (error["code"], error["field"]) == ("ONP400_PAYER", "payer.phone")


@rows("phone", ["+5511999998888", "5511999998888", "+55 (11) 99999-8888", "55-11-99999-8888"])
def test_a_phone_is_kept_in_its_international_form(api: Api, phone: str) -> None:
    assert api.post("/payments", body(payer__phone=phone)).json()["data"]["customer"]["phone"] == "+5511999998888"


@rows("payer", [None, "Maria", 5, [], [MARIA], True])
def test_a_payer_is_an_object(api: Api, payer: Any) -> None:
    error = refused(api, pix() | {"payer": payer})

    assert error["code"] == "ONP400_PAYER"


@rows("seconds", [59, 0, -1, 2_592_001, 60.5, "60", True, [60]])
def test_the_payer_has_a_minute_at_least_and_a_month_at_most(api: Api, seconds: Any) -> None:
    error = refused(api, body(expiresIn=seconds))

    assert (error["code"], error["field"]) == ("ONP400_EXPIRES_IN", "expiresIn")


CARD_DATA = (
    "card cardNumber card_number Card-Number CARDNUMBER pan number cvv CVC card_cvc cardExpiry expiryMonth expiry_year "
    "securityCode"
)


@rows("member", CARD_DATA.split())
def test_card_data_is_refused(api: Api, member: str) -> None:
    answer = api.post("/payments", pix() | {member: "4242424242424242"})

    assert (answer.status_code, answer.json()["onpayCode"]) == (400, "ONP400_CARD_DATA")
    assert b"4242" not in answer.content
    assert nothing_was_written()


def test_card_data_inside_the_payer_is_refused(api: Api) -> None:
    answer = api.post("/payments", body(payer__cvv="123"))

    assert answer.json()["onpayCode"] == "ONP400_CARD_DATA"
    assert nothing_was_written()


def test_the_number_of_a_house_is_no_card_data(api: Api) -> None:
    address = {
        "street": "Rua A",
        "number": "10",
        "district": "B",
        "city": "C",
        "state": "SP",
        "postalCode": "01310-100",
    }

    assert api.post("/payments", body(payer__address=address)).status_code == 201


def test_members_nobody_knows_are_ignored(api: Api) -> None:
    answer = api.post("/payments", body(metadata={"a": [1]}, status="PAID", fee=0, id="pay_1", payer__vip=True))

    data = answer.json()["data"]
    assert (answer.status_code, data["status"], data["fee"]) == (201, "PENDING", 1.50)
    assert data["id"] != "pay_1"
