"""Initial data: staff roles, and general rules from the rails' markets."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.dispatch import receiver

from accounts import staff_roles
from accounts.models import Environment
from gateway.methods.models import MethodRule, PriceRule
from gateway.methods.rail import Market
from gateway.methods.registry import markets
from gateway.payouts.models import PayoutRule
from gateway.payouts.rail import PayoutMarket as Payout
from gateway.payouts.registry import markets as payouts
from ledger.money import to_minor

BEGINNING = datetime(2020, 1, 1, tzinfo=UTC)
"""Earlier than every payment, including demo data that starts in the past."""


@receiver(post_migrate)
def seed(sender: AppConfig, **kwargs: Any) -> None:
    """Adds missing general rules; existing rules are never changed."""
    if sender.name != "gateway":
        return
    staff_roles.seed()
    for (method, _), market in markets().items():
        _seed_market(method, market)
    for (rail, _), payout in payouts().items():
        _seed_payout(rail, payout)


def _seed_market(method: str, market: Market) -> None:
    currency = market.currency
    shortest, longest = market.expires_in_range_s or (None, None)
    if not PriceRule.objects.filter(merchant=None, method=method, currency=currency).exists():
        PriceRule.objects.create(
            method=method,
            currency=currency,
            percentage=market.percentage,
            fixed=to_minor(market.fixed, currency),
            settlement_days=market.settlement_days,
            advance_enabled=market.advance_monthly_rate is not None,
            advance_monthly_rate=market.advance_monthly_rate or Decimal(0),
            effective_from=BEGINNING,
        )
    for environment in Environment:
        MethodRule.objects.get_or_create(
            merchant=None,
            environment=environment,
            method=method,
            currency=currency,
            defaults={
                "enabled": environment == Environment.SANDBOX,
                "minimum": to_minor(market.minimum, currency),
                "maximum": to_minor(market.maximum, currency),
                "expires_in_s": market.expires_in_s,
                "expires_in_min_s": shortest,
                "expires_in_max_s": longest,
                "refund_window_days": market.refund_window_days,
            },
        )


def _seed_payout(rail: str, market: Payout) -> None:
    currency = market.currency
    for environment in Environment:
        PayoutRule.objects.get_or_create(
            merchant=None,
            environment=environment,
            rail=rail,
            currency=currency,
            defaults={
                "enabled": environment == Environment.SANDBOX,
                "minimum": to_minor(market.minimum, currency),
                "maximum": to_minor(market.maximum, currency),
                "network_fee": to_minor(market.network_fee, currency),
            },
        )
