"""Withdrawals as staff find them, and decide about them."""

from typing import Any

from django.test import Client

from accounts.models import Company, Merchant
from gateway.models import Withdrawal
from gateway.staff.kit.columns import address as page_at
from tests.support import withdrawals as w
from tests.support.api import Api
from tests.support.companies import Shop

ACTIONS = ("arrived", "failed", "came_back", "ask")


NOTE = {"note": "The bank wrote on Monday"}


FORMS = {
    "arrived": {"reference": "E1", **NOTE},
    "failed": {"failure_code": "BANK_REJECTED", **NOTE},
    "came_back": NOTE,
    "ask": {},
}


def page_of(withdrawal: Withdrawal, name: str = "change") -> str:
    return page_at(Withdrawal, "change", withdrawal.pk).replace("/change/", f"/{name}/")


def a_withdrawal(api: Api, shop: Shop, rail: w.Rail = w.PIX, **members: Any) -> Withdrawal:
    return Withdrawal.objects.get(pk=w.withdrawn(api, shop, rail, **members)["id"])


def has_become(api: Api, shop: Shop, status: str, rail: w.Rail = w.PIX) -> Withdrawal:
    withdrawal = a_withdrawal(api, shop, rail, amount=904, minimumAssetAmount=None)
    if status != "PROCESSING":
        assert w.decide(api, {"id": withdrawal.pk}, "COMPLETED" if status == "RETURNED" else status).status_code == 200
    if status == "RETURNED":
        w.decide(api, {"id": withdrawal.pk}, "RETURNED")
    withdrawal.refresh_from_db()
    assert withdrawal.status == status
    return withdrawal


def take_to_production(shop: Shop) -> None:
    """No provider is connected there, so what it would have been sent is reached from the sandbox."""
    other = Company.objects.create(legal_name="Other", trade_name="Other", tax_id="1", tax_id_type="CNPJ")
    Merchant.objects.filter(company=shop.company, environment="PRODUCTION").update(company=other)
    Merchant.objects.filter(pk=shop.sandbox.pk).update(environment="PRODUCTION")


def offered(browser: Client, withdrawal: Withdrawal) -> list[str]:
    page = browser.get(page_of(withdrawal)).content.decode()
    return [name for name in ACTIONS if f'href="{page_of(withdrawal, name)}"' in page]
