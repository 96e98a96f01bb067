"""Every request to a bank, held against Banco Central's own file by somebody else's validating proxy."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from accounts.base.ids import new_id
from gateway.customers.payer import Payer
from gateway.methods.rail import PaymentAction, PaymentOrder, PaymentResult, RefundOrder
from gateway.providers.bacen_pix.api import Charges
from gateway.providers.bacen_pix.provider import BacenPixCredentials, BacenPixProvider
from gateway.providers.errors import Unclear
from gateway.providers.problems import Problem
from tests.support.bacen_pix.bank import KEY, Bank, Books, Papers, authority, open_bank, serving
from tests.support.bacen_pix.front import fronting
from tests.support.published import PUBLISHED, validating

FILE = PUBLISHED / "bacen-pix-api-2.9.0.yaml"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason=f"Banco Central's file is not in {PUBLISHED}")
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
MISTAKES = (
    (r'pattern: "/^\\d{11}$/"', r'pattern: "^\\d{11}$"'),
    (
        '    DadosRecebedor:\n      type: "object"\n      required: ["logradouro", "cidade", "uf", "cep"]\n',
        '    DadosRecebedor:\n      type: "object"\n',
    ),
    ('"/cobv/{pixUrlAccessToken}":', '"/payload/cobv/{pixUrlAccessToken}":'),
)
"""Of the file, about charges with a due date: the pattern of a CPF is written with slashes, which nothing matches; the
address of the beneficiary is required of the charge as well; and what payers' banks read at a location has the same
path as a charge.
"""


@pytest.fixture(scope="module")
def bank() -> Iterator[Bank]:
    """`location` is a URI for the file, and none for the banks, so this one begins with a scheme."""
    with open_bank() as bank:
        bank.books = Books(KEY, settles="DEVOLVIDO", location_begins="https://pix.example.com/qr/")
        yield bank


@pytest.fixture(scope="module")
def corrected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file without its mistakes."""
    text = FILE.read_text()
    for mistake, correction in MISTAKES:
        assert mistake in text, "the mistake was corrected: leave it out here"
        text = text.replace(mistake, correction)
    file = tmp_path_factory.mktemp("published") / FILE.name
    file.write_text(text)
    return file


@pytest.fixture(scope="module")
def validated(bank: Bank, corrected: Path, tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The bank behind a proxy that answers 422 to a request, and 500 to an answer, which the file does not allow."""
    log = tmp_path_factory.mktemp("prism") / "log"
    with serving(bank, tls=False) as behind, validating(tools, corrected, behind, log) as port, fronting(port) as front:
        yield f"https://localhost:{front}"


@pytest.fixture
def provider(bank: Bank, validated: str, settings: Any) -> BacenPixProvider:
    settings.PROVIDER_TIMEOUT_S = 20
    papers = Papers.of("onpay.test")
    return BacenPixProvider(
        BacenPixCredentials.model_validate(
            {
                "base_url": validated,
                "token_url": bank.token_url,
                "client_id": bank.client_id,
                "client_secret": bank.client_secret,
                "certificate": papers.certificate,
                "private_key": papers.private_key,
                "ca_certificates": authority().cert_pem.bytes().decode(),
                "pix_key": KEY,
            }
        )
    )


def an_order(amount: str) -> PaymentOrder:
    return PaymentOrder(
        payment_id=new_id("pay"),
        method="PIX",
        amount=Decimal(amount),
        currency="BRL",
        beneficiary="Loja Exemplo",
        city="São Paulo",
        payer=Payer(name="Maria Silva", tax_id="52998224725"),
        created_at=NOW,
        expires_at=NOW + timedelta(hours=1),
    )


@pytest.mark.parametrize("tax_id", ["", "52998224725", "12ABC34501DE35"], ids=["cob", "cobv CPF", "cobv CNPJ"])
@pytest.mark.parametrize("amount", ["0.01", "100.00", "250000.00"])
def test_every_request_of_a_payment_is_valid(bank: Bank, provider: BacenPixProvider, amount: str, tax_id: str) -> None:
    [rail], order = provider.rails(), an_order(amount)
    if tax_id:
        due = (datetime.now(UTC) + timedelta(days=365)).date()
        order = replace(order, due_date=due, payer=replace(order.payer, tax_id=tax_id))
    other = replace(order, payment_id=new_id("pay"))
    txid = order.payment_id.removeprefix("pay_")

    assert rail.ask(order, PaymentAction.PREPARE).answered == PaymentResult.NOT_RECEIVED
    assert [rail.instruct(one).answered for one in (order, order, other)] == [PaymentResult.WAITING] * 3
    assert rail.cancel(other).answered == PaymentResult.DONE
    money = bank.books.pay(txid)
    assert rail.ask(order, PaymentAction.PAY).reference == money
    assert rail.cancel(order).answered == PaymentResult.REFUSED
    refund = RefundOrder(new_id("ref"), order.payment_id, money, order.amount, "BRL")
    assert rail.ask_refund(refund, NOW).answered == PaymentResult.NOT_RECEIVED
    assert rail.refund(refund, NOW).answered == PaymentResult.DONE
    assert rail.ask_refund(refund, NOW).answered == PaymentResult.DONE


def test_every_other_request_is_valid(bank: Bank, provider: BacenPixProvider) -> None:
    money, now = bank.books.pay(None, "1.00"), datetime.now(UTC)

    provider.check()
    provider.register_webhook("https://api.onpay.example/callbacks/pac_1")
    provider.check()
    found = provider.received(now - timedelta(hours=1), now + timedelta(hours=1))

    assert money in [one.end_to_end_id for one in found]
    assert bank.books.webhook_url == "https://api.onpay.example/callbacks/pac_1"


def test_the_proxy_refuses_what_the_file_does_not_allow(bank: Bank, provider: BacenPixProvider) -> None:
    """The check can fail."""
    before = (dict(bank.books.charges), bank.books.webhook_url)
    day: dict[str, Any] = {"dataDeVencimento": "2099-12-31", "validadeAposVencimento": 0}
    wrong: list[tuple[Charges, dict[str, Any]]] = [
        (provider.api.cob, {"calendario": {"expiracao": "3600"}}),
        (provider.api.cobv, {"calendario": day}),
        (provider.api.cobv, {"calendario": day, "devedor": {"cpf": "5299822472", "nome": "Maria Silva"}}),
        (provider.api.cobv, {"calendario": {}, "devedor": {"cpf": "52998224725", "nome": "Maria Silva"}}),
    ]

    for charges, terms in wrong:
        told = charges.create("a" * 26, Decimal("10.00"), terms)
        assert isinstance(told, Problem)
        assert (told.status, told.title) == (422, "Invalid request")
        with pytest.raises(Unclear, match="HTTP 422"):
            charges.find("abc")
    with pytest.raises(Unclear, match="HTTP 422"):
        provider.register_webhook("no address")

    assert (bank.books.charges, bank.books.webhook_url) == before
