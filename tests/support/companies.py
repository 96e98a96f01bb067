"""Companies as they are taken on: objects are reached through the services, never written."""

from dataclasses import dataclass

from django.conf import settings

from accounts import services
from accounts.models import Company, Merchant, User


@dataclass(frozen=True)
class Shop:
    """A company that was taken on, with its keys."""

    company: Company
    sandbox: Merchant
    production: Merchant
    sandbox_key: str
    production_key: str


def a_shop(name: str = "Acme") -> Shop:
    company = Company(legal_name=f"{name} LTDA", trade_name=name, tax_id="11222333000181", tax_id_type="CNPJ")
    onboarded = services.onboard(company)
    User.objects.filter(memberships__company=company).update(terms_version=settings.TERMS_VERSION)
    return Shop(company, onboarded.sandbox, onboarded.production, onboarded.sandbox_key, onboarded.production_key)
