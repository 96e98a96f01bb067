"""A boleto has no account to return to: the money goes to a PIX key."""

from typing import Any

import pytest

from gateway.refunds.models import Refund
from tests.client import Api
from tests.factories import MARIA, Shop
from tests.gateway.receipts.orders import ADDRESS
from tests.gateway.refunds.paying_back import ask, disputed, nothing_moves, paid, refunded, refusal

pytestmark = pytest.mark.django_db

EVP = "123e4567-e89b-12d3-a456-426655440000"


def goes_to(refund: dict[str, Any]) -> tuple[str, str] | None:
    kept = Refund.objects.get(pk=refund["id"]).destination
    return (kept["pixKeyType"], kept["pixKey"]) if kept else None


def test_the_document_of_the_payer_is_the_key_where_no_other_is_named(api: Api) -> None:
    company = refunded(api, paid(api, "BOLETO"), amount=10)
    payer = MARIA | {"taxId": "529.982.247-25", "email": "maria@example.com", "address": ADDRESS}
    person = refunded(api, paid(api, "BOLETO", payer=payer), amount=10)

    assert goes_to(company) == ("CNPJ", "11444777000161")
    assert goes_to(person) == ("CPF", "52998224725")


def test_what_a_payer_of_a_boleto_wants_back_goes_to_the_payers_key(api: Api) -> None:
    assert goes_to(disputed(api, paid(api, "BOLETO"), amount=10)) == ("CNPJ", "11444777000161")


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("CPF", "52998224725"),
        ("CNPJ", "11444777000161"),
        ("EMAIL", "maria.silva+pix@example.com.br"),
        ("EMAIL", "m@" + "a" * 71 + ".com"),
        ("PHONE", "+5511999998888"),
        ("PHONE", "+551133334444"),
        ("EVP", EVP),
    ],
)
def test_a_key_of_each_type_is_taken(api: Api, kind: str, key: str) -> None:
    refund = refunded(api, paid(api, "BOLETO"), amount=10, destination={"pixKey": key, "pixKeyType": kind})

    assert goes_to(refund) == (kind, key)


@pytest.mark.parametrize(
    ("destination", "field"),
    [
        ({"pixKey": "5299822472", "pixKeyType": "CPF"}, "destination.pixKey"),
        ({"pixKey": "529982247250", "pixKeyType": "CPF"}, "destination.pixKey"),
        ({"pixKey": "11444777000161", "pixKeyType": "CPF"}, "destination.pixKey"),
        ({"pixKey": "52998224725", "pixKeyType": "CNPJ"}, "destination.pixKey"),
        ({"pixKey": "maria.example.com", "pixKeyType": "EMAIL"}, "destination.pixKey"),
        ({"pixKey": "m@" + "a" * 72 + ".com", "pixKeyType": "EMAIL"}, "destination.pixKey"),
        ({"pixKey": "11999998888", "pixKeyType": "PHONE"}, "destination.pixKey"),
        ({"pixKey": "+351912345678", "pixKeyType": "PHONE"}, "destination.pixKey"),
        ({"pixKey": "+551199999888888", "pixKeyType": "PHONE"}, "destination.pixKey"),
        ({"pixKey": "+55１１999998888", "pixKeyType": "PHONE"}, "destination.pixKey"),
        ({"pixKey": EVP.replace("-", ""), "pixKeyType": "EVP"}, "destination.pixKey"),
        ({"pixKey": "maria@example.com", "pixKeyType": "EVP"}, "destination.pixKey"),
        ({"pixKey": 52998224725, "pixKeyType": "CPF"}, "destination.pixKey"),
        ({"pixKey": "", "pixKeyType": "CPF"}, "destination.pixKey"),
        ({"pixKeyType": "CPF"}, "destination.pixKey"),
        ({"pixKey": "52998224725"}, "destination.pixKeyType"),
        ({"pixKey": "52998224725", "pixKeyType": "DOCUMENT"}, "destination.pixKeyType"),
    ],
)
def test_a_key_that_is_none_is_named_and_nothing_moves(
    api: Api, acme: Shop, destination: dict[str, Any], field: str
) -> None:
    payment = paid(api, "BOLETO")

    with nothing_moves(acme):
        answer = ask(api, payment, amount=10, destination=destination)

    assert refusal(answer) == (400, "ONP400_PIX_KEY")
    assert answer.json()["error"]["field"] == field


@pytest.mark.parametrize("method", ["PIX", "SPEI", "MB_WAY", "CREDIT_CARD"])
def test_money_of_other_methods_goes_back_where_it_came_from(api: Api, method: str) -> None:
    refund = refunded(api, paid(api, method), amount=10, destination={"pixKey": EVP, "pixKeyType": "EVP"})

    assert goes_to(refund) is None
