"""Reads of conversions. The first argument is always the merchant."""

from typing import Any

from django.db.models import QuerySet

from accounts.base.ids import is_well_formed
from accounts.base.listing import narrowed
from accounts.models import Merchant
from gateway.conversions.errors import ConversionUnknown
from gateway.conversions.models import Conversion
from ledger.books.models import Account
from ledger.chart import WALLET_METHOD, AccountKind


def get(merchant: Merchant, conversion_id: str) -> Conversion:
    """Raises ONP404_CONVERSION, also for another merchant's conversion."""
    rows = Conversion.objects.filter(merchant=merchant, pk=conversion_id).select_related("merchant")
    found = rows.first() if is_well_formed(conversion_id) else None
    if found is None:
        raise ConversionUnknown
    return found


def listed(merchant: Merchant, **limits: Any) -> QuerySet[Conversion]:
    """The merchant's conversions, newest first, within the limits of `narrowed`."""
    return narrowed(Conversion.objects.filter(merchant=merchant).select_related("merchant"), **limits)


def currencies_of(merchant: Merchant, method: str) -> list[str]:
    """The currencies of the wallets of a method; if there are several, those that the merchant has used, if any."""
    named = [currency for currency, name in WALLET_METHOD.items() if name == method]
    if len(named) < 2:
        return named
    accounts = Account.objects.filter(merchant=merchant, kind=AccountKind.AVAILABLE, currency__in=named)
    used = set(accounts.values_list("currency", flat=True))
    return [currency for currency in named if currency in used] or named
