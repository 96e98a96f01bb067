"""The company (contract §9.2)."""

from typing import Literal

from typing_extensions import TypedDict

from accounts.base.wire import Timestamp, optional_timestamp, timestamp
from accounts.models import Merchant
from gateway.api.errors import CompanyUnknown
from gateway.api.operations import Resource, operation
from gateway.methods.selectors import offers


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


ME = "me"
"""Stands for the key's own company in every path."""


def own(merchant: Merchant, company_id: str) -> None:
    """Raises ONP404_COMPANY for any company except the key's own, without disclosing whether it exists."""
    if company_id not in (ME, merchant.company_id):
        raise CompanyUnknown


class CompanyView(Resource):
    tag = "Companies"

    @operation("getCompany", "companies:read", gives=CompanyPayload, refuses=[CompanyUnknown])
    def get(self, merchant: Merchant, company_id: str) -> CompanyPayload:
        """Read the company

        The company's data, and its enabled features in the environment of the key. Here and in every other path `me`
        stands for the id of the key's own company.
        """
        own(merchant, company_id)
        return company_payload(merchant)
