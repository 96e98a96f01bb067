"""Orders of boletos."""

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from gateway.customers.payer import Payer
from gateway.methods.boleto.rail import SandboxBoleto
from gateway.methods.rail import PaymentOrder

RAIL = SandboxBoleto()


NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


ADDRESS = {
    "street": "Avenida Paulista",
    "number": "1000",
    "district": "Bela Vista",
    "city": "São Paulo",
    "state": "SP",
    "postalCode": "01310-100",
}


MARIA = Payer("Maria Silva", "52998224725", "CPF", "maria@example.com", None, ADDRESS)


def an_order(**changes: Any) -> PaymentOrder:
    order = PaymentOrder(
        method="BOLETO",
        payment_id="pay_01JD3K5V8M0000000000000002",
        amount=Decimal("150.00"),
        currency="BRL",
        beneficiary="Loja Exemplo LTDA",
        city="São Paulo",
        payer=MARIA,
        created_at=NOON,
        expires_at=RAIL.deadline(NOON, 259_200, date(2026, 12, 1)),
        due_date=date(2026, 12, 1),
    )
    return replace(order, **changes)
