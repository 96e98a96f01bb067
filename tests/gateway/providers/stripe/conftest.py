"""Stripe by somebody else, and an account there."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from accounts.base.ids import new_id
from gateway.customers.payer import Payer
from gateway.methods.rail import PaymentOrder
from gateway.providers.stripe.provider import StripeCredentials, StripeProvider
from gateway.providers.stripe.rail import StripeCard
from tests.support.providers import timeout_of
from tests.support.stripe.stand_in import WAITED_FOR, StandIn, in_front_of, localstripe

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def script() -> None:
    """Replaces that of the folder above, which needs a database."""


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    with localstripe() as port:
        yield port


@pytest.fixture
def stand_in(port: int) -> Iterator[StandIn]:
    with in_front_of(port) as stand_in:
        yield stand_in


@pytest.fixture(autouse=True)
def deadline(request: pytest.FixtureRequest, settings: Any) -> None:
    settings.PROVIDER_TIMEOUT_S = timeout_of(request, WAITED_FOR)


@pytest.fixture
def provider(stand_in: StandIn) -> StripeProvider:
    return StripeProvider(StripeCredentials.model_validate(stand_in.credentials()))


@pytest.fixture
def rail(provider: StripeProvider) -> StripeCard:
    return next(one for one in provider.rails() if isinstance(one, StripeCard) and one.method == "CREDIT_CARD")


@pytest.fixture
def order() -> PaymentOrder:
    """200 reais by card."""
    return PaymentOrder(
        payment_id=new_id("pay"),
        method="CREDIT_CARD",
        amount=Decimal("200.00"),
        currency="BRL",
        beneficiary="Loja Exemplo",
        city="São Paulo",
        payer=Payer("Maria Silva", "52998224725", "CPF"),
        created_at=NOON,
        expires_at=NOON + timedelta(minutes=30),
    )
