"""Roles: what a person may do for a company."""

from enum import StrEnum, auto

from django.db import models


class Role(models.TextChoices):
    OWNER = "OWNER", "Owner: everything, and who else may"
    FINANCE = "FINANCE", "Finance: money out, advances, conversions, refunds"
    DEVELOPER = "DEVELOPER", "Developer: keys and webhooks"
    SUPPORT = "SUPPORT", "Support: payments and refunds"
    VIEWER = "VIEWER", "Viewer: reads only"


class May(StrEnum):
    """Permissions that pages require."""

    READ_PAYMENTS = auto()
    READ_MONEY = auto()
    READ_TECHNICAL = auto()
    READ_TRAIL = auto()
    READ_AUDIT = auto()
    SELL = auto()
    REFUND = auto()
    MOVE_MONEY = auto()
    SIMULATE = auto()
    DEVELOP = auto()
    MANAGE = auto()


_R = frozenset({May.READ_PAYMENTS})
GRANTS: dict[Role, frozenset[May]] = {
    Role.OWNER: frozenset(May),
    Role.FINANCE: _R | {May.READ_MONEY, May.READ_TRAIL, May.SELL, May.REFUND, May.MOVE_MONEY, May.SIMULATE},
    Role.DEVELOPER: _R | {May.READ_TECHNICAL, May.SELL, May.SIMULATE, May.DEVELOP},
    Role.SUPPORT: _R | {May.SELL, May.REFUND, May.SIMULATE},
    Role.VIEWER: _R | {May.READ_MONEY, May.READ_TECHNICAL},
}
