"""Orders of every method that can be paid today, and the backend that has them paid."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from gateway.payments.models import Payment
from tests.support.payments import a_reference, pix

ADDRESS = {
    "street": "Rua das Flores", "number": "100", "district": "Centro", "city": "São Paulo", "state": "SP",
    "postalCode": "01001-000",
}  # fmt: skip


def order(method: str, **members: Any) -> dict[str, Any]:
    """The body of an order whose amount shows how its market writes thousands."""
    body: dict[str, Any] = {"method": method, "reference": a_reference()}
    if method == "PIX":
        body |= pix(amount=1234.5)
    elif method == "BOLETO":
        payer = {"name": "Loja Irmãos Ñuñez", "taxId": "11444777000161", "email": "a@b.example", "address": ADDRESS}
        body |= {
            "amount": 1234.5,
            "currency": "BRL",
            "payer": payer,
            "dueDate": str(datetime.now(UTC).date() + timedelta(days=5)),
        }
    elif method == "SPEI":
        payer = {"name": "José Núñez", "taxId": "GODE561231GR8"}
        body |= {"amount": 234567.89, "currency": "MXN", "payer": payer}
    elif method == "BANK_TRANSFER":
        body |= {"amount": 1234.5, "currency": "ARS", "payer": {"name": "Martín Gómez", "taxId": "20-12345678-6"}}
    elif method == "MB_WAY":
        body |= {"amount": 1234.5, "currency": "EUR", "payer": {"name": "João Conceição", "phone": "912345678"}}
    return body | members


Ordered = Callable[..., Payment]
