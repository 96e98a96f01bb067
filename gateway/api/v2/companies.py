"""The company and its balance (contract §9.2, §10.1)."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field
from typing_extensions import TypedDict

from accounts.errors import Refusal
from accounts.models import Merchant
from accounts.wire import Number, Timestamp, optional_timestamp, timestamp
from gateway.api.errors import CompanyUnknown
from gateway.api.fields import Input
from gateway.api.operations import Resource, operation
from gateway.methods.selectors import offers
from gateway.payments.errors import InvalidCurrency
from ledger.money import to_decimal
from ledger.wallets import selectors as wallets


class EnabledMethodPayload(TypedDict):
    """A method in a currency."""

    method: str
    currency: str


class CompanyPayload(TypedDict):
    """The company in the environment of the key."""

    id: str
    environment: Literal["SANDBOX", "PRODUCTION"]
    legalName: str
    tradeName: str
    taxId: str
    taxIdType: str
    country: str
    email: str
    phone: str
    status: Literal["PENDING_VERIFICATION", "ACTIVE", "SUSPENDED", "CLOSED"]
    verifiedAt: Timestamp | None
    enabledMethods: list[EnabledMethodPayload]
    withdrawalEnabled: bool
    withdrawalIp: str | None
    conversionEnabled: bool
    advanceEnabled: bool
    cardIntegrationMode: Literal["SECURE_FIELDS", "HOSTED"]
    cardSettlementCurrency: str
    createdAt: Timestamp
    updatedAt: Timestamp


class CurrencyBalancePayload(TypedDict):
    """What the company has in a currency; `total` is the sum of the three."""

    currency: str
    available: Number
    releasing: Number
    blocked: Number
    total: Number


class WalletBalancePayload(CurrencyBalancePayload):
    """What a wallet holds. A wallet is named after the rail by which its money leaves."""

    method: str


class BalancePayload(TypedDict):
    """All of the company's money, by currency and by wallet."""

    companyId: str
    balances: list[CurrencyBalancePayload]
    wallets: list[WalletBalancePayload]
    updatedAt: Timestamp


def company_payload(merchant: Merchant) -> CompanyPayload:
    company = merchant.company
    return {
        "id": company.id,
        "environment": merchant.environment,  # type: ignore[typeddict-item]
        "legalName": company.legal_name,
        "tradeName": company.trade_name,
        "taxId": company.tax_id,
        "taxIdType": company.tax_id_type,
        "country": company.country,
        "email": company.email,
        "phone": company.phone,
        "status": company.status,  # type: ignore[typeddict-item]
        "verifiedAt": optional_timestamp(company.verified_at),
        "enabledMethods": [
            {"method": offer.rule.method, "currency": offer.rule.currency} for offer in offers(merchant)
        ],
        "withdrawalEnabled": merchant.withdrawal_enabled,
        "withdrawalIp": company.withdrawal_ip,
        "conversionEnabled": merchant.conversion_enabled,
        "advanceEnabled": merchant.advance_enabled,
        "cardIntegrationMode": merchant.card_integration_mode,  # type: ignore[typeddict-item]
        "cardSettlementCurrency": merchant.card_settlement_currency,
        "createdAt": timestamp(company.created_at),
        "updatedAt": timestamp(company.updated_at),
    }


def _amounts(holding: wallets.Holding, currency: str) -> CurrencyBalancePayload:
    return {
        "currency": currency,
        "available": to_decimal(holding.available, currency),
        "releasing": to_decimal(holding.releasing, currency),
        "blocked": to_decimal(holding.blocked, currency),
        "total": to_decimal(holding.total, currency),
    }


def balance_payload(merchant: Merchant, currency: str | None) -> BalancePayload:
    found = wallets.holdings(merchant, currency)
    return {
        "companyId": merchant.company_id,
        "balances": [_amounts(holding, code) for code, holding in found.currencies.items()],
        "wallets": [{"method": m, **_amounts(holding, code)} for (m, code), holding in found.wallets.items()],
        "updatedAt": timestamp(found.updated_at or merchant.created_at),
    }


def own(merchant: Merchant, company_id: str) -> None:
    """Refuses with ONP404_COMPANY for any company but the key's own: no hint that another exists."""
    if merchant.company_id != company_id:
        raise CompanyUnknown


class BalanceQuery(Input):
    """Which balance."""

    codes: ClassVar[dict[str, type[Refusal]]] = {"currency": InvalidCurrency}
    currency: Annotated[Literal["BRL", "MXN", "EUR", "COP", "ARS"] | None, Field(description="Only this one")] = None


class Company(Resource):
    tag = "Companies"

    @operation("companies:read", gives=CompanyPayload, refuses=[CompanyUnknown])
    def get(self, merchant: Merchant, company_id: str) -> CompanyPayload:
        """Read the company

        What the company is, and what it may do in the environment of the key.
        """
        own(merchant, company_id)
        return company_payload(merchant)


class Balance(Resource):
    tag = "Companies"

    @operation("balances:read", query=BalanceQuery, gives=BalancePayload, refuses=[CompanyUnknown, InvalidCurrency])
    def get(self, merchant: Merchant, query: BalanceQuery, company_id: str) -> BalancePayload:
        """Read the balance

        Available, releasing and blocked money by currency and by wallet, from one snapshot.
        """
        own(merchant, company_id)
        return balance_payload(merchant, query.currency)
