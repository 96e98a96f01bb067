"""A fake bank that listens, and accounts there: a provider alone, which needs no database, or that of a company."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from accounts.audit import Actor
from accounts.base.ids import new_id
from gateway.customers.payer import Payer
from gateway.methods.due_dates import end_of
from gateway.methods.rail import PaymentOrder, Rail, RefundOrder
from gateway.providers import accounts
from gateway.providers.bacen_pix.provider import BacenPixCredentials, BacenPixProvider
from gateway.providers.models import ProviderAccount
from tests.support.bacen_pix.bank import KEY, WAITED_FOR, Bank, Papers, authority, open_bank
from tests.support.companies import Shop
from tests.support.production import live
from tests.support.providers import NOTE, confirms, enters, routed, timeout_of

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def papers() -> Papers:
    return Papers.of("onpay.test")


@pytest.fixture
def script() -> None:
    """Replaces that of the folder above, which needs a database."""


@pytest.fixture(autouse=True)
def deadline(request: pytest.FixtureRequest, settings: Any) -> None:
    settings.PROVIDER_TIMEOUT_S = timeout_of(request, WAITED_FOR)


@pytest.fixture
def bank() -> Iterator[Bank]:
    with open_bank() as bank:
        yield bank


@pytest.fixture
def entered(bank: Bank, papers: Papers) -> dict[str, Any]:
    """The credentials as staff enter them."""
    return {
        "base_url": bank.url,
        "token_url": bank.token_url,
        "client_id": bank.client_id,
        "client_secret": bank.client_secret,
        "certificate": papers.certificate,
        "private_key": papers.private_key,
        "ca_certificates": authority().cert_pem.bytes().decode(),
        "pix_key": KEY,
        "callback_fingerprints": "AB:" * 31 + "AB",
    }


@pytest.fixture
def connect(entered: dict[str, Any]) -> Callable[..., BacenPixProvider]:
    """Opens the account, with other credentials where a test names them."""
    return lambda **other: BacenPixProvider(BacenPixCredentials.model_validate(entered | other))


@pytest.fixture
def provider(connect: Callable[..., BacenPixProvider]) -> BacenPixProvider:
    return connect()


@pytest.fixture
def rail(provider: BacenPixProvider) -> Rail:
    return provider.rails()[0]


@pytest.fixture
def kind() -> str:
    """Of charges: `cob`, or `cobv` with a due date. Modules that override it run for both."""
    return "cob"


@pytest.fixture
def order(kind: str) -> PaymentOrder:
    """100 BRL, payable for an hour or for three days."""
    due = datetime.now(UTC).date() + timedelta(days=3)
    order = PaymentOrder(
        payment_id=new_id("pay"),
        method="PIX",
        amount=Decimal("100.00"),
        currency="BRL",
        beneficiary="Loja Exemplo",
        city="São Paulo",
        payer=Payer(name="Maria Silva", tax_id="52998224725"),
        created_at=NOW,
        expires_at=NOW + timedelta(hours=1),
    )
    return order if kind == "cob" else replace(order, due_date=due, expires_at=end_of(due))


@pytest.fixture
def refund_of(order: PaymentOrder) -> Callable[[str, str], RefundOrder]:
    """A refund of so much of the order, which was paid with this money."""
    blank = RefundOrder(new_id("ref"), order.payment_id, None, order.amount, "BRL")
    return lambda money, amount: replace(
        blank, refund_id=new_id("ref"), payment_reference=money, amount=Decimal(amount)
    )


@pytest.fixture
def account(acme: Shop, entered: dict[str, Any]) -> ProviderAccount:
    """The platform's account at the bank: entered by one person, checked, confirmed by another, and routed to."""
    live(acme)
    new = accounts.NewAccount("bacen-pix", "Banco do Teste", "PRODUCTION", None)
    account = accounts.check(Actor(enters()), accounts.enter(Actor(enters()), new, entered, NOTE))
    accounts.activate(Actor(confirms()), account, NOTE)
    routed(account)
    return account


@pytest.fixture
def shop(acme: Shop, account: ProviderAccount) -> Shop:
    return acme
