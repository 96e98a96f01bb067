"""A company is taken on, and its key opens the API."""

from tests.support.api import Api
from tests.support.companies import a_shop


def test_a_company_is_taken_on_and_its_keys_work(address: str) -> None:
    shop = a_shop("Initech")

    assert Api(shop.sandbox_key, address).get(f"/companies/{shop.company.id}").status_code == 200
    assert Api(shop.production_key, address).get("/payments").json()["data"] == []
