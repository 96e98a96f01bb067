"""Every request to Adyen, held against Adyen's own description by somebody else's validating proxy."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from accounts.base.ids import new_id
from gateway.customers.payer import Payer
from gateway.methods.card.acquirer import AcquirerCard
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentResult, RefundOrder
from gateway.providers.adyen.provider import AdyenCredentials, AdyenProvider
from gateway.providers.adyen.shapes import Refused
from gateway.providers.errors import Unclear
from tests.support.adyen.acquirer import Acquirer, server_context, serving
from tests.support.adyen.books import state_data
from tests.support.bacen_pix.front import fronting
from tests.support.boletos import ADDRESS
from tests.support.published import PUBLISHED, validating

FILE = PUBLISHED / "adyen-checkout-v72.json"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason=f"Adyen's file is not in {PUBLISHED}")
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
PAYER = Payer("Maria Silva", "52998224725", "CPF", "maria@example.com", "+351912344567", ADDRESS)
CURRENCIES = {"MB_WAY": "EUR", "BOLETO": "BRL", "PIX": "BRL"}


class Unversioned(AdyenCredentials):
    """The version belongs to the server of the file, which is the proxy here."""

    @property
    def address(self) -> str:
        return str(self.base_url)


@pytest.fixture(scope="module")
def acquirer(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Acquirer]:
    acquirer, log = Acquirer(), tmp_path_factory.mktemp("prism") / "log"
    with (
        serving(acquirer, tls=False) as behind,
        validating(tools, FILE, behind, log) as port,
        fronting(port, server_context()) as front,
    ):
        acquirer.url = f"https://localhost:{front}"
        yield acquirer


@pytest.fixture
def provider(acquirer: Acquirer, settings: Any) -> AdyenProvider:
    settings.PROVIDER_TIMEOUT_S = 20
    return AdyenProvider(Unversioned.model_validate(acquirer.credentials()))


def an_order(method: str) -> PaymentOrder:
    return PaymentOrder(
        payment_id=new_id("pay"),
        method=method,
        amount=Decimal("100.00"),
        currency=CURRENCIES[method],
        beneficiary="Loja Exemplo",
        city="São Paulo",
        payer=PAYER,
        created_at=NOON,
        expires_at=NOON + timedelta(hours=1),
        due_date=date(2026, 11, 30),
    )


@pytest.mark.parametrize("method", list(CURRENCIES))
def test_every_request_of_a_payment_is_valid(acquirer: Acquirer, provider: AdyenProvider, method: str) -> None:
    rail = next(one for one in provider.rails() if one.method == method)
    order = an_order(method)

    told = rail.instruct(order)
    assert told.answered == PaymentResult.WAITING
    assert rail.ask(replace(order, asked_times=2), PaymentAction.PREPARE) == told
    assert rail.cancel(order).answered == PaymentResult.UNKNOWN
    assert rail.cancel(replace(order, reference=told.reference)).answered == PaymentResult.UNKNOWN
    refund = RefundOrder(new_id("ref"), order.payment_id, told.reference, order.amount, order.currency, {}, NOON)
    assert rail.refund(refund, NOON).answered == PaymentResult.UNKNOWN
    assert [change.kind for change in acquirer.books.changes[-3:]] == ["cancels", "cancels", "refunds"]


@pytest.mark.parametrize("currency", ["BRL", "EUR"])
def test_every_request_of_a_card_is_valid(acquirer: Acquirer, provider: AdyenProvider, currency: str) -> None:
    rail = next(one for one in provider.rails() if one.method == "DEBIT_CARD")
    assert isinstance(rail, AcquirerCard)
    order = replace(an_order("PIX"), method="DEBIT_CARD", currency=currency, details={"confirmed": 1})

    assert rail.confirm(order, state_data("challenge")).answered == PaymentResult.CHALLENGE
    psp = acquirer.books.newest().psp
    handed = {"details": {"threeDSResult": f"{psp}.debit"}, "paymentData": "data"}
    assert rail.confirm(order, handed).answered == PaymentResult.AUTHORIZED
    authorized = replace(order, reference=psp)
    assert rail.capture(authorized).answered == PaymentResult.UNKNOWN
    assert rail.cancel(authorized).answered == PaymentResult.UNKNOWN


def test_every_request_about_a_saved_card_is_valid(acquirer: Acquirer, provider: AdyenProvider) -> None:
    rail = next(one for one in provider.rails() if one.method == "CREDIT_CARD")
    assert isinstance(rail, AcquirerCard)
    shopper = new_id("cus")
    order = replace(an_order("PIX"), method="CREDIT_CARD", customer_id=shopper)
    saving = replace(order, payment_id=new_id("pay"), saves_card=True, details={"confirmed": 1})
    kept = rail.confirm(saving, state_data("credit")).tokenized
    assert kept is not None and kept.token in acquirer.books.vault.cards

    for is_present in (True, False):
        charge = replace(order, payment_id=new_id("pay"), tokenized=kept, payer_is_present=is_present)
        assert rail.instruct(charge).answered == PaymentResult.AUTHORIZED
    assert provider.look_up_card(kept) is not None
    provider.forget_card(kept)
    assert provider.look_up_card(kept) is None
    provider.forget_card(kept)


def test_every_other_request_is_valid(provider: AdyenProvider) -> None:
    provider.check()


def test_the_proxy_refuses_what_the_file_does_not_allow(acquirer: Acquirer, provider: AdyenProvider) -> None:
    """The check can fail."""
    known, wrong = dict(acquirer.books.payments), {"paymentMethod": {"type": "pix"}, "returnUrl": 1, "surprise": "x"}

    with pytest.raises(Unclear):
        assert not isinstance(provider.api.pay(new_id("pay"), wrong), Refused)

    assert acquirer.books.payments == known
