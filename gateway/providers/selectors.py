"""Which accounts are asked for a payment method, in order, and the institution behind an account."""

import json
from functools import lru_cache
from typing import Any

from django.db.models import F, Q

from accounts.base.sealing import unseal
from accounts.models import Environment, Merchant
from gateway.methods.rail import Rail
from gateway.providers.errors import SandboxReachesOut
from gateway.providers.models import ProviderAccount, ProviderRoute
from gateway.providers.provider import Provider
from gateway.providers.registry import declared


def route(merchant: Merchant, method: str, currency: str) -> list[ProviderAccount]:
    """The active accounts for a method, first the one to ask first: the company's own order, else that of all.

    Never any for a sandbox: its keys reach no institution.
    """
    if merchant.environment != Environment.PRODUCTION:
        return []
    routes = (
        ProviderRoute.objects.filter(Q(merchant=merchant) | Q(merchant=None), method=method, currency=currency)
        .select_related("account")
        .order_by(F("merchant").asc(nulls_last=True), "position")
    )
    found = list(routes)
    theirs = [one for one in found if one.merchant_id == merchant.pk] or found
    return [one.account for one in theirs if _is_usable(one.account, merchant)]


def _is_usable(account: ProviderAccount, merchant: Merchant) -> bool:
    return (
        account.status == ProviderAccount.Status.ACTIVE
        and account.system == ProviderAccount.System.PRODUCTION
        and account.merchant_id in (None, merchant.pk)
        and account.provider in declared()
    )


def provider_of(account: ProviderAccount) -> Provider[Any]:
    """The institution, opened with the account's credentials: to check it, or to read its messages."""
    return opened(account.provider, bytes(account.sealed_credentials))


def opened(provider: str, sealed_credentials: bytes) -> Provider[Any]:
    return _opened(declared()[provider], sealed_credentials)


@lru_cache(maxsize=256)
def _opened(provider: type[Provider[Any]], sealed: bytes) -> Provider[Any]:
    return provider(provider.credentials_type.model_validate(json.loads(unseal(sealed))))


def rail_of(account: ProviderAccount, method: str, currency: str, *, of: Merchant) -> Rail:
    """The account's rail for the money of a merchant: the only way to a rail of an institution.

    Raises SandboxReachesOut for a sandbox, whichever account was chosen and why.
    """
    if of.environment != Environment.PRODUCTION or account.merchant_id not in (None, of.pk):
        raise SandboxReachesOut(f"{account.pk} was about to be opened for merchant {of.pk}")
    rails = provider_of(account).rails()
    return next(one for one in rails if one.method == method and currency in {m.currency for m in one.markets})
