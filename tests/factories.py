"""Objects are reached through the services, never written: no test starts from an impossible world."""

import itertools
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from accounts import services
from accounts.models import Company, Merchant
from gateway.customers.payer import Payer
from gateway.payments import services as payments
from gateway.payments.models import Payment

MARIA = {"name": "Maria Silva", "taxId": "52998224725"}
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Shop:
    """A company that was taken on, with its keys."""

    company: Company
    sandbox: Merchant
    production: Merchant
    sandbox_key: str
    production_key: str


def a_shop(name: str = "Acme") -> Shop:
    company = Company(legal_name=f"{name} LTDA", trade_name=name, tax_id="11222333000181", tax_id_type="CNPJ")
    onboarded = services.onboard(company)
    return Shop(company, onboarded.sandbox, onboarded.production, onboarded.sandbox_key, onboarded.production_key)


def a_reference() -> str:
    return f"order-{next(_numbers)}"


def pix(**members: Any) -> dict[str, Any]:
    """The body of a PIX payment of 150 reais; a member given as None is left out."""
    body = {"method": "PIX", "amount": 150.00, "currency": "BRL", "reference": a_reference(), "payer": MARIA} | members
    return {name: value for name, value in body.items() if value is not None}


def a_payment(merchant: Merchant, status: str = "PENDING", amount: str = "150.00") -> Payment:
    """A PIX payment of the merchant that has come as far as `status`."""
    payer = Payer(name="Maria Silva", tax_id="52998224725", tax_id_type="CPF")
    payment = payments.create(merchant, payments.Request("PIX", Decimal(amount), "BRL", a_reference(), payer))
    return payment if status == "PENDING" else payments.simulate(merchant, payment.id, status)
