"""Recommendations about an API key for its owner."""

from datetime import date, timedelta
from enum import StrEnum, auto

from accounts.base.clock import utcnow
from accounts.models import ApiKey, Environment
from accounts.permissions import ALL

IDLE_AFTER = timedelta(days=60)
KNOWN_AFTER = timedelta(days=30)
"""A key used for this long has shown which permissions it needs."""


class Advice(StrEnum):
    NEVER_USED = auto()
    UNUSED = auto()
    MAY_TOO_MUCH = auto()
    MAY_EVERYTHING = auto()


def advice(key: ApiKey) -> list[Advice]:
    """Recommendations about the key, most important first; none if it is inactive."""
    if not key.is_live or key.expires_at:
        return []
    now = utcnow()
    if key.last_used_at is None:
        return [Advice.NEVER_USED] if key.created_at <= now - IDLE_AFTER else _about_permissions(key)
    return [Advice.UNUSED] if key.last_used_at <= now - IDLE_AFTER else _about_permissions(key)


def _about_permissions(key: ApiKey) -> list[Advice]:
    if key.last_used_at and key.created_at <= utcnow() - KNOWN_AFTER and idle_permissions(key):
        return [Advice.MAY_TOO_MUCH]
    everything = key.merchant.environment == Environment.PRODUCTION and set(key.permissions) == set(ALL)
    return [Advice.MAY_EVERYTHING] if everything else []


def idle_permissions(key: ApiKey) -> list[str]:
    """Permissions of the key that were not used for sixty days, or never."""
    since = (utcnow() - IDLE_AFTER).date()
    return [one for one in key.permissions if (last_use(key, one) or date.min) < since]


def last_use(key: ApiKey, permission: str) -> date | None:
    noted = key.permissions_used.get(permission)
    return date.fromisoformat(noted) if noted else None
