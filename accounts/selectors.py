"""Reads of people and keys."""

import hashlib
from collections.abc import Iterable

from django.db.models import Q, QuerySet

from accounts.base.clock import utcnow
from accounts.base.ids import is_well_formed
from accounts.base.rows import columns, first, load, table, width
from accounts.models import ApiKey, AuditEntry, Company, Merchant

_FIND_KEY = f"""
    SELECT {columns(ApiKey, "k")}, {columns(Merchant, "m")}, {columns(Company, "c")}
      FROM {table(ApiKey)} k
      JOIN {table(Merchant)} m ON m.id = k.merchant_id
      JOIN {table(Company)} c ON c.id = m.company_id
     WHERE k.digest = %s AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > statement_timestamp())
"""

KEY_MADE = ("api_key.issued", "api_key.rotated")
"""Audit actions whose object is a new key."""


def digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def find_key(key: str) -> ApiKey | None:
    """The live API key with this text, with its merchant and company, in one round trip."""
    row = first(_FIND_KEY, [digest(key)])
    if row is None:
        return None
    merchant_starts = width(ApiKey)
    company_starts = merchant_starts + width(Merchant)
    api_key = load(ApiKey, row[:merchant_starts])
    api_key.merchant = load(Merchant, row[merchant_starts:company_starts])
    api_key.merchant.company = load(Company, row[company_starts:])
    return api_key


def live_keys(merchant: Merchant) -> QuerySet[ApiKey]:
    """The merchant's active keys, newest first."""
    works = Q(expires_at=None) | Q(expires_at__gt=utcnow())
    return _keys(merchant).filter(works, revoked_at=None)


def inactive_keys(merchant: Merchant) -> QuerySet[ApiKey]:
    """The merchant's revoked and expired keys, newest first."""
    ended = Q(revoked_at__isnull=False) | Q(expires_at__lte=utcnow())
    return _keys(merchant).filter(ended)


def api_key(merchant: Merchant, key_id: str) -> ApiKey | None:
    """The merchant's key with this id, active or not."""
    return _keys(merchant).filter(pk=key_id).first() if is_well_formed(key_id) else None


def _keys(merchant: Merchant) -> QuerySet[ApiKey]:
    owned = ApiKey.objects.filter(merchant=merchant).select_related("merchant__company")
    return owned.order_by("-created_at", "-id")


def issuers(keys: Iterable[ApiKey]) -> dict[str, str]:
    """The members who issued keys: key id → e-mail address."""
    made = AuditEntry.objects.filter(object_id__in=[key.pk for key in keys], action__in=KEY_MADE)
    return dict(made.values_list("object_id", "actor__email"))
