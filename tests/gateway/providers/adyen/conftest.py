"""A pretended Adyen that listens, and an account there. No database: a provider stores nothing."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from accounts.base.ids import new_id
from gateway.customers.payer import Payer
from gateway.methods.rail import PaymentOrder, Rail
from gateway.providers.adyen.provider import AdyenCredentials, AdyenProvider
from tests.support.adyen.acquirer import WAITED_FOR, Acquirer, open_acquirer
from tests.support.providers import timeout_of

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
ADDRESS = {
    "street": "Rua Augusta", "number": "100", "district": "Consolação", "city": "São Paulo", "state": "SP",
    "postalCode": "01304000",
}  # fmt: skip
PAYER = Payer("Maria Silva", "52998224725", "CPF", "maria@example.com", "+351912344567", ADDRESS)


@pytest.fixture
def script() -> None:
    """Replaces that of the folder above, which needs a database."""


@pytest.fixture(autouse=True)
def deadline(request: pytest.FixtureRequest, settings: Any) -> None:
    settings.PROVIDER_TIMEOUT_S = timeout_of(request, WAITED_FOR)


@pytest.fixture
def acquirer() -> Iterator[Acquirer]:
    with open_acquirer() as acquirer:
        yield acquirer


@pytest.fixture
def provider(acquirer: Acquirer) -> AdyenProvider:
    return AdyenProvider(AdyenCredentials.model_validate(acquirer.credentials()))


@pytest.fixture
def rail_for(provider: AdyenProvider) -> Callable[[str], Rail]:
    return lambda method: next(one for one in provider.rails() if one.method == method)


@pytest.fixture
def order_of() -> Callable[[str], PaymentOrder]:
    """100 of the method's currency, payable for an hour."""
    blank = PaymentOrder(
        payment_id="",
        method="",
        amount=Decimal("100.00"),
        currency="BRL",
        beneficiary="Loja Exemplo",
        city="São Paulo",
        payer=PAYER,
        created_at=NOON,
        expires_at=NOON + timedelta(hours=1),
        due_date=date(2026, 11, 30),
    )
    return lambda method: replace(
        blank, payment_id=new_id("pay"), method=method, currency="EUR" if method == "MB_WAY" else "BRL"
    )
