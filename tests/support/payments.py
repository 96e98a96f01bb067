"""Payments, reached through the services: no test starts from an impossible world."""

import itertools
from decimal import Decimal
from typing import Any

from accounts.models import Merchant
from gateway.customers.payer import Payer
from gateway.payments import services as payments
from gateway.payments.models import Payment
from tests.support.api import Api

MARIA = {"name": "Maria Silva", "taxId": "52998224725"}


_numbers = itertools.count(1)


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


JOAO = {"name": "João Pereira", "taxId": "12345678909", "email": "joao@example.com"}


def pay(api: Api, payer: dict[str, Any], **members: Any) -> str:
    payment = api.post("/payments", pix(payer=payer, **members)).json()["data"]
    api.post(f"/simulations/payments/{payment['id']}", {"status": "PAID"})
    return str(payment["customer"]["id"])
