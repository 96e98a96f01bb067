"""STP on loopback, and accounts there: a provider alone, or that of a company."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from accounts.base.ids import new_id
from gateway.customers.payer import Payer
from gateway.methods.rail import PaymentOrder, Rail
from gateway.methods.spei.clabe import clabe
from gateway.payouts.rail import PayoutOrder, PayoutRail
from gateway.providers.models import ProviderAccount
from gateway.providers.stp.credentials import StpCredentials
from gateway.providers.stp.provider import StpProvider
from tests.support.companies import Shop
from tests.support.production import live
from tests.support.providers import connected, timeout_of
from tests.support.stp.service import WAITED_FOR, Stp, open_stp

BENEFICIARY = clabe(bank="072", city="691", account=449_571_149)


@pytest.fixture
def script(db: None) -> None:
    """Replaces that of the folder above: there is no scripted bank here, but numbers are kept in the database."""


@pytest.fixture(autouse=True)
def deadline(request: pytest.FixtureRequest, settings: Any) -> None:
    settings.PROVIDER_TIMEOUT_S = timeout_of(request, WAITED_FOR)


@pytest.fixture
def stp() -> Iterator[Stp]:
    with open_stp() as stp:
        yield stp


@pytest.fixture
def provider(stp: Stp) -> StpProvider:
    return StpProvider(StpCredentials.model_validate(stp.credentials()))


@pytest.fixture
def rail(provider: StpProvider) -> Rail:
    return provider.rails()[0]


@pytest.fixture
def payout(provider: StpProvider) -> PayoutRail:
    return provider.payout_rails()[0]


@pytest.fixture
def order() -> PaymentOrder:
    now = datetime.now(UTC)
    return PaymentOrder(
        payment_id=new_id("pay"),
        method="SPEI",
        amount=Decimal("150.00"),
        currency="MXN",
        beneficiary="Tienda Ejemplo",
        city="Ciudad de México",
        payer=Payer(name="María Silva"),
        created_at=now,
        expires_at=now,
    )


@pytest.fixture
def withdrawal() -> PayoutOrder:
    return PayoutOrder(
        withdrawal_id=new_id("wdr"),
        rail="SPEI",
        amount=Decimal("99.50"),
        currency="MXN",
        payout_amount=Decimal("99.50"),
        payout_currency="MXN",
        destination={"clabe": BENEFICIARY, "beneficiaryName": "José Núñez | Hijos, S.A."},
        sender="Tienda Ejemplo",
        sent_times=1,
    )


@pytest.fixture
def sent(withdrawal: PayoutOrder) -> Callable[..., PayoutOrder]:
    """The withdrawal as it is queried after it was sent just now, or then."""
    return lambda at=None, **more: replace(withdrawal, sent_at=at or datetime.now(UTC), **more)


@pytest.fixture
def account(acme: Shop, stp: Stp) -> ProviderAccount:
    """The platform's account, which serves payments."""
    live(acme)
    return connected("stp", stp.credentials(), "SPEI", currency="MXN")


@pytest.fixture
def shop(acme: Shop, account: ProviderAccount) -> Shop:
    return acme


@pytest.fixture
def make_key() -> Callable[[], str]:
    """A private key that STP does not know."""

    def made() -> str:
        key = generate_private_key(65537, 1024)
        return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()

    return made
