"""A company's own receiving accounts, as staff enter them for the manual provider."""

from typing import Any

from accounts.audit import Actor
from gateway.methods.models import MethodRule
from gateway.methods.spei.clabe import clabe
from gateway.payments.models import Payment
from gateway.providers import accounts
from gateway.providers.manual.credentials import ManualCredentials
from gateway.providers.manual.provider import ManualProvider
from gateway.providers.models import ProviderAccount
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_reference
from tests.support.providers import NOTE, confirms, enters, routed

CLABE = clabe(bank="012", city="180", account=15_400_001)
OTHER_CLABE = clabe(bank="012", city="180", account=15_400_002)
CBU = "2850590940090418135201"
MEXICO = {"holder": "Acme SA de CV", "tax_id": "ACM010101ABA", "clabe": CLABE}
ARGENTINA = {"holder": "Acme SRL", "tax_id": "30500010912", "bank": "Banco Macro", "cbu": CBU, "alias": "acme.cobros"}
COLOMBIA = {
    "holder": "Acme SAS",
    "tax_id": "9001234567",
    "bank": "Bancolombia",
    "account_type": "SAVINGS",
    "account_number": "12345678901",
    "nequi_number": "3001234567",
    "bre_b_key": "@acme2026",
    "pse_page": "https://pagos.acme.example/pse",
    "instructions_en": "Send the receipt to pagos@acme.example.",
    "instructions_es": "Envíe el comprobante a pagos@acme.example.",
    "payers_time_s": 7200,
}
BRAZIL = {"holder": "Acme LTDA", "pix_key": "pagamentos@acme.example"}
CREDENTIALS: dict[str, dict[str, Any]] = {"MXN": MEXICO, "ARS": ARGENTINA, "COP": COLOMBIA, "BRL": BRAZIL}


def manual(given: dict[str, Any]) -> ManualProvider:
    return ManualProvider(ManualCredentials.model_validate(given))


def served_by(given: dict[str, Any]) -> set[tuple[str, str]]:
    """The methods and currencies of an account with these credentials."""
    return {(rail.method, market.currency) for rail in manual(given).rails() for market in rail.markets}


def connected(shop: Shop, currency: str, **more: Any) -> ProviderAccount:
    """The company's account is active, routed, and its methods are switched on in production."""
    new = accounts.NewAccount(ManualProvider.name, f"{shop.company} {currency}", "PRODUCTION", shop.production)
    entered = accounts.enter(Actor(enters()), new, CREDENTIALS[currency] | more, NOTE)
    account = accounts.check(Actor(enters()), entered)
    accounts.activate(Actor(confirms()), account, NOTE)
    for method, in_currency in served_by(CREDENTIALS[currency] | more):
        routed(account, merchant=shop.production, method=method, currency=in_currency)
        rules = MethodRule.objects.filter(environment="PRODUCTION", method=method, currency=in_currency)
        rules.update(enabled=True)
    return account


CAMILA = {"name": "Camila Rojas", "taxId": "1018760936"}
PAYERS = {"BRL": {"name": "Maria Silva", "taxId": "52998224725"}, "MXN": {"name": "Lucía Hernández"}, "COP": CAMILA}
CURRENCY = {"PIX": "BRL", "SPEI": "MXN"}


def live(shop: Shop, address: str) -> Api:
    """The backend of the company with its live key."""
    return Api(shop.production_key, address)


def ordered(api: Api, method: str, **members: Any) -> dict[str, Any]:
    """A payment of 1 500: of pesos of Colombia, but for PIX and SPEI."""
    currency = CURRENCY.get(method, "COP")
    order = {"method": method, "amount": 1500, "currency": currency, "reference": a_reference()}
    answer = api.post("/payments", order | {"payer": PAYERS[currency]} | members)
    assert answer.status_code == 201, answer.content
    data: dict[str, Any] = answer.json()["data"]
    return data


def spei(api: Api) -> Payment:
    """One of 1 500 pesos by SPEI."""
    return Payment.objects.get(pk=ordered(api, "SPEI")["id"])
