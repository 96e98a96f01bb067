"""Payers are remembered once, found again, and shown to their merchant only."""

import pytest

from tests.support.api import Api
from tests.support.payments import pix

MARIA = {"name": "Maria Silva", "taxId": "529.982.247-25", "email": "Maria@Example.com"}
JOAO = {"name": "João Pereira", "taxId": "12345678909", "phone": "+55 (11) 99999-8888"}
SHOP = {"name": "Padaria Central", "taxId": "11222333000181", "address": {"city": "Santos", "state": "SP"}}


@pytest.fixture
def people(api: Api) -> None:
    for payer in (MARIA, JOAO, SHOP):
        assert api.post("/payments", pix(payer=payer)).status_code == 201


def names(api: Api, **query: str) -> list[str]:
    return [customer["name"] for customer in api.get("/customers", **query).json()["data"]]


def test_customers_are_listed_newest_first_with_what_is_known(api: Api, people: None) -> None:
    shop, joao, maria = api.get("/customers").json()["data"]

    assert (maria["taxId"], maria["email"], maria["phone"]) == ("52998224725", "maria@example.com", None)
    assert (joao["name"], joao["phone"]) == ("João Pereira", "+5511999998888")
    assert (shop["address"]["city"], shop["address"]["street"], shop["address"]["country"]) == ("Santos", None, "BR")


def test_a_payer_is_found_again_and_what_is_new_overwrites(api: Api, people: None) -> None:
    first = api.get("/customers", taxId="52998224725").json()["data"][0]
    api.post("/payments", pix(payer={"name": "Maria S. Souza", "taxId": "52998224725", "phone": "+5511911112222"}))

    (again,) = api.get("/customers", taxId="52998224725").json()["data"]

    assert again["id"] == first["id"]
    assert (again["name"], again["phone"], again["email"]) == ("Maria S. Souza", "+5511911112222", "maria@example.com")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"taxId": "529.982.247-25"}, ["Maria Silva"]),
        ({"email": "MARIA@example.com"}, ["Maria Silva"]),
        ({"name": "pere"}, ["João Pereira"]),
        ({"name": "100%"}, []),
        ({"createdFrom": "2999-01-01"}, []),
        ({"createdTo": "2999-01-01", "name": "a"}, ["Padaria Central", "João Pereira", "Maria Silva"]),
    ],
)
def test_filters_find(api: Api, people: None, query: dict[str, str], found: list[str]) -> None:
    assert names(api, **query) == found


@pytest.mark.parametrize("query", [{"email": "nobody"}, {"taxId": "!"}, {"createdFrom": "soon"}, {"name": ""}])
def test_a_filter_that_makes_no_sense_is_refused(api: Api, query: dict[str, str]) -> None:
    assert api.get("/customers", **query).json()["error"]["code"] == "ONP400_FILTER"


def test_nobody_sees_anothers_customers(people: None, globex_api: Api) -> None:
    assert names(globex_api) == []
