"""Reads of people and keys."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from accounts.base.clock import utcnow
from accounts.base.ids import is_well_formed
from accounts.base.rows import columns, copy_of, first, load, relate, table, width
from accounts.models import ApiKey, AuditEntry, Company, Merchant

_LIVE_KEY = f"""
      FROM {table(ApiKey)} k
      JOIN {table(Merchant)} m ON m.id = k.merchant_id
      JOIN {table(Company)} c ON c.id = m.company_id
     WHERE k.digest = %s AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > statement_timestamp())
"""
_OF_NOW = "(k.xmin, k.ctid, m.xmin, m.ctid, c.xmin, c.ctid)::text"
"""Every change of one of the three rows makes another text of it."""
_VERSIONS = f"SELECT {_OF_NOW} {_LIVE_KEY}"
_ROWS = f"SELECT {_OF_NOW}, {columns(ApiKey, 'k')}, {columns(Merchant, 'm')}, {columns(Company, 'c')} {_LIVE_KEY}"
MOST_KNOWN = 4_000

KEY_MADE = ("api_key.issued", "api_key.rotated")
"""Audit actions whose object is a new key."""


def digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


@dataclass(frozen=True, slots=True)
class _Known:
    """The rows of a key as this process read them last. They are never handed out, only copies."""

    versions: str
    key: ApiKey
    merchant: Merchant
    company: Company


_known: dict[bytes, _Known] = {}
"""By digest. To read the versions of three rows costs a tenth of what it costs to read the rows."""


def find_key(key: str) -> ApiKey | None:
    """The live API key with this text, with its merchant and company: as they are now."""
    hashed = digest(key)
    known = _known.get(hashed)
    if known:
        if (now := first(_VERSIONS, [hashed])) is None:
            _known.pop(hashed, None)
            return None
        if now[0] != known.versions:
            known = None
    known = known or _read(hashed)
    return _copy(known) if known else None


@dataclass(frozen=True, slots=True)
class RememberedKey:
    """A key as this process read it last, with its merchant and company. Nothing may come of it before `ask` is asked
    and its answer is that all three are so still.
    """

    api_key: ApiKey
    versions: str
    hashed: bytes

    @property
    def ask(self) -> tuple[str, list[bytes]]:
        """The statement that says how they are now, and its parameters."""
        return _VERSIONS, [self.hashed]

    def is_so_still(self, row: tuple[str] | None) -> bool:
        return row is not None and row[0] == self.versions


def remembered_key(key: str) -> RememberedKey | None:
    """The key with this text, if this process has read it before. Costs no round trip."""
    hashed = digest(key)
    known = _known.get(hashed)
    return RememberedKey(_copy(known), known.versions, hashed) if known else None


def _copy(known: _Known) -> ApiKey:
    api_key, merchant, company = copy_of(known.key), copy_of(known.merchant), copy_of(known.company)
    relate(merchant, "company", company)
    relate(api_key, "merchant", merchant)
    return api_key


def _read(hashed: bytes) -> _Known | None:
    if (row := first(_ROWS, [hashed])) is None:
        return None
    versions, *values = row
    merchant_starts = width(ApiKey)
    company_starts = merchant_starts + width(Merchant)
    known = _Known(
        versions,
        load(ApiKey, values[:merchant_starts]),
        load(Merchant, values[merchant_starts:company_starts]),
        load(Company, values[company_starts:]),
    )
    if len(_known) >= MOST_KNOWN:
        _known.clear()
    _known[hashed] = known
    return known


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
